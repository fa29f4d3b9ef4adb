package audit

import (
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

func TestHowMuchOfATreeWasJudged(t *testing.T) {
	t.Parallel()
	slot := resource.Vector{resource.UserSlots: 1}
	r := newTestRun(t)
	states := whole()
	r.addTree("a", states)
	put(r, "a", tables.Tree{FromTime: at(0), ToTime: at(1000), Updates: 10, RefusedUpdates: 2, RefusedTime: 250e6})
	put(r, "a", tables.Job{Job: "before", StartTime: at(-5), End: core.EndRunning}, tables.Job{Job: "x", Resources: slot, StartTime: at(5), End: core.EndRunning},
		tables.Job{Job: "y", Resources: slot, StartTime: at(6), End: core.EndPreempted, EndTime: core.Some(at(7))})
	// One step breaks two rules, and nobody knows of another.
	put(r, "a", tables.Admission{Time: at(1), Action: "started", Verdict: "violated"}, tables.Admission{Time: at(1), Action: "started", Verdict: "undecidable"},
		tables.Admission{Time: at(2), Action: "started", Verdict: "undecidable"})
	put(r, "a", tables.ExcuseWindow{FromTime: at(100), ToTime: at(150)}, tables.ExcuseWindow{FromTime: at(950), ToTime: at(2000)}) // the half of it after the window
	r.addTree("b", states)
	put(r, "b", tables.Tree{FromTime: at(0), ToTime: at(1000)})
	r.addTree("c", states)
	put(r, "c", tables.Tree{FromTime: at(0), ToTime: at(1000), Updates: 1})
	put(r, "c", tables.Job{Job: "z", Resources: slot, StartTime: at(5), End: core.EndRunning}) // its start is among those counted
	put(r, "c", tables.DecisionCount{Invariant: "HB-01", Verdict: "ok", Decisions: 6}, tables.DecisionCount{Invariant: "HB-02", Verdict: "excused", Decisions: 1},
		tables.DecisionCount{Invariant: "HB-02", Verdict: "undecidable", Decisions: 3})
	v := r.audit("job_without_end")
	a, b := v.TreeCoverage[0], v.TreeCoverage[1]
	if c := v.TreeCoverage[2]; c.Checks != 10 || c.JudgedChecks != 7 || c.Reason != "the log does not settle 3 rule checks: see decision_counts" {
		t.Errorf("%+v", c)
	}
	if a.Seconds != 1000 || a.Time() != 0.65 || a.Checks != 5 || a.JudgedChecks != 3 ||
		!strings.HasSuffix(a.Reason, "were refused: see the problems; for 1 min 40 s many rules are excused: see the table excuse_windows; no audit judges 1 preemption; the log does not settle 1 step of admission") {
		t.Errorf("%+v", a)
	}
	if b.Time() != 0 || b.Checks != 0 || b.CheckShare() != 0 || b.Reason != "no fair share was computed" {
		t.Errorf("%+v", b)
	}
	for policy, want := range map[string]int{"": 0, "min_time_coverage: 0.1": 3, "min_check_coverage: 0.6": 0, "min_check_coverage: 0.65": 3} {
		if got := r.gradedBy(policy, "job_without_end").ExitCode(); got != want {
			t.Errorf("%s: exit code %d, want %d", policy, got, want)
		}
	}
	if got := r.query("SELECT judged_seconds, checks FROM tree_coverage WHERE tree = 'a'"); got != "650,5" {
		t.Error(got)
	}
}
