package poolconf

import (
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A treeRow is a tree's row while it is read.
type treeRow struct {
	trace.TreeConfig
	extra map[string]any
}

func treeExtra(r *treeRow) map[string]any { return r.extra }

// treeOptions are the options of core/spec/scheduling.md §3.1.
var treeOptions = []option[treeRow]{
	{"nodes_filter", nil, put(func(r *treeRow) *core.Optional[string] { return &r.NodesFilter }, text)},
	{"default_parent_pool", nil, put(func(r *treeRow) *core.Optional[string] { return &r.DefaultParentPool }, text)},
	{"use_user_default_parent_pool_map", nil, keep(treeExtra, flag)},
	{"forbid_immediate_operations_in_root", nil, put(func(r *treeRow) *core.Optional[bool] { return &r.ForbidImmediateInRoot }, flag)},
	{"max_operation_count", nil, put(func(r *treeRow) *core.Optional[int64] { return &r.MaxOperationCount }, count)},
	{"max_running_operation_count", nil, put(func(r *treeRow) *core.Optional[int64] { return &r.MaxRunningOperationCount }, positive)},
	{"max_operation_count_per_pool", nil, put(func(r *treeRow) *core.Optional[int64] { return &r.MaxOperationCountPerPool }, count)},
	{"max_running_operation_count_per_pool", nil, put(func(r *treeRow) *core.Optional[int64] { return &r.MaxRunningOperationCountPerPool }, count)},
	{"max_ephemeral_pools_per_user", []string{"max_ephemeral_pool_per_user"}, put(func(r *treeRow) *core.Optional[int64] { return &r.MaxEphemeralPoolsPerUser }, positive)},
	{"enable_pool_starvation", nil, put(func(r *treeRow) *core.Optional[bool] { return &r.EnablePoolStarvation }, flag)},
	{"fair_share_starvation_timeout", []string{"fair_share_preemption_timeout"}, put(func(r *treeRow) *core.Optional[int64] { return &r.FairShareStarvationTimeoutMS }, duration)},
	{"fair_share_aggressive_starvation_timeout", nil, put(func(r *treeRow) *core.Optional[int64] { return &r.AggressiveStarvationTimeoutMS }, duration)},
	{"min_share_preemption_timeout", nil, put(func(r *treeRow) *core.Optional[int64] { return &r.MinSharePreemptionTimeoutMS }, duration)},
	{"fair_share_starvation_tolerance", nil, put(func(r *treeRow) *core.Optional[float64] { return &r.FairShareStarvationTolerance }, share)},
	{"enable_aggressive_starvation", nil, put(func(r *treeRow) *core.Optional[bool] { return &r.EnableAggressiveStarvation }, flag)},
	{"preemption_satisfaction_threshold", nil, put(func(r *treeRow) *core.Optional[float64] { return &r.PreemptionSatisfaction }, real0)},
	{"aggressive_preemption_satisfaction_threshold", nil, put(func(r *treeRow) *core.Optional[float64] { return &r.AggressiveSatisfaction }, real0)},
	{"non_preemptible_resource_usage_threshold", nil, func(r *treeRow, n *node, name string) (err error) {
		r.NonPreemptible, err = n.resources(name)
		return err
	}},
	{"max_unpreemptible_running_job_count", []string{"max_unpreemptable_running_job_count"}, keep(treeExtra, count)},
	{"job_count_preemption_timeout_coefficient", []string{"allocation_count_preemption_timeout_coefficient"}, keep(treeExtra, real1)},
	{"preemption_check_starvation", nil, keep(treeExtra, flag)},
	{"preemption_check_satisfaction", nil, keep(treeExtra, flag)},
	{"allow_preemption_from_starving_operations", nil, keep(treeExtra, flag)},
	{"enable_conditional_preemption", nil, put(func(r *treeRow) *core.Optional[bool] { return &r.EnableConditionalPreemption }, flag)},
	{"allow_aggressive_preemption_for_gang_operations", nil, keep(treeExtra, flag)},
	{"allow_gang_operations_only_in_fifo_pools", nil, keep(treeExtra, flag)},
	{"scheduling_preemption_priority_scope", nil, keep(treeExtra, func(n *node, name string) (string, error) {
		return n.oneOf(name, "operation_and_ancestors", "operation_only")
	})},
	{"preemptive_scheduling_backoff", nil, put(func(r *treeRow) *core.Optional[int64] { return &r.PreemptiveSchedulingBackoffMS }, duration)},
	{"job_interrupt_timeout", []string{"allocation_preemption_timeout"}, put(func(r *treeRow) *core.Optional[int64] { return &r.PreemptTimeoutMS }, duration)},
	{"job_graceful_interrupt_timeout", []string{"allocation_graceful_preemption_timeout"}, put(func(r *treeRow) *core.Optional[int64] { return &r.GracefulPreemptTimeoutMS }, duration)},
	{"waiting_job_timeout", nil, keep(treeExtra, duration)},
	{"ssd_priority_preemption", nil, keep(treeExtra, anything)},
	{"enable_scheduling_tags", nil, keep(treeExtra, flag)},
	{"total_resource_limits_consider_delay", nil, keep(treeExtra, duration)},
	{"main_resource", nil, put(func(r *treeRow) *core.Optional[string] { return &r.MainResource }, dominant)},
	{"infer_weight_from_guarantees_share_multiplier", []string{"infer_weight_from_strong_guarantee_share_multiplier", "infer_weight_from_min_share_ratio_multiplier"},
		put(func(r *treeRow) *core.Optional[float64] { return &r.InferWeightMultiplier }, real1)},
	{"integral_guarantees", nil, func(r *treeRow, n *node, name string) error {
		return apply(treeIntegral, name, r, n)
	}},
	{"enable_fair_share_truncation_in_fifo_pool", []string{"truncate_fifo_pool_unsatisfied_child_fair_share"}, put(func(r *treeRow) *core.Optional[bool] { return &r.FIFOTruncation }, flag)},
	{"fifo_pool_scheduling_order", nil, keep(treeExtra, fifoOrder)},
	{"max_schedulable_element_count_in_fifo_pool", nil, keep(treeExtra, positive)},
	{"use_pool_satisfaction_for_scheduling", nil, keep(treeExtra, flag)},
	{"enable_guarantee_priority_scheduling", nil, keep(treeExtra, flag)},
	{"min_child_heap_size", nil, keep(treeExtra, count)},
	{"packing", nil, keep(treeExtra, anything)},
	{"batch_operation_scheduling", []string{"prioritized_regular_scheduling"}, keep(treeExtra, anything)},
	{"enable_resource_usage_snapshot", nil, keep(treeExtra, flag)},
	{"allowed_resource_usage_staleness", nil, keep(treeExtra, duration)},
	{"use_resource_usage_with_precommit", nil, keep(treeExtra, flag)},
	{"cached_job_preemption_statuses_update_period", nil, keep(treeExtra, duration)},
	{"check_operation_for_liveness_in_preschedule", nil, keep(treeExtra, flag)},
	{"enable_limiting_ancestor_check", nil, keep(treeExtra, flag)},
	{"tentative_tree_saturation_deactivation_period", nil, keep(treeExtra, duration)},
	{"non_tentative_operation_types", nil, keep(treeExtra, anything)},
	{"pool_config_presets", nil, keep(treeExtra, anything)},
	{"scheduling_segments", nil, keep(treeExtra, anything)},
	{"fail_remote_copy_on_missing_resource_limits", nil, keep(treeExtra, flag)},
	{"required_resource_limits_for_remote_copy", nil, keep(treeExtra, res)},
	{"best_allocation_ratio_update_period", nil, keep(treeExtra, duration)},
	{"running_job_statistics_update_period", []string{"running_allocation_statistics_update_period"}, keep(treeExtra, duration)},
	{"accumulated_resource_usage_update_period", nil, keep(treeExtra, duration)},
	{"should_distribute_free_volume_among_children", nil, keep(treeExtra, flag)},
	{"metering_tags", nil, keep(treeExtra, anything)},
}

// treeIntegral are the keys of a tree's integral_guarantees. What has no column
// of its own stands in config_json under the map's name.
var treeIntegral = []option[treeRow]{
	{"smooth_period", nil, put(func(r *treeRow) *core.Optional[int64] { return &r.SmoothPeriodMS }, duration)},
	{"pool_capacity_saturation_period", nil, put(func(r *treeRow) *core.Optional[int64] { return &r.SaturationPeriodMS }, duration)},
	{"relaxed_share_multiplier_limit", nil, func(r *treeRow, n *node, name string) error {
		v, err := multiplier(n, name)
		if err == nil {
			r.extra["integral_guarantees"] = map[string]any{name: v}
		}
		return err
	}},
}

// Keys of the file that hold descriptions and are no options.
const (
	poolsKey = "pools"
	treesKey = "trees"
)

// readFile reads the whole file.
func readFile(n *node) (*File, error) {
	if n.kind == null {
		n.kind = mapping
	}
	if n.kind != mapping {
		return nil, n.errorf("the file must be a map: options of the tree, %s, or %s", poolsKey, treesKey)
	}
	f := &File{}
	if nodes := n.at(nodesKey); nodes != nil {
		if _, err := readNodes(nodes); err != nil {
			return nil, err
		}
	}
	for i, key := range n.keys {
		if key.text != treesKey {
			continue
		}
		if slices.ContainsFunc(n.keys, func(key *node) bool { return key.text != treesKey && key.text != nodesKey }) {
			return nil, key.errorf("beside %s nothing else may stand: it describes each tree by itself", treesKey)
		}
		return f, f.readTrees(n.values[i])
	}
	var err error
	f.all, err = readTree(n, nodesKey)
	return f, err
}

func (f *File) readTrees(n *node) error {
	if n.kind != mapping {
		return n.errorf("%s must be a map from names to descriptions", treesKey)
	}
	f.trees = map[string]*tree{}
	for i, key := range n.keys {
		if err := checkName("tree", key); err != nil {
			return err
		}
		t, err := readTree(n.values[i])
		if err != nil {
			return err
		}
		f.trees[key.text] = t
	}
	return nil
}

// readTree reads a tree. Keys in besides are no options of it, nor is pools.
func readTree(n *node, besides ...string) (*tree, error) {
	besides = append(besides, poolsKey)
	r := treeRow{extra: map[string]any{}}
	// Pools alone say nothing of the tree: its defaults are then no promise.
	r.Source = "assumed"
	if slices.ContainsFunc(n.keys, func(key *node) bool { return !slices.Contains(besides, key.text) }) {
		r.Source = "export"
	}
	if err := apply(treeOptions, "a tree", &r, n, besides...); err != nil {
		return nil, err
	}
	r.ConfigJSON = encode(r.extra)
	t := &tree{config: r.TreeConfig}
	return t, t.readPools(n, "", 1, map[string]int{})
}
