package poolconf

import (
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/trace"
)

type treeRow = trace.TreeConfig

// treeOptions are the options of core/spec/scheduling.md §3.1.
var treeOptions = optionsOf(pooltree.TreeAliases, []group[treeRow]{
	{"shares", []option[treeRow]{
		put("main_resource", func(r *treeRow) *core.Optional[string] { return &r.MainResource }, dominant),
		put("infer_weight_from_guarantees_share_multiplier", func(r *treeRow) *core.Optional[float64] { return &r.InferWeightMultiplier }, real1),
		nested(integralKey, treeIntegral),
		keep[treeRow]("should_distribute_free_volume_among_children", flag),
	}},
	{"limits", []option[treeRow]{
		put("max_operation_count", func(r *treeRow) *core.Optional[int64] { return &r.MaxOperationCount }, count),
		put("max_running_operation_count", func(r *treeRow) *core.Optional[int64] { return &r.MaxRunningOperationCount }, positive),
		put("max_operation_count_per_pool", func(r *treeRow) *core.Optional[int64] { return &r.MaxOperationCountPerPool }, count),
		put("max_running_operation_count_per_pool", func(r *treeRow) *core.Optional[int64] { return &r.MaxRunningOperationCountPerPool }, count),
		put("max_ephemeral_pools_per_user", func(r *treeRow) *core.Optional[int64] { return &r.MaxEphemeralPoolsPerUser }, positive),
	}},
	{"order", []option[treeRow]{
		keep[treeRow]("fifo_pool_scheduling_order", fifoOrder),
		put("enable_fair_share_truncation_in_fifo_pool", func(r *treeRow) *core.Optional[bool] { return &r.FIFOTruncation }, flag),
		keep[treeRow]("max_schedulable_element_count_in_fifo_pool", positive),
		keep[treeRow]("enable_guarantee_priority_scheduling", flag),
	}},
	{"starvation", []option[treeRow]{
		put("enable_pool_starvation", func(r *treeRow) *core.Optional[bool] { return &r.EnablePoolStarvation }, flag),
		put("fair_share_starvation_timeout", func(r *treeRow) *core.Optional[int64] { return &r.FairShareStarvationTimeoutMS }, duration),
		put("fair_share_starvation_tolerance", func(r *treeRow) *core.Optional[float64] { return &r.FairShareStarvationTolerance }, share),
		put("min_share_preemption_timeout", func(r *treeRow) *core.Optional[int64] { return &r.MinSharePreemptionTimeoutMS }, duration),
		put("enable_aggressive_starvation", func(r *treeRow) *core.Optional[bool] { return &r.EnableAggressiveStarvation }, flag),
		put("fair_share_aggressive_starvation_timeout", func(r *treeRow) *core.Optional[int64] { return &r.AggressiveStarvationTimeoutMS }, duration),
	}},
	{"preemption", []option[treeRow]{
		put("preemption_satisfaction_threshold", func(r *treeRow) *core.Optional[float64] { return &r.PreemptionSatisfaction }, real0),
		put("aggressive_preemption_satisfaction_threshold", func(r *treeRow) *core.Optional[float64] { return &r.AggressiveSatisfaction }, real0),
		keep[treeRow]("allow_aggressive_preemption_for_gang_operations", flag),
		keep[treeRow]("allow_preemption_from_starving_operations", flag),
		put("enable_conditional_preemption", func(r *treeRow) *core.Optional[bool] { return &r.EnableConditionalPreemption }, flag),
		put("job_graceful_interrupt_timeout", func(r *treeRow) *core.Optional[int64] { return &r.GracefulPreemptTimeoutMS }, duration),
		put("job_interrupt_timeout", func(r *treeRow) *core.Optional[int64] { return &r.PreemptTimeoutMS }, duration),
		keep[treeRow]("job_count_preemption_timeout_coefficient", real1),
		keep[treeRow]("max_unpreemptible_running_job_count", count),
		amounts("non_preemptible_resource_usage_threshold", func(r *treeRow) *trace.PartialResources { return &r.NonPreemptible }),
		keep[treeRow]("preemption_check_satisfaction", flag),
		keep[treeRow]("preemption_check_starvation", flag),
		put("preemptive_scheduling_backoff", func(r *treeRow) *core.Optional[int64] { return &r.PreemptiveSchedulingBackoffMS }, duration),
		keep[treeRow]("scheduling_preemption_priority_scope", func(n *node, name string) (string, error) {
			return n.oneOf(name, "operation_and_ancestors", "operation_only")
		}),
		keep[treeRow]("ssd_priority_preemption", anything),
		keep[treeRow]("waiting_job_timeout", duration),
	}},
	{"placement", []option[treeRow]{
		put("nodes_filter", func(r *treeRow) *core.Optional[string] { return &r.NodesFilter }, text),
		put("default_parent_pool", func(r *treeRow) *core.Optional[string] { return &r.DefaultParentPool }, text),
		keep[treeRow]("use_user_default_parent_pool_map", flag),
		put("forbid_immediate_operations_in_root", func(r *treeRow) *core.Optional[bool] { return &r.ForbidImmediateInRoot }, flag),
		keep[treeRow]("enable_scheduling_tags", flag),
		keep[treeRow]("allow_gang_operations_only_in_fifo_pools", flag),
	}},
	{"other", []option[treeRow]{
		keep[treeRow]("accumulated_resource_usage_update_period", duration),
		keep[treeRow]("allowed_resource_usage_staleness", duration),
		keep[treeRow]("batch_operation_scheduling", anything),
		keep[treeRow]("best_allocation_ratio_update_period", duration),
		keep[treeRow]("cached_job_preemption_statuses_update_period", duration),
		keep[treeRow]("check_operation_for_liveness_in_preschedule", flag),
		keep[treeRow]("enable_limiting_ancestor_check", flag),
		keep[treeRow]("enable_resource_usage_snapshot", flag),
		keep[treeRow]("fail_remote_copy_on_missing_resource_limits", flag),
		keep[treeRow]("metering_tags", anything),
		keep[treeRow]("min_child_heap_size", count),
		keep[treeRow]("non_tentative_operation_types", anything),
		keep[treeRow]("packing", anything),
		keep[treeRow]("pool_config_presets", anything),
		keep[treeRow]("required_resource_limits_for_remote_copy", res),
		keep[treeRow]("running_job_statistics_update_period", duration),
		keep[treeRow]("scheduling_segments", anything),
		keep[treeRow]("tentative_tree_saturation_deactivation_period", duration),
		keep[treeRow]("total_resource_limits_consider_delay", duration),
		keep[treeRow]("use_pool_satisfaction_for_scheduling", flag),
		keep[treeRow]("use_resource_usage_with_precommit", flag),
	}},
})

// treeIntegral are the keys of a tree's integral_guarantees.
var treeIntegral = []option[treeRow]{
	put("smooth_period", func(r *treeRow) *core.Optional[int64] { return &r.SmoothPeriodMS }, duration),
	put("pool_capacity_saturation_period", func(r *treeRow) *core.Optional[int64] { return &r.SaturationPeriodMS }, duration),
	keepInside[treeRow](integralKey, "relaxed_share_multiplier_limit", multiplier),
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
	r := newReading(treeRow{Source: "assumed"}) // pools alone say nothing of the tree: its defaults are then no promise
	if slices.ContainsFunc(n.keys, func(key *node) bool { return !slices.Contains(besides, key.text) }) {
		r.row.Source = "export"
	}
	if err := apply(treeOptions.all, "a tree", r, n, besides...); err != nil {
		return nil, err
	}
	r.row.ConfigJSON = encode(r.extra)
	t := &tree{config: r.row}
	return t, t.readPools(n, "", 1, map[string]int{})
}
