package scheduling

import (
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// Starvation returns the clocks of an element at the last update.
func (t *Tree) Starvation(e Element) *Starvation { return &t.elements[e].starvation }

// SetStarvationUnknown marks the starvation of a pool at the last tick as unknown.
func (t *Tree) SetStarvationUnknown(e Element) { t.elements[e].starvation.Unknown = true }

// SetNonStarving states that a pool with unknown starvation did not starve at the last tick.
func (t *Tree) SetNonStarving(e Element) {
	t.forgetClocks(e)
	t.stale = true
}

// Turned returns the elements whose status of either kind the last tick changed, parents first. The
// slice is valid until the next tick.
func (t *Tree) Turned() []Element { return t.turned }

// IsOperation reports whether an element is an operation.
func (t *Tree) IsOperation(e Element) bool { return t.elements[e].operation != nil }

// LowestStarvingAncestor returns the lowest element on the path from an element to the root, itself
// included, that starves, and the lowest that starves aggressively, or None (§7.5).
func (t *Tree) LowestStarvingAncestor(e Element) (starving, aggressive Element) {
	return t.elements[e].lowestStarving, t.elements[e].lowestAggressive
}

// Effective returns the values in force for an element at the last update, and before its first
// update those that the update will put in force (§7.1). Timeouts are not scaled by pending jobs.
func (t *Tree) Effective(e Element) pooltree.Effective {
	switch n := &t.elements[e]; {
	case n.inherited:
		return n.own
	case e == Root:
		return t.options.Root
	default:
		return t.inherited(e, t.Effective(n.parent))
	}
}

// Lists returns how many jobs of an operation are aggressively preemptible and how many are
// preemptible, preempted jobs that have not stopped included (§8.1).
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

// ListsBy returns the result of Lists if the last update had published the given shares and total
// (§13.3). It visits all jobs of the operation.
func (t *Tree) ListsBy(e Element, fair, demand resource.Share, total resource.Vector) (aggressively, preemptible int) {
	var jobs []Job
	t.OperationJobs(e, func(j Job) { jobs = append(jobs, j) })
	return t.ListsOf(e, jobs, fair, demand, total)
}

// SeenShares returns the shares of the last update by which the jobs of an operation are cut.
func (t *Tree) SeenShares(e Element) (fair, demand resource.Share) {
	return t.elements[e].seen.fair, t.elements[e].seen.demand
}

// ListsOf is ListsBy with the jobs of the operation in the given order.
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

// Unschedulable returns why an operation did not take part in scheduling at the last update (§6.2).
func (t *Tree) Unschedulable(e Element) Obstacle { return t.elements[e].operation.reason }

// NextDeadline returns the earliest instant at which the starvation of some element changes if
// nothing else does, or Never. A replay ticks then, too.
func (t *Tree) NextDeadline() int64 { return t.deadline }
