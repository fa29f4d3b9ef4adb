package audit

import (
	"testing"

	"poolproof/core/judge"
	"poolproof/replay/tables"
)

// TestIdleIsAStateOfItsOwn: where nothing happened that an audit is about it is neither
// kept nor counted among what could not be judged.
func TestIdleIsAStateOfItsOwn(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	blind := whole("preemption_details", "none")
	told := whole("preemption_details", "recorded", "heartbeats", "none") // what else is not told is of no matter
	for tree, states := range map[string]map[string]string{"quiet": told, "busy": whole(), "blind": blind, "inferred": whole(), "mutual": whole()} {
		r.addTree(tree, states)
		put(r, tree, tables.Tree{Profile: "documented", Configured: true, FromTime: at(0), ToTime: at(86400)})
	}
	put(r, "busy", tables.Preemption{Time: at(10), Job: "j", ForJob: "k"})
	put(r, "inferred", tables.Preemption{Time: at(10), Job: "j", ForJob: "k", Inferred: true})
	put(r, "busy", counted(judge.PRE21, judge.OK, 3))
	mutual := taken(0, 1, 10, "j")
	mutual.StartTime = at(0)
	put(r, "mutual", mutual)
	v := r.judge("preempted_job_stays", "preemption_names_nobody", "pool_over_operation_count", "preemption_concentrated", "preemption_ping_pong", "old_job_preempted", "preempted_work_not_restarted")
	for at, want := range map[string]map[string]Judgement{
		"preempted_job_stays":          {"quiet": Idle, "busy": OK, "blind": Undecidable},
		"preemption_names_nobody":      {"quiet": Idle, "busy": Suspect, "blind": Undecidable, "inferred": Undecidable},
		"preemption_concentrated":      {"quiet": Idle, "busy": OK, "blind": Undecidable},
		"preemption_ping_pong":         {"quiet": Idle, "busy": Undecidable, "blind": Undecidable, "mutual": OK},
		"old_job_preempted":            {"quiet": Idle, "blind": Undecidable, "mutual": Idle},
		"preempted_work_not_restarted": {"quiet": Idle, "busy": OK, "blind": Undecidable},
		"pool_over_operation_count":    {"quiet": Idle, "busy": Idle, "blind": Idle},
	} {
		for tree, verdict := range want {
			if o := v.outcome(at, tree); o.Verdict != verdict || o.Verdict == Idle && (o.Seen != 0 || o.Reason == "") {
				t.Errorf("%s of tree %s is %+v, want %s", at, tree, o, verdict)
			}
		}
	}
	if got := v.Coverage(); got != 9.0/19 { // of what is not idle
		t.Errorf("coverage is %v", got)
	}
	kept := &Verdict{MinCoverage: 1, Outcomes: []Outcome{{Verdict: OK, Seen: 1}, {Verdict: Idle}}}
	if c := kept.ExitCode(); c != ExitKept {
		t.Errorf("what is idle lowers the coverage to %v: exit code %d", kept.Coverage(), c)
	}
	kept.Outcomes[1].Verdict = Undecidable
	if c := kept.ExitCode(); c != ExitCoverage {
		t.Errorf("what is undecidable leaves exit code %d", c)
	}
	if none := (&Verdict{MinCoverage: 0.1, Outcomes: []Outcome{{Verdict: Idle}}}); none.ExitCode() != ExitCoverage {
		t.Errorf("of nothing to judge, coverage %v was judged", none.Coverage())
	}
}
