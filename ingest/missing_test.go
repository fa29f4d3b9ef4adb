package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/ingest/trace"
)

// TestRowsThatTheManifestCountsAreMissed: a file that lost rows after the trace was written undermines what rests
// on its table, at all times.
func TestRowsThatTheManifestCountsAreMissed(t *testing.T) {
	for name, c := range map[string]struct {
		counted string
		want    []LostRows
	}{
		"all are there": {`"rows": 1`, nil},
		"two are lost":  {`"rows": 3`, []LostRows{{Tree: "t", Table: "heartbeats", Codes: []string{missingRows}, Rows: 2}}},
		"one too many":  {`"rows": 0`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLog(t, trace.Options{})
			l.check(l.tree.Add(&trace.Heartbeat{Stamp: l.at(5), Node: 1, Kind: "recorded"}))
			l.open()
			path := filepath.Join(l.dir, trace.ManifestName)
			text, err := os.ReadFile(path)
			l.check(err)
			before, after, ok := strings.Cut(string(text), `"tree=t/heartbeats"`)
			if !ok {
				t.Fatalf("the manifest counts no heartbeats: %s", text)
			}
			l.check(os.WriteFile(path, []byte(before+`"tree=t/heartbeats"`+strings.Replace(after, `"rows": 1`, c.counted, 1)), 0o666))
			tr, err := Open(l.dir)
			l.check(err)
			events(t, tr, Options{})
			if d := cmp.Diff(c.want, tr.LostRows()); d != "" {
				t.Error(d)
			}
			told := 0
			for _, p := range tr.Problems() {
				if p.Code == missingRows && p.Row == -1 && strings.HasPrefix(p.Source, "tree=t/heartbeats") {
					told++
				}
			}
			if told != min(1, len(c.want)) {
				t.Errorf("problems: %+v", tr.Problems())
			}
		})
	}
}
