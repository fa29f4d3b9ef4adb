package whatif

import (
	"strings"
	"testing"
)

// TestRefusals: what the scheduler refuses because of edits is told with its rule, its time and the
// line of the edits; what the log's own configuration holds is not.
func TestRefusals(t *testing.T) {
	w := theSmall(t)
	for text, want := range map[string]string{
		"pools: {research: {weight: 3}}":   "",
		"nodes: {'cpu-*': {remove: true}}": "",
		"at: 2025-03-03T08:10:00Z\npools:\n  research: {weight: 2}\n  prod: {mode: fifo}": "edit.yaml:3: the scheduler refuses the configuration with these edits, from 2025-03-03T08:10:00Z on: " +
			"CFG-02: tree physical: pool etl: a FIFO pool cannot have child pools (its parent prod is one)",
	} {
		e, err := Parse("edit.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := Apply(w.plan, e)
		if err != nil {
			t.Fatal(err)
		}
		err = e.Refused(Check(w.plan, plan, e, w.trace.Manifest().Sized()).Refused)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n%v, want %s", text, err, want)
		}
	}
}
