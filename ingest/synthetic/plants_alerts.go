package synthetic

import (
	"poolproof/core"
	"poolproof/core/simulate"
)

// refused is a tree in which the limit of a pool is lowered, at a minute, to what a uses
// of it. The scheduler does not take that over and says so: until the alert is cleared, at
// two minutes, it goes by the limit of before, by which there is room for four jobs of b.
const refused = tree + `
    pools: {limited: {resource_limits: {cpu: 8}, non_preemptible_resource_usage_threshold: {cpu: 20}}, free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: limited, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [600, 0]}]}
  - {name: TREE-b, at: 80s, pool: limited, trees: [TREE], tasks: [{jobs: [6, 6], resources: {cpu: 1}, seconds: [600, 0]}]}
TRAITS
changes:
  - {at: 60s, tree: TREE, pool: limited, set: {resource_limits: {cpu: 4}}}
  - {at: 61s, process: alert_raised, alert: update_pools}
  - {at: 120s, process: alert_cleared, alert: update_pools}
`

// startAny has jobs of b start wherever there is room on a node for them, whatever the limit,
// while there are fewer than so many.
func startAny(most int) func(f *field) {
	return func(f *field) {
		b := f.operation("b")
		f.injector.Decide = func(h *simulate.Heartbeat, d *core.Decision) *core.Decision {
			if h.At >= f.from && h.At < f.to && wanted(h, b) && len(h.OperationJobs(b)) < most && f.size(b).FitsIn(h.Free()) {
				f.start(d, b)
			}
			return d
		}
	}
}

// alertPlants are what an alert about the configuration does not excuse.
var alertPlants = []Plant{
	{
		Kind: "start_over_node_under_alert", Severity: "critical", About: "node", Subject: "-0", From: 90 * second, To: 115 * second,
		Sentence:   "While the scheduler does not take its configuration over, a job is started on a node that has no room for it.",
		Invariants: []string{"HB-01"}, Suspected: []string{"HB-07"}, // the room to leave is configured
		spec:  with(refused, "  - {name: TREE-c, at: 20s, pool: free, trees: [TREE], tasks: [{jobs: [30, 30], resources: {cpu: 1}, seconds: [600, 0]}]}"),
		fault: startOverNode("c"),
	},
	{
		Kind: "start_over_accepted_limit", Severity: "critical", About: "pool", Subject: "limited", From: 80 * second, To: 120 * second,
		Sentence:   "While the scheduler does not take a lowered limit over, jobs are started over that of before, too.",
		Invariants: []string{"LIM-01"}, Consequences: []string{"LIM-03"}, Excused: []string{"LIM-02", "LIM-03"}, // the starts within the old limit stand in one finding with those over it
		spec:  without(refused),
		fault: startAny(6),
	},
	{
		Kind: "start_over_limit_after_alert", Severity: "critical", About: "pool", Subject: "limited", From: 140 * second, To: 170 * second,
		Sentence:   "Twenty seconds after the scheduler took its configuration over, a job is started by the limit of before.",
		Invariants: []string{"LIM-01"}, Consequences: []string{"LIM-02"},
		spec: without(refused),
		fault: func(f *field) {
			f.once(func(_ *simulate.Heartbeat, d *core.Decision) bool {
				f.start(d, f.operation("b"))
				return true
			})
		},
	},
}

// legalAlerts are their look-alikes.
var legalAlerts = []Plant{
	{
		Kind: "legal_start_by_accepted_limit", Severity: "none", About: "pool", Subject: "limited", From: 80 * second, To: 120 * second,
		Sentence: "Jobs are started over a lowered limit that the scheduler said it did not take over: it goes by the one of before.",
		Excused:  []string{"LIM-01", "LIM-02", "LIM-03"},
		spec:     without(refused),
		fault:    startAny(4),
	},
}
