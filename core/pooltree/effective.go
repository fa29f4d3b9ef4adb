package pooltree

import "poolproof/core/resource"

// Effective holds the values in force for an element: its own options, else those of the nearest
// pool above that has them, else those of the tree or the defaults (core/spec/scheduling.md §7.1).
// Durations are in microseconds.
type Effective struct {
	AggressiveStarvation       bool // enable_aggressive_starvation
	AllowsAggressivePreemption bool // allow_aggressive_preemption
	NormalForbidden            bool // the element or a pool above forbids normal preemption
	SSDForbidden               bool // the element or a pool above forbids regular jobs on SSD nodes
	FIFOOrder                  bool // fifo_pool_scheduling_order = fifo
	PoolSatisfaction           bool // use_pool_satisfaction_for_scheduling

	Tolerance       float64 // fair_share_starvation_tolerance
	Timeout         int64   // fair_share_starvation_timeout
	MinShareTimeout int64   // min_share_preemption_timeout; Documented and Legacy only

	// NonPreemptible is non_preemptible_resource_usage_threshold: nothing is protected if no
	// kind is set, otherwise an absent kind is unlimited.
	NonPreemptible resource.Partial
}

// EffectiveRoot returns the values of the root, which every pool inherits.
func EffectiveRoot(p Profile, c *TreeConfig) Effective {
	e := Effective{
		AggressiveStarvation:       c.EnableAggressiveStarvation.Or(false),
		AllowsAggressivePreemption: true,
		FIFOOrder:                  c.FIFOOrder.Or(p.FIFOOrder()) == OrderFIFO,
		PoolSatisfaction:           c.PoolSatisfaction.Or(false),

		Tolerance:       c.FairShareStarvationTolerance.Or(defaultTolerance),
		Timeout:         c.FairShareStarvationTimeout.Or(defaultTimeout).Micros(),
		MinShareTimeout: c.MinSharePreemptionTimeout.Or(defaultMinShareTimeout).Micros(),

		NonPreemptible: c.NonPreemptibleThreshold,
	}
	if m := c.MaxUnpreemptibleJobs; m.Set && !e.NonPreemptible.Set[resource.UserSlots] { // §8.2
		e.NonPreemptible.Set[resource.UserSlots], e.NonPreemptible.Amounts[resource.UserSlots] = true, m.Value
	}
	return e
}

// SetPool replaces the values of a pool's parent by those of the pool, whose options include its presets'.
func (e *Effective) SetPool(c *PoolConfig) {
	e.setStarvation(c.FairShareStarvationTolerance, c.FairShareStarvationTimeout, c.MinSharePreemptionTimeout)
	e.AggressiveStarvation = c.EnableAggressiveStarvation.Or(e.AggressiveStarvation)
	e.AllowsAggressivePreemption = c.AllowAggressivePreemption.Or(e.AllowsAggressivePreemption)
	e.NormalForbidden = e.NormalForbidden || !c.AllowNormalPreemption.Or(true)
	e.SSDForbidden = e.SSDForbidden || !c.AllowRegularJobsOnSSD.Or(true)
	if c.FIFOOrder.Set {
		e.FIFOOrder = c.FIFOOrder.Value == OrderFIFO
	}
	e.PoolSatisfaction = c.PoolSatisfaction.Or(e.PoolSatisfaction)
	e.NonPreemptible = c.NonPreemptibleThreshold.Or(e.NonPreemptible)
}

// SetOperation replaces the values of an operation's pool by those of the operation. Timeouts and
// tolerance in its spec count in some profiles only (§3.3). ProtectedGang says that it is a gang of a tree
// that does not preempt gangs aggressively.
func (e *Effective) SetOperation(p Profile, c *OperationSettings, protectedGang bool) {
	if p.honoursSpec() {
		e.setStarvation(c.FairShareStarvationTolerance, c.FairShareStarvationTimeout, c.MinSharePreemptionTimeout)
	} else if p == Current { // it may only ask for less (§15 (11))
		e.Tolerance = min(e.Tolerance, c.FairShareStarvationTolerance.Or(e.Tolerance))
		if timeout := c.FairShareStarvationTimeout; timeout.Set {
			e.Timeout = max(e.Timeout, timeout.Value.Micros())
		}
	}
	e.AggressiveStarvation = c.EnableAggressiveStarvation.Or(e.AggressiveStarvation)
	e.AllowsAggressivePreemption = e.AllowsAggressivePreemption && !protectedGang
	if p == Current { // §15 (8)
		e.NonPreemptible = c.NonPreemptibleThreshold.Or(e.NonPreemptible)
	}
	if m := c.MaxUnpreemptibleJobs; m.Set { // §8.2
		slots, set := &e.NonPreemptible.Amounts[resource.UserSlots], &e.NonPreemptible.Set[resource.UserSlots]
		if !*set || m.Value < *slots {
			*set, *slots = true, m.Value
		}
	}
}

func (e *Effective) setStarvation(tolerance Optional[float64], timeout, minShare Optional[Milliseconds]) {
	e.Tolerance = tolerance.Or(e.Tolerance)
	if timeout.Set {
		e.Timeout = timeout.Value.Micros()
	}
	if minShare.Set {
		e.MinShareTimeout = minShare.Value.Micros()
	}
}
