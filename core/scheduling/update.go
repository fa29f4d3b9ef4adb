package scheduling

import (
	"slices"

	"poolproof/core/resource"
)

// Tick adopts the published results of the last update of the fair shares and moves the starvation
// of every element to now, in microseconds: effective values, statuses, lowest starving ancestors,
// then the preemptible lists (core/spec/scheduling.md §6.1). Heartbeats use the result until the
// next Tick.
//
// Its cost is proportional to the number of elements that changed or whose deadline passed.
func (t *Tree) Tick(now int64) {
	grown := t.grown
	t.sortElements()
	t.forgetLists()
	t.forgetFailures(now)
	t.forgetLapsed()
	t.turned = t.turned[:0]
	updates := t.shares.Serial() - t.serial
	if updates == 1 {
		for _, e := range t.shares.Changed() {
			t.mark(e)
		}
	}
	all := t.stale || updates > 1 || t.total != t.shares.Total()
	t.ticks, t.totalBefore = t.ticks+1, t.total
	t.stale, t.grown, t.serial, t.total = false, false, t.shares.Serial(), t.shares.Total()
	if all {
		t.tick(t.order, now)
	} else {
		t.markDue(now)
		slices.Sort(t.dirty)
		t.tick(t.dirty, now)
	}
	for _, e := range t.dirty {
		t.elements[e].dirty = false
	}
	t.dirty = t.dirty[:0]
	if all || grown || len(t.turned) > 0 {
		slices.Sort(t.turned)
		t.findLowest()
	}
	t.findDeadline()
}

// tick visits elements, skipping removed ones. Descendants that inherit from a visited element must
// be among them.
func (t *Tree) tick(elements []Element, now int64) {
	for _, e := range elements {
		if t.elements[e].alive {
			t.savePrevious(e)
			t.readShares(e)
			t.inherit(e)
			t.starve(e, now)
		}
	}
	for _, e := range elements {
		if n := &t.elements[e]; n.alive && n.operation != nil {
			t.cut(e)
		}
	}
}

// markDue marks the elements whose deadline has passed.
func (t *Tree) markDue(now int64) {
	if t.deadline == Never || now < t.deadline {
		return
	}
	for e, at := range t.deadlines {
		if at != Never && at <= now {
			t.mark(Element(e))
		}
	}
}

// findDeadline finds the earliest deadline.
func (t *Tree) findDeadline() {
	t.deadline = Never
	for _, at := range t.deadlines {
		if at != Never && (t.deadline == Never || at < t.deadline) {
			t.deadline = at
		}
	}
}

// findLowest finds the lowest starving ancestors of all elements (§7.5).
func (t *Tree) findLowest() {
	for _, e := range t.order {
		n := &t.elements[e]
		if e != Root {
			above := &t.elements[n.parent]
			n.lowestStarving, n.lowestAggressive = above.lowestStarving, above.lowestAggressive
		}
		if status := n.starvation.Status(); status != NonStarving {
			n.lowestStarving = e
			if status == AggressivelyStarving {
				n.lowestAggressive = e
			}
		}
	}
}

// readShares copies the published values of an element.
func (t *Tree) readShares(e Element) {
	n, r := &t.elements[e], t.shares.Result(e)
	asked := n.seen.schedulable
	n.seen = seen{
		fair: r.FairShare.Total, demand: r.DemandShare, usage: r.UsageShare, guarantee: r.StrongShare,
		promised: r.PromisedGuarantee.Total, demandAmount: r.Demand, limits: r.Limits,
		fifoIndex: r.FIFOIndex, schedulable: r.Schedulable,
	}
	if op := n.operation; op != nil {
		if op.readNeeds(&n.seen); asked && !n.seen.schedulable {
			op.lastSchedulable, op.waited = t.tickPeriod.last, op.pending
		}
		op.pending = max(r.Demand[resource.UserSlots]-r.Usage[resource.UserSlots], op.needs.Jobs)
	}
}

// readNeeds adopts the controller's needs. An operation that is otherwise schedulable and that the
// update left out is beyond the budget of its FIFO pool (§6.2).
func (op *operation) readNeeds(s *seen) {
	op.reason = op.needs.Unschedulable
	if op.reason == NoObstacle && !s.schedulable {
		op.reason = FIFOLimitReached
	}
	s.schedulable = op.reason == NoObstacle
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
		tolerance, minShare := n.own.Tolerance, n.own.MinShareTimeout
		fair := Timeouts{n.own.Timeout, o.AggressiveStarvationTimeout, n.own.AggressiveStarvation}
		takesPart := true
		if op := n.operation; op != nil {
			takesPart = n.seen.schedulable
			if Covered(n.seen.fair, n.seen.demand) {
				tolerance = 1
			}
			fair, minShare = t.OperationTimeouts(e)
		}
		s := shares{n.seen.fair, n.seen.demand, n.seen.usage, n.seen.guarantee}
		before := n.starvation
		n.starvation.tick(now, o.Profile, &s, takesPart, tolerance, fair, minShare)
		n.unbroken[0].updateSince(before.FairShare.Since, n.starvation.FairShare.Since, t.tickPeriod)
		n.unbroken[1].updateSince(before.MinShare.Since, n.starvation.MinShare.Since, t.tickPeriod)
		if fair := &n.unbroken[0]; n.starvation.FairShare.Since == Never && takesPart && fair.mayBridge(t.tickPeriod) &&
			BelowShare(s.fair, s.demand, s.usage, n.tolerable(&n.seen).Plus(shareError)) {
			fair.bridge(t.tickPeriod)
		}
		if n.operation != nil {
			t.noteFewest(n, now)
		}
		if n.starvation.turnedSince(&before) {
			t.turned = append(t.turned, e)
		}
		t.deadlines[e] = n.starvation.deadline(fair, minShare)
	}
}

// shareError is the error of recomputed shares (core/spec/invariants.md §1, eps): volumes that a log does not
// record, or rounds, move them.
const shareError = 1e-4

// OperationTimeouts returns the timeouts of an operation, scaled by its pending jobs (§7.2).
func (t *Tree) OperationTimeouts(e Element) (fairShare Timeouts, minShare int64) {
	n := &t.elements[e]
	return t.timeouts(n, n.operation.pending)
}

// timeouts returns the timeouts of an operation with the given number of pending jobs.
func (t *Tree) timeouts(n *element, pending int64) (fairShare Timeouts, minShare int64) {
	coefficient := t.options.JobCountCoefficient
	fairShare, minShare = Timeouts{n.own.Timeout, t.options.AggressiveStarvationTimeout, n.own.AggressiveStarvation}, n.own.MinShareTimeout
	if float64(pending) < coefficient {
		fairShare.Starving = ScaleByPendingJobs(fairShare.Starving, pending, coefficient)
		fairShare.Aggressive = ScaleByPendingJobs(fairShare.Aggressive, pending, coefficient)
		minShare = ScaleByPendingJobs(minShare, pending, coefficient)
	}
	return fairShare, minShare
}

// BelowFairShare reports whether the last update found an element below its
// fair share (§7.1).
func (t *Tree) BelowFairShare(e Element) bool {
	n := &t.elements[e]
	return e != Root && t.below(n, &n.seen)
}

// LeastUsage returns the least that an operation can have used between since and now: the usage of
// the jobs that had started by then and have not ended.
func (t *Tree) LeastUsage(e Element, since int64) (least resource.Vector) {
	t.OperationJobs(e, func(j Job) {
		if own := &t.jobs[j]; own.start <= since {
			least = least.Add(own.usage)
		}
	})
	return least
}

// WouldBeBelow reports whether an operation with the given usage would be below its fair share of
// the last update, in a tree of the given total.
func (t *Tree) WouldBeBelow(e Element, usage, total resource.Vector) bool {
	n := &t.elements[e]
	s := n.seen
	s.schedulable, s.usage = true, usage.ShareOf(t.total.Max(total))
	return t.below(n, &s)
}

// below reports whether an element with the usage of s is below its fair share.
func (t *Tree) below(n *element, s *seen) bool {
	if n.operation != nil && !s.schedulable {
		return false
	}
	return BelowShare(s.fair, s.demand, s.usage, n.tolerable(s))
}

// tolerable returns the usage below which an element with the shares of s is below its fair share,
// provided that its demand is not less (§7.1).
func (n *element) tolerable(s *seen) resource.Share {
	if n.operation != nil && Covered(s.fair, s.demand) {
		return s.fair
	}
	return s.fair.Scale(n.own.Tolerance)
}

// forgetFailures drops controllers that may be asked again.
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
