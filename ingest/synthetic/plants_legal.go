package synthetic

import (
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/simulate"
)

// hanging is a pool whose limit holds no job of its operation, until a change.
const hanging = `
    pools: {limited: {resource_limits: {cpu: 2}}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: limited, trees: [TREE], tasks: [{jobs: [3, 3], resources: {cpu: 4}, seconds: [600, 0]}]}
changes:`

// legal is a look-alike: what it shows is not broken, or is excused.
func legal(kind, about, subject string, from, to Duration, sentence string, excused []string, spec string) Plant {
	return Plant{
		Kind: kind, Severity: "none", About: about, Subject: subject, From: from, To: to, Sentence: sentence, Excused: excused, spec: spec,
	}
}

const manyJobs = `tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [600, 0]}]`

var legalPlants = []Plant{
	legal("legal_burst_exhausted", "pool", "peaks", 180*second, 900*second,
		"A pool wants its burst guarantee for twelve minutes and gets little of it: its flow fills no more than a minute of it.",
		nil, with(bursting, "0.5}}, fair_share_starvation_tolerance: 0.5")), // of the little a job too few is no starvation
	legal("legal_burst_limited", "pool", "peaks", 180*second, 900*second,
		"A pool wants its burst guarantee for twelve minutes and gets little of it: its resource_limits allow no more.",
		nil, with(bursting, "8}}, resource_limits: {cpu: 3}")),
	legal("legal_relaxed_exhausted", "pool", "calm", 60*second, 300*second,
		"A relaxed pool gets nothing of its flow for several of its saturation periods: the strong guarantee of another is the whole tree.",
		[]string{"GUA-10"}, with(flowing, "strong_guarantee_resources: {cpu: 20}")).noted("PRE-05"),
	legal("legal_filters_overlap", "tree", "", 60*second, 150*second,
		"A tree's nodes_filter is written that claims the nodes of another: the scheduler does not take it over, and both go on.",
		nil, firstPool(twoTrees, "{}")+`
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], `+manyJobs+`}
  - {name: TREE-b, at: 90s, pool: free, trees: [TREE], `+longTask+`}
changes:
  - {at: 60s, tree: TREE.b, set: {nodes_filter: TREE_b | TREE}}
`),
	legal("legal_tentative_tree", "operation", "a", 30*second, 90*second,
		"An operation gets no more jobs in a tentative tree than it takes to judge it by, whatever room there is, and is banned there: they ran four times as long.",
		nil, firstPool(twoAlike, "{}")+`
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tentative_pool_trees: [TREE.b], slower_in: {TREE.b: 4},
     tentative_tree_eligibility: {sample_job_count: 3, max_tentative_job_duration_ratio: 2, min_job_duration: 20000},
     tasks: [{jobs: [90, 90], resources: {cpu: 2}, seconds: [10, 0]}]}
`),
	legal("legal_offloading", "operation", "a", 5*second, 60*second,
		"An operation runs in a tree that it did not ask for: its pool offloads to it.",
		nil, firstPool(twoAlike, "{offloading_settings: {TREE.b: {pool: free}}}")+`
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], `+manyJobs+`}
`),
	legal("legal_limit_lowered", "pool", "limited", 60*second, 150*second,
		"A pool's resource_limits are lowered below what its protected jobs use: they stay, and none is started.",
		[]string{"LIM-02"}, tree+`
    pools:
      limited: {resource_limits: {cpu: 6}, non_preemptible_resource_usage_threshold: {cpu: 8}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: limited, trees: [TREE], `+manyJobs+`}
changes:
  - {at: 60s, tree: TREE, pool: limited, set: {resource_limits: {cpu: 3}}}
`),
	legal("legal_running_limit_lowered", "pool", "narrow", 60*second, 150*second,
		"A pool's max_running_operation_count is lowered below its running operations: they go on.",
		[]string{"CNT-04"}, tree+`
    pools: {narrow: {max_running_operation_count: 3}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: narrow, trees: [TREE], `+longTask+`}
  - {name: TREE-b, at: 6s, pool: narrow, trees: [TREE], `+longTask+`}
  - {name: TREE-c, at: 7s, pool: narrow, trees: [TREE], `+longTask+`}
  - {name: TREE-d, at: 90s, pool: narrow, trees: [TREE], `+longTask+`}
changes:
  - {at: 60s, tree: TREE, pool: narrow, set: {max_running_operation_count: 1}}
`),
	legal("legal_total_limit_lowered", "pool", "narrow", 60*second, 150*second,
		"A pool's max_operation_count is lowered below its operations: they stay, and the next is rejected.",
		[]string{"CNT-05"}, tree+`
    pools: {narrow: {max_running_operation_count: 1, max_operation_count: 3}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: narrow, trees: [TREE], `+longTask+`}
  - {name: TREE-b, at: 6s, pool: narrow, trees: [TREE], `+longTask+`}
  - {name: TREE-c, at: 90s, pool: narrow, trees: [TREE], `+longTask+`}
changes:
  - {at: 60s, tree: TREE, pool: narrow, set: {max_operation_count: 1}}
`),
	legal("legal_pool_moved", "pool", "narrow", 60*second, 150*second,
		"A pool is moved with its running operations below one that has no room for them.",
		[]string{"CNT-04"}, tree+`
    pools: {narrow: {max_running_operation_count: 1}, moving: {}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: moving, trees: [TREE], `+longTask+`}
  - {name: TREE-b, at: 6s, pool: moving, trees: [TREE], `+longTask+`}
changes:
  - {at: 60s, tree: TREE, pool: moving, parent: narrow}
`),
	legal("legal_pool_moved_under_limit", "pool", "limited", 60*second, 150*second,
		"A pool is moved with its usage below one whose resource_limits do not hold it.",
		[]string{"LIM-02"}, tree+`
    pools:
      limited: {resource_limits: {cpu: 4}}
      moving: {non_preemptible_resource_usage_threshold: {cpu: 10}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: moving, trees: [TREE], `+manyJobs+`}
changes:
  - {at: 60s, tree: TREE, pool: moving, parent: limited}
`),
	legal("legal_revival", "pool", "narrow", 60*second, 150*second,
		"After a restart of the scheduler operations are registered again without checks, beyond a limit lowered meanwhile.",
		[]string{"CNT-04", "CNT-05"}, tree+`
    pools: {narrow: {max_running_operation_count: 3}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: narrow, trees: [TREE], `+longTask+`}
  - {name: TREE-b, at: 6s, pool: narrow, trees: [TREE], `+longTask+`}
changes:
  - {at: 58s, tree: TREE, pool: narrow, set: {max_running_operation_count: 1, max_operation_count: 1}}
  - {at: 60s, process: master_disconnected}
  - {at: 62s, process: scheduler_started}
  - {at: 63s, process: master_connected}
  - {at: 64s, operation: TREE-a, event: revived}
  - {at: 64s, operation: TREE-b, event: revived}
`),
	legal("legal_start_before_limit_is_known", "pool", "limited", 60*second, 70*second,
		"Jobs are started over a limit that was lowered a moment ago: the scheduler cannot know it yet.",
		[]string{"LIM-02"}, tree+`
    pools: {limited: {resource_limits: {cpu: 10}, non_preemptible_resource_usage_threshold: {cpu: 20}}}
`+twoNodes+`
operations:
  - {name: TREE-b, at: 5s, pool: limited, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [600, 0]}]}
  - {name: TREE-a, at: 57900ms, pool: limited, trees: [TREE], tasks: [{jobs: [12, 12], resources: {cpu: 1}, seconds: [600, 0]}]}
changes:
  - {at: 60s, tree: TREE, pool: limited, set: {resource_limits: {cpu: 4}}}
`).suspected("LIM-01", "LIM-03"),
	legal("legal_queue_jump", "operation", "c", 60*second, 125*second,
		"A limit is raised, and a newly submitted operation takes the room before the next scan gives it to one that waits.",
		[]string{"PEND-03"}, tree+`
    pools: {narrow: {max_running_operation_count: 1}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: narrow, trees: [TREE], `+longTask+`}
  - {name: TREE-b, at: 10s, pool: narrow, trees: [TREE], `+longTask+`}
  - {name: TREE-c, at: 75s, pool: narrow, trees: [TREE], `+longTask+`}
changes:
  - {at: 65s, tree: TREE, pool: narrow, set: {max_running_operation_count: 2}}
`),
	legal("legal_ephemeral_pools", "pool", "hub$guest", 5*second, 150*second,
		"A user brings a pool below the default parent and one below a hub; the hub ceases to be one, and the pools go with their operations.",
		nil, tree+`
    default_parent_pool: home
    pools: {home: {}, hub: {create_ephemeral_subpools: true, ephemeral_subpool_config: {mode: fifo}}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, user: guest, trees: [TREE], `+shortTask+`}
  - {name: TREE-b, at: 10s, user: guest, pool: hub, trees: [TREE], `+longTask+`}
changes:
  - {at: 60s, tree: TREE, pool: hub, set: {create_ephemeral_subpools: false}}
`),
	legal("legal_moved_by_user", "operation", "b", 30*second, 90*second,
		"An operation is in another pool than the one it asked for: its user moved it.",
		nil, tree+`
    pools: {asked: {}, other: {}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: asked, trees: [TREE], `+longTask+`}
  - {name: TREE-b, at: 30s, pool: asked, trees: [TREE], `+longTask+`}
changes:
  - {at: 60s, operation: TREE-b, event: pool_changed, pool: other}
`),
	legal("legal_lightweight", "pool", "services", 10*second, 90*second,
		"Lightweight operations run beyond max_running_operation_count.",
		nil, tree+`
    pools: {services: {mode: fifo, enable_lightweight_operations: true, max_running_operation_count: 1}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: services, trees: [TREE], type: vanilla, `+longTask+`}
  - {name: TREE-b, at: 10s, pool: services, trees: [TREE], type: vanilla, `+longTask+`}
  - {name: TREE-c, at: 15s, pool: services, trees: [TREE], type: vanilla, `+longTask+`}
  - {name: TREE-d, at: 20s, pool: services, trees: [TREE], type: vanilla, `+longTask+`}
`),
	legal("legal_rejection", "operation", "b", 30*second, 31*second,
		"An operation is rejected because its pool has as many operations as it may.",
		nil, tree+`
    pools: {full: {max_operation_count: 1, max_running_operation_count: 1}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: full, trees: [TREE], `+longTask+`}
  - {name: TREE-b, at: 30s, pool: full, trees: [TREE], `+longTask+`}
`),
	legal("legal_preemption", "operation", "v", 120*second, 220*second,
		"An operation above its fair share loses jobs to one that starves for its guarantee.",
		nil, tree+richAndPoor+without(crowded)),
	legal("legal_aggressive_preemption", "operation", "v", 60*second, 180*second,
		"An operation within its fair share loses jobs to one that starves aggressively.",
		nil, tree+`
    min_share_preemption_timeout: 60000
    enable_aggressive_starvation: true
    fair_share_aggressive_starvation_timeout: 40000
    pools: {rich: {strong_guarantee_resources: {cpu: 10}}, poor: {}}
`+without(cramped)),
	legal("legal_aggressive_outside_forbidden", "operation", "v", 120*second, 220*second,
		"Where aggressive preemption is forbidden a job beyond the whole fair share is taken normally.",
		nil, tree+`
    min_share_preemption_timeout: 60000
    enable_aggressive_starvation: true
    fair_share_aggressive_starvation_timeout: 40000
    pools: {rich: {strong_guarantee_resources: {cpu: 10}}, poor: {allow_aggressive_preemption: false}}
`+without(crowded)),
	legal("legal_conditional_preemption", "operation", "v", 118*second, 220*second,
		"Inside a pool that has no more than its share one child's operation loses jobs to another's.",
		nil, tree+`
    min_share_preemption_timeout: 60000
    pools:
      closed: {strong_guarantee_resources: {cpu: 10}, pools: {left: {}, right: {strong_guarantee_resources: {cpu: 5}}}}
      poor: {strong_guarantee_resources: {cpu: 10}}
`+twoNodes+`
operations:
  - {name: TREE-v, at: 3s, pool: left, trees: [TREE], tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-o, at: 14s, pool: poor, trees: [TREE], tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-w, at: 118s, pool: right, trees: [TREE], tasks: [{jobs: [5, 5], resources: {cpu: 1}, seconds: [3000, 0]}]}
`),
	legal("legal_limit_repair", "pool", "limited", 60*second, 120*second,
		"A lowered limit is repaired by taking jobs that nothing protects.",
		[]string{"LIM-02"}, tree+`
    pools: {limited: {resource_limits: {cpu: 8}}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: limited, trees: [TREE], `+manyJobs+`}
changes:
  - {at: 60s, tree: TREE, pool: limited, set: {resource_limits: {cpu: 4}}}
`),
	legal("legal_node_shrinks", "node", "-0", 60*second, 150*second,
		"A node loses half of its cores under running jobs; those that fit least are taken.",
		[]string{"HB-01"}, tree+`
    pools: {free: {}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [600, 0]}]}
changes:
  - {at: 60s, node: TREE-0, resources: {user_slots: 20, cpu: 5, memory: 40GiB, network: 10}}
`),
	legal("legal_node_lost", "node", "-0", 60*second, 150*second,
		"A node leaves and its jobs are lost; they are started again.",
		nil, tree+`
    pools: {free: {}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [16, 16], resources: {cpu: 1}, seconds: [600, 0]}]}
changes:
  - {at: 60s, node: TREE-0, online: false}
  - {at: 100s, node: TREE-0, online: true}
`),
	legal("legal_node_without_slots", "node", "-0", 60*second, 150*second,
		"A node loses its user slots for a minute and its jobs are aborted; they are started again, with nobody preempted.",
		nil, tree+`
    pools: {free: {}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [16, 16], resources: {cpu: 1}, seconds: [600, 0]}]}
changes:
  - {at: 60s, node: TREE-0, resources: {user_slots: 0, cpu: 10, memory: 40GiB, network: 10}}
  - {at: 120s, node: TREE-0, resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
`),
	legal("legal_node_moves", "node", "-1", 60*second, 150*second,
		"A node's tags change and it serves another tree; its jobs are lost.",
		nil, `
trees:
  TREE: {nodes_filter: TREE, pools: {free: {}}}
  TREE.b: {nodes_filter: TREE_b, pools: {free_b: {}}}
`+twoNodes+`
  - {name: TREE-b, count: 1, tags: [TREE_b], resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], `+manyJobs+`}
changes:
  - {at: 60s, node: TREE-1, tags: [TREE_b]}
`),
	legal("legal_tag_changed", "node", "-0", 60*second, 150*second,
		"A node loses the tag that its jobs' pool asks for: they go on.",
		nil, tree+`
    pools: {picky: {scheduling_tag_filter: fast}}
`+taggedNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: picky, trees: [TREE], `+manyJobs+`}
changes:
  - {at: 60s, node: TREE-0, tags: [TREE]}
`),
	legal("legal_guarantee_not_demanded", "pool", "rich", 30*second, 150*second,
		"A pool uses little of its guarantee because it wants no more.",
		nil, tree+richAndPoor+twoNodes+`
operations:
  - {name: TREE-v, at: 3s, pool: poor, trees: [TREE], tasks: [{jobs: [30, 30], resources: {cpu: 1}, seconds: [600, 0]}]}
  - {name: TREE-a, at: 5s, pool: rich, trees: [TREE], `+longTask+`}
`),
	legal("legal_guarantee_behind_limit", "pool", "rich", 30*second, 420*second,
		"A pool does not get its guarantee because the resource_limits of its operation are lower.",
		[]string{"GUA-03"}, tree+`
    pools: {rich: {strong_guarantee_resources: {cpu: 10}}, poor: {}}
`+twoNodes+`
operations:
  - {name: TREE-v, at: 3s, pool: poor, trees: [TREE], tasks: [{jobs: [30, 30], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-a, at: 5s, pool: rich, trees: [TREE], resource_limits: {cpu: 4}, tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [3000, 0]}]}
`).noted("PRE-05"),
	legal("legal_fragmentation", "operation", "b", 60*second, 200*second,
		"An operation starves although the tree has room, because no node has enough of it.",
		nil, tree+richAndPoor+without(cramped)),
	legal("legal_starvation", "operation", "b", 60*second, 900*second,
		"An operation starves for fourteen minutes because another fills the tree with jobs that nothing may take away.",
		[]string{"STV-09"}, strings.Replace(with(blocked, ""), "seconds: [230, 0]", "seconds: [900, 0]", 1)),
	legal("legal_unschedulable_unchecked", "operation", "a", 5*second, 480*second,
		"An operation waits for jobs that not even its idle pool could hold, and its tree has nobody look for such.",
		nil, tree+`
    enable_limiting_ancestor_check: false
`+hanging+`
  - {at: 480s, tree: TREE, pool: limited, set: {resource_limits: {cpu: 8}}}
`),
	legal("legal_unschedulable_ended", "operation", "a", 5*second, 400*second,
		"An operation waits for jobs that not even its idle pool could hold, and is given room before anybody came by.",
		nil, tree+hanging+`
  - {at: 400s, tree: TREE, pool: limited, set: {resource_limits: {cpu: 8}}}
`),
	legal("legal_brief_starvation", "operation", "b", 60*second, 90*second,
		"An operation is below its fair share for less than its timeout and is never called starving.",
		nil, tree+`
    pools: {poor: {}, waiting: {}}
`+twoNodes+`
operations:
  - {name: TREE-h, at: 3s, pool: poor, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [75, 0]}]}
  - {name: TREE-b, at: 60s, pool: waiting, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [600, 0]}]}
`),
	legal("legal_fifo_too_big", "operation", "y", 30*second, 120*second,
		"In a FIFO pool a later operation starts a job where none of the first would have fitted.",
		nil, tree+`
    pools: {queue: {mode: fifo, fifo_sort_parameters: [start_time]}, other: {}}
`+twoNodes+`
operations:
  - {name: TREE-s, at: 2s, pool: other, trees: [TREE], tasks: [{jobs: [2, 2], resources: {cpu: 6}, seconds: [600, 0]}]}
  - {name: TREE-x, at: 10s, pool: queue, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 8}, seconds: [600, 0]}]}
  - {name: TREE-y, at: 12s, pool: queue, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 2}, seconds: [600, 0]}]}
`),
	legal("legal_pool_removed", "pool", "gone", 60*second, 150*second,
		"A pool is removed with an operation in it, which goes on in an ephemeral pool of its name.",
		nil, tree+`
    pools: {gone: {}, other: {}}
`+twoNodes+`
operations:
  - {name: TREE-a, at: 5s, pool: gone, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [90, 0]}]}
changes:
  - {at: 60s, tree: TREE, pool: gone, remove: true}
`),
	legal("legal_segment_rebalanced", "node", "-d-1", 380*second, 460*second,
		"The segment for eight devices has had too little for six minutes and is given a node, whose protected jobs go.",
		nil, segmented+`
  - {name: TREE-small, at: 20s, pool: other, trees: [TREE], tasks: [{jobs: [16, 16], resources: {cpu: 1, gpu: 1}, seconds: [3000, 0]}]}
changes:
  - {at: 380s, node: TREE-d-1, scheduling_segment: large_gpu}
`),
	legal("legal_segment_managed", "operation", "big", 10*second, 400*second,
		"An operation waits for nodes of eight devices until the scheduler gives its module two that nobody uses, after five minutes.",
		nil, segmented),
	legal("legal_segment_of_spec", "operation", "asks", 10*second, 60*second,
		"An operation with small jobs runs on nodes for eight devices, because its spec asks for them.",
		nil, linesWithout(segmented, "TREE-big")+`
  - {name: TREE-asks, at: 10s, pool: free, trees: [TREE], scheduling_segment: large_gpu, tasks: [{jobs: [4, 4], resources: {cpu: 1, gpu: 1}, seconds: [3000, 0]}]}
`),
	legal("legal_ssd_node_shared", "operation", "v", 10*second, 60*second,
		"Jobs that ask for no SSD run on an SSD-priority node, which their pool allows.",
		nil, strings.Replace(fastNodes, "allow_regular_jobs_on_ssd_nodes: false", "allow_regular_jobs_on_ssd_nodes: true", 1)),
	legal("legal_ssd_preemption", "operation", "v", 62*second, 140*second,
		"A protected job that holds no SSD goes for one that starves and asks for it.",
		nil, onSSD("", "ssd_blobs")),
	legal("legal_interrupted_slowly", "operation", "v", 120*second, 240*second,
		"Interruptible jobs take most of the time they are given to leave.",
		nil, tree+richAndPoor+with(crowded, "interruptible: true,")),
	legal("legal_waiting_timeout", "operation", "b", 120*second, 240*second,
		"Jobs for which others are interrupted are given up by their node after three seconds, as their tree says, and the others leave in vain.",
		[]string{"PRE-23"}, tree+"    waiting_job_timeout: 3000"+richAndPoor+with(crowded, "interruptible: true,")).noted("CFG-10"),
}

func init() {
	stopSlowly := func(f *field) {
		f.injector.Stop = func(_ core.Time, _ int, _ core.OperationID, e simulate.Ending) simulate.Ending {
			return simulate.Ending{After: 9 * core.Second, Interruptible: true, Completed: true}
		}
	}
	faults := map[string]func(*field){
		"legal_start_before_limit_is_known": startBeforeKnown,
		"legal_interrupted_slowly":          stopSlowly,
		"legal_waiting_timeout":             stopSlowly,
	}
	for i := range legalPlants {
		legalPlants[i].fault = faults[legalPlants[i].Kind]
	}
}

// startBeforeKnown goes on by the limit that was in force, for no longer than a
// configuration takes to spread (core/spec/scheduling.md §13.5) and until every node
// has reported once. Its operation comes just before, and finds room then.
func startBeforeKnown(f *field) {
	a := f.operation("a")
	f.injector.Decide = func(h *simulate.Heartbeat, d *core.Decision) *core.Decision {
		asked := slices.ContainsFunc(d.Started, func(s core.DecidedStart) bool { return s.Operation == a })
		if h.At >= f.from && h.At < f.from+usualHeartbeats && !asked && len(h.OperationJobs(a)) < 6 && f.size(a).FitsIn(h.Free()) {
			f.start(d, a)
		}
		return d
	}
}
