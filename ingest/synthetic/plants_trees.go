package synthetic

import (
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/simulate"
)

// twoTrees are two trees, of two nodes and of one.
const twoTrees = `
trees:
  TREE: {nodes_filter: TREE, pools: {free: FIRST}}
  TREE.b: {nodes_filter: TREE_b, pools: {free_b: {}}}
` + twoNodes + `
  - {name: TREE-b, count: 1, tags: [TREE_b], resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
`

// twoAlike are two trees with a pool of the same name.
const twoAlike = `
trees:
  TREE: {nodes_filter: TREE, pools: {free: FIRST}}
  TREE.b: {nodes_filter: TREE_b, pools: {free: {}}}
` + twoNodes + `
  - {name: TREE-b, count: 1, tags: [TREE_b], resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
`

// firstPool gives the pool of the first of two trees some options.
func firstPool(trees, options string) string { return strings.ReplaceAll(trees, "FIRST", options) }

// unmoved has the simulated scheduler not see the settings above all trees that
// come after the first.
func unmoved(f *field) {
	for i := range f.plan.Trees {
		t := &f.plan.Trees[i]
		t.Facts = slices.DeleteFunc(slices.Clone(t.Facts), func(e core.Event) bool {
			return e.Kind == core.ClusterConfigured && e.Time > f.window.From
		})
	}
}

// treePlants are about operations in several trees, and the trees above them.
var treePlants = []Plant{
	{
		Kind: "removed_tree_keeps_operation", Severity: "major", About: "operation", Subject: "a", From: 30 * second, To: 110 * second,
		Sentence:   "A tree is removed, and the operation that has no other lives on.",
		Invariants: []string{"TREE-06"},
		spec: firstPool(twoTrees, "{}") + `
operations:
  - {name: TREE-a, at: 5s, pool: free_b, trees: [TREE.b], ` + longTask + `}
  - {name: TREE-b, at: 5s, pool: free, trees: [TREE], ` + longTask + `}
changes:
  - {at: 30s, tree: TREE.b, remove: true}
`,
		fault: unmoved,
	},
	{
		Kind: "started_without_default_tree", Severity: "major", About: "operation", Subject: "b", From: 60 * second, To: 61 * second,
		Sentence:   "An operation that names no tree is started although there is no default tree any more.",
		Invariants: []string{"TREE-07"},
		spec: "\ndefault_tree: TREE\n" + tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 60s, pool: free, ` + longTask + `}
changes:
  - {at: 30s, no_default_tree: true}
`,
		fault: unmoved,
	},
	{
		Kind: "kept_two_trees", Severity: "major", About: "operation", Subject: "a", From: 5 * second, To: 20 * second,
		Sentence:   "An operation that is to be scheduled in a single tree keeps two.",
		Invariants: []string{"TREE-10"},
		spec: firstPool(twoAlike, "{}") + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE, TREE.b], schedule_in_single_tree: true, tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		fault: func(f *field) { f.plan.Operations[f.operation("a")].SingleTree = false },
	},
	{
		Kind: "job_in_tree_not_asked_for", Severity: "critical", About: "operation", Subject: "a", From: 5 * second, To: 30 * second,
		Sentence:   "An operation runs in a tree that it does not ask for.",
		Invariants: []string{"TREE-05"},
		spec: firstPool(twoAlike, "{}") + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE, TREE.b], tasks: [{jobs: [26, 26], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		fault: func(f *field) {
			row := &f.recorder.rows[f.operation("a")]
			row.SpecJSON = core.Some(`{"pool":"free","pool_trees":["` + f.plant.treeName() + `"]}`)
		},
	},
	{
		Kind: "refused_with_tree_left", Severity: "minor", About: "operation", Subject: "b", From: 30 * second, To: 31 * second,
		Sentence:   "An operation that gives up full trees is refused for one, although another has room.",
		Invariants: []string{"CNT-07"},
		spec: firstPool(twoAlike, "{max_operation_count: 1, max_running_operation_count: 1}") + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 30s, pool: free, trees: [TREE, TREE.b], erase_trees_with_pool_limit_violations: true, ` + longTask + `}
`,
		fault: func(f *field) { f.plan.Operations[f.operation("b")].Erases = false },
	},
	{
		Kind: "started_in_full_cluster", Severity: "major", About: "operation", Subject: "c", From: 30 * second, To: 31 * second,
		Sentence:   "An operation is started although the cluster holds as many as it may.",
		Invariants: []string{"CNT-08"},
		// The limit is low for a while, whatever the description says of it otherwise.
		spec: tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 10s, pool: free, trees: [TREE], ` + longTask + `}
  - {name: TREE-c, at: 30s, pool: free, trees: [TREE], ` + longTask + `}
changes:
  - {at: 20s, max_operation_count: 2}
  - {at: 40s, max_operation_count: described}
`,
		fault: func(f *field) {
			late := f.operation("c")
			f.injector.Bar = func(_ core.Time, o core.OperationID, code int32) int32 {
				if o == late {
					return 0
				}
				return code
			}
		},
	},
	{
		Kind: "job_on_shared_node", Severity: "critical", About: "node", Subject: "-1", From: 60 * second, To: 130 * second,
		Sentence:   "A node comes to match the filters of two trees, and one of them goes on starting jobs on it.",
		Invariants: []string{"TREE-02"}, Consequences: []string{"TREE-01"},
		spec: firstPool(twoTrees, "{}") + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [600, 0]}]}
  - {name: TREE-b, at: 95s, pool: free, trees: [TREE], tasks: [{jobs: [14, 14], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		configure: func(f *field) {
			before := f.nodeRow(f.node("-1"))
			both := before
			both.Tags = f.plant.tag() + "," + f.plant.tag() + "_b"
			f.add(f.tree, f.from, core.NodeChanged, &both)
			f.add(f.tree, f.to, core.NodeChanged, &before) // no set of trees is taken over until then
		},
	},
	{
		Kind: "job_in_banned_tree", Severity: "major", About: "operation", Subject: "a", From: 30 * second, To: 90 * second,
		Sentence:   "A tree that has banned an operation goes on starting its jobs.",
		Invariants: []string{"TREE-09"}, Consequences: []string{"HB-03", "TREE-06", "CNT-03"}, Suspected: []string{"TREE-09"},
		spec: firstPool(twoAlike, "{}") + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE, TREE.b], tasks: [{jobs: [90, 90], resources: {cpu: 2}, seconds: [10, 0]}]}
`,
		fault: func(f *field) {
			second := f.draft.tree(f.plant.treeName() + secondTree)
			banned := false
			f.injector.Decide = func(h *simulate.Heartbeat, d *core.Decision) *core.Decision {
				if !banned && h.Tree == second && h.At >= f.from {
					banned = true
					f.recorder.asides = append(f.recorder.asides, aside{second, core.Event{
						Time: h.At, Kind: core.OperationChanged, Step: core.StepBanned, Operation: f.operation("a"), Pool: core.Unknown,
					}})
				}
				return d
			}
		},
	},
}
