package pooltree

import (
	"fmt"

	"poolproof/core/resource"
)

// treeOptions are the options of a tree (core/spec/scheduling.md §3.1).
var treeOptions = []option[TreeConfig]{
	plainOption("nodes_filter", func(c *TreeConfig) *Formula { return &c.NodesFilter }, nodesFilter).also("node_tag_filter"),
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
	countOption("max_unpreemptible_running_job_count", 0, func(c *TreeConfig) *Optional[int64] { return &c.MaxUnpreemptibleJobs }).also("max_unpreemptable_running_job_count", "max_unpreemptible_running_allocation_count"),
	realOption("job_count_preemption_timeout_coefficient", 1, maxFinite, func(c *TreeConfig) *Optional[float64] { return &c.JobCountCoefficient }).also("allocation_count_preemption_timeout_coefficient"),
	boolOption("preemption_check_starvation", func(c *TreeConfig) *Optional[bool] { return &c.CheckStarvation }),
	boolOption("preemption_check_satisfaction", func(c *TreeConfig) *Optional[bool] { return &c.CheckSatisfaction }),
	boolOption("allow_preemption_from_starving_operations", func(c *TreeConfig) *Optional[bool] { return &c.PreemptFromStarving }),
	boolOption("enable_conditional_preemption", func(c *TreeConfig) *Optional[bool] { return &c.ConditionalPreemption }),
	boolOption("allow_aggressive_preemption_for_gang_operations", func(c *TreeConfig) *Optional[bool] { return &c.AggressivePreemptionForGangs }),
	boolOption("allow_gang_operations_only_in_fifo_pools", func(c *TreeConfig) *Optional[bool] { return &c.GangsInFIFOOnly }),
	enumOption("scheduling_preemption_priority_scope", scopeNames, func(c *TreeConfig) *Optional[Scope] { return &c.PriorityScope }),
	durationOption("preemptive_scheduling_backoff", func(c *TreeConfig) *Optional[Milliseconds] { return &c.PreemptiveBackoff }),
	durationOption("job_interrupt_timeout", func(c *TreeConfig) *Optional[Milliseconds] { return &c.JobInterruptTimeout }).also("allocation_preemption_timeout"),
	durationOption("job_graceful_interrupt_timeout", func(c *TreeConfig) *Optional[Milliseconds] { return &c.GracefulInterruptTimeout }).also("allocation_graceful_preemption_timeout"),
	durationOption("waiting_job_timeout", func(c *TreeConfig) *Optional[Milliseconds] { return &c.WaitingJobTimeout }).also("waiting_for_resources_on_node_timeout"),
	plainOption("ssd_priority_preemption", func(c *TreeConfig) *SSDPreemption { return &c.SSD }, ssdPreemption).of("enable", "node_tag_filter", "medium_names"),
	boolOption("enable_scheduling_tags", func(c *TreeConfig) *Optional[bool] { return &c.EnableSchedulingTags }),
	durationOption("total_resource_limits_consider_delay", func(c *TreeConfig) *Optional[Milliseconds] { return &c.TagTotalsDelay }).also("node_reconnection_timeout"),
	realOption("infer_weight_from_guarantees_share_multiplier", 1, maxFinite, func(c *TreeConfig) *Optional[float64] { return &c.InferWeightMultiplier }).also("infer_weight_from_strong_guarantee_share_multiplier", "infer_weight_from_min_share_ratio_multiplier"),
	plainOption(integralName, func(c *TreeConfig) *TreeIntegral { return &c.Integral }, func(v any) (TreeIntegral, *fault) { return nested(v, treeIntegralOptions) }).of(names(treeIntegralOptions)...),
	boolOption("enable_fair_share_truncation_in_fifo_pool", func(c *TreeConfig) *Optional[bool] { return &c.FIFOTruncation }).also("truncate_fifo_pool_unsatisfied_child_fair_share"),
	enumOption("fifo_pool_scheduling_order", orderNames, func(c *TreeConfig) *Optional[FIFOOrder] { return &c.FIFOOrder }),
	countOption("max_schedulable_element_count_in_fifo_pool", 1, func(c *TreeConfig) *Optional[int64] { return &c.MaxSchedulableInFIFOPool }),
	boolOption("use_pool_satisfaction_for_scheduling", func(c *TreeConfig) *Optional[bool] { return &c.PoolSatisfaction }),
	boolOption("enable_guarantee_priority_scheduling", func(c *TreeConfig) *Optional[bool] { return &c.GuaranteePriority }),
	countOption("min_child_heap_size", 0, func(c *TreeConfig) *Optional[int64] { return &c.MinChildHeapSize }),
	plainOption("packing", func(c *TreeConfig) *Packing { return &c.Packing }, func(v any) (Packing, *fault) { return nested(v, packingOptions) }).of(names(packingOptions)...),
	plainOption("batch_operation_scheduling", func(c *TreeConfig) *Batch { return &c.Batch }, batch).also("prioritized_regular_scheduling").of("batch_size", "fallback_min_spare_job_resources", "fallback_min_spare_allocation_resources"),
	checked[TreeConfig]("enable_resource_usage_snapshot", boolean),
	checked[TreeConfig]("allowed_resource_usage_staleness", duration),
	checked[TreeConfig]("use_resource_usage_with_precommit", boolean),
	checked[TreeConfig]("cached_job_preemption_statuses_update_period", duration).also("cached_allocation_preemption_statuses_update_period"),
	checked[TreeConfig]("check_operation_for_liveness_in_preschedule", boolean),
	boolOption("enable_limiting_ancestor_check", func(c *TreeConfig) *Optional[bool] { return &c.LimitingAncestorCheck }),
	durationOption("tentative_tree_saturation_deactivation_period", func(c *TreeConfig) *Optional[Milliseconds] { return &c.SaturationDeactivation }),
	plainOption("non_tentative_operation_types", func(c *TreeConfig) *[]string { return &c.NonTentativeTypes }, texts),
	{name: "pool_config_presets", set: setPresets},
	plainOption("scheduling_segments", func(c *TreeConfig) *Segments { return &c.Segments }, func(v any) (Segments, *fault) { return nested(v, segmentOptions) }).of(append(names(segmentOptions), otherSegmentKeys...)...),
	checked[TreeConfig]("fail_remote_copy_on_missing_resource_limits", boolean),
	checked[TreeConfig]("required_resource_limits_for_remote_copy", amounts),
	durationOption("best_allocation_ratio_update_period", func(c *TreeConfig) *Optional[Milliseconds] { return &c.BestAllocationPeriod }).also("best_allocation_share_update_period"),
	checked[TreeConfig]("running_job_statistics_update_period", duration).also("running_allocation_statistics_update_period"),
	checked[TreeConfig]("accumulated_resource_usage_update_period", duration).also("accumulated_resource_distribution_update_period"),
	boolOption("should_distribute_free_volume_among_children", func(c *TreeConfig) *Optional[bool] { return &c.DistributeFreeVolume }),
	checked[TreeConfig]("metering_tags", mapping),
}

// treeIntegralOptions are the options of a tree's integral_guarantees.
var treeIntegralOptions = []option[TreeIntegral]{
	durationOption("smooth_period", func(c *TreeIntegral) *Optional[Milliseconds] { return &c.SmoothPeriod }),
	durationOption("pool_capacity_saturation_period", func(c *TreeIntegral) *Optional[Milliseconds] { return &c.SaturationPeriod }),
	realOption("relaxed_share_multiplier_limit", 1, 10, func(c *TreeIntegral) *Optional[float64] { return &c.RelaxedLimit }),
}

// batch reads batch_operation_scheduling, whose presence turns batches on.
func batch(v any) (Batch, *fault) {
	const defaultSize = 1000
	m, wrong := mapping(v)
	if wrong != nil {
		return Batch{}, wrong
	}
	b := Batch{Size: defaultSize}
	if size, set := m["batch_size"]; set && size != nil {
		if b.Size, wrong = countFrom(1)(size); wrong != nil {
			return Batch{}, wrong
		}
	}
	for _, name := range []string{"fallback_min_spare_job_resources", "fallback_min_spare_allocation_resources"} {
		if spare, set := m[name]; set && spare != nil && wrong == nil {
			b.MinSpare, wrong = amounts(spare)
		}
	}
	return b, wrong
}

// NodesFilter returns the text of a tree's filter of nodes, under any of its names, and whether it
// has one.
func NodesFilter(a Attributes) (text string, has bool) {
	const name = "nodes_filter"
	if text, has = a[name].(string); has {
		return text, true
	}
	for _, alias := range TreeAliases(name) {
		if text, has = a[alias].(string); has {
			return text, true
		}
	}
	return "", false
}

// smallest is the least number above zero.
const smallest = 0x1p-1074

// IsTreeOption reports whether a tree has an option of the name.
func IsTreeOption(name string) bool { return hasOption(treeOptions, name) }

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

// setTreeThreshold reads the threshold, which may not be null.
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
		if s.Filter, wrong = nodesFilter(filter); wrong != nil {
			return s, wrong
		}
	}
	if media, set := m["medium_names"]; set && media != nil {
		s.Media, wrong = texts(media)
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
// (core/spec/scheduling.md §3.1).
func (c *TreeConfig) check(p Profile) (errs []*RuleError) {
	add := func(r Rule, option, detail string) {
		errs = append(errs, &RuleError{Rule: r, Option: option, Detail: detail})
	}
	ordinary := c.PreemptionSatisfaction.Or(defaultSatisfaction)
	if aggressive := c.AggressiveSatisfaction.Or(p.aggressiveSatisfaction(ordinary)); aggressive > ordinary {
		add(ThresholdOrder, "aggressive_preemption_satisfaction_threshold", fmt.Sprintf("%g above %g", aggressive, ordinary))
	}
	aggressive, ordinaryTimeout := c.AggressiveStarvationTimeout.Or(defaultAggressiveTimeout), c.FairShareStarvationTimeout.Or(defaultTimeout)
	if aggressive < ordinaryTimeout {
		add(TimeoutOrder, "fair_share_aggressive_starvation_timeout", fmt.Sprintf("%d ms below %d ms", aggressive, ordinaryTimeout))
	}
	if c.SSD.Enable && c.SSD.Filter.IsEmpty() {
		add(SSDFilterRequired, "ssd_priority_preemption", "")
	}
	return errs
}
