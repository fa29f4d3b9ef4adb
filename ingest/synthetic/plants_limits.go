package synthetic

import (
	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
)

// fault that starts one job of operation a more than the policy would.
func startOneMore(f *field) {
	f.once(func(_ *simulate.Heartbeat, d *core.Decision) bool {
		f.start(d, f.operation("a"))
		return true
	})
}

// startOverNode is a fault that starts a job of an operation on the first node, which is
// full.
func startOverNode(operation string) func(*field) {
	return func(f *field) {
		f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
			if f.nodes[h.Node].address != f.plant.treeName()+"-0" {
				return false
			}
			f.start(d, f.operation(operation))
			return true
		})
	}
}

var limitPlants = []Plant{
	{
		Kind: "start_over_pool_limit", Severity: "critical", About: "pool", Subject: "limited", From: 60 * second, To: 80 * second,
		Sentence:   "A job is started that brings its pool over the pool's resource_limits.",
		Invariants: []string{"LIM-01"}, Excused: []string{"LIM-02"},
		spec: tree + `
    pools:
      limited: {resource_limits: {cpu: 5}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: limited, trees: [TREE], tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		fault: startOneMore,
	},
	{
		Kind: "start_over_ancestor_limit", Severity: "critical", About: "operation", Subject: "a", From: 60 * second, To: 80 * second,
		Sentence:   "A job is started that brings a pool above its own over that pool's resource_limits.",
		Invariants: []string{"LIM-01"}, Excused: []string{"LIM-02"},
		spec: tree + `
    pools:
      limited: {resource_limits: {memory: 6442450944}, pools: {below: {}}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: below, trees: [TREE], tasks: [{jobs: [8, 8], resources: {cpu: 1, memory: 1GiB}, seconds: [600, 0]}]}
`,
		fault: startOneMore,
	},
	{
		Kind: "start_over_operation_limit", Severity: "critical", About: "operation", Subject: "a", From: 60 * second, To: 80 * second,
		Sentence:   "A job is started that brings its operation over the operation's own resource_limits.",
		Invariants: []string{"LIM-01"}, Consequences: []string{"LIM-02"},
		spec: tree + `
    pools: {free: {non_preemptible_resource_usage_threshold: {cpu: 8}}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], resource_limits: {cpu: 3}, tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		fault: startOneMore,
	},
	{
		Kind: "start_under_violated_limit", Severity: "critical", About: "pool", Subject: "limited", From: 90 * second, To: 110 * second,
		Sentence:   "A job is started below a pool whose usage is over its lowered limit already.",
		Invariants: []string{"LIM-03"}, Consequences: []string{"LIM-01", "LIM-02"}, Excused: []string{"LIM-02"},
		spec: tree + `
    pools:
      limited: {resource_limits: {cpu: 5}, non_preemptible_resource_usage_threshold: {cpu: 8}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: limited, trees: [TREE], tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [600, 0]}]}
changes:
  - {at: 60s, tree: TREE, pool: limited, set: {resource_limits: {cpu: 3}}}
`,
		fault: startOneMore,
	},
	{
		Kind: "start_over_node", Severity: "critical", About: "node", Subject: "-0", From: 60 * second, To: 80 * second,
		Sentence:   "A job is started on a node that has no room for it.",
		Invariants: []string{"HB-01"}, Consequences: []string{"HB-07"},
		spec: tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [30, 30], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		fault: startOverNode("a"),
	},
	{
		Kind: "start_beyond_demand", Severity: "major", About: "operation", Subject: "a", From: 60 * second, To: 80 * second,
		Sentence:   "A job is started of an operation that wants no more.",
		Invariants: []string{"HB-04"}, Consequences: []string{"HB-03"},
		spec: tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		fault: startOneMore,
	},
	{
		Kind: "start_of_suspended", Severity: "critical", About: "operation", Subject: "a", From: 60 * second, To: 80 * second,
		Sentence:   "A job is started of an operation that is suspended.",
		Invariants: []string{"HB-03"}, Consequences: []string{"HB-04"},
		spec: tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-b, at: 2s, pool: free, trees: [TREE], tasks: [{jobs: [16, 16], resources: {cpu: 1}, seconds: [600, 0]}]}
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 6}, seconds: [600, 0]}]}
changes:
  - {at: 40s, operation: TREE-a, event: suspended}
  - {at: 45s, operation: TREE-b, event: aborted}
`,
		fault: startOneMore,
	},
	{
		Kind: "start_of_completed", Severity: "critical", About: "operation", Subject: "a", From: 60 * second, To: 80 * second,
		Sentence:   "A job is started of an operation that has been over for half a minute.",
		Invariants: []string{"HB-03"}, Consequences: []string{"LOG-01"},
		spec: tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-b, at: 2s, pool: free, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [600, 0]}]}
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [20, 0]}]}
`,
		fault: startOneMore,
	},
	{
		Kind: "needless_limit_repair", Severity: "major", About: "operation", Subject: "a", From: 60 * second, To: 80 * second,
		Sentence:   "A job is taken because of a violated limit, and no limit is violated.",
		Invariants: []string{"LIM-05"}, Consequences: []string{"LIM-06"},
		spec: tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				jobs := here(h, latest(h, f.operation("a"), 1))
				if len(jobs) == 0 || !d.Preemptive {
					return false
				}
				take(d, jobs[0], scheduling.Preemptible, scheduling.ForViolatedLimits, -1)
				return true
			})
		},
	},
	{
		Kind: "overcommit_without_cause", Severity: "major", About: "node", Subject: "-0", From: 60 * second, To: 80 * second,
		Sentence:   "A job is taken because its node is overcommitted, and the node is not.",
		Invariants: []string{"OVC-01"}, Consequences: []string{"OVC-02"},
		spec: tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [18, 18], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				jobs := h.Jobs()
				if f.nodes[h.Node].address != f.plant.treeName()+"-0" || len(jobs) == 0 {
					return false
				}
				take(d, jobs[len(jobs)-1], scheduling.AggressivelyPreemptible, scheduling.ForOvercommit, -1)
				return true
			})
		},
	},
	{
		Kind: "limit_not_repaired", Severity: "minor", About: "pool", Subject: "limited", From: 60 * second, To: 200 * second,
		Sentence:   "A lowered limit stays violated for two minutes, although nothing protects the jobs.",
		Invariants: []string{"LIM-04"}, Excused: []string{"LIM-02"},
		spec: tree + `
    pools: {limited: {resource_limits: {cpu: 8}}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: limited, trees: [TREE], tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [600, 0]}]}
changes:
  - {at: 60s, tree: TREE, pool: limited, set: {resource_limits: {cpu: 4}}}
`,
		fault: takeNothing,
	},
	{
		Kind: "limit_repair_overshoots", Severity: "minor", About: "pool", Subject: "limited", From: 60 * second, To: 120 * second,
		Sentence:   "To repair a lowered limit, twenty seconds late, four jobs more are taken than it needs.",
		Invariants: []string{"LIM-06"}, Consequences: []string{"LIM-05"}, Excused: []string{"LIM-02"},
		spec: tree + `
    pools: {limited: {resource_limits: {cpu: 16}}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: limited, trees: [TREE], tasks: [{jobs: [16, 16], resources: {cpu: 1}, seconds: [600, 0]}]}
changes:
  - {at: 60s, tree: TREE, pool: limited, set: {resource_limits: {cpu: 14}}}
`,
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				if h.At < f.from+20*core.Second { // until nobody can mean the limit of before
					d.Preempted = d.Preempted[:0]
					return false
				}
				mine := here(h, latest(h, f.operation("a"), 16))
				taken := len(d.Preempted)
				if taken < 2 || len(mine) < taken+4 {
					return false
				}
				for _, j := range mine[taken : taken+4] {
					take(d, j, scheduling.Preemptible, scheduling.ForViolatedLimits, -1)
				}
				return true
			})
		},
	},
	{
		Kind: "operation_unschedulable", Severity: "info", About: "operation", Subject: "a", From: 5 * second, To: 480 * second,
		Sentence:   "An operation waits for jobs that not even its idle pool could hold.",
		Invariants: []string{"LIM-10"}, Consequences: []string{"STV-09"}, Excused: []string{"STV-09"},
		spec: tree + `
    pools: {limited: {resource_limits: {cpu: 2}}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: limited, trees: [TREE], tasks: [{jobs: [3, 3], resources: {cpu: 4}, seconds: [600, 0]}]}
`,
	},
	{
		Kind: "overcommit_not_repaired", Severity: "minor", About: "node", Subject: "-0", From: 60 * second, To: 200 * second,
		Sentence:   "A node that shrank stays overcommitted for two minutes.",
		Invariants: []string{"OVC-03"}, Excused: []string{"HB-01"},
		spec: tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [600, 0]}]}
changes:
  - {at: 60s, node: TREE-0, resources: {user_slots: 20, cpu: 5, memory: 40GiB, network: 10}}
`,
		fault: takeNothing,
	},
}

// takeNothing has no job taken during the fault's span.
func takeNothing(f *field) {
	f.injector.Decide = func(h *simulate.Heartbeat, d *core.Decision) *core.Decision {
		if h.At >= f.from && h.At < f.to {
			d.Preempted = d.Preempted[:0]
		}
		return d
	}
}
