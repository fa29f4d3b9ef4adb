package audit

import (
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// recordsSeen is a tally that stands for records of the scheduler about itself.
func recordsSeen() tables.SnapshotTally {
	return tables.SnapshotTally{Invariant: "GUA-09", Pool: 0, OK: 1, FromTime: at(0), ToTime: at(100)}
}

// A scene is a tree, and what an audit has to say of it as a whole.
type scene struct {
	fill   func(r *testRun, tree string)
	states map[string]string // of coverage; nil is all
	want   Judgement
	reason string
	seen   int64
}

// TestNothingIsKeptUnseen: where the log leaves out what an audit goes by, it says so;
// where there was nothing of what it is about, it is idle.
func TestNothingIsKeptUnseen(t *testing.T) {
	t.Parallel()
	ends := func(kind core.EndKind, reasons ...string) func(*testRun, string) {
		return func(r *testRun, tree string) {
			jobs := jobsOf(0, 150, 100)
			for i := range jobs {
				jobs[i].End, jobs[i].Resources = core.EndCompleted, resource.Vector{resource.UserSlots: 1}
			}
			for i, reason := range reasons {
				jobs[i].End, jobs[i].Reason = kind, reason
			}
			put(r, tree, jobs...)
		}
	}
	shares := func(r *testRun, tree string) {
		put(r, tree, tables.PoolInterval{Pool: 0, Interval: tables.Interval{FromTime: at(0), ToTime: at(60)}})
	}
	compared := func(r *testRun, tree string) {
		shares(r, tree)
		put(r, tree, recordsSeen())
	}
	ran := func(r *testRun, tree string) {
		put(r, tree, tables.OperationInterval{Operation: 0, Running: true, Interval: tables.Interval{FromTime: at(0), ToTime: at(60)}})
		put(r, tree, tables.Operation{Operation: 0, Pool: 0, StartTime: at(0), RunningTime: core.Some(at(0))})
	}
	limits := core.Some(resource.Partial{Set: [resource.Kinds]bool{resource.CPU: true}, Amounts: resource.Vector{resource.CPU: 400}})
	below := func(limited core.PoolID, check tables.UnschedulableCheck) func(*testRun, string) {
		return func(r *testRun, tree string) {
			put(r, tree, tables.Operation{Operation: 0, Pool: 0, StartTime: at(0), RunningTime: core.Some(at(0)), UnschedulableCheck: check})
			pools := []tables.Pool{{Pool: 0, Path: "corp/prod"}, {Pool: 1, Path: "corp"}, {Pool: 2, Path: "ads"}}
			pools[limited].ResourceLimits = limits
			put(r, tree, pools...)
		}
	}
	configured := func(fill func(*testRun, string)) func(*testRun, string) {
		return func(r *testRun, tree string) {
			fill(r, tree)
			put(r, tree, tables.Tree{Profile: "documented", FromTime: at(0), ToTime: at(86400), Configured: true})
		}
	}
	noShares := "the log holds no fair shares of the scheduler, and those that were recomputed are not its"
	for audit, scenes := range map[string]map[string]scene{
		"scheduling_overcommit_aborts": {
			"all completed":        {fill: ends(core.EndCompleted, ""), want: Idle, reason: "no job was aborted"},
			"no reasons":           {fill: ends(core.EndAborted, "", ""), want: Undecidable, reason: "the log does not record why 2 jobs ended"},
			"a reason of too many": {fill: ends(core.EndAborted, "node_offline", "", ""), want: Undecidable, reason: "the log does not record why 2 jobs ended"},
			"reasons":              {fill: ends(core.EndAborted, "node_offline", ""), want: OK, seen: 150, reason: "the log does not record why 1 job ended"},
			"unknown ends":         {fill: ends(core.EndUnknown, "", ""), want: Undecidable, reason: "the log does not record why 2 jobs ended"},
		},
		"job_without_one_slot": {
			"told":            {fill: ends(core.EndCompleted), want: OK, seen: 150},
			"by the importer": {fill: ends(core.EndCompleted), states: whole("usage.user_slots", "assumed"), want: Undecidable, reason: "the log lacks user slots of jobs (usage.user_slots: assumed, not recorded)"},
		},
		"operation_options_ignored": {
			"specs":    {fill: ran, want: OK, seen: 1},
			"no specs": {fill: ran, states: whole("specs", "none"), want: Undecidable, reason: "the log holds no spec that says what an operation sets"},
		},
		"operation_unschedulable": {
			"limit above":      {fill: configured(below(1, tables.SchedulabilityChecked)), want: OK, seen: 1},
			"not checked":      {fill: configured(below(1, tables.SchedulabilityUnchecked)), want: Idle, reason: "enable_limiting_ancestor_check was off for all operations that waited below a limit"},
			"never waited":     {fill: configured(below(1, tables.SchedulabilityNeverWaited)), want: Idle, reason: "no operation below a limit waited for jobs"},
			"no size":          {fill: configured(below(1, tables.SchedulabilityUnsized)), want: Undecidable, reason: "the log does not record the smallest job of 1 operation below a limit"},
			"limit elsewhere":  {fill: configured(below(2, tables.SchedulabilityChecked)), want: Idle, reason: "no operation that ran had resource_limits of its own or of a pool above it"},
			"no configuration": {fill: ran, want: Undecidable, reason: "the log holds no configuration, and so no limits of pools"},
			"no smallest jobs": {fill: configured(below(1, tables.SchedulabilityChecked)), states: whole("smallest_jobs", "none"), want: Undecidable, reason: "the log lacks the smallest job that an operation waits for (smallest_jobs: none, not recorded)"},
		},
		"start_over_limit": {
			"limits": {fill: func(r *testRun, tree string) {
				put(r, tree, tables.DecisionCount{Invariant: "LIM-01", Verdict: "ok", Decisions: 2, Minute: at(0)})
			}, want: OK, seen: 2},
			"no limits": {fill: func(r *testRun, tree string) {
				put(r, tree, tables.DecisionCount{Invariant: "LIM-01", Verdict: "undecidable", Note: "configuration", Decisions: 2, Minute: at(0)})
			}, want: Undecidable, reason: "2 rule checks lack an input: configuration"},
		},
		"fair_share_over_demand": {"compared": {fill: compared, want: OK, seen: 1}, "recomputed": {fill: shares, want: Undecidable, reason: noShares}},
		"fair_share_over_limits": {"compared": {fill: compared, want: OK, seen: 1}, "recomputed": {fill: shares, want: Undecidable, reason: noShares}},
		"starvation_flaps": {
			"told":             {fill: ran, want: OK, seen: 1},
			"no configuration": {fill: ran, states: whole("tree_config", "assumed"), want: Undecidable, reason: "the log lacks timeouts of starvation (tree_config: assumed, not history or single)"},
		},
		"configuration_unknown": {
			"history":        {fill: shares, states: whole("pool_config", "history"), want: OK, seen: 2},
			"some":           {fill: shares, states: whole("pool_config", "single"), want: Undecidable, seen: 1, reason: "not known throughout: pool configuration, which is single"},
			"none of either": {fill: shares, states: whole("pool_config", "assumed", "tree_config", "assumed"), want: Undecidable, reason: "not known throughout: pool configuration, which is assumed; tree configuration, which is assumed"},
		},
	} {
		t.Run(audit, func(t *testing.T) {
			r := newTestRun(t)
			for name, s := range scenes {
				states := s.states
				if states == nil {
					states = whole()
				}
				r.addTree(name, states)
				s.fill(r, name)
			}
			v := r.judge(audit)
			for name, s := range scenes {
				if o := v.outcome(audit, name); o.Verdict != s.want || o.Seen != s.seen || o.Reason != s.reason {
					t.Errorf("%s is %s, %d seen, %q; want %s, %d, %q", name, o.Verdict, o.Seen, o.Reason, s.want, s.seen, s.reason)
				}
			}
		})
	}
}
