package report

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestProofOfACause: sentences name every change with its size, and each that was tried has the
// command and the file that try it again.
func TestProofOfACause(t *testing.T) {
	proof := CauseProof{Kind: "pool", Name: "alpha", Tree: "main", Level: "demand", Unit: "share·s", Recorded: 80, Control: 76, InControl: true, Trace: "trace",
		Notes: []string{"Something is assumed."},
		Trials: []CauseTrial{
			{Cause: "ancestor_limit", Holder: "top", Limiting: "cpu", Part: 0.6, Change: "resource_limits.cpu of pool top is raised from 20 cores", Size: "to 60 cores", Edit: "trees: {\"main\": {pools: {\"top\": {resource_limits: {cpu: 60}}}}}\n", Gone: true},
			{Cause: "scheduling_delay", Part: 0.3},
			{Cause: "excluded_nodes", Part: 0.1, Change: "scheduling_tag_filter of pool alpha is taken away", Edit: "trees: {\"main\": {pools: {\"alpha\": {scheduling_tag_filter: null}}}}\n", Lacked: 70},
		}}
	d := &Document{}
	proof.AddTo(d)
	var b bytes.Buffer
	d.text(&b)
	got := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"Each of these would have halved the deficit at least: resource_limits.cpu of pool top is raised from 20 cores to 60 cores.",
		"These would not: scheduling_tag_filter of pool alpha is taken away. Something is assumed.",
		"30.0 % free room that fits its jobs was not given yet none: no edit takes this cause away",
		`poolproof what-if trace --edit edit-1.yaml --subject alpha --tree main resource_limits.cpu of pool top is raised from 20 cores to 60 cores; edit-1.yaml says trees: {"main": {pools: {"top": {resource_limits: {cpu: 60}}}}}`,
		`poolproof what-if trace --edit edit-2.yaml --subject alpha --tree main scheduling_tag_filter of pool alpha is taken away; edit-2.yaml says trees: {"main": {pools: {"alpha": {scheduling_tag_filter: null}}}}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	proof.Part = [2]time.Time{time.Unix(1000, 0), time.Unix(2000, 500_000_000)}
	d = &Document{}
	proof.AddTo(d)
	b.Reset()
	d.text(&b)
	if want := `--tree main --from 1970-01-01T00:16:40Z --to 1970-01-01T00:33:20.5Z`; strings.Count(b.String(), want) != 2 {
		t.Errorf("commands do not say %q:\n%s", want, b.String())
	}
	if strings.Contains(got, "edit-3.yaml") {
		t.Errorf("what was not tried has a command:\n%s", b.String())
	}
}

// TestProofWithoutSizes: a column in which no row says anything is left out.
func TestProofWithoutSizes(t *testing.T) {
	d := &Document{}
	(&CauseProof{Level: "demand", Unit: "share·s", InControl: true, Trials: []CauseTrial{{Cause: "excluded_nodes", Change: "the filter is taken away", Lacked: 70}}}).AddTo(d)
	var b bytes.Buffer
	d.text(&b)
	if strings.Contains(b.String(), "size") || !strings.Contains(b.String(), "helps") {
		t.Errorf("a change without sizes has a column for them, or no answer:\n%s", b.String())
	}
}
