package scheduling

import (
	"slices"

	"poolproof/core/resource"
)

// Tick takes over what the last update of the fair shares published and moves
// the starvation of every element to now, in microseconds: effective values,
// statuses, lowest starving ancestors, then the preemptible lists
// (spec/scheduling.md §6.1). Heartbeats judge by it until the next one.
func (t *Tree) Tick(now int64) {
	t.sortElements()
	t.total = t.shares.Total()
	t.forgetLists()
	t.forgetFailures(now)
	t.deadline, t.turned = Never, t.turned[:0]
	for _, e := range t.order {
		t.look(e)
		t.inherit(e)
		t.starve(e, now)
	}
	for _, e := range t.order {
		if t.elements[e].operation != nil {
			t.cut(e)
		}
	}
}

// look takes over what the update published of an element.
func (t *Tree) look(e Element) {
	n, r := &t.elements[e], t.shares.Result(e)
	n.seen = seen{
		fair: r.FairShare.Total, demand: r.DemandShare, usage: r.UsageShare, guarantee: r.StrongShare,
		promised: r.PromisedGuarantee.Total, demandAmount: r.Demand, limits: r.Limits,
		fifoIndex: r.FIFOIndex, schedulable: r.Schedulable,
	}
	if op := n.operation; op != nil {
		op.look(&n.seen)
		op.pending = r.Demand[resource.UserSlots] - r.Usage[resource.UserSlots]
	}
}

// look takes over what the controller needs. An operation that nothing else
// makes unschedulable and the update left out is beyond the budget of its FIFO
// pool (§6.2).
func (op *operation) look(s *seen) {
	op.reason = op.needs.Unschedulable
	if op.reason == IsSchedulable && !s.schedulable {
		op.reason = FIFOLimitReached
	}
	s.schedulable = op.reason == IsSchedulable
	op.smallest = append(op.smallest[:0], op.needs.Smallest...)
	for i, need := range op.smallest {
		if i == 0 {
			op.least = need
		}
		op.least = op.least.Min(need)
	}
}

// starve moves the starvation of an element whose effective values are known
// (§7.1, §7.4). The root never starves.
func (t *Tree) starve(e Element, now int64) {
	n, o := &t.elements[e], &t.options
	if e == Root {
		return
	}
	if n.operation != nil || o.PoolStarvation {
		tolerance, minShare := n.own.tolerance, n.own.minShare
		fair := Timeouts{n.own.timeout, o.AggressiveStarvationTimeout, n.own.aggressive}
		takesPart := true
		if op := n.operation; op != nil {
			takesPart = n.seen.schedulable
			if Covered(n.seen.fair, n.seen.demand) {
				tolerance = 1
			}
			fair, minShare = t.OperationTimeouts(e)
		}
		s := shares{n.seen.fair, n.seen.demand, n.seen.usage, n.seen.guarantee}
		before, kind := n.hunger.Status(), n.hunger.For()
		n.hunger.tick(now, o.Profile, &s, takesPart, tolerance, fair, minShare)
		if before != n.hunger.Status() || kind != n.hunger.For() {
			t.turned = append(t.turned, e)
		}
		t.note(n.hunger.deadline(fair, minShare))
	}
	above := &t.elements[n.parent]
	n.lowestStarving, n.lowestAggressive = above.lowestStarving, above.lowestAggressive
	if status := n.hunger.Status(); status != NonStarving {
		n.lowestStarving = e
		if status == AggressivelyStarving {
			n.lowestAggressive = e
		}
	}
}

// note keeps the earliest deadline.
func (t *Tree) note(deadline int64) {
	if deadline != Never && (t.deadline == Never || deadline < t.deadline) {
		t.deadline = deadline
	}
}

// OperationTimeouts returns the timeouts of an operation, scaled by the jobs it
// waits for (§7.2).
func (t *Tree) OperationTimeouts(e Element) (fairShare Timeouts, minShare int64) {
	n := &t.elements[e]
	scale := func(timeout int64) int64 {
		return ScaleByPendingJobs(timeout, n.operation.pending, t.options.JobCountCoefficient)
	}
	return Timeouts{scale(n.own.timeout), scale(t.options.AggressiveStarvationTimeout), n.own.aggressive}, scale(n.own.minShare)
}

// BelowFairShare reports whether the last update found an element below its
// fair share (§7.1).
func (t *Tree) BelowFairShare(e Element) bool {
	n := &t.elements[e]
	return e != Root && t.below(n, &n.seen)
}

// below reports whether an element with the usage of s is below its fair share.
func (t *Tree) below(n *element, s *seen) bool {
	tolerance := n.own.tolerance
	if n.operation != nil {
		if !s.schedulable {
			return false
		}
		if Covered(s.fair, s.demand) {
			tolerance = 1
		}
	}
	return BelowShare(s.fair, s.demand, s.usage, s.fair.Scale(tolerance))
}

// forgetFailures drops the controllers that may be asked again.
func (t *Tree) forgetFailures(now int64) {
	t.failed = slices.DeleteFunc(t.failed, func(e Element) bool {
		op := t.elements[e].operation
		if now < op.failed+t.options.FailBackoff {
			return false
		}
		op.failed = Never
		return true
	})
}
