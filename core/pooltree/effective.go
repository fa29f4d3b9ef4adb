package pooltree

import "poolproof/core/resource"

// Effective are the values in force for a pool or an operation, after
// inheritance, defaults and the tree's presets (core/spec/scheduling.md §3, §7.1,
// §8.2, §10.2, §17.2).
type Effective struct {
	Tolerance            float64      // fair_share_starvation_tolerance
	Timeout              Milliseconds // fair_share_starvation_timeout
	AggressiveTimeout    Milliseconds // the tree's alone
	MinShareTimeout      Milliseconds // meaningful in the profiles documented and legacy
	AggressiveStarvation bool         // enable_aggressive_starvation
	AggressivePreemption bool         // allow_aggressive_preemption
	RegularJobsOnSSD     bool         // allow_regular_jobs_on_ssd_nodes: false anywhere above forbids

	PreemptionSatisfaction float64 // the tree's alone
	AggressiveSatisfaction float64 // the tree's alone

	FIFOOrder        FIFOOrder // fifo_pool_scheduling_order
	FIFOTruncation   bool      // enable_fair_share_truncation_in_fifo_pool
	PoolSatisfaction bool      // use_pool_satisfaction_for_scheduling

	// Threshold is non_preemptible_resource_usage_threshold: nothing is
	// protected if no kind is set, otherwise an absent kind is unlimited.
	Threshold resource.Partial
}

// EffectiveRoot returns the values of the root, which every pool inherits.
func EffectiveRoot(p Profile, c *TreeConfig) Effective {
	ordinary := c.PreemptionSatisfaction.Or(defaultSatisfaction)
	e := Effective{
		Tolerance:            c.FairShareStarvationTolerance.Or(defaultTolerance),
		Timeout:              c.FairShareStarvationTimeout.Or(defaultTimeout),
		AggressiveTimeout:    c.AggressiveStarvationTimeout.Or(defaultAggressiveTimeout),
		MinShareTimeout:      c.MinSharePreemptionTimeout.Or(defaultMinShareTimeout),
		AggressiveStarvation: c.EnableAggressiveStarvation.Or(false),
		AggressivePreemption: true,
		RegularJobsOnSSD:     true,

		PreemptionSatisfaction: ordinary,
		AggressiveSatisfaction: c.AggressiveSatisfaction.Or(p.aggressiveSatisfaction(ordinary)),

		FIFOOrder:        c.FIFOOrder.Or(p.FIFOOrder()),
		FIFOTruncation:   c.FIFOTruncation.Or(false),
		PoolSatisfaction: c.PoolSatisfaction.Or(false),

		Threshold: c.NonPreemptibleThreshold,
	}
	if m := c.MaxUnpreemptibleJobs; m.Set && !e.Threshold.Set[resource.UserSlots] {
		e.Threshold.Set[resource.UserSlots], e.Threshold.Amounts[resource.UserSlots] = true, m.Value
	}
	return e
}

// Pool returns the values of a child pool, whose options include its presets'.
func (e Effective) Pool(c *PoolConfig) Effective {
	e.Tolerance = c.FairShareStarvationTolerance.Or(e.Tolerance)
	e.Timeout = c.FairShareStarvationTimeout.Or(e.Timeout)
	e.MinShareTimeout = c.MinSharePreemptionTimeout.Or(e.MinShareTimeout)
	e.AggressiveStarvation = c.EnableAggressiveStarvation.Or(e.AggressiveStarvation)
	e.AggressivePreemption = c.AllowAggressivePreemption.Or(e.AggressivePreemption)
	e.RegularJobsOnSSD = e.RegularJobsOnSSD && c.AllowRegularJobsOnSSD.Or(true)
	e.FIFOOrder = c.FIFOOrder.Or(e.FIFOOrder)
	e.FIFOTruncation = c.FIFOTruncation.Or(e.FIFOTruncation)
	e.PoolSatisfaction = c.PoolSatisfaction.Or(e.PoolSatisfaction)
	e.Threshold = c.NonPreemptibleThreshold.Or(e.Threshold)
	return e
}

// Operation returns the values of an operation in the pool.
func (e Effective) Operation(p Profile, tree *TreeConfig, c *OperationConfig) Effective {
	if p.honoursSpec() {
		e.Tolerance = c.FairShareStarvationTolerance.Or(e.Tolerance)
		e.Timeout = c.FairShareStarvationTimeout.Or(e.Timeout)
		e.MinShareTimeout = c.MinSharePreemptionTimeout.Or(e.MinShareTimeout)
	}
	e.AggressiveStarvation = c.EnableAggressiveStarvation.Or(e.AggressiveStarvation)
	if c.Gang && !tree.AggressivePreemptionForGangs.Or(true) {
		e.AggressivePreemption = false
	}
	if p == Current {
		e.Threshold = c.NonPreemptibleThreshold.Or(e.Threshold)
	}
	if m := c.MaxUnpreemptibleJobs; m.Set {
		slots := &e.Threshold.Amounts[resource.UserSlots]
		if set := &e.Threshold.Set[resource.UserSlots]; !*set || m.Value < *slots {
			*set, *slots = true, m.Value
		}
	}
	return e
}

// Effective returns the values of a pool. It walks the pool's chain: keep the
// result until the configuration changes.
func (t *Tree) Effective(p Pool) Effective {
	if p == Root {
		return EffectiveRoot(t.profile, &t.config)
	}
	return t.Effective(t.pools[p].parent).Pool(t.pools[p].config)
}

// EffectiveOperation returns the values of an operation with the given
// settings in a pool.
func (t *Tree) EffectiveOperation(p Pool, c *OperationConfig) Effective {
	return t.Effective(p).Operation(t.profile, &t.config, c)
}
