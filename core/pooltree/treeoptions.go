package pooltree

import "poolproof/core/resource"

// treeOptions are the options of a tree (spec/scheduling.md §3.1).
var treeOptions = []option[TreeConfig]{
	plainOption("nodes_filter", func(c *TreeConfig) *Formula { return &c.NodesFilter }, nodesFilter),
	plainOption("default_parent_pool", func(c *TreeConfig) *string { return &c.DefaultParentPool }, text),
	flagOption("use_user_default_parent_pool_map", func(c *TreeConfig) *bool { return &c.UseUserParents }),
	reader("main_resource", func(c *TreeConfig) *Optional[resource.Kind] { return &c.MainResource }, mainKind),
	boolOption("forbid_immediate_operations_in_root", func(c *TreeConfig) *Optional[bool] { return &c.ForbidOperationsInRoot }),
	countOption("max_operation_count", 0, func(c *TreeConfig) *Optional[int64] { return &c.MaxOperationCount }),
	countOption("max_running_operation_count", 1, func(c *TreeConfig) *Optional[int64] { return &c.MaxRunningOperationCount }),
	countOption("max_operation_count_per_pool", 0, func(c *TreeConfig) *Optional[int64] { return &c.MaxOperationCountPerPool }),
	countOption("max_running_operation_count_per_pool", 0, func(c *TreeConfig) *Optional[int64] { return &c.MaxRunningOperationCountPerPool }),
	countOption("max_ephemeral_pools_per_user", 1, func(c *TreeConfig) *Optional[int64] { return &c.MaxEphemeralPoolsPerUser }).also("max_ephemeral_pool_per_user"),

	boolOption("enable_pool_starvation", func(c *TreeConfig) *Optional[bool] { return &c.EnablePoolStarvation }),
	durationOption("fair_share_starvation_timeout", func(c *TreeConfig) *Optional[Milliseconds] { return &c.FairShareStarvationTimeout }).also("fair_share_preemption_timeout"),
	durationOption("fair_share_aggressive_starvation_timeout", func(c *TreeConfig) *Optional[Milliseconds] { return &c.AggressiveStarvationTimeout }),
	durationOption("min_share_preemption_timeout", func(c *TreeConfig) *Optional[Milliseconds] { return &c.MinSharePreemptionTimeout }),
	shareOption("fair_share_starvation_tolerance", func(c *TreeConfig) *Optional[float64] { return &c.FairShareStarvationTolerance }),
	boolOption("enable_aggressive_starvation", func(c *TreeConfig) *Optional[bool] { return &c.EnableAggressiveStarvation }),
	realOption("preemption_satisfaction_threshold", smallest, maxFinite, func(c *TreeConfig) *Optional[float64] { return &c.PreemptionSatisfaction }),
	realOption("aggressive_preemption_satisfaction_threshold", 0, maxFinite, func(c *TreeConfig) *Optional[float64] { return &c.AggressiveSatisfaction }),
	{name: thresholdName, set: setTreeThreshold},
	countOption("max_unpreemptible_running_job_count", 0, func(c *TreeConfig) *Optional[int64] { return &c.MaxUnpreemptibleJobs }).also("max_unpreemptable_running_job_count"),
	checked[TreeConfig]("job_count_preemption_timeout_coefficient", realIn(1, maxFinite)).also("allocation_count_preemption_timeout_coefficient"),
	checked[TreeConfig]("preemption_check_starvation", boolean),
	checked[TreeConfig]("preemption_check_satisfaction", boolean),
	checked[TreeConfig]("enable_conditional_preemption", boolean),
	boolOption("allow_aggressive_preemption_for_gang_operations", func(c *TreeConfig) *Optional[bool] { return &c.AggressivePreemptionForGangs }),
	checked[TreeConfig]("scheduling_preemption_priority_scope", func(v any) (int, *fault) { return enum(v, scopeNames) }),
	checked[TreeConfig]("preemptive_scheduling_backoff", duration),
	durationOption("job_interrupt_timeout", func(c *TreeConfig) *Optional[Milliseconds] { return &c.JobInterruptTimeout }),
	checked[TreeConfig]("job_graceful_interrupt_timeout", duration),
	durationOption("waiting_job_timeout", func(c *TreeConfig) *Optional[Milliseconds] { return &c.WaitingJobTimeout }),
	plainOption("ssd_priority_preemption", func(c *TreeConfig) *SSDPreemption { return &c.SSD }, ssdPreemption),
	boolOption("enable_scheduling_tags", func(c *TreeConfig) *Optional[bool] { return &c.EnableSchedulingTags }),
	durationOption("total_resource_limits_consider_delay", func(c *TreeConfig) *Optional[Milliseconds] { return &c.TagTotalsDelay }),
	realOption("infer_weight_from_guarantees_share_multiplier", 1, maxFinite, func(c *TreeConfig) *Optional[float64] { return &c.InferWeightMultiplier }).also("infer_weight_from_strong_guarantee_share_multiplier", "infer_weight_from_min_share_ratio_multiplier"),
	checked[TreeConfig]("integral_guarantees", mapping),
	boolOption("enable_fair_share_truncation_in_fifo_pool", func(c *TreeConfig) *Optional[bool] { return &c.FIFOTruncation }).also("truncate_fifo_pool_unsatisfied_child_fair_share"),
	enumOption("fifo_pool_scheduling_order", orderNames, func(c *TreeConfig) *Optional[FIFOOrder] { return &c.FIFOOrder }),
	checked[TreeConfig]("max_schedulable_element_count_in_fifo_pool", countFrom(1)),
	boolOption("use_pool_satisfaction_for_scheduling", func(c *TreeConfig) *Optional[bool] { return &c.PoolSatisfaction }),
	checked[TreeConfig]("enable_guarantee_priority_scheduling", boolean),
	checked[TreeConfig]("min_child_heap_size", countFrom(0)),
	checked[TreeConfig]("packing", mapping),
	checked[TreeConfig]("batch_operation_scheduling", mapping).also("prioritized_regular_scheduling"),
	checked[TreeConfig]("enable_resource_usage_snapshot", boolean),
	checked[TreeConfig]("allowed_resource_usage_staleness", duration),
	checked[TreeConfig]("use_resource_usage_with_precommit", boolean),
	checked[TreeConfig]("cached_job_preemption_statuses_update_period", duration),
	checked[TreeConfig]("check_operation_for_liveness_in_preschedule", boolean),
	boolOption("enable_limiting_ancestor_check", func(c *TreeConfig) *Optional[bool] { return &c.LimitingAncestorCheck }),
	durationOption("tentative_tree_saturation_deactivation_period", func(c *TreeConfig) *Optional[Milliseconds] { return &c.SaturationDeactivation }),
	plainOption("non_tentative_operation_types", func(c *TreeConfig) *[]string { return &c.NonTentativeTypes }, texts),
	{name: "pool_config_presets", set: setPresets},
	checked[TreeConfig]("scheduling_segments", mapping),
	checked[TreeConfig]("fail_remote_copy_on_missing_resource_limits", boolean),
	checked[TreeConfig]("required_resource_limits_for_remote_copy", amounts),
	checked[TreeConfig]("best_allocation_ratio_update_period", duration),
	checked[TreeConfig]("running_job_statistics_update_period", duration),
	checked[TreeConfig]("accumulated_resource_usage_update_period", duration),
	checked[TreeConfig]("should_distribute_free_volume_among_children", boolean),
	checked[TreeConfig]("metering_tags", mapping),
}

// smallest is the least number above zero.
const smallest = 0x1p-1074

// isTreeOption reports whether a tree has an option of the name.
func isTreeOption(name string) bool { return hasOption(treeOptions, name) }

func hasOption[C any](options []option[C], name string) bool {
	for i := range options {
		if options[i].name == name {
			return true
		}
		for _, alias := range options[i].aliases {
			if alias == name {
				return true
			}
		}
	}
	return false
}

// setTreeThreshold reads the threshold, of which null is illegal.
func setTreeThreshold(c *TreeConfig, v any, _ Profile) *fault {
	if v == nil {
		return &fault{rule: NullThreshold}
	}
	p, wrong := amounts(v)
	if wrong == nil {
		c.NonPreemptibleThreshold = p
	}
	return wrong
}

func ssdPreemption(v any) (SSDPreemption, *fault) {
	var s SSDPreemption
	m, wrong := mapping(v)
	if wrong != nil {
		return s, wrong
	}
	if on, set := m["enable"]; set && on != nil {
		if s.Enable, wrong = boolean(on); wrong != nil {
			return s, wrong
		}
	}
	if filter, set := m["node_tag_filter"]; set && filter != nil {
		s.Filter, wrong = nodesFilter(filter)
	}
	return s, wrong
}

// ParseTree reads the options of a tree. The configuration is usable where
// options are at fault: they stay absent.
func ParseTree(p Profile, a Attributes) (TreeConfig, []*RuleError) {
	var c TreeConfig
	errs := parseAttributes(&c, treeOptions, a, p)
	return c, append(errs, c.check(p)...)
}

// check returns where options contradict each other, defaults included
// (spec/scheduling.md §3.1).
func (c *TreeConfig) check(p Profile) (errs []*RuleError) {
	ordinary := c.PreemptionSatisfaction.Or(defaultSatisfaction)
	if c.AggressiveSatisfaction.Or(p.aggressiveSatisfaction(ordinary)) > ordinary {
		errs = append(errs, &RuleError{Rule: ThresholdOrder})
	}
	if c.AggressiveStarvationTimeout.Or(defaultAggressiveTimeout) < c.FairShareStarvationTimeout.Or(defaultTimeout) {
		errs = append(errs, &RuleError{Rule: TimeoutOrder})
	}
	if c.SSD.Enable && c.SSD.Filter.IsEmpty() {
		errs = append(errs, &RuleError{Rule: SSDFilterRequired})
	}
	return errs
}
