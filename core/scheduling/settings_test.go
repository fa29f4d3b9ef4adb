package scheduling

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// treeOptions reads the options of a tree and its scheduler by their names.
func treeOptions(p Profile, tree, scheduler object) Options {
	o := DefaultOptions(p)
	for _, key := range []string{"fair_share_preemption_timeout", "fair_share_starvation_timeout"} {
		o.StarvationTimeout = tree.milliseconds(key, o.StarvationTimeout)
	}
	o.AggressiveStarvationTimeout = tree.milliseconds("fair_share_aggressive_starvation_timeout", o.AggressiveStarvationTimeout)
	o.MinShareTimeout = tree.milliseconds("min_share_preemption_timeout", o.MinShareTimeout)
	o.StarvationTolerance = tree.number("fair_share_starvation_tolerance", o.StarvationTolerance)
	o.AggressiveStarvation = tree.flag("enable_aggressive_starvation", false)
	o.PoolStarvation = tree.flag("enable_pool_starvation", true)
	o.JobCountCoefficient = tree.first("job_count_preemption_timeout_coefficient", "allocation_count_preemption_timeout_coefficient").Or(1)
	o.SatisfactionThreshold = tree.number("preemption_satisfaction_threshold", 1)
	o.AggressiveSatisfactionThreshold = tree.optional("aggressive_preemption_satisfaction_threshold")
	o.NonPreemptible = tree.partial("non_preemptible_resource_usage_threshold")
	o.MaxUnpreemptibleJobs = tree.first("max_unpreemptible_running_job_count", "max_unpreemptable_running_job_count")
	o.CheckStarvation = tree.flag("preemption_check_starvation", true)
	o.CheckSatisfaction = tree.flag("preemption_check_satisfaction", true)
	o.ConditionalPreemption = tree.flag("enable_conditional_preemption", true)
	o.AggressiveForGangs = tree.flag("allow_aggressive_preemption_for_gang_operations", true)
	o.PreemptFromStarving = tree.flag("allow_preemption_from_starving_operations", false)
	if tree.text("scheduling_preemption_priority_scope") == "operation_only" {
		o.Scope = OperationOnly
	}
	o.PreemptiveBackoff = tree.milliseconds("preemptive_scheduling_backoff", o.PreemptiveBackoff)
	o.InterruptTimeout = tree.milliseconds("job_interrupt_timeout", o.InterruptTimeout)
	o.GracefulTimeout = tree.milliseconds("job_graceful_interrupt_timeout", o.GracefulTimeout)
	o.UsePoolSatisfaction = tree.flag("use_pool_satisfaction_for_scheduling", false)
	if tree.has("fifo_pool_scheduling_order") {
		o.ScheduleFIFOInOrder = tree.text("fifo_pool_scheduling_order") == "fifo"
	}
	o.GuaranteePriority = tree.flag("enable_guarantee_priority_scheduling", false)
	o.MinChildHeapSize = int(tree.number("min_child_heap_size", float64(o.MinChildHeapSize)))
	batch := tree.object("batch_operation_scheduling")
	if batch == nil {
		batch = tree.object("prioritized_regular_scheduling")
	}
	if batch != nil {
		o.BatchSize = int(batch.number("batch_size", 1000))
		if batch.has("fallback_min_spare_job_resources") {
			o.BatchMinSpare = batch.vector("fallback_min_spare_job_resources")
		}
	}
	o.OvercommitDuration = scheduler.milliseconds("allowed_node_resources_overcommit_duration", o.OvercommitDuration)
	o.MaxStartedPerHeartbeat = int(scheduler.number("max_started_jobs_per_heartbeat", 0))
	if spare := scheduler.object("min_spare_job_resources_on_node"); spare != nil {
		o.MinSpare = partialOf(spare).Amounts
	}
	return o
}

// shareOptions reads the options of a tree that shares depend on.
func shareOptions(p Profile, tree object) fairshare.Options {
	o := treeOptions(p, tree, nil)
	main, ok := resource.ParseKind(tree.text("main_resource"))
	if !ok {
		main = resource.CPU
	}
	profile := fairshare.Baseline
	if p == Documented {
		profile = fairshare.Documented
	}
	integral := tree.object("integral_guarantees")
	return fairshare.Options{
		Profile: profile, MainResource: main,
		SmoothPeriod:                 integral.duration("smooth_period").Value,
		PoolCapacitySaturationPeriod: integral.duration("pool_capacity_saturation_period").Value,
		RelaxedShareMultiplierLimit:  integral.number("relaxed_share_multiplier_limit", 0),
		TruncateFIFO:                 tree.flag("enable_fair_share_truncation_in_fifo_pool", false),
		UsePoolSatisfaction:          o.UsePoolSatisfaction,
		ScheduleFIFOPoolsInFIFOOrder: o.ScheduleFIFOInOrder,
		MaxSchedulableInFIFOPool:     int(tree.number("max_schedulable_element_count_in_fifo_pool", 0)),
		InferWeightMultiplier:        tree.number("infer_weight_from_guarantees_share_multiplier", 0),
		DistributeFreeVolume:         tree.flag("should_distribute_free_volume_among_children", false),
	}
}

// starvationOf reads the settings of starvation of a pool or operation.
func starvationOf(c object) StarvationSettings {
	return StarvationSettings{
		Timeout:         c.duration("fair_share_starvation_timeout", "fair_share_preemption_timeout"),
		MinShareTimeout: c.duration("min_share_preemption_timeout"),
		Tolerance:       c.optional("fair_share_starvation_tolerance"),
		Aggressive:      c.toggle("enable_aggressive_starvation"),
	}
}

// poolOf reads the configuration of a pool.
func poolOf(c object) (fairshare.Pool, Pool) {
	shares := fairshare.Pool{Settings: shareSettings(c)}
	p := Pool{
		StarvationSettings:     starvationOf(c),
		FIFO:                   c.text("mode") == "fifo",
		UsePoolSatisfaction:    c.toggle("use_pool_satisfaction_for_scheduling"),
		ResourceLimits:         c.partial("resource_limits"),
		AggressivePreemption:   c.toggle("allow_aggressive_preemption"),
		ForbidNormalPreemption: !c.flag("allow_normal_preemption", true),
		ForbidRegularJobsOnSSD: !c.flag("allow_regular_jobs_on_ssd_nodes", true),
		NonPreemptible:         c.partial("non_preemptible_resource_usage_threshold"),
		HasNonPreemptible:      c.has("non_preemptible_resource_usage_threshold"),
	}
	if c.has("allow_aggressive_starvation_preemption") {
		p.AggressivePreemption = c.toggle("allow_aggressive_starvation_preemption")
	}
	if c.has("fifo_pool_scheduling_order") {
		p.ScheduleInFIFOOrder = fairshare.SwitchOf(c.text("fifo_pool_scheduling_order") == "fifo")
	}
	shares.ScheduleInFIFOOrder, shares.UsePoolSatisfaction = p.ScheduleInFIFOOrder, p.UsePoolSatisfaction
	shares.TruncateFIFO = c.toggle("enable_fair_share_truncation_in_fifo_pool")
	shares.ComputePromisedGuarantee = c.flag("compute_promised_guarantee_fair_share", false)
	if p.FIFO {
		shares.Mode = fairshare.FIFO
	}
	if g := c.object("integral_guarantees"); g != nil {
		shares.Integral = fairshare.Integral{
			Type:         map[string]fairshare.GuaranteeType{"burst": fairshare.Burst, "relaxed": fairshare.Relaxed}[g.text("guarantee_type")],
			ResourceFlow: g.partial("resource_flow"), BurstGuarantee: g.partial("burst_guarantee_resources"),
			RelaxedShareMultiplierLimit: g.optional("relaxed_share_multiplier_limit"),
			RefuseFreeVolume:            !g.flag("can_accept_free_volume", true),
			DistributeFreeVolume:        g.toggle("should_distribute_free_volume_among_children"),
		}
	}
	for i, key := range c.list("fifo_sort_parameters") {
		shares.FIFOSort[i] = map[string]fairshare.FIFOKey{
			"weight": fairshare.ByWeight, "start_time": fairshare.ByStartTime, "pending_job_count": fairshare.ByPendingJobs,
		}[key.(string)]
	}
	return shares, p
}

// shareSettings reads what shares of pools and operations depend on.
func shareSettings(c object) fairshare.Settings {
	strong := "strong_guarantee_resources"
	if !c.has(strong) {
		strong = "min_share_resources"
	}
	return fairshare.Settings{
		Weight: c.optional("weight"), MaxShareRatio: c.optional("max_share_ratio"),
		ResourceLimits: c.partial("resource_limits"), StrongGuarantee: c.partial(strong),
	}
}

// operationOf reads the configuration of an operation.
func operationOf(spec object) Operation {
	return Operation{
		StarvationSettings:   starvationOf(spec),
		ResourceLimits:       spec.partial("resource_limits"),
		MaxUnpreemptibleJobs: spec.optional("max_unpreemptible_job_count"),
		Graceful:             spec.text("preemption_mode") == "graceful",
		Gang:                 spec.flag("is_gang", false),
	}
}
