package audit

import (
	"testing"

	"poolproof/replay/tables"
)

// TestPreemptedWorkNotRestarted: an operation that lived for more than an hour without
// a job or a wish, and one that did so for less.
func TestPreemptedWorkNotRestarted(t *testing.T) {
	const audit = "preempted_work_not_restarted"
	r := newTestRun(t)
	logged := whole()
	logged["demand"] = "recorded"
	vague := whole()
	vague["demand"] = "snapshots"
	lost := func(from, to int) tables.LostWork {
		return tables.LostWork{Operation: 0, Pool: 0, Job: "job-1", Jobs: 2, FromTime: at(from), ToTime: at(to), End: "window_end"}
	}
	r.addTree("bad", logged)
	put(r, "bad", lost(0, 3601), lost(4000, 4100))
	put(r, "bad", taken(0, 1, 0, "job-1"))
	r.addTree("good", logged)
	put(r, "good", lost(0, 3600))
	put(r, "good", taken(0, 1, 0, "job-1"))
	r.addTree("vague", vague)
	put(r, "vague", taken(0, 1, 0, "job-1"))
	v := r.judge(audit)
	if got, want := v.found(audit), "suspect bad operation op-a 3601 s"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
	for tree, want := range map[string]Judgement{"good": OK, "vague": Undecidable} {
		if o := v.outcome(audit, tree); o.Verdict != want {
			t.Errorf("%s is %+v", tree, o)
		}
	}
}
