// Package synthetic makes traces of clusters that never were: the core's own
// scheduler runs a described cluster, and all it does is recorded as a native
// trace (package trace).
//
//	spec, err := synthetic.Preset("small")
//	summary, err := synthetic.Generate(ctx, synthetic.Options{Spec: spec, Out: "trace", Seed: 1})
//
// # The description
//
// A Spec is a YAML file:
//
//	cluster: demo                  # name of the cluster
//	start: 2025-03-03T08:00:00Z    # of the window
//	length: 30m
//	profile: documented            # whose rules the scheduler follows
//	fair_share_update_period: 1s
//	snapshot_period: 5s            # of the scheduler's own view; 0s for none
//	heartbeat_period: 5s
//	preparation: 2s                # from running to the first job
//	default_tree: physical
//	max_operation_count: 5000      # of the whole cluster
//	trees:                         # options as the user documentation names them
//	  physical:
//	    nodes_filter: cpu
//	    pools:
//	      prod: {weight: 4, strong_guarantee_resources: {cpu: 640}}
//	nodes:
//	  - {name: cpu, count: 40, tags: [cpu], resources: {cpu: 48, user_slots: 48, memory: 256GiB},
//	     data_center: east, failures: {every: 12h, repair: 10m}}
//	workloads:                     # operations that arrive at random
//	  - {name: etl, pool: prod, users: [anna, ben, analyst*5], type: map_reduce, trees: [physical],
//	     arrivals: {per_hour: 30, day: office},
//	     tasks: [{jobs: [10, 200], resources: {cpu: 1, memory: 2GiB}, seconds: [60, 0.5]}],
//	     job_failures: 0.01, aborts: 0.02, interruptible: true}
//	operations:                    # operations at a known moment
//	  - {name: nightly, at: 2m, user: anna, pool: prod,
//	     tasks: [{jobs: [4, 4], resources: {cpu: 2}, seconds: [600, 0]}]}
//	changes:                       # what people do meanwhile
//	  - {at: 10m, tree: physical, pool: prod, set: {weight: 8}}
//	  - {at: 12m, tree: physical, pool: prod, parent: other}
//	  - {at: 15m, tree: physical, set: {max_running_operation_count: 50}}
//	  - {at: 20m, operation: nightly, event: suspended}
//	  - {at: 25m, node: cpu-3, tags: [spare]}
//
// Users "analyst*5" are analyst1 to analyst5. Jobs are [least, most], spread
// evenly over the orders of magnitude between; seconds are [median, spread] of a
// log-normal distribution. Arrivals follow the day: flat, office (most from ten
// to six) or night. A job takes one user slot, and one core if it names no cpu.
// Operations and workloads may also have weight, max_share_ratio,
// resource_limits, scheduling_tag_filter, preemption_mode and is_gang.
//
// # Randomness
//
// Every random number is drawn from a generator of its own purpose: of a
// workload, of an operation, of a job. A further pool, node or workload shifts
// none of the others. The same description and seed give the same bytes,
// whatever Options.Workers.
//
// # Plants
//
// A Plant is a small tree of its own, put beside the described ones, in which
// the scheduler breaks exactly one promise at a known moment; the world follows
// on from there. Look-alikes break none. What was planted is written to a file
// beside the trace, see Planted.
package synthetic
