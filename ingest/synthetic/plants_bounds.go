package synthetic

import (
	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
	"poolproof/ingest/trace"
)

// all is what an operation gets when it wants less than there is.
const all = tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [600, 0]}]}
`

// owned is a tree whose pool owner wants its guarantee of eight cores and has six,
// because o was first; within it v has five more than its share of what w wants, too. Pool
// owner starves for nothing as long as anybody looks.
const owned = tree + `
    pools:
      owner: {strong_guarantee_resources: {cpu: 8}, fair_share_starvation_timeout: 100000, min_share_preemption_timeout: 1000000}
      poor: {}
      rich: {strong_guarantee_resources: {cpu: 6}}
` + twoNodes + `
operations:
  - {name: TREE-o, at: 3s, pool: poor, trees: [TREE], tasks: [{jobs: [14, 14], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-v, at: 14s, pool: owner, trees: [TREE], weight: 0.1, tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-w, at: 60s, pool: owner, trees: [TREE], tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 62s, pool: rich, trees: [TREE], tasks: [{jobs: [6, 6], resources: {cpu: 1}, seconds: [3000, 0]}]}
`

// sibling is a tree in which pool rich starves for what c wants, whose jobs are as large
// as a node: h has most of each. The share of b, within rich, is not quite two cores.
const sibling = `
    pools:
      fixed: {weight: 0.01, non_preemptible_resource_usage_threshold: {cpu: 100}}
      poor: {}
      rich: {strong_guarantee_resources: {cpu: 16}}
` + twoNodes + `
operations:
  - {name: TREE-h, at: 2s, pool: fixed, trees: [TREE], tasks: [{jobs: [2, 2], resources: {cpu: 6}, seconds: [3000, 0]}]}
  - {name: TREE-v, at: 10s, pool: poor, trees: [TREE], tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-c, at: 60s, pool: rich, trees: [TREE], tasks: [{jobs: [2, 2], resources: {cpu: 10}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 60s, pool: rich, trees: [TREE], weight: 0.1, tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [3000, 0]}]}
`

// boundPlants are about what an element keeps, and how far it may go beyond its share:
// rules that are mostly broken by what breaks another one first, each here for itself.
var boundPlants = []Plant{
	{
		Kind: "covered_operation_preemptible", Severity: "major", About: "operation", Subject: "a", From: 60 * second, To: 80 * second,
		Sentence:   "A job of an operation that gets all it wants is recorded as preemptible.",
		Invariants: []string{"LST-03"}, Suspected: []string{"LST-01"}, // of one job, which is its slack
		spec: all,
		fault: func(f *field) {
			a := f.operation("a")
			f.record(distortion{operation: func(r *trace.SnapOp) {
				if r.Op == a {
					r.PreemptibleJobs = core.Some(r.PreemptibleJobs.Value + 1)
					r.AggressivePreemptible = core.Some(r.AggressivePreemptible.Value - 1)
				}
			}})
		},
	},
	{
		Kind: "victims_beyond_share", Severity: "major", About: "operation", Subject: "v", From: 80 * second, To: 140 * second,
		Sentence:   "Six jobs are taken of an operation at once for one large job, and only two of them are beyond its fair share.",
		Invariants: []string{"PRE-16"}, Consequences: []string{"PRE-06"},
		spec: tree + `
    pools:
      fixed: {weight: 0.01, non_preemptible_resource_usage_threshold: {cpu: 100}}
      poor: {}
      rich: {strong_guarantee_resources: {cpu: 6}}
` + twoNodes + `
operations:
  - {name: TREE-h, at: 3s, pool: fixed, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-v, at: 12s, pool: poor, trees: [TREE], tasks: [{jobs: [30, 30], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 30s, pool: rich, trees: [TREE], tasks: [{jobs: [1, 1], resources: {cpu: 6}, seconds: [3000, 0]}]}
`,
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				return d.Preemptive && f.starving(h, f.operation("b")) != scheduling.NonStarving &&
					takeForB(f, h, d, scheduling.Preemptible, scheduling.ForPreemption, scheduling.PreemptiveNormal)
			})
		},
	},
	{
		Kind: "guarantee_taken", Severity: "major", About: "pool", Subject: "owner", From: 75 * second, To: 140 * second,
		Sentence:   "A job is taken from a pool that has less than its guarantee, for one outside: within it the operation had more than its share.",
		Invariants: []string{"GUA-07"}, Consequences: []string{"PRE-09", "PRE-10"}, Noted: []string{"PRE-05"},
		spec: owned,
		fault: func(f *field) {
			b, w := f.operation("b"), f.operation("w")
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				mine := here(h, latest(h, f.operation("v"), 1))
				if len(mine) == 0 || !d.Preemptive || f.starving(h, b) == scheduling.NonStarving {
					return false
				}
				withhold(d, b, w)
				take(d, mine[0], scheduling.Preemptible, scheduling.ForPreemption, f.startFor(d, b, scheduling.PreemptiveNormal))
				return true
			})
		},
	},
	{
		Kind: "pool_stays_over_limit", Severity: "minor", About: "pool", Subject: "limited", From: 60 * second, To: 200 * second,
		Sentence:   "A pool uses more than its resource_limits for minutes, because of a start that nothing excuses.",
		Invariants: []string{"LIM-02"}, Consequences: []string{"LIM-01"},
		spec: tree + `
    pools: {limited: {resource_limits: {cpu: 5}, non_preemptible_resource_usage_threshold: {cpu: 8}}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: limited, trees: [TREE], ` + manyJobs + `}
`,
		fault: startOneMore,
	},
	{
		Kind: "max_share_exceeded", Severity: "info", About: "pool", Subject: "soft", From: 20 * second, To: 120 * second,
		Sentence:   "A pool without resource_limits uses more than its max_share_ratio for minutes, while nobody else wants it.",
		Invariants: []string{"LIM-08"},
		spec: tree + `
    pools: {soft: {max_share_ratio: 0.25}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: soft, trees: [TREE], ` + manyJobs + `}
`,
	},
	{
		Kind: "beneficiary_of_starving_pool", Severity: "info", About: "operation", Subject: "b", From: 60 * second, To: 180 * second,
		Sentence:   "An operation that has its fair share gets jobs in place of others, because its pool starves for another one's sake.",
		Invariants: []string{"PRE-05"},
		spec:       tree + sibling,
	},
}

var legalBounds = []Plant{
	legal("legal_covered_operation", "operation", "a", 20*second, 80*second,
		"Half of the jobs of an operation that gets all it wants are there for aggressive preemption.",
		nil, all),
	legal("legal_victims_to_the_share", "operation", "v", 60*second, 140*second,
		"All jobs by which an operation exceeds its fair share are taken at once, for one large job.",
		nil, tree+richAndPoor+`
nodes:
  - {name: TREE, count: 1, tags: [TREE], resources: {user_slots: 40, cpu: 20, memory: 80GiB, network: 20}}
operations:
  - {name: TREE-v, at: 3s, pool: poor, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 60s, pool: rich, trees: [TREE], tasks: [{jobs: [1, 1], resources: {cpu: 6}, seconds: [3000, 0]}]}
`),
	legal("legal_taken_to_the_guarantee", "pool", "owner", 60*second, 160*second,
		"A pool with a guarantee loses all that it has beyond it.",
		nil, tree+`
    pools: {owner: {strong_guarantee_resources: {cpu: 8}}, rich: {strong_guarantee_resources: {cpu: 12}}}
`+twoNodes+`
operations:
  - {name: TREE-v, at: 3s, pool: owner, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 60s, pool: rich, trees: [TREE], tasks: [{jobs: [12, 12], resources: {cpu: 1}, seconds: [3000, 0]}]}
`).noted("PRE-05"),
	legal("legal_taken_where_nobody_checks", "pool", "owner", 60*second, 160*second,
		"A pool loses jobs of its guarantee to one outside, in a tree that does not look at satisfaction: within it the operation has more than its share.",
		[]string{"GUA-07", "PRE-09"}, tree+`
    preemption_check_satisfaction: false
    pools:
      owner: {strong_guarantee_resources: {cpu: 8}, fair_share_starvation_timeout: 100000, min_share_preemption_timeout: 1000000}
      poor: {}
      rich: {strong_guarantee_resources: {cpu: 6}}
`+twoNodes+`
operations:
  - {name: TREE-o, at: 3s, pool: poor, trees: [TREE], tasks: [{jobs: [12, 12], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-v, at: 14s, pool: owner, trees: [TREE], tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-w, at: 60s, pool: owner, trees: [TREE], tasks: [{jobs: [6, 6], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 62s, pool: rich, trees: [TREE], tasks: [{jobs: [6, 6], resources: {cpu: 1}, seconds: [3000, 0]}]}
`).noted("PRE-05"),
	legal("legal_max_share_briefly", "pool", "soft", 5*second, 60*second,
		"A pool uses more than its max_share_ratio for less than a minute.",
		nil, tree+`
    pools: {soft: {max_share_ratio: 0.25}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: soft, trees: [TREE], tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [40, 0]}]}
`),
	legal("legal_scope_of_operations", "operation", "b", 60*second, 180*second,
		"An operation that has its fair share gets none in place of others, though its pool starves: only operations count.",
		nil, tree+`
    scheduling_preemption_priority_scope: operation_only
`+sibling),
}
