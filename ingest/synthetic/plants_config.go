package synthetic

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

// configured is a tree of three pools with one operation.
const configured = tree + `
    pools:
      top: {strong_guarantee_resources: {cpu: 8}, pools: {left: {strong_guarantee_resources: {cpu: 4}}, right: {strong_guarantee_resources: {cpu: 4}}}}
      other: {}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: left, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [600, 0]}]}
`

// told is the plant as its finding tells of it: the rule is about another
// element than the one whose version is wrong.
func (p Plant) told(about, subject string) Plant {
	p.About, p.Subject = about, subject
	return p
}

// misconfigured is a plant whose configuration stores a version of a pool that
// the rules refuse, and restores the one before at the span's end.
func misconfigured(kind, invariant, severity, pool, sentence string, change func(*field, *trace.PoolConfig)) Plant {
	return Plant{
		Kind: kind, Severity: severity, About: "pool", Subject: pool, From: 30 * second, To: 60 * second,
		Sentence: sentence, Invariants: []string{invariant}, spec: configured,
		configure: func(f *field) {
			before := f.trees[f.tree].pool[pool]
			wrong := before
			change(f, &wrong)
			f.add(f.tree, f.from, core.PoolConfigured, &wrong)
			f.add(f.tree, f.to, core.PoolConfigured, &before)
		},
	}
}

var configPlants = []Plant{
	misconfigured("counts_out_of_order", "CFG-03", "major", "left", "A pool's max_running_operation_count is above its max_operation_count.",
		func(_ *field, r *trace.PoolConfig) {
			r.MaxRunningOperationCount, r.MaxOperationCount = core.Some[int64](20), core.Some[int64](10)
		}),
	misconfigured("guarantees_oversubscribed", "CFG-04", "major", "left", "The guarantees of pools below one exceed its own.",
		func(_ *field, r *trace.PoolConfig) { r.Strong.CPUMilli = core.Some[int64](6000) }).told("pool", "top"),
	misconfigured("fifo_with_pools", "CFG-02", "critical", "top", "A pool that has pools below it is a FIFO pool.",
		func(_ *field, r *trace.PoolConfig) { r.Mode = "fifo" }),
	misconfigured("guarantee_without_main_resource", "CFG-05", "major", "other", "A pool has a strong guarantee that leaves out the tree's main resource.",
		func(_ *field, r *trace.PoolConfig) { r.Strong.Memory = core.Some[int64](1 << 30) }),
	misconfigured("burst_resources_of_relaxed", "CFG-06", "major", "other", "A relaxed pool has burst_guarantee_resources.",
		func(_ *field, r *trace.PoolConfig) {
			r.IntegralType, r.Flow.CPUMilli, r.Burst.CPUMilli = "relaxed", core.Some[int64](1000), core.Some[int64](2000)
		}),
	misconfigured("burst_without_flow", "CFG-17", "minor", "other", "A burst pool has no resource_flow.",
		func(_ *field, r *trace.PoolConfig) {
			r.IntegralType, r.Burst.CPUMilli = "burst", core.Some[int64](2000)
		}),
	misconfigured("limit_below_guarantee", "CFG-14", "info", "left", "A pool's resource_limits are below its strong guarantee.",
		func(_ *field, r *trace.PoolConfig) { r.Limit.CPUMilli = core.Some[int64](2000) }).excused("LIM-02"),
	misconfigured("guarantees_over_cluster", "CFG-09", "info", "other", "The strong guarantees under the root exceed the cluster.",
		func(_ *field, r *trace.PoolConfig) { r.Strong.CPUMilli = core.Some[int64](16_000) }).told("tree", ""),
	misconfigured("unknown_preset", "CFG-12", "major", "other", "A pool names a preset that its tree does not have.",
		func(_ *field, r *trace.PoolConfig) { r.Preset = core.Some("nowhere") }),
	{
		Kind: "bad_pool_name", Severity: "critical", About: "pool", Subject: "two words", From: 30 * second, To: 60 * second,
		Sentence:   "A pool has a name that no pool may have.",
		Invariants: []string{"CFG-01"}, spec: configured,
		configure: func(f *field) {
			f.addPool(f.tree, "two words", false)
			r := trace.PoolConfig{Pool: f.pool("two words"), Mode: "fair_share", IntegralType: "none"}
			gone := r
			gone.Deleted = true
			f.add(f.tree, f.from, core.PoolConfigured, &r)
			f.add(f.tree, f.to, core.PoolConfigured, &gone)
		},
	},
	misconfiguredTree("waiting_shorter_than_interrupting", "CFG-10", "info", "Jobs may wait for less time than those that make room may take to leave.",
		func(r *trace.TreeConfig) { r.ConfigJSON = mergeJSON(r.ConfigJSON, `{"waiting_job_timeout":1000}`) }),
	misconfiguredTree("default_parent_unknown", "CFG-11", "info", "A tree's default_parent_pool does not exist.",
		func(r *trace.TreeConfig) { r.DefaultParentPool = core.Some("nowhere") }),
	misconfiguredTree("timeouts_out_of_order", "CFG-07", "major", "A tree's timeout of aggressive starvation is below that of starvation.",
		func(r *trace.TreeConfig) { r.AggressiveStarvationTimeoutMS = core.Some[int64](10_000) }),
}

// misconfiguredTree is the same for the settings of a tree.
func misconfiguredTree(kind, invariant, severity, sentence string, change func(*trace.TreeConfig)) Plant {
	return Plant{
		Kind: kind, Severity: severity, About: "tree", Subject: "", From: 30 * second, To: 60 * second,
		Sentence: sentence, Invariants: []string{invariant}, spec: configured,
		configure: func(f *field) {
			before := f.trees[f.tree].config
			wrong := before
			wrong.Source = "event"
			change(&wrong)
			f.add(f.tree, f.from, core.TreeConfigured, &wrong)
			f.add(f.tree, f.to, core.TreeConfigured, &before)
		},
	}
}
