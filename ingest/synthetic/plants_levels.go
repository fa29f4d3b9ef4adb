package synthetic

import (
	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
	"poolproof/ingest/trace"
)

// levelPlants are about how well jobs are protected, what a stage may take, and
// for whom.
var levelPlants = []Plant{
	{
		Kind: "aggressive_below_threshold", Severity: "major", About: "operation", Subject: "v", From: 90 * second, To: 150 * second,
		Sentence:   "Aggressive preemption takes a job of an operation that has less than a tenth of its fair share.",
		Invariants: []string{"PRE-15"}, Consequences: []string{"PRE-06", "PRE-08", "PRE-09"},
		spec: tree + `
    enable_aggressive_starvation: true
    fair_share_aggressive_starvation_timeout: 40000
    min_share_preemption_timeout: 60000
    pools:
      fixed: {non_preemptible_resource_usage_threshold: {cpu: 100}}
      poor: {weight: 5, fair_share_starvation_tolerance: 0.05}
      rich: {strong_guarantee_resources: {cpu: 6}}
` + twoNodes + `
operations:
  - {name: TREE-h, at: 3s, pool: fixed, trees: [TREE], tasks: [{jobs: [19, 19], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-v, at: 12s, pool: poor, trees: [TREE], tasks: [{jobs: [16, 16], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 30s, pool: rich, trees: [TREE], tasks: [{jobs: [2, 2], resources: {cpu: 1}, seconds: [3000, 0]}]}
`,
		fault: takeAggressively,
	},
	{
		Kind: "protected_job_taken", Severity: "major", About: "operation", Subject: "v", From: 130 * second, To: 200 * second,
		Sentence:   "The stage that may take preemptible jobs only takes one that is not preemptible.",
		Invariants: []string{"PRE-06"}, Consequences: []string{"PRE-09", "PRE-11"},
		spec: tree + richAndPoor + without(crowded),
		fault: func(f *field) {
			f.instead(func(h *simulate.Heartbeat, d *core.Decision) bool {
				mine := here(h, latest(h, f.operation("v"), 20))
				if len(mine) <= above {
					return false
				}
				d.Preempted[0].Job, d.Preempted[0].List = mine[len(mine)-1].ID, scheduling.NonPreemptible
				return true
			})
		},
	},
	{
		Kind: "too_little_freed", Severity: "critical", About: "operation", Subject: "b", From: 130 * second, To: 200 * second,
		Sentence:   "A job is taken for one that is larger than what becomes free.",
		Invariants: []string{"PRE-02"}, Consequences: []string{"HB-01"},
		spec: tree + richAndPoor + twoNodes + `
operations:
  - {name: TREE-v, at: 10s, pool: poor, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 120s, pool: rich, trees: [TREE], tasks: [{jobs: [2, 2], resources: {cpu: 3}, seconds: [3000, 0]}]}
`,
		fault: func(f *field) {
			f.instead(func(_ *simulate.Heartbeat, d *core.Decision) bool {
				if len(d.Preempted) < 2 {
					return false
				}
				d.Preempted = d.Preempted[:1]
				return true
			})
		},
	},
	{
		Kind: "stage_above_priority", Severity: "major", About: "operation", Subject: "b", From: 130 * second, To: 200 * second,
		Sentence:   "The stage for those who starve aggressively serves one that merely starves.",
		Invariants: []string{"PRE-03"}, Consequences: []string{"PRE-04", "PRE-05"},
		spec: tree + `
    enable_aggressive_starvation: true
    fair_share_aggressive_starvation_timeout: 600000
` + richAndPoor + without(crowded),
		fault: func(f *field) {
			f.instead(func(_ *simulate.Heartbeat, d *core.Decision) bool {
				d.Preempted[0].Reason, d.Started[d.Preempted[0].For].Stage = scheduling.ForAggressivePreemption, scheduling.PreemptiveAggressive
				return true
			})
		},
	},
	{
		Kind: "overcommit_takes_kept", Severity: "minor", About: "operation", Subject: "v", From: 130 * second, To: 200 * second,
		Sentence:   "On a node that shrank the oldest of its jobs goes, and a younger one stays.",
		Invariants: []string{"OVC-02"}, Excused: []string{"HB-01"},
		spec: tree + `
    pools: {kept: {non_preemptible_resource_usage_threshold: {cpu: 100}}}
` + twoNodes + `
operations:
  - {name: TREE-s, at: 3s, pool: kept, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [30, 0.4]}]}
  - {name: TREE-v, at: 10s, pool: kept, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [3000, 0]}]}
changes:
  - {at: 130s, node: TREE-0, resources: {user_slots: 20, cpu: 9, memory: 40GiB, network: 10}}
`,
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				mine := here(h, latest(h, f.operation("v"), 20))
				if len(d.Preempted) == 0 || d.Preempted[0].Reason != scheduling.ForOvercommit || len(mine) == 0 {
					return false
				}
				d.Preempted = d.Preempted[:0]
				take(d, mine[len(mine)-1], scheduling.NonPreemptible, scheduling.ForOvercommit, -1)
				return true
			})
		},
	},
	{
		Kind: "burst_share_withheld", Severity: "major", About: "pool", Subject: "peaks", From: 200 * second, To: 260 * second,
		Sentence:   "A burst pool with volume and demand is recorded with a quarter of its fair share.",
		Invariants: []string{"GUA-04"}, Consequences: []string{"GUA-09"}, Suspected: []string{"STV-03"},
		spec: with(bursting, "8}}"),
		fault: func(f *field) {
			b := f.operation("b")
			f.record(distortion{
				pool: func(r *trace.SnapPool) {
					if r.Pool == f.pool("peaks") {
						scale(&r.SnapShares, 0.25)
					}
				},
				operation: func(r *trace.SnapOp) {
					if r.Op == b {
						scale(&r.SnapShares, 0.25)
					}
				},
			})
		},
	},
	recorded("relaxed_share_withheld", "GUA-05", "A relaxed pool with volume and demand is recorded with nothing of its integral share.", func(f *field) distortion {
		q := f.operation("q")
		return distortion{
			pool: func(r *trace.SnapPool) {
				if r.Pool == f.pool("calm") {
					scale(&r.SnapShares, 0)
				}
			},
			operation: func(r *trace.SnapOp) {
				if r.Op == q {
					scale(&r.SnapShares, 0)
				}
			},
		}
	}),
	{
		Kind: "spare_not_left", Severity: "minor", About: "operation", Subject: "a", From: 20 * second, To: 40 * second,
		Sentence:   "A job is started without preemption on a node with less left than the spare amounts.",
		Invariants: []string{"HB-07"},
		spec: tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-s, at: 2s, pool: free, trees: [TREE], tasks: [{jobs: [2, 2], resources: {cpu: 9.5}, seconds: [600, 0]}]}
  - {name: TREE-a, at: 10s, pool: free, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 0.5}, seconds: [600, 0]}]}
`,
		fault: startOneMore,
	},
	{
		Kind: "job_outside_nodes_filter", Severity: "critical", About: "operation", Subject: "b", From: 60 * second, To: 130 * second,
		Sentence:   "A node loses the tag of its tree's nodes_filter, and jobs are started on it.",
		Invariants: []string{"TREE-03"}, Consequences: []string{"TREE-08", "TREE-04", "LOG-01"},
		spec: tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [600, 0]}]}
  - {name: TREE-b, at: 95s, pool: free, trees: [TREE], tasks: [{jobs: [14, 14], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		configure: func(f *field) {
			r := f.nodeRow(f.node("-1"))
			r.Tags = "elsewhere"
			f.add(f.tree, f.from, core.NodeChanged, &r)
		},
	},
	{
		Kind: "newcomer_overtakes", Severity: "minor", About: "operation", Subject: "c", From: 60 * second, To: 61 * second,
		Sentence:   "A new operation runs at once, and one that had waited before goes on waiting.",
		Invariants: []string{"PEND-03"}, Consequences: []string{"PEND-01", "PEND-04"},
		spec: tree + `
    pools: {narrow: {max_running_operation_count: 1}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: narrow, trees: [TREE], ` + shortTask + `}
  - {name: TREE-b, at: 10s, pool: narrow, trees: [TREE], ` + longTask + `}
  - {name: TREE-c, at: 60s, pool: narrow, trees: [TREE], ` + longTask + `}
`,
		fault: func(f *field) {
			b := f.operation("b")
			f.injector.Run = func(_ core.Time, _ int, o core.OperationID) core.OperationID {
				if o == b {
					return core.Unknown
				}
				return o
			}
		},
	},
	{
		Kind: "other_among_lightweight", Severity: "major", About: "operation", Subject: "b", From: 30 * second, To: 31 * second,
		Sentence:   "An operation that is not vanilla runs in a full pool of lightweight operations.",
		Invariants: []string{"LW-04"}, Consequences: []string{"CNT-02", "CNT-04"},
		spec: tree + `
    pools: {services: {mode: fifo, enable_lightweight_operations: true, max_running_operation_count: 1}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: services, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 10s, pool: services, trees: [TREE], ` + longTask + `}
`,
		fault: runB,
	},
}
