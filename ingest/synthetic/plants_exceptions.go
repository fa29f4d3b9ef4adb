package synthetic

import (
	"strings"

	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
	"poolproof/ingest/trace"
)

// manyNodes are so many that one of them sends a heartbeat between any two updates, and a
// whole one is a job of a.
const manyNodes = `
nodes:
  - {name: TREE, count: 60, tags: [TREE], resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
operations:
  - {name: TREE-a, at: 38400ms, pool: free, trees: [TREE], tasks: [{jobs: [60, 60], resources: {cpu: 10}, seconds: [600, 0]}]}
`

// halfOfNodes is how many jobs a pool may have that is limited to half of a tree of manyNodes.
const halfOfNodes = 30

// startWhole starts a job of a on a node that is free.
func startWhole(f *field) {
	f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
		a := f.operation("a")
		if len(d.Started) > 0 || !f.size(a).FitsIn(h.Free()) {
			return false
		}
		f.start(d, a)
		return true
	})
}

// legalExceptions are what looks like a breach and is what a rule allows, by the rule's own
// exceptions (core/spec/invariants.md).
var legalExceptions = []Plant{
	legal("legal_timeout_raised", "operation", "b", 85*second, 160*second,
		"An operation is below its fair share for longer than the timeout that it began with, and not called starving: the timeout was raised meanwhile.",
		nil, with(blocked, "")+`
changes:
  - {at: 75s, tree: TREE, set: {fair_share_starvation_timeout: 100000}}
`),
	legal("legal_aggressive_switched_off", "operation", "b", 180*second, 220*second,
		"An operation that starves aggressively is called starving only, though it gets nothing: its tree knows aggressive starvation no more.",
		nil, with(blocked, "enable_aggressive_starvation: true")+`
changes:
  - {at: 195s, tree: TREE, set: {enable_aggressive_starvation: false}}
`),
	legal("legal_status_frozen", "pool", "waiting", 230*second, 300*second,
		"A pool that has all it wants goes on being called starving: its tree stopped judging pools when it was.",
		nil, tree+`
    min_share_preemption_timeout: 30000
    pools:
      fixed: {non_preemptible_resource_usage_threshold: {cpu: 100}}
      waiting: {strong_guarantee_resources: {cpu: 4}}
`+twoNodes+`
operations:
  - {name: TREE-h, at: 3s, pool: fixed, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [230, 0]}]}
  - {name: TREE-b, at: 60s, pool: waiting, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [3000, 0]}]}
changes:
  - {at: 200s, tree: TREE, set: {enable_pool_starvation: false}}
`),
	legal("legal_aggressive_from_gang", "operation", "v", 60*second, 180*second,
		"A gang within its fair share loses jobs to an operation that starves aggressively, where the tree does not forbid it.",
		nil, tree+`
    enable_aggressive_starvation: true
    fair_share_aggressive_starvation_timeout: 40000
`+richAndPoor+with(cramped, "is_gang: true,")),
	legal("legal_flow_lowered", "pool", "calm", 100*second, 160*second,
		"A pool keeps more volume than its flow fills: the flow was lowered, and nothing has been used of it since.",
		nil, strings.Replace(without(flowing), "name: TREE-q, at: 3s", "name: TREE-q, at: 180s", 1)+`
changes:
  - {at: 90s, tree: TREE, pool: calm, set: {integral_guarantees: {guarantee_type: relaxed, resource_flow: {cpu: 1}}}}
`),
	legal("legal_fifo_first_limited", "operation", "y", 30*second, 120*second,
		"In a FIFO pool a later operation has a fair share and the first lacks most of what it wants: its own limits allow no more.",
		nil, tree+`
    pools: {queue: {mode: fifo, fifo_sort_parameters: [start_time]}}
`+twoNodes+`
operations:
  - {name: TREE-x, at: 10s, pool: queue, trees: [TREE], resource_limits: {cpu: 2}, tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [600, 0]}]}
  - {name: TREE-y, at: 12s, pool: queue, trees: [TREE], tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [600, 0]}]}
`),
	legal("legal_fifo_order_changed", "pool", "queue", 60*second, 120*second,
		"The order of a FIFO pool turns about: its sort parameters were changed.",
		nil, tree+`
    pools: {queue: {mode: fifo, fifo_sort_parameters: [start_time]}}
`+twoNodes+`
operations:
  - {name: TREE-x, at: 10s, pool: queue, trees: [TREE], tasks: [{jobs: [6, 6], resources: {cpu: 1}, seconds: [600, 0]}]}
  - {name: TREE-y, at: 12s, pool: queue, trees: [TREE], weight: 5, tasks: [{jobs: [6, 6], resources: {cpu: 1}, seconds: [600, 0]}]}
changes:
  - {at: 60s, tree: TREE, pool: queue, set: {fifo_sort_parameters: [weight, start_time]}}
`),
	legal("legal_fifo_order_after_restart", "pool", "queue", 130*second, 200*second,
		"In a FIFO pool the first goes on standing first that a restarted scheduler registered again last: it was started first.",
		nil, tree+`
    pools: {queue: {mode: fifo, fifo_sort_parameters: [start_time]}}
`+twoNodes+`
operations:
  - {name: TREE-x, at: 10s, pool: queue, trees: [TREE], tasks: [{jobs: [12, 12], resources: {cpu: 1}, seconds: [600, 0]}]}
  - {name: TREE-y, at: 12s, pool: queue, trees: [TREE], tasks: [{jobs: [12, 12], resources: {cpu: 1}, seconds: [600, 0]}]}
changes:
  - {at: 60s, process: master_disconnected}
  - {at: 62s, process: scheduler_started}
  - {at: 63s, process: master_connected}
  - {at: 64s, operation: TREE-y, event: revived}
  - {at: 65s, operation: TREE-x, event: revived}
`),
	legal("legal_promise_behind_limit", "operation", "x", 20*second, 120*second,
		"Jobs are started for an operation without a guarantee, and one that lacks what its pool is promised gets none: its own limits allow no more.",
		nil, tree+`
    enable_guarantee_priority_scheduling: true
    pools: {rich: {strong_guarantee_resources: {cpu: 10}, compute_promised_guarantee_fair_share: true}, poor: {}}
`+twoNodes+`
operations:
  - {name: TREE-s, at: 2s, pool: poor, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [60, 0.4]}]}
  - {name: TREE-p, at: 10s, pool: rich, trees: [TREE], resource_limits: {cpu: 3}, tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-x, at: 12s, pool: poor, trees: [TREE], tasks: [{jobs: [30, 30], resources: {cpu: 1}, seconds: [3000, 0]}]}
`).noted("PRE-05"),
	legal("legal_fifo_beyond_budget", "operation", "y", 30*second, 120*second,
		"In a FIFO pool that may have one operation in scheduling a second takes part: it has a fair share.",
		nil, tree+`
    max_schedulable_element_count_in_fifo_pool: 1
    pools: {queue: {mode: fifo, fifo_sort_parameters: [start_time]}}
`+twoNodes+`
operations:
  - {name: TREE-x, at: 10s, pool: queue, trees: [TREE], resource_limits: {cpu: 2}, tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [600, 0]}]}
  - {name: TREE-y, at: 12s, pool: queue, trees: [TREE], tasks: [{jobs: [30, 30], resources: {cpu: 1}, seconds: [600, 0]}]}
`),
	legal("legal_start_just_suspended", "operation", "a", 41*second+200*second/1000, 42*second,
		"Jobs are started of an operation that was suspended since the last update of fair shares.",
		nil, tree+`
    pools: {free: {}}
`+manyNodes+`
changes:
  - {at: 41200ms, operation: TREE-a, event: suspended}
`),
	{
		Kind: "legal_start_just_asked", Severity: "none", About: "operation", Subject: "a", From: 40*second + 500*second/1000, To: 41 * second,
		Sentence: "A job is started of an operation that began to ask for jobs since the last update of fair shares.",
		spec: tree + `
    pools: {free: {}}
` + manyNodes,
		fault: startWhole,
	},
	{
		Kind: "legal_graceful_just_below", Severity: "none", About: "operation", Subject: "v", From: 100 * second, To: 400 * second,
		Sentence: "A graceful operation that had its fair share at the last update starts a job: one of its jobs has ended since.",
		spec: tree + `
    fair_share_starvation_tolerance: 1
    pools: {half: {resource_limits: {cpu: 300}}}
nodes:
  - {name: TREE, count: 60, tags: [TREE], resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
operations:
  - {name: TREE-v, at: 3s, pool: half, trees: [TREE], preemption_mode: graceful, tasks: [{jobs: [200, 200], resources: {cpu: 10}, seconds: [200, 0.5]}]}
`,
		fault: func(f *field) {
			v := f.operation("v")
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				if h.At < f.from || len(d.Started) > 0 || len(h.OperationJobs(v)) != halfOfNodes-1 || !f.size(v).FitsIn(h.Free()) {
					return false
				}
				f.start(d, v)
				return true
			})
		},
	},
	{
		Kind: "legal_taken_before_forbidden", Severity: "none", About: "operation", Subject: "v", From: 154 * second, To: 159 * second,
		Sentence:  "A job is taken from a pool that allows no preemption since a moment ago: the scheduler cannot know it yet.",
		Suspected: []string{"PRE-26"},
		spec: tree + `
    preemptive_scheduling_backoff: 2000` + richAndPoor + without(crowded) + `
changes:
  - {at: 153500ms, tree: TREE, pool: poor, set: {allow_normal_preemption: false}}
`,
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				return d.Preemptive && h.At >= f.from && h.At < f.from+usualHeartbeats && f.starving(h, f.operation("b")) != scheduling.NonStarving &&
					len(f.exceeding(h)) > 0 && takeForB(f, h, d, scheduling.Preemptible, scheduling.ForPreemption, scheduling.PreemptiveNormal)
			})
		},
	},
	{
		Kind: "legal_limits_of_before", Severity: "none", About: "pool", Subject: "capped", From: 60 * second, To: 66 * second,
		Sentence:  "A pool's recorded limits are half of a tree that has just lost half of its nodes: the totals of before.",
		Suspected: []string{"LIM-09"},
		spec: tree + `
    pools: {capped: {max_share_ratio: 0.5}, free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: capped, trees: [TREE], tasks: [{jobs: [3, 3], resources: {cpu: 1}, seconds: [600, 0]}]}
changes:
  - {at: 59500ms, node: TREE-1, online: false}
`,
		fault: func(f *field) {
			told := false
			f.record(distortion{pool: func(r *trace.SnapPool) {
				if r.Pool == f.pool("capped") && !told && r.Limits.Set {
					told = true
					r.Limits.Value.CPUMilli *= 2
				}
			}})
		},
	},
	{
		Kind: "legal_preempted_after_restart", Severity: "none", About: "operation", Subject: "b", From: 230 * second, To: 330 * second,
		Sentence: "Preemption is tried on a node sooner after the last time than the backoff allows: the scheduler has started anew since.",
		Noted:    []string{"PRE-05"},
		spec: tree + `
    preemptive_scheduling_backoff: 10000
    min_share_preemption_timeout: 10000
    pools: {rich: {strong_guarantee_resources: {cpu: 10}}, poor: {}}
` + strings.Replace(without(crowded), "jobs: [6, 6]", "jobs: [10, 10]", 1) + `
changes:
  - {at: 157s, tree: TREE, set: {preemptive_scheduling_backoff: 1000000}}
  - {at: 160s, process: master_disconnected}
  - {at: 162s, process: scheduler_started}
  - {at: 163s, process: master_connected}
  - {at: 164s, operation: TREE-v, event: revived}
  - {at: 164s, operation: TREE-b, event: revived}
  - {at: 340s, tree: TREE, set: {preemptive_scheduling_backoff: 10000}}
`,
		fault: func(f *field) {
			f.tells = true
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				return f.starving(h, f.operation("b")) != scheduling.NonStarving && wanted(h, f.operation("b")) &&
					len(here(h, latest(h, f.operation("v"), 3))) > 0 &&
					takeForB(f, h, d, scheduling.Preemptible, scheduling.ForPreemption, scheduling.PreemptiveNormal)
			})
		},
	},
}
