package audit

import (
	"testing"

	"poolproof/replay/tables"
)

// TestPreemptedWorkNotRestarted: an operation that lived for more than an hour without
// a job or a wish, and one that did so for less.
func TestPreemptedWorkNotRestarted(t *testing.T) {
	t.Parallel()
	const audit = "preempted_work_not_restarted"
	r := newTestRun(t)
	logged := whole("demand", "recorded")
	sampled := whole("demand", "snapshots")
	vague := whole("demand", "reconstructed")
	lost := func(from, to int) tables.LostWork {
		return tables.LostWork{Operation: 0, Pool: 0, Job: "job-1", Jobs: 2, FromTime: at(from), ToTime: at(to), End: "window_end"}
	}
	r.addTree("bad", logged)
	put(r, "bad", lost(0, 3601), lost(4000, 4100), lost(5000, 8700), lost(9000, 12650))
	put(r, "bad", taken(0, 1, 0, "job-1"))
	r.addTree("good", logged)
	put(r, "good", lost(0, 3600))
	gracefully := taken(0, 1, 0, "job-2")
	gracefully.Mode = "graceful"
	put(r, "good", taken(0, 1, 0, "job-1"), gracefully)
	recorded := lost(0, 3601)
	recorded.Recorded = true
	r.addTree("named", logged)
	put(r, "named", recorded)
	put(r, "named", taken(0, 1, 0, "job-1"))
	r.addTree("half", logged) // of one of two spans the log names restarts
	sooner := recorded
	sooner.FromTime, sooner.ToTime = at(5000), at(8602)
	put(r, "half", lost(0, 3601), sooner)
	put(r, "half", taken(0, 1, 0, "job-1"))
	r.addTree("sampled", sampled)
	put(r, "sampled", lost(0, 3601))
	put(r, "sampled", taken(0, 1, 0, "job-1"))
	r.addTree("gap", sampled) // the records of the operation ended too early
	gap := lost(0, 3600)
	gap.End = "unrecorded"
	put(r, "gap", gap)
	put(r, "gap", taken(0, 1, 0, "job-1"))
	r.addTree("vague", vague)
	put(r, "vague", taken(0, 1, 0, "job-1"))
	v := r.judge(audit)
	if got, want := v.found(audit), "violated named operation op-a 3601 s\nsuspect bad operation op-a 3700 s\nsuspect half operation op-a 3602 s\nsuspect sampled operation op-a 3601 s\nundecidable gap operation op-a 3600 s"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
	if f := v.Findings[2]; f.Judged != "possible" {
		t.Errorf("half is %s", f.Judged)
	}
	if f := v.Findings[1]; timeText(f.From) != "2023-11-14T23:36:40Z" || timeText(f.To) != "2023-11-15T00:38:20Z" {
		t.Errorf("from %s to %s", timeText(f.From), timeText(f.To))
	}
	if o := v.outcome(audit, "good"); o.Seen != 1 {
		t.Errorf("saw %d jobs", o.Seen)
	}
	r.expect(v, audit, map[string]Judgement{"good": OK, "gap": Undecidable, "vague": Undecidable})
}
