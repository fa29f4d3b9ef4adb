package scheduling

import "poolproof/core/resource"

// Starvation returns the clocks of an element at the last update.
func (t *Tree) Starvation(e Element) *Starvation { return &t.elements[e].starvation }

// LeaveUntold says of a pool that its starvation at the last tick is not known.
func (t *Tree) LeaveUntold(e Element) { t.elements[e].starvation.Untold = true }

// TellNonStarving says of such a pool that it did not starve then.
func (t *Tree) TellNonStarving(e Element) {
	t.forgetClocks(e)
	t.stale = true
}

// Turned returns the elements whose status of either kind the last tick changed,
// parents first. The slice is good until the next tick.
func (t *Tree) Turned() []Element { return t.turned }

// IsOperation reports whether an element is an operation.
func (t *Tree) IsOperation(e Element) bool { return t.elements[e].operation != nil }

// LowestStarvingAncestor returns the lowest element on the path from an element
// to the root, itself included, that starves, and the lowest that starves
// aggressively; None where there is none (§7.5).
func (t *Tree) LowestStarvingAncestor(e Element) (starving, aggressive Element) {
	return t.elements[e].lowestStarving, t.elements[e].lowestAggressive
}

// An Entitlement holds the values in force for an element that say when it
// starves (§7.1). Durations are in microseconds, not scaled by pending jobs.
type Entitlement struct {
	Tolerance                  float64
	Timeout, MinShareTimeout   int64
	AggressiveStarvation       bool
	AllowsAggressivePreemption bool
	NonPreemptible             resource.Partial // non_preemptible_resource_usage_threshold
}

// Entitlement returns the values in force at the last update, or those of the next before an element's first.
func (t *Tree) Entitlement(e Element) Entitlement {
	own := t.elements[e].own
	if !own.inherited {
		own = t.inheritAhead(e)
	}
	return Entitlement{
		Tolerance: own.tolerance, Timeout: own.timeout, MinShareTimeout: own.minShare,
		AggressiveStarvation: own.aggressive, AllowsAggressivePreemption: own.aggressivePreempted,
		NonPreemptible: own.threshold,
	}
}

// RootEntitlement are the values of the tree's own options, which hold for elements that nothing above sets any
// for.
func (o *Options) RootEntitlement() Entitlement {
	return Entitlement{
		Tolerance: o.StarvationTolerance, Timeout: o.StarvationTimeout, MinShareTimeout: o.MinShareTimeout,
		AggressiveStarvation: o.AggressiveStarvation, AllowsAggressivePreemption: true, NonPreemptible: o.threshold(),
	}
}

// Lists returns how many jobs of an operation are aggressively preemptible and
// how many are preemptible, those not gone yet included (§8.1).
func (t *Tree) Lists(e Element) (aggressively, preemptible int) {
	for j := t.elements[e].operation.list.jobs.Last; j != NoJob; j = t.ofOperation.Before(j) {
		switch t.jobs[j].list() {
		case Preemptible:
			preemptible++
		case AggressivelyPreemptible:
			aggressively++
		default:
			return aggressively, preemptible
		}
	}
	return aggressively, preemptible
}

// ListsBy returns what Lists would if the last update had given an operation other
// shares, of another total (§13.3). It looks at all its jobs.
func (t *Tree) ListsBy(e Element, fair, demand resource.Share, total resource.Vector) (aggressively, preemptible int) {
	var jobs []Job
	t.OperationJobs(e, func(j Job) { jobs = append(jobs, j) })
	return t.ListsOf(e, jobs, fair, demand, total)
}

// SeenShares returns the shares of the last update by which the jobs of an operation are cut.
func (t *Tree) SeenShares(e Element) (fair, demand resource.Share) {
	return t.elements[e].seen.fair, t.elements[e].seen.demand
}

// ListsOf is ListsBy where the jobs of the operation stand in another order.
func (t *Tree) ListsOf(e Element, jobs []Job, fair, demand resource.Share, total resource.Vector) (aggressively, preemptible int) {
	op := ElementInfo{Standing: Standing{Fair: fair, Demand: demand}, Threshold: t.elements[e].operation.limit}
	var ahead resource.Vector
	for _, j := range jobs {
		switch ListAfter(ahead, total, &op, &t.options) {
		case Preemptible:
			preemptible++
		case AggressivelyPreemptible:
			aggressively++
		}
		ahead = ahead.Add(t.jobs[j].usage)
	}
	return aggressively, preemptible
}

// Unschedulable returns why an operation took no part in scheduling at the last
// update (§6.2).
func (t *Tree) Unschedulable(e Element) Obstacle { return t.elements[e].operation.reason }

// NextDeadline returns the earliest instant at which the starvation of some
// element changes if nothing else does, Never if there is none: whoever follows
// a log ticks then, too.
func (t *Tree) NextDeadline() int64 { return t.deadline }
