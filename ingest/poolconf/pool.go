package poolconf

import (
	"strings"
	"unicode/utf8"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A poolRow is a pool's row while it is read.
type poolRow struct {
	trace.PoolConfig
	extra map[string]any
}

func poolExtra(r *poolRow) map[string]any { return r.extra }

// poolOptions are the options of core/spec/scheduling.md §3.2.
var poolOptions = []option[poolRow]{
	// Any weight from 0 up is legal in the profile documented (§17.4).
	{"weight", nil, put(func(r *poolRow) *core.Optional[float64] { return &r.Weight }, real0)},
	{"mode", nil, func(r *poolRow, n *node, name string) (err error) {
		r.Mode, err = mode(n, name)
		return err
	}},
	{"fifo_sort_parameters", nil, put(func(r *poolRow) *core.Optional[string] { return &r.FIFOSortParameters }, (*node).fifoKeys)},
	{"fifo_pool_scheduling_order", nil, put(func(r *poolRow) *core.Optional[string] { return &r.FIFOPoolSchedulingOrder }, fifoOrder)},
	{"max_operation_count", nil, put(func(r *poolRow) *core.Optional[int64] { return &r.MaxOperationCount }, count)},
	{"max_running_operation_count", nil, put(func(r *poolRow) *core.Optional[int64] { return &r.MaxRunningOperationCount }, count)},
	{"forbid_immediate_operations", nil, func(r *poolRow, n *node, name string) (err error) {
		r.ForbidImmediateOperations, err = flag(n, name)
		return err
	}},
	{"create_ephemeral_subpools", nil, put(func(r *poolRow) *core.Optional[bool] { return &r.CreateEphemeralSubpools }, flag)},
	{"ephemeral_subpool_config", nil, readSubpoolConfig},
	{"enable_lightweight_operations", nil, put(func(r *poolRow) *core.Optional[bool] { return &r.EnableLightweightOperations }, flag)},
	{"resource_limits", nil, func(r *poolRow, n *node, name string) (err error) {
		r.Limit, err = n.resources(name)
		return err
	}},
	{"max_share_ratio", nil, put(func(r *poolRow) *core.Optional[float64] { return &r.MaxShareRatio }, share)},
	{"strong_guarantee_resources", []string{"min_share_resources"}, func(r *poolRow, n *node, name string) (err error) {
		r.Strong, err = n.resources(name)
		return err
	}},
	{"integral_guarantees", []string{"integral-guarantees"}, func(r *poolRow, n *node, name string) error {
		return apply(poolIntegral, name, r, n)
	}},
	{"scheduling_tag_filter", []string{"scheduling_tag"}, put(func(r *poolRow) *core.Optional[string] { return &r.SchedulingTagFilter }, text)},
	{"fair_share_starvation_timeout", []string{"fair_share_preemption_timeout"}, put(func(r *poolRow) *core.Optional[int64] { return &r.FairShareStarvationTimeoutMS }, duration)},
	{"min_share_preemption_timeout", nil, put(func(r *poolRow) *core.Optional[int64] { return &r.MinSharePreemptionTimeoutMS }, duration)},
	{"fair_share_starvation_tolerance", nil, put(func(r *poolRow) *core.Optional[float64] { return &r.FairShareStarvationTolerance }, share)},
	{"enable_aggressive_starvation", nil, put(func(r *poolRow) *core.Optional[bool] { return &r.EnableAggressiveStarvation }, flag)},
	{"allow_aggressive_preemption", []string{"allow_aggressive_starvation_preemption"}, put(func(r *poolRow) *core.Optional[bool] { return &r.AllowAggressivePreemption }, flag)},
	{"allow_normal_preemption", nil, put(func(r *poolRow) *core.Optional[bool] { return &r.AllowNormalPreemption }, flag)},
	{"allow_regular_jobs_on_ssd_nodes", nil, keep(poolExtra, flag)},
	{"non_preemptible_resource_usage_threshold", nil, func(r *poolRow, n *node, name string) (err error) {
		r.NonPreemptible, err = n.resources(name)
		if r.NonPreemptible == (trace.PartialResources{}) {
			r.extra[name] = map[string]any{} // no column says that nothing is protected, whatever the parent has
		}
		return err
	}},
	{"always_allow_gang_operations", nil, keep(poolExtra, flag)},
	{"use_pool_satisfaction_for_scheduling", nil, keep(poolExtra, flag)},
	{"enable_fair_share_truncation_in_fifo_pool", []string{"truncate_fifo_pool_unsatisfied_child_fair_share"}, put(func(r *poolRow) *core.Optional[bool] { return &r.FIFOTruncation }, flag)},
	{"compute_promised_guarantee_fair_share", nil, keep(poolExtra, flag)},
	{"config_preset", nil, put(func(r *poolRow) *core.Optional[string] { return &r.Preset }, text)},
	{"offloading_settings", nil, keep(poolExtra, anything)},
	{"infer_children_weights_from_historic_usage", nil, keep(poolExtra, flag)},
	{"historic_usage_config", nil, keep(poolExtra, anything)},
	{"allow_idle_cpu_policy", nil, keep(poolExtra, anything)},
	{"allowed_profiling_tags", nil, keep(poolExtra, anything)},
	{"abc", nil, func(r *poolRow, n *node, _ string) error {
		r.ABC = core.Some(n.text)
		if n.kind != scalar {
			r.ABC = core.Some(encode(map[string]any{"abc": n.json()}))
		}
		return nil
	}},
	{"metering_tags", nil, keep(poolExtra, anything)},
	{"enable_detailed_logs", nil, keep(poolExtra, flag)},
	{"enable_priority_scheduling_segment_module_assignment", nil, keep(poolExtra, flag)},
}

// poolIntegral are the keys of a pool's integral_guarantees.
var poolIntegral = []option[poolRow]{
	{"guarantee_type", nil, func(r *poolRow, n *node, name string) (err error) {
		r.IntegralType, err = guarantee(n, name)
		return err
	}},
	{"burst_guarantee_resources", nil, func(r *poolRow, n *node, name string) (err error) {
		r.Burst, err = n.resources(name)
		return err
	}},
	{"resource_flow", nil, func(r *poolRow, n *node, name string) (err error) {
		r.Flow, err = n.resources(name)
		return err
	}},
	{"relaxed_share_multiplier_limit", nil, put(func(r *poolRow) *core.Optional[float64] { return &r.RelaxedShareMultiplierLimit }, multiplier)},
	{"can_accept_free_volume", nil, keepIntegral},
	{"should_distribute_free_volume_among_children", nil, keepIntegral},
}

// keepIntegral passes a flag of integral_guarantees on that has no column: it stands in
// config_json under the map's name.
func keepIntegral(r *poolRow, n *node, name string) error {
	v, err := flag(n, name)
	if err != nil {
		return err
	}
	kept, _ := r.extra["integral_guarantees"].(map[string]any)
	if kept == nil {
		kept = map[string]any{}
		r.extra["integral_guarantees"] = kept
	}
	kept[name] = v
	return nil
}

// subpoolOptions are the keys of ephemeral_subpool_config.
var subpoolOptions = []option[poolRow]{
	{"mode", nil, keep(poolExtra, mode)},
	{"max_running_operation_count", nil, keep(poolExtra, count)},
	{"max_operation_count", nil, keep(poolExtra, count)},
	{"resource_limits", nil, keep(poolExtra, res)},
}

func readSubpoolConfig(r *poolRow, n *node, name string) error {
	sub := poolRow{extra: map[string]any{}}
	if err := apply(subpoolOptions, name, &sub, n); err != nil {
		return err
	}
	r.EphemeralSubpoolJSON = core.Some(encode(sub.extra))
	return nil
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

	r := poolRow{extra: map[string]any{}}
	r.Mode, r.IntegralType = "fair_share", "none"
	if err := apply(poolOptions, "a pool", &r, n, poolsKey); err != nil {
		return err
	}
	r.ConfigJSON = encode(r.extra)
	at := len(t.pools)
	t.pools = append(t.pools, pool{name.text, parent, name.line, r.PoolConfig})
	if err := t.readPools(n, name.text, depth+1, lines); err != nil {
		return err
	}
	return checkPool(name, &r, len(t.pools) > at+1)
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
		return n.errorf("%q cannot be the name of a %s: a name has 1 to 100 characters, no $, and is not <Root>", name, what)
	}
	return nil
}
