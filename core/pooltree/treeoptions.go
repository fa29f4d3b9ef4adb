package pooltree

import (
	"cmp"
	"fmt"
	"slices"

	"poolproof/core/resource"
)

// A TreeConfig holds the options of a tree (core/spec/scheduling.md §3.1). Absent
// options have the profile's defaults.
type TreeConfig struct {
	// Assumed: the source holds no configuration, so that defaults are no
	// promise and limits that only a default states are not in force.
	Assumed bool
	// PoolsAssumed: the source holds no configuration of pools, so that limits of
	// pools that only a default states are not in force.
	PoolsAssumed bool
	// Dated: the log says since when this version is in force. An export says what is
	// in force when it is taken.
	Dated bool
	// Learned: the source has another version, which records of the scheduler contradict.
	Learned bool

	NodesFilter       Formula
	DefaultParentPool string // "": the root
	UseUserParents    bool   // use_user_default_parent_pool_map
	MainResource      Optional[resource.Kind]

	MaxOperationCount               Optional[int64]
	MaxRunningOperationCount        Optional[int64]
	MaxOperationCountPerPool        Optional[int64]
	MaxRunningOperationCountPerPool Optional[int64]
	MaxEphemeralPoolsPerUser        Optional[int64]

	FairShareStarvationTolerance Optional[float64]
	FairShareStarvationTimeout   Optional[Milliseconds]
	AggressiveStarvationTimeout  Optional[Milliseconds]
	MinSharePreemptionTimeout    Optional[Milliseconds]
	EnableAggressiveStarvation   Optional[bool]
	EnablePoolStarvation         Optional[bool]

	PreemptionSatisfaction       Optional[float64]      // preemption_satisfaction_threshold
	AggressiveSatisfaction       Optional[float64]      // aggressive_preemption_satisfaction_threshold
	NonPreemptibleThreshold      resource.Partial       // non_preemptible_resource_usage_threshold
	MaxUnpreemptibleJobs         Optional[int64]        // max_unpreemptible_running_job_count
	JobCountCoefficient          Optional[float64]      // job_count_preemption_timeout_coefficient
	CheckStarvation              Optional[bool]         // preemption_check_starvation
	CheckSatisfaction            Optional[bool]         // preemption_check_satisfaction
	ConditionalPreemption        Optional[bool]         // enable_conditional_preemption
	PreemptFromStarving          Optional[bool]         // allow_preemption_from_starving_operations; current only
	PriorityScope                Optional[Scope]        // scheduling_preemption_priority_scope
	PreemptiveBackoff            Optional[Milliseconds] // preemptive_scheduling_backoff
	AggressivePreemptionForGangs Optional[bool]         // allow_aggressive_preemption_for_gang_operations
	GangsInFIFOOnly              Optional[bool]         // allow_gang_operations_only_in_fifo_pools, current only

	FIFOOrder                Optional[FIFOOrder]
	FIFOTruncation           Optional[bool]
	PoolSatisfaction         Optional[bool] // use_pool_satisfaction_for_scheduling
	InferWeightMultiplier    Optional[float64]
	Integral                 TreeIntegral    // integral_guarantees
	DistributeFreeVolume     Optional[bool]  // should_distribute_free_volume_among_children
	MaxSchedulableInFIFOPool Optional[int64] // max_schedulable_element_count_in_fifo_pool
	GuaranteePriority        Optional[bool]  // enable_guarantee_priority_scheduling
	MinChildHeapSize         Optional[int64]
	Batch                    Batch    // batch_operation_scheduling
	Segments                 Segments // scheduling_segments
	Packing                  Packing
	LimitingAncestorCheck    Optional[bool]         // enable_limiting_ancestor_check
	GPUPolicy                bool                   // policy_kind is gpu
	GPUMode                  GPUMode                // gpu_scheduling_policy/mode
	InfiniteOvercommit       bool                   // enable_infinite_resource_limits_overcommit
	StepFunctionForGangs     Optional[bool]         // enable_step_function_for_gang_operations
	SingleJobGangs           Optional[bool]         // consider_single_allocation_vanilla_operations_as_gang; absent: on
	TagTotalsDelay           Optional[Milliseconds] // total_resource_limits_consider_delay
	BestAllocationPeriod     Optional[Milliseconds] // best_allocation_ratio_update_period
	AccumulatedPeriod        Optional[Milliseconds] // accumulated_resource_usage_update_period
	NonTentativeTypes        []string               // non_tentative_operation_types; nil: the default list
	SSD                      SSDPreemption
	Presets                  []Preset // pool_config_presets, by name
	WaitingJobTimeout        Optional[Milliseconds]
	JobInterruptTimeout      Optional[Milliseconds]
	GracefulInterruptTimeout Optional[Milliseconds] // job_graceful_interrupt_timeout
	SaturationDeactivation   Optional[Milliseconds] // tentative_tree_saturation_deactivation_period
	ForbidOperationsInRoot   Optional[bool]         // forbid_immediate_operations_in_root: refuses nothing (§5.2)
	EnableSchedulingTags     Optional[bool]
	UnmodelledSwitches
	ThresholdExplicitlyNull bool // non_preemptible_resource_usage_threshold is null, which is illegal
}

// A TreeIntegral is the option integral_guarantees of a tree.
type TreeIntegral struct {
	SmoothPeriod     Optional[Milliseconds]
	SaturationPeriod Optional[Milliseconds] // pool_capacity_saturation_period
	RelaxedLimit     Optional[float64]      // relaxed_share_multiplier_limit
}

// A Batch is the option batch_operation_scheduling.
type Batch struct {
	Size     int64            // 0: no batches
	MinSpare resource.Partial // fallback_min_spare_job_resources
}

// SSDPreemption is the option ssd_priority_preemption.
type SSDPreemption struct {
	Enable bool
	Filter Formula  // node_tag_filter
	Media  []string // medium_names
}

// A Preset is an entry of pool_config_presets (core/spec/scheduling.md §4.4).
type Preset struct {
	Name   string
	Config PoolConfig
}

// treeOptions are the options of a tree (core/spec/scheduling.md §3.1).
var treeOptions = slices.Concat(
	group("shares",
		optional("main_resource", func(c *TreeConfig) *Optional[resource.Kind] { return &c.MainResource }, mainKind).says("resource that every strong guarantee names, and others are inferred from"),
		boolOption("enable_step_function_for_gang_operations", func(c *TreeConfig) *Optional[bool] { return &c.StepFunctionForGangs }).says("whether a gang has all of its demand as its fair share or nothing").ignoredBy(beforeCurrent...),
		boolOption("consider_single_allocation_vanilla_operations_as_gang", func(c *TreeConfig) *Optional[bool] { return &c.SingleJobGangs }).says("whether a vanilla operation of one job counts as a gang in fair shares").ignoredBy(beforeCurrent...),
		boolOption("enable_improved_fair_share_by_fit_factor_computation", func(c *TreeConfig) *Optional[bool] { return &c.ImprovedShares }).says("whether share that jumps of children leave is given to them one by one").ignoredBy(beforeCurrent...),
		boolOption("enable_discretized_fair_share", func(c *TreeConfig) *Optional[bool] { return &c.WholeJobShares }).says("whether the fair share of an operation is that of whole jobs").ignoredBy(beforeCurrent...),
		boolOption("enable_fifo_children_reordering_for_guarantee_utilization", func(c *TreeConfig) *Optional[bool] { return &c.FIFOReordering }).says("whether gangs that do not fit the guarantee of a FIFO pool wait behind those that do").ignoredBy(beforeCurrent...),
		realOption("infer_weight_from_guarantees_share_multiplier", 1, maxFinite, func(c *TreeConfig) *Optional[float64] { return &c.InferWeightMultiplier }).also("infer_weight_from_strong_guarantee_share_multiplier", "infer_weight_from_min_share_ratio_multiplier").says("factor from the share of its guarantees to the weight of a pool that names none"),
		plainOption(integralName, func(c *TreeConfig) *TreeIntegral { return &c.Integral }, mapOf(treeIntegralOptions)).says("burst and relaxed guarantees, which accumulate volume by a flow of resources; of a tree, how volumes accumulate"),
		boolOption("should_distribute_free_volume_among_children", func(c *TreeConfig) *Optional[bool] { return &c.DistributeFreeVolume }).says("whether volume that a pool cannot accumulate goes to others"),
	),
	group("limits",
		countOption("max_operation_count", 0, func(c *TreeConfig) *Optional[int64] { return &c.MaxOperationCount }),
		countOption("max_running_operation_count", 1, func(c *TreeConfig) *Optional[int64] { return &c.MaxRunningOperationCount }).says("most running operations"),
		countOption("max_operation_count_per_pool", 0, func(c *TreeConfig) *Optional[int64] { return &c.MaxOperationCountPerPool }).says("most operations of a pool that names no limit"),
		countOption("max_running_operation_count_per_pool", 0, func(c *TreeConfig) *Optional[int64] { return &c.MaxRunningOperationCountPerPool }).says("most running operations of a pool that names no limit"),
		countOption("max_ephemeral_pools_per_user", 1, func(c *TreeConfig) *Optional[int64] { return &c.MaxEphemeralPoolsPerUser }).also("max_ephemeral_pool_per_user").says("most ephemeral pools of a user"),
	),
	group("order",
		enumOption("fifo_pool_scheduling_order", orderNames, func(c *TreeConfig) *Optional[FIFOOrder] { return &c.FIFOOrder }).says("whether operations of FIFO pools are considered in the order of the pool or by satisfaction").ignoredBy(Current),
		boolOption("enable_fair_share_truncation_in_fifo_pool", func(c *TreeConfig) *Optional[bool] { return &c.FIFOTruncation }).also("truncate_fifo_pool_unsatisfied_child_fair_share").says("whether an operation in a FIFO pool whose jobs cannot run with its share gets none"),
		countOption("max_schedulable_element_count_in_fifo_pool", 1, func(c *TreeConfig) *Optional[int64] { return &c.MaxSchedulableInFIFOPool }).says("most operations of a FIFO pool that are schedulable without a fair share"),
		boolOption("enable_guarantee_priority_scheduling", func(c *TreeConfig) *Optional[bool] { return &c.GuaranteePriority }).says("whether operations below what their pools were promised go first"),
	),
	group("starvation",
		boolOption("enable_pool_starvation", func(c *TreeConfig) *Optional[bool] { return &c.EnablePoolStarvation }).says("whether pools may starve, and not only operations"),
		durationOption("fair_share_starvation_timeout", func(c *TreeConfig) *Optional[Milliseconds] { return &c.FairShareStarvationTimeout }).also("fair_share_preemption_timeout").says("time below the fair share until an operation or pool starves"),
		shareOption("fair_share_starvation_tolerance", func(c *TreeConfig) *Optional[float64] { return &c.FairShareStarvationTolerance }).says("part of the fair share below which usage counts as too low"),
		durationOption("min_share_preemption_timeout", func(c *TreeConfig) *Optional[Milliseconds] { return &c.MinSharePreemptionTimeout }).says("time below the strong guarantee until an operation or pool starves").ignoredBy(Baseline, Current),
		boolOption("enable_aggressive_starvation", func(c *TreeConfig) *Optional[bool] { return &c.EnableAggressiveStarvation }).says("whether what starves for long may starve aggressively"),
		durationOption("fair_share_aggressive_starvation_timeout", func(c *TreeConfig) *Optional[Milliseconds] { return &c.AggressiveStarvationTimeout }).says("time below the fair share until an operation or pool starves aggressively"),
	),
	group("preemption",
		realOption("preemption_satisfaction_threshold", smallest, maxFinite, func(c *TreeConfig) *Optional[float64] { return &c.PreemptionSatisfaction }).says("part of its fair share that preemption leaves to an operation"),
		realOption("aggressive_preemption_satisfaction_threshold", 0, maxFinite, func(c *TreeConfig) *Optional[float64] { return &c.AggressiveSatisfaction }).says("part of its fair share that aggressive preemption leaves to an operation"),
		optional("default_gpu_full_host_preemption", func(c *TreeConfig) *Optional[bool] { return &c.FullHost }, mapOf(fullHostOptions)).says("whether a last stage takes any job of a node for an operation of the default segment that wants all of its GPUs").ignoredBy(beforeCurrent...),
		boolOption("consider_allocation_on_fair_share_bound_preemptible", func(c *TreeConfig) *Optional[bool] { return &c.BoundPreemptible }).says("whether the job that crosses a bound of the lists belongs to the less protected one").ignoredBy(beforeCurrent...),
		boolOption("allow_aggressive_preemption_for_gang_operations", func(c *TreeConfig) *Optional[bool] { return &c.AggressivePreemptionForGangs }).says("whether jobs of gangs may be preempted aggressively"),
		boolOption("allow_preemption_from_starving_operations", func(c *TreeConfig) *Optional[bool] { return &c.PreemptFromStarving }).says("whether jobs of an operation that starves itself may be preempted"),
		boolOption("enable_conditional_preemption", func(c *TreeConfig) *Optional[bool] { return &c.ConditionalPreemption }).says("whether a heartbeat preempts jobs only if these make room for the starving operation").ignoredBy(Current),
		durationOption("job_graceful_interrupt_timeout", func(c *TreeConfig) *Optional[Milliseconds] { return &c.GracefulInterruptTimeout }).also("allocation_graceful_preemption_timeout").says("time that a job has to finish that is preempted gracefully"),
		durationOption("job_interrupt_timeout", func(c *TreeConfig) *Optional[Milliseconds] { return &c.JobInterruptTimeout }).also("allocation_preemption_timeout").says("time that a preempted job has to finish"),
		realOption("job_count_preemption_timeout_coefficient", 1, maxFinite, func(c *TreeConfig) *Optional[float64] { return &c.JobCountCoefficient }).also("allocation_count_preemption_timeout_coefficient").says("factor that shortens the timeouts of operations with few jobs"),
		countOption("max_unpreemptible_running_job_count", 0, func(c *TreeConfig) *Optional[int64] { return &c.MaxUnpreemptibleJobs }).also("max_unpreemptable_running_job_count", "max_unpreemptible_running_allocation_count").says("most jobs of an operation that are not preempted: the user_slots of the threshold where it names none").ignoredBy(Current),
		custom(thresholdName, amounts.Value, setTreeThreshold).says("usage up to which jobs of an operation are not preempted"),
		boolOption("preemption_check_satisfaction", func(c *TreeConfig) *Optional[bool] { return &c.CheckSatisfaction }).says("whether preemption stops where it would reverse the order of satisfaction").ignoredBy(Current),
		boolOption("preemption_check_starvation", func(c *TreeConfig) *Optional[bool] { return &c.CheckStarvation }).says("whether preemption stops where an operation or a pool would starve by it").ignoredBy(Current),
		durationOption("preemptive_scheduling_backoff", func(c *TreeConfig) *Optional[Milliseconds] { return &c.PreemptiveBackoff }).says("least time between two preemptive attempts on a node"),
		enumOption("scheduling_preemption_priority_scope", scopeNames, func(c *TreeConfig) *Optional[Scope] { return &c.PriorityScope }).says("whether the starvation of pools above gives an operation the priority to preempt, or its own alone"),
		plainOption("ssd_priority_preemption", func(c *TreeConfig) *SSDPreemption { return &c.SSD }, mapOf(ssdOptions)).says("nodes on which jobs with SSD go before others, and their media"),
		durationOption("waiting_job_timeout", func(c *TreeConfig) *Optional[Milliseconds] { return &c.WaitingJobTimeout }).also("waiting_for_resources_on_node_timeout").says("time after which a node aborts a job that waits for resources"),
	),
	group("placement",
		plainOption("nodes_filter", func(c *TreeConfig) *Formula { return &c.NodesFilter }, nodesFilter).also("node_tag_filter").says("tags of the nodes that serve the tree"),
		plainOption("default_parent_pool", func(c *TreeConfig) *string { return &c.DefaultParentPool }, text).says("pool below which ephemeral pools are made"),
		flagOption("use_user_default_parent_pool_map", func(c *TreeConfig) *bool { return &c.UseUserParents }).says("whether users have default parent pools of their own"),
		boolOption("forbid_immediate_operations_in_root", func(c *TreeConfig) *Optional[bool] { return &c.ForbidOperationsInRoot }).says("whether operations may run in pools only, and not in the root"),
		boolOption("enable_scheduling_tags", func(c *TreeConfig) *Optional[bool] { return &c.EnableSchedulingTags }).says("whether filters of tags of pools and operations count").ignoredBy(Current),
		boolOption("allow_gang_operations_only_in_fifo_pools", func(c *TreeConfig) *Optional[bool] { return &c.GangsInFIFOOnly }).says("whether gangs may start in FIFO pools only"),
	),
	group("other",
		durationOption("accumulated_resource_usage_update_period", func(c *TreeConfig) *Optional[Milliseconds] { return &c.AccumulatedPeriod }).also("accumulated_resource_distribution_update_period").says("how often the usage that operations accumulate is reported"),
		checked[TreeConfig]("allowed_resource_usage_staleness", duration).says("how old a snapshot of the usage may be that scheduling goes by"),
		plainOption("batch_operation_scheduling", func(c *TreeConfig) *Batch { return &c.Batch }, mapOf(batchOptions).then(batch)).also("prioritized_regular_scheduling").says("how many operations a heartbeat considers before the others, and what it spares for them"),
		durationOption("best_allocation_ratio_update_period", func(c *TreeConfig) *Optional[Milliseconds] { return &c.BestAllocationPeriod }).also("best_allocation_share_update_period").says("how often the largest share is computed that the nodes could give to an operation"),
		checked[TreeConfig]("cached_job_preemption_statuses_update_period", duration).also("cached_allocation_preemption_statuses_update_period").says("how often the preemption lists of jobs are saved for operations that are disabled meanwhile"),
		checked[TreeConfig]("check_operation_for_liveness_in_preschedule", boolean).says("whether a heartbeat passes over operations that have ended meanwhile"),
		flagOption("enable_infinite_resource_limits_overcommit", func(c *TreeConfig) *bool { return &c.InfiniteOvercommit }).says("whether starts that preempt may exceed resource_limits by any amount"),
		boolOption("enable_limiting_ancestor_check", func(c *TreeConfig) *Optional[bool] { return &c.LimitingAncestorCheck }).says("whether the operation fails if its smallest job exceeds a limit of its own or of a pool above it for long"),
		checked[TreeConfig]("enable_resource_usage_snapshot", boolean).says("whether scheduling goes by a snapshot of the usage"),
		checked[TreeConfig]("fail_remote_copy_on_missing_resource_limits", boolean).says("whether a remote copy without required resource limits is refused"),
		checked[TreeConfig]("metering_tags", mapping).says("tags under which usage is metered"),
		countOption("min_child_heap_size", 0, func(c *TreeConfig) *Optional[int64] { return &c.MinChildHeapSize }).says("number of children from which a pool keeps them in a heap"),
		plainOption("non_tentative_operation_types", func(c *TreeConfig) *[]string { return &c.NonTentativeTypes }, texts).says("types of operations that start in no tentative tree"),
		plainOption("packing", func(c *TreeConfig) *Packing { return &c.Packing }, mapOf(packingOptions)).says("how heartbeats prefer operations whose jobs leave little of a node unused"),
		custom("pool_config_presets", Value{}, setPresets).says("options by name that pools may take over"),
		checked[TreeConfig]("required_resource_limits_for_remote_copy", amounts).says("resource limits that a remote copy has to name"),
		checked[TreeConfig]("running_job_statistics_update_period", duration).also("running_allocation_statistics_update_period").says("how often statistics of running jobs are reported"),
		plainOption("scheduling_segments", func(c *TreeConfig) *Segments { return &c.Segments }, mapOf(segmentOptions)).beside(otherSegmentKeys...).says("how nodes are divided among operations with large GPU jobs and others"),
		plainOption("policy_kind", func(c *TreeConfig) *bool { return &c.GPUPolicy }, choice("classic", "gpu")).says("policy that decides starts and preemptions: classic or gpu"),
		plainOption("gpu_scheduling_policy", func(c *TreeConfig) *GPUMode { return &c.GPUMode }, gpuPolicy).beside(otherGPUKeys...).says("whether the GPU policy plans and decides, and how"),
		durationOption("tentative_tree_saturation_deactivation_period", func(c *TreeConfig) *Optional[Milliseconds] { return &c.SaturationDeactivation }).says("for how long an operation is held back in a tentative tree that its jobs have saturated"),
		durationOption("total_resource_limits_consider_delay", func(c *TreeConfig) *Optional[Milliseconds] { return &c.TagTotalsDelay }).also("node_reconnection_timeout").says("time from a start of the scheduler until totals of filtered nodes count"),
		boolOption("use_pool_satisfaction_for_scheduling", func(c *TreeConfig) *Optional[bool] { return &c.PoolSatisfaction }).says("whether the order of pools goes by their own satisfaction and not by their worst operation").ignoredBy(Current),
		checked[TreeConfig]("use_resource_usage_with_precommit", boolean).says("whether usage includes what is about to start"),
	),
)

// treeIntegralOptions are the options of a tree's integral_guarantees.
var treeIntegralOptions = []option[TreeIntegral]{
	durationOption("smooth_period", func(c *TreeIntegral) *Optional[Milliseconds] { return &c.SmoothPeriod }),
	durationOption("pool_capacity_saturation_period", func(c *TreeIntegral) *Optional[Milliseconds] { return &c.SaturationPeriod }),
	realOption("relaxed_share_multiplier_limit", 1, 10, func(c *TreeIntegral) *Optional[float64] { return &c.RelaxedLimit }),
}

// ssdOptions are the options of ssd_priority_preemption.
var ssdOptions = []option[SSDPreemption]{
	flagOption("enable", func(s *SSDPreemption) *bool { return &s.Enable }),
	plainOption("node_tag_filter", func(s *SSDPreemption) *Formula { return &s.Filter }, nodesFilter),
	plainOption("medium_names", func(s *SSDPreemption) *[]string { return &s.Media }, texts),
}

// batchOptions are the options of batch_operation_scheduling.
var batchOptions = []option[Batch]{
	plainOption("batch_size", func(b *Batch) *int64 { return &b.Size }, countFrom(1)),
	plainOption("fallback_min_spare_job_resources", func(b *Batch) *resource.Partial { return &b.MinSpare }, amounts).also("fallback_min_spare_allocation_resources"),
}

// batch fills in the default size: the presence of the option turns batches on.
func batch(b Batch) Batch {
	b.Size = cmp.Or(b.Size, 1000)
	return b
}

// NodesFilter returns the text of a tree's filter of nodes, under any of its names, and whether it
// has one.
func NodesFilter(a Attributes) (text string, has bool) {
	o := optionOf(treeOptions, "nodes_filter")
	for _, name := range append([]string{o.name}, o.aliases...) {
		if text, has = a[name].(string); has {
			return text, true
		}
	}
	return "", false
}

// smallest is the least number above zero.
const smallest = 0x1p-1074

// IsTreeOption reports whether a tree has an option of the name.
func IsTreeOption(name string) bool { return optionOf(treeOptions, name) != nil }

// setTreeThreshold reads the threshold, which may not be null.
func setTreeThreshold(c *TreeConfig, v any, _ Profile) *fault {
	if v == nil {
		return &fault{rule: NullThreshold}
	}
	p, wrong := readAmounts(v)
	if wrong == nil {
		c.NonPreemptibleThreshold = p
	}
	return wrong
}

// ParseTree reads the options of a tree. The configuration is usable where
// options are at fault: they stay absent.
func ParseTree(p Profile, a Attributes) (TreeConfig, []*RuleError) {
	var c TreeConfig
	errs := parseAttributes(&c, treeOptions, a, p)
	return c, append(errs, c.check(p)...)
}

// DropIgnored makes absent what the scheduler of a profile ignores. Presets stay: pools drop what they take from them.
func (c *TreeConfig) DropIgnored(p Profile) { dropIgnored(c, treeOptions, p) }

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
