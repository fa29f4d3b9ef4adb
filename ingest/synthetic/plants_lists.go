package synthetic

import (
	"slices"

	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
	"poolproof/ingest/trace"
)

// exposed is a tree in which v has twice its fair share once b has come, at a minute,
// and b does not starve for as long as anybody looks. A quarter of v's jobs is
// protected, a quarter is there for aggressive preemption, and half for any.
const exposed = tree + `
    fair_share_starvation_timeout: 600000
    fair_share_aggressive_starvation_timeout: 600000
    pools: {poor: {TRAITS}, other: {}}
` + twoNodes + `
operations:
  - {name: TREE-v, at: 5s, pool: poor, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 60s, pool: other, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [3000, 0]}]}
`

// restarted is what befalls the scheduler before b of the crowded tree comes.
const restarted = `
changes:
  - {at: 100s, process: master_disconnected}
  - {at: 102s, process: scheduler_started}
  - {at: 103s, process: master_connected}
`

// listPlants are about the order of an operation's jobs and where it is cut.
var listPlants = []Plant{
	{
		Kind: "too_many_protected", Severity: "minor", About: "operation", Subject: "v", From: 70 * second, To: 100 * second,
		Sentence:   "An operation's recorded lists protect six jobs more than half of its fair share.",
		Invariants: []string{"LST-04"},
		spec:       without(exposed),
		fault: func(f *field) {
			v := f.operation("v")
			f.record(distortion{operation: func(r *trace.SnapOp) {
				if r.Op == v {
					r.AggressivePreemptible = core.Some(r.AggressivePreemptible.Value - 4)
					r.PreemptibleJobs = core.Some(r.PreemptibleJobs.Value - 2)
				}
			}})
		},
	},
	{
		Kind: "order_lost_in_restart", Severity: "minor", About: "operation", Subject: "v", From: 130 * second, To: 240 * second,
		Sentence:   "After a restart the older one of two jobs taken at one moment is said to be less protected, though both ran before.",
		Invariants: []string{"LST-06"},
		spec:       tree + richAndPoor + wide + restarted,
		fault:      invertLevels,
	},
}

var legalListPlants = []Plant{
	legal("legal_threshold_protects", "operation", "v", 70*second, 100*second,
		"An operation's recorded lists protect more jobs than half of its fair share: its pool's threshold does.",
		nil, with(exposed, "non_preemptible_resource_usage_threshold: {cpu: 11}")),
	{
		Kind: "legal_started_together", Severity: "none", About: "operation", Subject: "v", From: 130 * second, To: 240 * second,
		Sentence: "Of two jobs that one heartbeat took after a restart one was less protected: they had started together, and may stand in any order.",
		spec:     linesWithout(tree+richAndPoor+wide+restarted, "TREE-s"),
		fault: func(f *field) {
			f.instead(func(h *simulate.Heartbeat, d *core.Decision) bool {
				if len(d.Preempted) < 2 {
					return false
				}
				oldest, _ := bounds(here(h, latest(h, f.operation("v"), 20)), d.Preempted)
				if oldest >= 0 {
					return false
				}
				d.Preempted[0].List = scheduling.AggressivelyPreemptible
				return true
			})
		},
	},
}

// invertLevels says of the first two jobs that make room for one of b that the younger
// is the better protected.
func invertLevels(f *field) {
	f.instead(func(h *simulate.Heartbeat, d *core.Decision) bool {
		if len(d.Preempted) < 2 {
			return false
		}
		_, youngest := bounds(here(h, latest(h, f.operation("v"), 20)), d.Preempted)
		if youngest < 0 {
			return false
		}
		d.Preempted[youngest].List = scheduling.AggressivelyPreemptible
		return true
	})
}

// bounds are the places among victims of the job that started first and of the
// one that started last; -1 if they started together.
func bounds(jobs []simulate.NodeJob, victims []core.DecidedPreemption) (oldest, youngest int) {
	start := func(place int) core.Time {
		i := slices.IndexFunc(jobs, func(j simulate.NodeJob) bool { return j.ID == victims[place].Job })
		if i < 0 {
			return 0
		}
		return jobs[i].Start
	}
	for place := range victims {
		if start(place) < start(oldest) {
			oldest = place
		}
		if start(place) > start(youngest) {
			youngest = place
		}
	}
	if start(oldest) == start(youngest) {
		return -1, -1
	}
	return oldest, youngest
}
