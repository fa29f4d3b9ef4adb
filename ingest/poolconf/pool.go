package poolconf

import (
	"strings"
	"unicode/utf8"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/trace"
)

type poolRow = trace.PoolConfig

// unconfigured is a pool without any option.
var unconfigured = poolRow{Mode: "fair_share", IntegralType: "none"}

// poolOptions are the options of core/spec/scheduling.md §3.2.
var poolOptions = optionsOf(pooltree.PoolAliases, []group[poolRow]{
	{"shares", []option[poolRow]{
		// Any weight from 0 up is legal in the profile documented (§17.4).
		put("weight", func(r *poolRow) *core.Optional[float64] { return &r.Weight }, real0),
		amounts("strong_guarantee_resources", func(r *poolRow) *trace.PartialResources { return &r.Strong }),
		nested(integralKey, poolIntegral),
	}},
	{"limits", []option[poolRow]{
		amounts("resource_limits", func(r *poolRow) *trace.PartialResources { return &r.Limit }),
		put("max_share_ratio", func(r *poolRow) *core.Optional[float64] { return &r.MaxShareRatio }, share),
		put("max_operation_count", func(r *poolRow) *core.Optional[int64] { return &r.MaxOperationCount }, count),
		put("max_running_operation_count", func(r *poolRow) *core.Optional[int64] { return &r.MaxRunningOperationCount }, count),
		put("enable_lightweight_operations", func(r *poolRow) *core.Optional[bool] { return &r.EnableLightweightOperations }, flag),
	}},
	{"order", []option[poolRow]{
		says("mode", func(r *poolRow) *string { return &r.Mode }, mode),
		sortParameters(),
		put("fifo_pool_scheduling_order", func(r *poolRow) *core.Optional[string] { return &r.FIFOPoolSchedulingOrder }, fifoOrder),
		put("enable_fair_share_truncation_in_fifo_pool", func(r *poolRow) *core.Optional[bool] { return &r.FIFOTruncation }, flag),
	}},
	{"starvation", []option[poolRow]{
		put("fair_share_starvation_timeout", func(r *poolRow) *core.Optional[int64] { return &r.FairShareStarvationTimeoutMS }, duration),
		put("fair_share_starvation_tolerance", func(r *poolRow) *core.Optional[float64] { return &r.FairShareStarvationTolerance }, share),
		put("min_share_preemption_timeout", func(r *poolRow) *core.Optional[int64] { return &r.MinSharePreemptionTimeoutMS }, duration),
		put("enable_aggressive_starvation", func(r *poolRow) *core.Optional[bool] { return &r.EnableAggressiveStarvation }, flag),
	}},
	{"preemption", []option[poolRow]{
		put("allow_normal_preemption", func(r *poolRow) *core.Optional[bool] { return &r.AllowNormalPreemption }, flag),
		put("allow_aggressive_preemption", func(r *poolRow) *core.Optional[bool] { return &r.AllowAggressivePreemption }, flag),
		poolThreshold(),
	}},
	{"placement", []option[poolRow]{
		put("scheduling_tag_filter", func(r *poolRow) *core.Optional[string] { return &r.SchedulingTagFilter }, text),
		{name: "forbid_immediate_operations", set: func(r *reading[poolRow], n *node, name string) (err error) {
			r.row.ForbidImmediateOperations, err = flag(n, name)
			return err
		}, add: func(b *builder, row *poolRow) { b.put("forbid_immediate_operations", row.ForbidImmediateOperations) }},
		put("create_ephemeral_subpools", func(r *poolRow) *core.Optional[bool] { return &r.CreateEphemeralSubpools }, flag),
		{name: "ephemeral_subpool_config", inside: subpoolOptions, set: readSubpoolConfig, add: addSubpoolConfig},
	}},
	{"other", []option[poolRow]{
		{name: "abc", set: func(r *reading[poolRow], n *node, _ string) error {
			r.row.ABC = core.Some(n.text)
			if n.kind != scalar {
				r.row.ABC = core.Some(encode(map[string]any{"abc": n.json()}))
			}
			return nil
		}, add: func(b *builder, row *poolRow) { add(b, "abc", row.ABC) }},
		keep[poolRow]("allow_idle_cpu_policy", anything),
		keep[poolRow]("allow_regular_jobs_on_ssd_nodes", flag),
		keep[poolRow]("allowed_profiling_tags", anything),
		keep[poolRow]("always_allow_gang_operations", flag),
		keep[poolRow]("compute_promised_guarantee_fair_share", flag),
		put("config_preset", func(r *poolRow) *core.Optional[string] { return &r.Preset }, text),
		keep[poolRow]("config_presets", anything),
		keep[poolRow]("enable_detailed_logs", flag),
		keep[poolRow]("enable_priority_scheduling_segment_module_assignment", flag),
		keep[poolRow]("historic_usage_config", anything),
		keep[poolRow]("infer_children_weights_from_historic_usage", flag),
		keep[poolRow]("metering_tags", anything),
		keep[poolRow]("offloading_settings", anything),
		keep[poolRow]("use_pool_satisfaction_for_scheduling", flag),
	}},
})

// poolIntegral are the keys of a pool's integral_guarantees.
var poolIntegral = []option[poolRow]{
	says("guarantee_type", func(r *poolRow) *string { return &r.IntegralType }, guarantee),
	amounts("burst_guarantee_resources", func(r *poolRow) *trace.PartialResources { return &r.Burst }),
	amounts("resource_flow", func(r *poolRow) *trace.PartialResources { return &r.Flow }),
	put("relaxed_share_multiplier_limit", func(r *poolRow) *core.Optional[float64] { return &r.RelaxedShareMultiplierLimit }, multiplier),
	keepInside[poolRow](integralKey, "can_accept_free_volume", flag),
	keepInside[poolRow](integralKey, "should_distribute_free_volume_among_children", flag),
}

func sortParameters() option[poolRow] {
	o := put("fifo_sort_parameters", func(r *poolRow) *core.Optional[string] { return &r.FIFOSortParameters }, (*node).fifoKeys)
	o.add = func(b *builder, row *poolRow) {
		if row.FIFOSortParameters.Set {
			b.put(o.name, splitList(row.FIFOSortParameters.Value))
		}
	}
	return o
}

func poolThreshold() option[poolRow] {
	o := amounts("non_preemptible_resource_usage_threshold", func(r *poolRow) *trace.PartialResources { return &r.NonPreemptible })
	read := o.set
	o.set = func(r *reading[poolRow], n *node, name string) error {
		err := read(r, n, name)
		if r.row.NonPreemptible == (trace.PartialResources{}) {
			r.extra[name] = map[string]any{} // no column says that nothing is protected, whatever the parent has
		}
		return err
	}
	return o
}

// subpoolOptions are the keys of ephemeral_subpool_config.
var subpoolOptions = []option[poolRow]{
	keep[poolRow]("mode", mode), keep[poolRow]("max_operation_count", count),
	keep[poolRow]("max_running_operation_count", count), keep[poolRow]("resource_limits", res),
}

func readSubpoolConfig(r *reading[poolRow], n *node, name string) error {
	sub := newReading(poolRow{})
	if err := apply(subpoolOptions, name, sub, n); err != nil {
		return err
	}
	r.row.EphemeralSubpoolJSON = core.Some(encode(sub.extra))
	return nil
}

func addSubpoolConfig(b *builder, row *poolRow) {
	if row.EphemeralSubpoolJSON.Set {
		if config, ok := b.decode("ephemeral_subpool_json", row.EphemeralSubpoolJSON.Value); ok {
			b.put("ephemeral_subpool_config", config)
		}
	}
}

// maxPoolDepth is the deepest level of explicit pools (core/spec/scheduling.md §4.1).
const maxPoolDepth = 30

// readPools reads the key pools of a tree or a pool. Lines says where each pool
// of the tree was named.
func (t *tree) readPools(n *node, parent string, depth int, lines map[string]int) error {
	for i, key := range n.keys {
		if key.text != poolsKey || n.values[i].kind == null {
			continue
		}
		pools := n.values[i]
		if pools.kind != mapping {
			return pools.errorf("%s must be a map from names to pools", poolsKey)
		}
		for j, name := range pools.keys {
			if err := t.readPool(name, pools.values[j], parent, depth, lines); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tree) readPool(name, n *node, parent string, depth int, lines map[string]int) error {
	if err := checkName("pool", name); err != nil {
		return err
	}
	if before, ok := lines[name.text]; ok {
		return name.errorf("pool %s stands on line %d already; a name is unique in its whole tree", name.text, before)
	}
	if depth > maxPoolDepth {
		return name.errorf("pool %s is nested deeper than %d levels", name.text, maxPoolDepth)
	}
	lines[name.text] = name.line

	r := newReading(unconfigured)
	if err := apply(poolOptions.all, "a pool", r, n, poolsKey); err != nil {
		return err
	}
	r.row.ConfigJSON = encode(r.extra)
	at := len(t.pools)
	t.pools = append(t.pools, pool{name.text, parent, name.line, r.row})
	if err := t.readPools(n, name.text, depth+1, lines); err != nil {
		return err
	}
	return checkPool(name, &r.row, len(t.pools) > at+1)
}

// checkPool checks what core/spec/scheduling.md §4.2 and §4.3 forbid within a pool.
func checkPool(name *node, r *poolRow, children bool) error {
	running, all := r.MaxRunningOperationCount, r.MaxOperationCount
	burst := r.Burst != (trace.PartialResources{})
	switch {
	case r.Mode == "fifo" && children:
		return name.errorf("pool %s is in mode fifo and has pools below it; a FIFO pool has none", name.text)
	case r.Mode == "fifo" && r.CreateEphemeralSubpools.Or(false):
		return name.errorf("pool %s is in mode fifo and creates ephemeral subpools; a FIFO pool has no pools", name.text)
	case running.Set && all.Set && running.Value > all.Value:
		return name.errorf("pool %s has a max_running_operation_count of %d above its max_operation_count of %d", name.text, running.Value, all.Value)
	case burst && r.IntegralType == "relaxed":
		return name.errorf("pool %s has burst_guarantee_resources and the guarantee_type relaxed; only burst has them", name.text)
	}
	return nil
}

// checkName checks the name of a tree or pool. Names outside the cluster's own
// alphabet are taken: foreign queues have them.
func checkName(what string, n *node) error {
	name := n.text
	if name == "" || utf8.RuneCountInString(name) > 100 || strings.Contains(name, "$") || name == "<Root>" || !utf8.ValidString(name) {
		if hub, _, subpool := strings.Cut(name, "$"); subpool && hub != "" && what == "pool" {
			return n.errorf("%q cannot be the name of a %s: $ is for ephemeral subpools, whose options are those of ephemeral_subpool_config of pool %q", name, what, hub)
		}
		return n.errorf("%q cannot be the name of a %s: a name has 1 to 100 characters, no $, and is not <Root>", name, what)
	}
	return nil
}
