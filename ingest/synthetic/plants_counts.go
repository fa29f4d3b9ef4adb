package synthetic

import (
	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/trace"
)

// A long operation of one job.
const longTask = `tasks: [{jobs: [1, 1], resources: {cpu: 1}, seconds: [600, 0]}]`

// A short one.
const shortTask = `tasks: [{jobs: [1, 1], resources: {cpu: 1}, seconds: [40, 0]}]`

// fault that marks operation b running, whatever its pools hold.
func runB(f *field) { f.run(f.operation("b")) }

// fault that leaves operation b pending until the span's end.
func leaveBPending(f *field) {
	b := f.operation("b")
	f.injector.Run = func(at core.Time, _ int, o core.OperationID) core.OperationID {
		if o == b && at < f.to {
			return core.Unknown
		}
		return o
	}
}

var countPlants = []Plant{
	{
		Kind: "running_over_pool_limit", Severity: "critical", About: "pool", Subject: "narrow", From: 30 * second, To: 31 * second,
		Sentence:   "An operation is marked running in a pool that has as many running operations as it may.",
		Invariants: []string{"CNT-02"}, Consequences: []string{"CNT-04"},
		spec: tree + `
    pools: {narrow: {max_running_operation_count: 1}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: narrow, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 10s, pool: narrow, trees: [TREE], ` + longTask + `}
`,
		fault: runB,
	},
	{
		Kind: "running_over_ancestor_limit", Severity: "critical", About: "pool", Subject: "narrow", From: 30 * second, To: 31 * second,
		Sentence:   "An operation is marked running below a pool that has as many running operations as it may.",
		Invariants: []string{"CNT-02"}, Consequences: []string{"CNT-04"},
		spec: tree + `
    pools: {narrow: {max_running_operation_count: 1, pools: {left: {}, right: {}}}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: left, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 10s, pool: right, trees: [TREE], ` + longTask + `}
`,
		fault: runB,
	},
	{
		Kind: "started_over_total_limit", Severity: "major", About: "pool", Subject: "full", From: 30 * second, To: 31 * second,
		Sentence:   "An operation is registered in a pool that has as many operations as it may.",
		Invariants: []string{"CNT-01"}, Consequences: []string{"CNT-05"},
		spec: tree + `
    pools: {full: {max_operation_count: 1, max_running_operation_count: 1, pools: {below: {}}}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: below, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 30s, pool: below, trees: [TREE], ` + longTask + `}
`,
		fault: func(f *field) {
			f.place(f.operation("b"), func(string, error) (string, error) { return "below", nil })
		},
	},
	{
		Kind: "rejected_with_room", Severity: "major", About: "operation", Subject: "b", From: 30 * second, To: 31 * second,
		Sentence:   "An operation is rejected for the number of operations, although no pool of its chain is full.",
		Invariants: []string{"CNT-06"},
		spec: tree + `
    pools: {roomy: {max_operation_count: 5, max_running_operation_count: 5}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: roomy, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 30s, pool: roomy, trees: [TREE], ` + longTask + `}
`,
		fault: func(f *field) {
			f.place(f.operation("b"), func(pool string, _ error) (string, error) {
				return pool, &pooltree.Refusal{Reason: pooltree.MaxOperationCount, Tree: f.plant.treeName(), Pool: pool, Limit: 5}
			})
		},
	},
	{
		Kind: "pending_with_room", Severity: "major", About: "operation", Subject: "b", From: 10 * second, To: 190 * second,
		Sentence:   "An operation stays pending for three minutes although no pool of its chain is full.",
		Invariants: []string{"PEND-01"},
		spec: tree + `
    pools: {roomy: {max_running_operation_count: 5}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: roomy, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 10s, pool: roomy, trees: [TREE], ` + longTask + `}
`,
		fault: leaveBPending,
	},
	{
		Kind: "room_not_used", Severity: "major", About: "operation", Subject: "b", From: 45 * second, To: 230 * second,
		Sentence:   "A running operation leaves, and the one that waits for its place does not get it.",
		Invariants: []string{"PEND-04"}, Consequences: []string{"PEND-01"},
		spec: tree + `
    pools: {narrow: {max_running_operation_count: 1}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: narrow, trees: [TREE], ` + shortTask + `}
  - {name: TREE-b, at: 10s, pool: narrow, trees: [TREE], ` + longTask + `}
`,
		fault: leaveBPending,
	},
	{
		Kind: "pending_overtaken", Severity: "minor", About: "operation", Subject: "b", From: 45 * second, To: 62 * second,
		Sentence:   "Of two operations that wait in one queue the later one is marked running.",
		Invariants: []string{"PEND-02"}, Consequences: []string{"PEND-03"},
		spec: tree + `
    pools: {narrow: {max_running_operation_count: 1}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: narrow, trees: [TREE], ` + shortTask + `}
  - {name: TREE-b, at: 10s, pool: narrow, trees: [TREE], ` + longTask + `}
  - {name: TREE-c, at: 20s, pool: narrow, trees: [TREE], ` + longTask + `}
`,
		fault: func(f *field) {
			b, c := f.operation("b"), f.operation("c")
			overtaken := false // c runs once
			f.injector.Run = func(_ core.Time, _ int, o core.OperationID) core.OperationID {
				if o == b && !overtaken {
					overtaken = true
					return c
				}
				return o
			}
		},
	},
	{
		Kind: "lightweight_other_type", Severity: "major", About: "pool", Subject: "services", From: 30 * second, To: 90 * second,
		Sentence:   "An operation that is not vanilla runs as a lightweight one, beyond the pool's running operations.",
		Invariants: []string{"LW-01"}, Consequences: []string{"LW-04", "CNT-02", "CNT-04", "LW-05", "CNT-03"},
		spec: tree + `
    pools: {services: {mode: fifo, enable_lightweight_operations: true, max_running_operation_count: 1}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: services, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 10s, pool: services, trees: [TREE], ` + longTask + `}
`,
		fault: func(f *field) {
			runB(f)
			f.record(distortion{pool: func(r *trace.SnapPool) {
				r.RunningOperations, r.LightweightRunning = core.Some[int64](1), core.Some[int64](1)
			}})
		},
	},
	{
		Kind: "lightweight_left_pending", Severity: "major", About: "operation", Subject: "b", From: 10 * second, To: 190 * second,
		Sentence:   "A lightweight operation is left pending.",
		Invariants: []string{"LW-02"}, Consequences: []string{"PEND-01"},
		spec: tree + `
    pools: {services: {mode: fifo, enable_lightweight_operations: true, max_running_operation_count: 1}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: services, trees: [TREE], type: vanilla, ` + longTask + `}
  - {name: TREE-b, at: 10s, pool: services, trees: [TREE], type: vanilla, ` + longTask + `}
`,
		fault: leaveBPending,
	},
	{
		Kind: "start_of_pending", Severity: "critical", About: "operation", Subject: "a", From: 60 * second, To: 80 * second,
		Sentence:   "A job is started of an operation that is pending.",
		Invariants: []string{"PEND-05"}, Consequences: []string{"HB-03", "HB-04", "CNT-02", "CNT-04"},
		spec: tree + `
    pools: {narrow: {max_running_operation_count: 1}}
` + twoNodes + `
operations:
  - {name: TREE-b, at: 5s, pool: narrow, trees: [TREE], ` + longTask + `}
  - {name: TREE-a, at: 10s, pool: narrow, trees: [TREE], ` + longTask + `}
`,
		fault: startOneMore,
	},
	{
		Kind: "lightweight_pool_mixed", Severity: "info", About: "pool", Subject: "services", From: 10 * second, To: 90 * second,
		Sentence:   "A lightweight pool holds an operation that is not lightweight.",
		Invariants: []string{"LW-07"},
		spec: tree + `
    pools: {services: {mode: fifo, enable_lightweight_operations: true, max_running_operation_count: 2}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: services, trees: [TREE], type: vanilla, ` + longTask + `}
  - {name: TREE-b, at: 10s, pool: services, trees: [TREE], ` + longTask + `}
`,
	},
	{
		Kind: "job_in_erased_tree", Severity: "major", About: "operation", Subject: "a", From: 60 * second, To: 100 * second,
		Sentence:   "A job is started of an operation in a tree that it was erased from.",
		Invariants: []string{"TREE-05"}, Consequences: []string{"HB-03", "HB-04", "LOG-01"},
		spec: `
trees:
  TREE: {nodes_filter: TREE, pools: {free: {}}}
  TREE.b: {nodes_filter: TREE_b, pools: {free: {}}}
` + twoNodes + `
  - {name: TREE-b, count: 1, tags: [TREE_b], resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE.b, TREE], tasks: [{jobs: [60, 60], resources: {cpu: 1}, seconds: [150, 0.5]}]}
changes:
  - {at: 30s, operation: TREE-a, tree: TREE, event: erased_from_tree}
`,
		fault: startOneMore,
	},
}
