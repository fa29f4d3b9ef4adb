package scheduling

import (
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// treeOptions reads the options of a tree and its scheduler by their names.
func treeOptions(p Profile, tree, scheduler object) Options {
	c, _ := pooltree.ParseTree(p, pooltree.Attributes(tree))
	above, _ := pooltree.ParseCluster(p, pooltree.Attributes(scheduler))
	return OptionsOf(p, &c, &above)
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
		SmoothPeriod:                 int64(1000 * integral.number("smooth_period", 0)),
		PoolCapacitySaturationPeriod: int64(1000 * integral.number("pool_capacity_saturation_period", 0)),
		RelaxedShareMultiplierLimit:  integral.number("relaxed_share_multiplier_limit", 0),
		TruncateFIFO:                 tree.flag("enable_fair_share_truncation_in_fifo_pool", false),
		UsePoolSatisfaction:          o.Root.PoolSatisfaction,
		ScheduleFIFOPoolsInFIFOOrder: o.Root.FIFOOrder,
		MaxSchedulableInFIFOPool:     int(tree.number("max_schedulable_element_count_in_fifo_pool", 0)),
		InferWeightMultiplier:        tree.number("infer_weight_from_guarantees_share_multiplier", 0),
		DistributeFreeVolume:         tree.flag("should_distribute_free_volume_among_children", false),
	}
}

// poolOf reads the configuration of a pool.
func poolOf(c object) (fairshare.Pool, *pooltree.PoolConfig) {
	shares := fairshare.Pool{Settings: shareSettings(c)}
	p, _ := pooltree.ParsePool(Documented, pooltree.Attributes(c))
	if p.FIFOOrder.Set {
		shares.ScheduleInFIFOOrder = fairshare.SwitchOf(p.FIFOOrder.Value == pooltree.OrderFIFO)
	}
	shares.UsePoolSatisfaction = c.toggle("use_pool_satisfaction_for_scheduling")
	shares.TruncateFIFO = c.toggle("enable_fair_share_truncation_in_fifo_pool")
	shares.ComputePromisedGuarantee = c.flag("compute_promised_guarantee_fair_share", false)
	if isFIFO(&p) {
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
	return shares, &p
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
	c, _ := pooltree.ParseOperation(Documented, pooltree.Attributes(spec), "")
	return Operation{OperationSettings: c.OperationSettings, ResourceLimits: c.ResourceLimits, Graceful: c.Graceful, Gang: c.Gang}
}
