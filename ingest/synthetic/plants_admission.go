package synthetic

import (
	"fmt"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/trace"
)

// crowdedAndRoomy are a pool that operation a fills, one with room, and b in the
// latter.
const crowdedAndRoomy = tree + `
    pools: {narrow: {max_running_operation_count: 1}, roomy: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: narrow, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 10s, pool: roomy, trees: [TREE], ` + longTask + `}
`

// nested is a tree whose pool top says how many operations may run in it, and so
// do its children.
const nested = tree + `
    pools:
      top: {max_running_operation_count: 10, pools: {left: {max_running_operation_count: 5}, right: {max_running_operation_count: 5}}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: left, trees: [TREE], ` + longTask + `}
`

// deepest is how deep the pools of a plant stand, one deeper than they may
// (core/spec/scheduling.md §4.1).
const deepest = 31

// admissionPlants are about where operations are let in, and the pools that they
// bring.
var admissionPlants = slices.Concat(letInPlants, ephemeralPlants)

// In these plants people ask for what the scheduler must refuse, and it does not.
var letInPlants = []Plant{
	{
		Kind: "moved_without_room", Severity: "major", About: "operation", Subject: "b", From: 60 * second, To: 61 * second,
		Sentence:   "A running operation is moved to a pool that has as many running operations as it may.",
		Invariants: []string{"PEND-07"}, Consequences: []string{"CNT-04"},
		spec: crowdedAndRoomy + `changes:
  - {at: 60s, operation: TREE-b, event: pool_changed, pool: narrow}
`,
		fault: func(f *field) {
			f.injector.Move = func(core.Time, int, core.OperationID, string, error) (string, error) { return "narrow", nil }
		},
	},
	{
		Kind: "moved_left_pending", Severity: "major", About: "operation", Subject: "b", From: 60 * second, To: 120 * second,
		Sentence:   "A pending operation is moved to a pool with room and goes on waiting.",
		Invariants: []string{"PEND-06"}, Consequences: []string{"PEND-01", "PEND-04"},
		spec: tree + `
    pools: {narrow: {max_running_operation_count: 1}, roomy: {max_running_operation_count: 5}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: narrow, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 10s, pool: narrow, trees: [TREE], ` + longTask + `}
changes:
  - {at: 60s, operation: TREE-b, event: pool_changed, pool: roomy}
`,
		fault: leaveBPending,
	},
	{
		Kind: "lightweight_over_total", Severity: "major", About: "operation", Subject: "b", From: 30 * second, To: 31 * second,
		Sentence:   "A lightweight operation is registered in a pool that has as many operations as it may.",
		Invariants: []string{"LW-03"}, Consequences: []string{"CNT-01", "CNT-05"},
		spec: tree + `
    pools: {services: {mode: fifo, enable_lightweight_operations: true, max_operation_count: 1, max_running_operation_count: 1}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: services, trees: [TREE], type: vanilla, ` + longTask + `}
  - {name: TREE-b, at: 30s, pool: services, trees: [TREE], type: vanilla, ` + longTask + `}
`,
		fault: func(f *field) {
			f.place(f.operation("b"), func(string, error) (string, error) { return "services", nil })
		},
	},
	{
		Kind: "operation_in_root", Severity: "critical", About: "operation", Subject: "b", From: 30 * second, To: 31 * second,
		Sentence:   "An operation is attached to the root itself.",
		Invariants: []string{"POOL-07"},
		spec: tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 30s, pool: free, trees: [TREE], ` + longTask + `}
`,
		configure: func(f *field) { f.addPool(f.tree, pooltree.RootName, false) },
		fault: func(f *field) {
			f.place(f.operation("b"), func(string, error) (string, error) { return pooltree.RootName, nil })
		},
	},
	{
		Kind: "gang_outside_fifo", Severity: "major", About: "operation", Subject: "b", From: 30 * second, To: 31 * second,
		Sentence:   "A gang operation is started in a fair-share pool although its tree lets gangs start in FIFO pools only.",
		Invariants: []string{"POOL-08"},
		spec: `
profile: current
trees:
  TREE:
    nodes_filter: TREE
    allow_gang_operations_only_in_fifo_pools: true
    pools: {row: {mode: fifo}, ring: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: row, is_gang: true, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 30s, pool: ring, is_gang: true, trees: [TREE], ` + longTask + `}
`,
		fault: func(f *field) {
			f.place(f.operation("b"), func(string, error) (string, error) { return "ring", nil })
		},
	},
	{
		Kind: "lightweight_many_jobs", Severity: "info", About: "operation", Subject: "b", From: 10 * second, To: 90 * second,
		Sentence:   "A lightweight operation has many jobs.",
		Invariants: []string{"LW-06"},
		spec: tree + `
    pools: {services: {mode: fifo, enable_lightweight_operations: true}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: services, trees: [TREE], type: vanilla, ` + longTask + `}
  - {name: TREE-b, at: 10s, pool: services, trees: [TREE], type: vanilla, ` + manyJobs + `}
`,
	},
	{
		Kind: "ignored_operation_timeout", Severity: "info", About: "pool", Subject: "free", From: 10 * second, To: 90 * second,
		Sentence:   "An operation sets a timeout of starvation, of which its scheduler takes no notice.",
		Invariants: []string{"CFG-16"},
		spec: `
profile: baseline
` + tree + `
    pools: {free: {}, other: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: other, trees: [TREE], ` + longTask + `}
  - {name: TREE-b, at: 10s, pool: free, trees: [TREE], fair_share_starvation_timeout: 5s, ` + longTask + `}
`,
	},
	misconfigured("children_oversubscribed", "CFG-13", "info", "left", "The pools below one may have more running operations than it may itself.",
		func(_ *field, r *trace.PoolConfig) { r.MaxRunningOperationCount = core.Some[int64](8) }).told("pool", "top").in(nested),
	{
		Kind: "pools_too_deep", Severity: "minor", About: "pool", Subject: deepPool(deepest), From: 30 * second, To: 60 * second,
		Sentence:   "Pools stand deeper than the cluster supports.",
		Invariants: []string{"CFG-15"}, spec: configured,
		configure: func(f *field) {
			parent := core.Optional[core.PoolID]{}
			for depth := 1; depth <= deepest; depth++ {
				f.addPool(f.tree, deepPool(depth), false)
				r := trace.PoolConfig{Pool: f.pool(deepPool(depth)), Parent: parent, Mode: "fair_share", IntegralType: "none"}
				gone := r
				gone.Deleted = true
				f.add(f.tree, f.from, core.PoolConfigured, &r)
				f.add(f.tree, f.to, core.PoolConfigured, &gone)
				parent = core.Some(r.Pool)
			}
		},
	},
	misconfigured("option_under_two_names", "CFG-08", "minor", "other", "A pool sets an option under two of its names.",
		func(_ *field, r *trace.PoolConfig) {
			r.FairShareStarvationTimeoutMS = core.Some[int64](20_000)
			r.ConfigJSON = mergeJSON(r.ConfigJSON, `{"fair_share_starvation_timeout":20000,"fair_share_preemption_timeout":20000}`)
		}).in(configured),
	misconfigured("ignored_timeout", "CFG-16", "info", "other", "A pool has a min_share_preemption_timeout, of which its scheduler knows nothing.",
		func(_ *field, r *trace.PoolConfig) { r.MinSharePreemptionTimeoutMS = core.Some[int64](5000) }).in("profile: baseline\n" + configured),
}

// homes is a tree in which a guest brings an ephemeral pool, which stands in home.
const homes = tree + `
    default_parent_pool: home
    pools: {home: {}, plain: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, user: guest, trees: [TREE], ` + shortTask + `}
  - {name: TREE-b, at: 10s, user: guest, pool: plain, trees: [TREE], ` + longTask + `}
`

var ephemeralPlants = []Plant{
	{
		Kind: "ephemeral_elsewhere", Severity: "minor", About: "pool", Subject: "guest", From: 15 * second, To: 30 * second,
		Sentence:   "An ephemeral pool stands below another pool than the default parent.",
		Invariants: []string{"POOL-04"}, Consequences: []string{"CNT-03", "GUA-09", "LOG-01"}, // that other pool does not count it
		spec: homes,
		fault: func(f *field) {
			f.record(distortion{pool: func(r *trace.SnapPool) {
				if r.Pool == f.pool("guest") {
					r.Parent = core.Some(f.pool("plain"))
				}
			}})
		},
	},
	{
		Kind: "ephemeral_options_ignored", Severity: "minor", About: "pool", Subject: "guest", From: 5 * second, To: 30 * second,
		Sentence:   "An ephemeral pool is recorded with more running operations than its parent's ephemeral_subpool_config lets it have.",
		Invariants: []string{"POOL-04"},
		spec:       strings.Replace(homes, "home: {}", "home: {ephemeral_subpool_config: {max_running_operation_count: 2}}", 1),
		configure: func(f *field) {
			f.add(f.tree, f.from, core.PoolConfigured, &trace.PoolConfig{
				Pool: f.pool("guest"), Parent: core.Some(f.pool("home")), Ephemeral: true, Mode: "fair_share", IntegralType: "none",
				MaxRunningOperationCount: core.Some[int64](20),
			})
		},
	},
	{
		Kind: "ephemeral_outlives_operations", Severity: "minor", About: "pool", Subject: "guest", From: 80 * second, To: 110 * second,
		Sentence:   "An ephemeral pool goes on existing after its last operation.",
		Invariants: []string{"POOL-05"},
		spec:       homes,
		fault: func(f *field) {
			f.record(distortion{strays: []trace.SnapPool{{Pool: f.pool("guest"), Parent: core.Some(f.pool("home")), Mode: "fair_share", Weight: 1,
				SnapShares: trace.SnapShares{Dominant: "cpu", StarvationStatus: "non_starving"}}}})
		},
	},
	{
		Kind: "subpool_without_hub", Severity: "minor", About: "pool", Subject: "plain$guest", From: 12 * second, To: 60 * second,
		Sentence:   "A user has a subpool below a pool that is no hub.",
		Invariants: []string{"POOL-06"}, Consequences: []string{"POOL-01"},
		spec:      homes,
		configure: func(f *field) { f.addPool(f.tree, "plain$guest", true) },
		fault: func(f *field) {
			f.place(f.operation("b"), func(string, error) (string, error) { return "plain$guest", nil })
		},
	},
}

func deepPool(depth int) string { return fmt.Sprintf("deep%d", depth) }

// in is the plant in another cluster.
func (p Plant) in(spec string) Plant {
	p.spec = spec
	return p
}
