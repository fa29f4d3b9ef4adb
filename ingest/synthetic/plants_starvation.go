package synthetic

import (
	"poolproof/core"
	"poolproof/core/scheduling"
)

// blocked is a tree that h fills and keeps, because all its jobs are protected.
// At a minute b comes and gets nothing until h ends, at four minutes.
const blocked = tree + `
    TRAITS
    pools:
      fixed: {non_preemptible_resource_usage_threshold: {cpu: 100}, max_running_operation_count: 4}
      waiting: {max_running_operation_count: 4}
` + twoNodes + `
operations:
  - {name: TREE-h, at: 3s, pool: fixed, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [230, 0]}]}
  - {name: TREE-b, at: 60s, pool: waiting, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [3000, 0]}]}
`

// say has the scheduler say of b what it says of no one in that state.
func say(now func(at core.Time, f *field, s scheduling.Status) scheduling.Status) func(*field) {
	return func(f *field) {
		b := f.operation("b")
		f.injector.Status = func(at core.Time, _ int, o core.OperationID, s scheduling.Status) scheduling.Status {
			if o == b && at >= f.from && at < f.to {
				return now(at, f, s)
			}
			return s
		}
	}
}

func always(status scheduling.Status) func(core.Time, *field, scheduling.Status) scheduling.Status {
	return func(core.Time, *field, scheduling.Status) scheduling.Status { return status }
}

var starvationPlants = []Plant{
	{
		Kind: "starving_too_early", Severity: "major", About: "operation", Subject: "b", From: 72 * second, To: 95 * second,
		Sentence:   "An operation is declared starving long before its timeout has passed.",
		Invariants: []string{"STV-01"},
		spec:       with(blocked, ""), fault: say(always(scheduling.Starving)),
	},
	{
		Kind: "starving_too_late", Severity: "major", About: "operation", Subject: "b", From: 60 * second, To: 200 * second,
		Sentence:   "An operation is not declared starving for two minutes after its timeout has passed.",
		Invariants: []string{"STV-02"},
		spec:       with(blocked, ""), fault: say(always(scheduling.NonStarving)),
	},
	{
		Kind: "starving_kept", Severity: "major", About: "operation", Subject: "b", From: 230 * second, To: 300 * second,
		Sentence:   "An operation that has all it wants goes on being called starving.",
		Invariants: []string{"STV-03"}, Consequences: []string{"STV-06"},
		spec: with(blocked, ""), fault: say(always(scheduling.Starving)),
	},
	{
		Kind: "aggressive_too_early", Severity: "major", About: "operation", Subject: "b", From: 100 * second, To: 160 * second,
		Sentence:   "An operation is declared aggressively starving long before that timeout has passed.",
		Invariants: []string{"STV-04"}, Consequences: []string{"STV-01"},
		spec: with(blocked, "enable_aggressive_starvation: true"), fault: say(always(scheduling.AggressivelyStarving)),
	},
	{
		Kind: "aggressive_where_off", Severity: "major", About: "operation", Subject: "b", From: 190 * second, To: 220 * second,
		Sentence:   "An operation is declared aggressively starving where the tree knows no such thing.",
		Invariants: []string{"STV-04"},
		spec:       with(blocked, ""), fault: say(always(scheduling.AggressivelyStarving)),
	},
	{
		Kind: "starving_without_pending", Severity: "critical", About: "operation", Subject: "b", From: 300 * second, To: 360 * second,
		Sentence:   "An operation that waits for no job is declared starving.",
		Invariants: []string{"STV-06"}, Consequences: []string{"STV-01", "STV-03"},
		spec: with(blocked, ""), fault: say(always(scheduling.Starving)),
	},
	{
		Kind: "starvation_ignored", Severity: "info", About: "operation", Subject: "b", From: 120 * second, To: 840 * second,
		Sentence:   "An operation that nobody guarantees anything gets nothing of its fair share for twelve minutes, and another of another pool has more than its own.",
		Invariants: []string{"STV-09"}, Consequences: []string{"HB-05", "HB-10"},
		spec: tree + `
    pools: {rich: {}, poor: {}}
` + without(crowded),
		fault: ignore("b"),
	},
}
