package audit

import (
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/replay/tables"
)

// TestNodesThatChangeTheirSegment: one that went where nothing was missing, one that
// went too soon, and one that was needed.
func TestNodesThatChangeTheirSegment(t *testing.T) {
	t.Parallel()
	const audit = "node_changed_segment_early"
	r := newTestRun(t)
	for _, tree := range []string{"bad", "good", "blind", "quiet"} {
		r.addTree(tree, whole())
	}
	move := func(node core.NodeID, verdict string, wanting core.Optional[core.Time]) tables.SegmentMove {
		m := tables.SegmentMove{
			Time: at(400), Node: node, From: "default", To: "large_gpu", Module: "west", Wanting: wanting, Timeout: 300e6,
			Verdict: verdict, Judged: "possible",
		}
		if verdict == "undecidable" {
			m.Missing = "configuration"
		}
		return m
	}
	never := core.Optional[core.Time]{}
	put(r, "bad", move(0, "suspect", never), move(1, "suspect", core.Some(at(300))))
	put(r, "good", move(0, "ok", core.Some(at(10))))
	put(r, "blind", move(0, "undecidable", never))
	v := r.judge(audit)
	want := "suspect bad node node1 SEG-03 300 s\nsuspect bad node node2 SEG-03 200 s"
	if got := v.found(audit); got != want {
		t.Errorf("found %s", got)
	}
	for _, f := range v.Findings {
		if f.Audit == audit && !strings.HasSuffix(f.Reason, "; the log does not record whether people moved it.") {
			t.Errorf("%s", f.Reason)
		}
	}
	for tree, want := range map[string]Outcome{
		"blind": {Verdict: Undecidable, Reason: "1 change lacks an input: configuration"}, "quiet": {Verdict: Idle, Reason: "no node changed its segment"},
	} {
		if o := v.outcome(audit, tree); o.Verdict != want.Verdict || o.Reason != want.Reason {
			t.Errorf("%s is %+v", tree, o)
		}
	}
	if o := v.outcome(audit, "good"); o.Verdict != OK || o.Seen != 1 {
		t.Errorf("good is %+v", o)
	}
	for _, f := range v.Findings {
		if !strings.Contains(f.Reason, "from segment default to large_gpu") {
			t.Errorf("the reason is %s", f.Reason)
		}
	}
}
