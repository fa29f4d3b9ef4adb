package synthetic

import (
	"poolproof/core"
	"poolproof/core/simulate"
	"poolproof/ingest/trace"
)

var placementPlants = []Plant{
	{
		Kind: "placed_in_wrong_pool", Severity: "major", About: "operation", Subject: "b", From: 30 * second, To: 31 * second,
		Sentence:   "An operation lands in another pool than the one it asks for.",
		Invariants: []string{"POOL-01"},
		spec: tree + `
    pools: {asked: {}, other: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: asked, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 30s, pool: asked, trees: [TREE], ` + longTask + `}
`,
		fault: func(f *field) {
			f.place(f.operation("b"), func(string, error) (string, error) { return "other", nil })
		},
	},
	{
		Kind: "placed_in_forbidden_pool", Severity: "major", About: "pool", Subject: "closed", From: 30 * second, To: 31 * second,
		Sentence:   "An operation is started directly in a pool that forbids immediate operations.",
		Invariants: []string{"POOL-02"},
		spec: tree + `
    pools: {closed: {forbid_immediate_operations: true, pools: {open: {}}}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: open, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 30s, pool: closed, trees: [TREE], ` + longTask + `}
`,
		fault: func(f *field) {
			f.place(f.operation("b"), func(string, error) (string, error) { return "closed", nil })
		},
	},
	{
		Kind: "too_many_ephemeral_pools", Severity: "major", About: "operation", Subject: "b", From: 30 * second, To: 31 * second,
		Sentence:   "A user gets one ephemeral pool more than the tree allows.",
		Invariants: []string{"POOL-03"},
		spec: tree + `
    default_parent_pool: home
    max_ephemeral_pools_per_user: 1
    pools: {home: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: first, user: TREE-u, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 30s, pool: second, user: TREE-u, trees: [TREE], ` + longTask + `}
`,
		fault: func(f *field) {
			f.place(f.operation("b"), func(string, error) (string, error) { return "second", nil })
		},
	},
}

// taggedNodes are two, of which the first has a tag more.
const taggedNodes = `
nodes:
  - {name: TREE, count: 1, tags: [TREE, fast], resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
  - {name: TREE-slow, count: 1, tags: [TREE], resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
`

// startOnSlow starts a job of operation a on the node without the tag.
func startOnSlow(f *field) {
	f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
		if f.nodes[h.Node].address != f.plant.treeName()+"-slow-0" {
			return false
		}
		f.start(d, f.operation("a"))
		return true
	})
}

var nodePlants = []Plant{
	{
		Kind: "node_in_two_trees", Severity: "major", About: "node", Subject: "-1", From: 60 * second, To: 180 * second,
		Sentence:   "A node matches the filters of two trees and serves both.",
		Invariants: []string{"TREE-01"}, Consequences: []string{"TREE-08"},
		spec: `
trees:
  TREE: {nodes_filter: TREE, pools: {free: {}}}
  TREE.b: {nodes_filter: TREE_b, pools: {free_b: {}}}
` + twoNodes + `
  - {name: TREE-b, count: 1, tags: [TREE_b], resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		configure: func(f *field) {
			n := f.node("-1")
			tags := f.plant.tag() + "," + f.plant.tag() + "_b"
			for _, t := range []int{f.tree, f.draft.tree(f.plant.treeName() + secondTree)} {
				r := f.nodeRow(n)
				r.Tags = tags
				f.add(t, f.from, core.NodeChanged, &r)
				if t != f.tree {
					gone := r
					gone.Online, gone.Tags = false, f.plant.tag()
					f.add(t, f.to, core.NodeChanged, &gone)
				} else {
					back := f.nodeRow(n)
					f.add(t, f.to, core.NodeChanged, &back)
				}
			}
		},
	},
	{
		Kind: "node_moved_with_jobs", Severity: "major", About: "node", Subject: "-1", From: 60 * second, To: 120 * second,
		Sentence:   "A node changes trees and the jobs of the tree it left go on.",
		Invariants: []string{"TREE-04"}, Consequences: []string{"TREE-03", "LOG-01"}, Suspected: []string{"LST-01", "LST-04"},
		spec: `
trees:
  TREE: {nodes_filter: TREE, pools: {free: {}}}
  TREE.b: {nodes_filter: TREE_b, pools: {free_b: {}}}
` + twoNodes + `
  - {name: TREE-b, count: 1, tags: [TREE_b], resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [16, 16], resources: {cpu: 1}, seconds: [110, 0]}]}
changes:
  - {at: 60s, node: TREE-1, tags: [TREE_b]}
`,
		fault: func(f *field) {
			f.injector.Keep = func(core.Time, int, core.NodeID) bool { return true }
		},
	},
	{
		Kind: "job_outside_pool_filter", Severity: "critical", About: "operation", Subject: "a", From: 60 * second, To: 80 * second,
		Sentence:   "A job is started on a node that the tag filter of its pool excludes.",
		Invariants: []string{"TREE-11"},
		spec: tree + `
    pools: {picky: {scheduling_tag_filter: fast}}
` + taggedNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: picky, trees: [TREE], tasks: [{jobs: [15, 15], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		fault: startOnSlow,
	},
	{
		Kind: "job_outside_operation_filter", Severity: "critical", About: "operation", Subject: "a", From: 60 * second, To: 80 * second,
		Sentence:   "A job is started on a node that the tag filter of its operation excludes.",
		Invariants: []string{"TREE-11"},
		spec: tree + `
    pools: {free: {}}
` + taggedNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], scheduling_tag_filter: fast, tasks: [{jobs: [15, 15], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		fault: startOnSlow,
	},
	{
		Kind: "start_on_skipped_heartbeat", Severity: "critical", About: "node", Subject: "-0", From: 20 * second, To: 40 * second,
		Sentence:   "A job is started on a heartbeat on which scheduling is said to be skipped.",
		Invariants: []string{"HB-02"},
		spec: tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [600, 0]}]}
  - {name: TREE-b, at: 20s, pool: free, trees: [TREE], tasks: [{jobs: [14, 14], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		fault: func(f *field) {
			f.recorder.reports = append(f.recorder.reports, func(h *trace.Heartbeat) {
				if h.Node == core.NodeID(f.node("-0")) && h.Started > 0 && h.Time >= f.from && h.Time < f.to {
					h.Skipped, h.WithPreemption = core.Some(true), core.Some(false)
				}
			})
		},
	},
	{
		Kind: "wrong_tree_total", Severity: "minor", About: "tree", Subject: "", From: 60 * second, To: 90 * second,
		Sentence:   "The tree's recorded total is that of one node less than serve it.",
		Invariants: []string{"TREE-08"},
		spec: tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		fault: func(f *field) {
			f.record(distortion{tree: func(r *trace.SnapTree) {
				one := trace.FromVector(f.nodes[f.node("-0")].size)
				r.Limits.CPUMilli -= one.CPUMilli
				r.Limits.Memory -= one.Memory
				r.Limits.UserSlots -= one.UserSlots
				r.Limits.Network -= one.Network
			}})
		},
	},
}
