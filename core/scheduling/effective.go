package scheduling

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// effective are the values in force for an element: its own, else those of the
// nearest ancestor, else the tree's (core/spec/scheduling.md §7.1).
type effective struct {
	inherited           bool // by an update
	aggressive          bool // aggressive starvation is enabled
	aggressivePreempted bool // its jobs may be preempted aggressively
	normalForbidden     bool // an ancestor-or-self forbids normal preemption
	ssdForbidden        bool // an ancestor-or-self forbids regular jobs on SSD nodes
	fifoOrder           bool
	usePool             bool // use_pool_satisfaction_for_scheduling
	tolerance           float64
	timeout, minShare   int64
	threshold           resource.Partial
}

// inherit computes the effective values of e, whose parent's are known.
func (t *Tree) inherit(e Element) {
	n := &t.elements[e]
	if n.operation != nil {
		t.inheritOperation(n)
		return
	}
	p, o := n.pool, &t.options
	own := &n.own
	if e == Root {
		*own = effective{
			inherited: true, tolerance: o.StarvationTolerance, timeout: o.StarvationTimeout, minShare: o.MinShareTimeout,
			aggressive: o.AggressiveStarvation, aggressivePreempted: true,
			fifoOrder: o.ScheduleFIFOInOrder, usePool: o.UsePoolSatisfaction, threshold: o.threshold(),
		}
	} else {
		*own = t.elements[n.parent].own
	}
	own.starvation(&p.StarvationSettings)
	own.aggressivePreempted = p.AggressivePreemption.Or(own.aggressivePreempted)
	own.normalForbidden = own.normalForbidden || p.ForbidNormalPreemption
	own.ssdForbidden = own.ssdForbidden || p.ForbidRegularJobsOnSSD
	own.fifoOrder = p.ScheduleInFIFOOrder.Or(own.fifoOrder)
	own.usePool = p.UsePoolSatisfaction.Or(own.usePool)
	if p.HasNonPreemptible || !p.NonPreemptible.IsEmpty() {
		own.threshold = p.NonPreemptible
	}
}

// inheritAhead returns the effective values that an update would give e now, without
// putting them in force.
func (t *Tree) inheritAhead(e Element) effective {
	n := &t.elements[e]
	own, limit := n.own, resource.Vector{}
	if n.operation != nil {
		limit = n.operation.limit
	}
	if e != Root && !t.elements[n.parent].own.inherited {
		above := t.elements[n.parent].own
		t.elements[n.parent].own = t.inheritAhead(n.parent)
		defer func() { t.elements[n.parent].own = above }()
	}
	t.inherit(e)
	ahead := n.own
	n.own = own
	if n.operation != nil {
		n.operation.limit = limit
	}
	return ahead
}

// starvation replaces what the settings name.
func (own *effective) starvation(s *StarvationSettings) {
	own.timeout = s.Timeout.Or(own.timeout)
	own.minShare = s.MinShareTimeout.Or(own.minShare)
	own.tolerance = s.Tolerance.Or(own.tolerance)
	own.aggressive = s.Aggressive.Or(own.aggressive)
}

// inheritOperation computes the effective values of an operation. Timeouts and
// tolerance in its spec count in the profiles Documented and Legacy only
// (§3.3).
func (t *Tree) inheritOperation(n *element) {
	op, own := n.operation, &n.own
	*own = t.elements[n.parent].own
	spec := op.StarvationSettings
	if t.options.Profile != Documented && t.options.Profile != Legacy {
		spec = StarvationSettings{Aggressive: op.Aggressive}
	}
	own.starvation(&spec)
	if op.Gang && !t.options.AggressiveForGangs {
		own.aggressivePreempted = false
	}
	if t.options.Profile == Current && op.HasNonPreemptible { // §15 (8)
		own.threshold = op.NonPreemptible
	}
	own.threshold = withMaxJobs(own.threshold, op.MaxUnpreemptibleJobs)
	op.limit = resource.Vector{}
	if !own.threshold.IsEmpty() {
		op.limit = own.threshold.Or(resource.Unlimited)
	}
}

// withMaxJobs lowers the slots of a threshold to an operation's own maximum
// (§8.2).
func withMaxJobs(p resource.Partial, jobs fairshare.Optional) resource.Partial {
	if jobs.Set {
		slots := int64(jobs.Value)
		if p.Set[resource.UserSlots] {
			slots = min(slots, p.Amounts[resource.UserSlots])
		}
		p.Set[resource.UserSlots], p.Amounts[resource.UserSlots] = true, slots
	}
	return p
}
