package synthetic

import "strings"

// legalExceptions are what looks like a breach and is what a rule allows, by the rule's own
// exceptions (spec/invariants.md).
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
}
