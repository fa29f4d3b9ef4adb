package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A usageChange is a change of usage of an operation and of the pools above it, or of pools alone
// if an operation or a pool moved.
type usageChange struct {
	operation OperationID // Unknown if something moved
	pool      int32       // slot of the lowest of the pools
	node      int32       // slot of the node on which a job was preempted, else none
	left      int32       // slot of the node on which a job ended by itself, else none
	delta     resource.Vector
	held      resource.Vector // change of what preempted jobs may hold, see leaving
}

// A demandChange is the absolute change of an operation's demand.
type demandChange struct {
	operation int32 // slot
	by        resource.Vector
}

// recentChanges holds the changes of usage and demand within the last lag.
type recentChanges struct {
	lag     Time // retention; 0 keeps nothing
	usage   window[usageChange]
	demands window[demandChange]

	lastMove       Time // last move of an operation or a pool, or Never
	lastPreemption Time // last preemption, or Never
	lastEnd        Time // last end of a job by itself, or Never
}

// KeepChanges keeps changes of usage and demand for a lag. UsageSince, HeldSince, EndedIn,
// PreemptedElsewhere, MovedIn, ReleasedSince and DemandSpread read them.
func (l *recentChanges) KeepChanges(lag Time) { l.lag = lag }

// noteUsage adds a change of usage and drops those older than the lag.
func (l *recentChanges) noteUsage(now Time, pool int32, operation OperationID, delta resource.Vector) {
	if l.lag == 0 || delta.IsZero() {
		return
	}
	if operation == Unknown {
		l.lastMove = now
	}
	l.usage.add(now, l.lag, usageChange{operation: operation, pool: pool, node: none, left: none, delta: delta})
}

// noteDemand adds a change of demand and drops those older than the lag.
func (l *recentChanges) noteDemand(now Time, operation int32, delta resource.Vector) {
	if l.lag > 0 {
		l.demands.add(now, l.lag, demandChange{operation, delta.Max(resource.Vector{}.Sub(delta))})
	}
}

// DemandSpread returns the sum of the absolute changes of demand in [from, to], which must be
// within the lag: an update in between may have seen some of them and not others. It is zero after
// a single change that no later one revised, because then the update saw either the old or the new
// demand.
func (l *recentChanges) DemandSpread(from, to Time) (torn resource.Vector) {
	within, operation := 0, none
	for at, d := range l.demands.since(from) {
		if at <= to {
			torn, operation = torn.Add(d.by), d.operation
			within++
		}
	}
	if within != 1 {
		return torn
	}
	for _, d := range l.demands.since(to + 1) {
		if d.operation == operation {
			return torn
		}
	}
	return resource.Vector{}
}

// notePreempted marks the last change as a preemption on a node.
func (l *recentChanges) notePreempted(node int32) {
	if at, c := l.usage.last(); c != nil {
		c.node, l.lastPreemption = node, at
	}
}

// noteEnded marks the last change as the end of a job by itself on a node.
func (l *recentChanges) noteEnded(node int32) {
	if at, c := l.usage.last(); c != nil {
		c.left, l.lastEnd = node, at
	}
}

// ReleasedSince returns what jobs that ended by themselves released on a node since a time within
// the lag.
func (l *recentChanges) ReleasedSince(node int32, since Time) (left resource.Vector) {
	for _, c := range l.usage.since(since) {
		if c.left == node {
			left = left.Sub(c.delta)
		}
	}
	return left
}

// UsageSince returns the least and the most usage of a pool or an operation, per resource, at the
// end of any instant since a time within the lag, including now.
func (t *Tree) UsageSince(e fairshare.Element, since Time) (least, most resource.Vector) {
	pool, operation := t.owner(e)
	usage, at := t.UsageOf(e), t.now
	least, most = usage, usage
	for instant, c := range t.recentChanges.usage.since(since) {
		if instant < at {
			least, most, at = least.Min(usage), most.Max(usage), instant
		}
		if t.concerns(c, pool, operation) {
			usage = usage.Sub(c.delta)
		}
	}
	return least.Min(usage), most.Max(usage)
}

// UsageOf returns the usage of a pool or an operation.
func (t *Tree) UsageOf(e fairshare.Element) resource.Vector {
	pool, operation := t.owner(e)
	if operation != none {
		return t.operations[operation].Usage
	}
	return t.pools[pool].Usage
}

// noteHeld adds a change of what preempted jobs of an operation may hold.
func (t *Tree) noteHeld(operation int32, held resource.Vector) {
	if l := &t.recentChanges; l.lag > 0 && !held.IsZero() {
		o := &t.operations[operation]
		l.usage.add(t.now, l.lag, usageChange{operation: o.ID, pool: o.Pool, node: none, left: none, held: held})
	}
}

// HeldSince returns the most that an operation may have used at the end of any instant since a time
// within the lag, including now, if jobs that were preempted at an unknown time held their
// resources until they stopped.
func (t *Tree) HeldSince(operation int32, since Time) (most resource.Vector) {
	o := &t.operations[operation]
	held, at := o.Usage.Add(o.staying), t.now
	most = held
	for instant, c := range t.recentChanges.usage.since(since) {
		if instant < at {
			most, at = most.Max(held), instant
		}
		if c.operation == o.ID {
			held = held.Sub(c.delta).Sub(c.held)
		}
	}
	return most.Max(held)
}

// PreemptedElsewhere returns what preemption on other nodes took from a pool or an operation since
// a time within the lag.
func (t *Tree) PreemptedElsewhere(e fairshare.Element, node int32, since Time) (taken resource.Vector) {
	pool, operation := t.owner(e)
	for _, c := range t.recentChanges.usage.since(since) {
		if c.node != none && c.node != node && t.concerns(c, pool, operation) {
			taken = taken.Sub(c.delta)
		}
	}
	return taken
}

// PreemptedSince reports whether a job was preempted since a time within the lag.
func (l *recentChanges) PreemptedSince(since Time) bool { return l.lastPreemption >= since }

// EndedIn returns what jobs of a pool or an operation that ended by themselves released since a
// time within the lag.
func (t *Tree) EndedIn(e fairshare.Element, since Time) (left resource.Vector) {
	pool, operation := t.owner(e)
	for _, c := range t.recentChanges.usage.since(since) {
		if c.left != none && t.concerns(c, pool, operation) {
			left = left.Sub(c.delta)
		}
	}
	return left
}

// EndedSince reports whether a job on a node ended by itself since a time within the lag.
func (l *recentChanges) EndedSince(since Time) bool { return l.lastEnd >= since }

// MovedIn returns the usage that came to a pool with operations or pools moved below it since a
// time within the lag.
func (t *Tree) MovedIn(e fairshare.Element, since Time) (came resource.Vector) {
	pool, operation := t.owner(e)
	if operation != none || t.recentChanges.lastMove < since {
		return came
	}
	for _, c := range t.recentChanges.usage.since(since) {
		if c.operation == Unknown && t.concerns(c, pool, none) {
			came = came.Add(c.delta)
		}
	}
	return came.Max(resource.Vector{})
}

// concerns reports whether a change concerns an operation or, if operation equals none, a pool.
func (t *Tree) concerns(c *usageChange, pool, operation int32) bool {
	if operation != none {
		return c.operation == t.operations[operation].ID
	}
	return t.IsWithin(c.pool, pool)
}
