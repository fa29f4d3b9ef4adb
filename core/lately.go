package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A usageChange is by how much the usage of an operation and of the pools above it
// changed at an instant, or that of pools alone where something moved.
type usageChange struct {
	operation OperationID // Unknown where something moved
	pool      int32       // slot of the lowest of the pools
	node      int32       // slot of the node that lost a job to preemption, none of other changes
	left      int32       // slot of the node that a job left of itself, likewise
	delta     resource.Vector
	held      resource.Vector // by how much what preempted jobs may hold did, see leaving
}

// A demandChange is by how much the demand of an operation changed at an instant, either way.
type demandChange struct {
	operation int32 // slot
	by        resource.Vector
}

// recently is what changed in the last while.
type recently struct {
	lag     Time // how long it is kept; 0 keeps nothing
	usage   window[usageChange]
	demands window[demandChange]

	moved Time // when something moved last, Never if nothing did
	taken Time // when preemption took something last, likewise
	ended Time // when a job left a node of itself last, likewise
}

// RememberUsage keeps how usage and demand changed for so long, so that UsedSince, HeldSince,
// TakenElsewhere, MovedIn and DemandTorn can tell.
func (l *recently) RememberUsage(lag Time) { l.lag = lag }

// noteUsage remembers a change of usage and forgets those that are too long ago.
func (l *recently) noteUsage(now Time, pool int32, operation OperationID, delta resource.Vector) {
	if l.lag == 0 || delta.IsZero() {
		return
	}
	if operation == Unknown {
		l.moved = now
	}
	l.usage.add(now, l.lag, usageChange{operation: operation, pool: pool, node: none, left: none, delta: delta})
}

// noteDemand remembers a change of demand and forgets those that are too long ago.
func (l *recently) noteDemand(now Time, operation int32, delta resource.Vector) {
	if l.lag > 0 {
		l.demands.add(now, l.lag, demandChange{operation, delta.Max(resource.Vector{}.Sub(delta))})
	}
}

// DemandTorn returns by how much the demands of all operations changed between two moments
// that are remembered, either way: of some of that an update in between may have known and of
// some not. It is zero if one change was all, and stands: the update before or the one after
// went by the other side of that.
func (l *recently) DemandTorn(from, to Time) (torn resource.Vector) {
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

// notePreempted notes that what changed last was taken from a node by preemption.
func (l *recently) notePreempted(node int32) {
	if at, c := l.usage.last(); c != nil {
		c.node, l.taken = node, at
	}
}

// noteLeft notes that what changed last a job gave back that left a node of itself.
func (l *recently) noteLeft(node int32) {
	if at, c := l.usage.last(); c != nil {
		c.left, l.ended = node, at
	}
}

// LeftSince returns what jobs that left a node of themselves gave back there since a moment
// that is remembered.
func (l *recently) LeftSince(node int32, since Time) (left resource.Vector) {
	for _, c := range l.usage.since(since) {
		if c.left == node {
			left = left.Sub(c.delta)
		}
	}
	return left
}

// UsedSince returns the least and the most of each resource that a pool or an operation
// used at the end of any instant since a moment that is remembered, or uses now.
func (t *Tree) UsedSince(e fairshare.Element, since Time) (least, most resource.Vector) {
	pool, operation := t.owner(e)
	usage, at := t.Uses(e), t.now
	least, most = usage, usage
	for instant, c := range t.recently.usage.since(since) {
		if instant < at {
			least, most, at = least.Min(usage), most.Max(usage), instant
		}
		if t.isOf(c, pool, operation) {
			usage = usage.Sub(c.delta)
		}
	}
	return least.Min(usage), most.Max(usage)
}

// Uses returns what a pool or an operation uses.
func (t *Tree) Uses(e fairshare.Element) resource.Vector {
	pool, operation := t.owner(e)
	if operation != none {
		return t.operations[operation].Usage
	}
	return t.pools[pool].Usage
}

// noteHeld remembers how what preempted jobs of an operation may hold changed.
func (t *Tree) noteHeld(operation int32, held resource.Vector) {
	if l := &t.recently; l.lag > 0 && !held.IsZero() {
		o := &t.operations[operation]
		l.usage.add(t.now, l.lag, usageChange{operation: o.ID, pool: o.Pool, node: none, left: none, held: held})
	}
}

// HeldSince returns the most that an operation may have used at the end of any instant since a
// moment that is remembered, or now, if jobs that were preempted at a time that the log does not
// tell kept what they used until they stopped.
func (t *Tree) HeldSince(operation int32, since Time) (most resource.Vector) {
	o := &t.operations[operation]
	held, at := o.Usage.Add(o.staying), t.now
	most = held
	for instant, c := range t.recently.usage.since(since) {
		if instant < at {
			most, at = most.Max(held), instant
		}
		if c.operation == o.ID {
			held = held.Sub(c.delta).Sub(c.held)
		}
	}
	return most.Max(held)
}

// TakenElsewhere returns what preemption on other nodes than one took of a pool or an
// operation since a moment that is remembered.
func (t *Tree) TakenElsewhere(e fairshare.Element, node int32, since Time) (taken resource.Vector) {
	pool, operation := t.owner(e)
	for _, c := range t.recently.usage.since(since) {
		if c.node != none && c.node != node && t.isOf(c, pool, operation) {
			taken = taken.Sub(c.delta)
		}
	}
	return taken
}

// TookSince reports whether preemption took something since a moment that is remembered.
func (l *recently) TookSince(since Time) bool { return l.taken >= since }

// EndedIn returns what jobs of a pool or an operation gave back that ended of themselves since a
// moment that is remembered.
func (t *Tree) EndedIn(e fairshare.Element, since Time) (left resource.Vector) {
	pool, operation := t.owner(e)
	for _, c := range t.recently.usage.since(since) {
		if c.left != none && t.isOf(c, pool, operation) {
			left = left.Sub(c.delta)
		}
	}
	return left
}

// EndedSince reports whether a job on a node ended of itself since a moment that is remembered.
func (l *recently) EndedSince(since Time) bool { return l.ended >= since }

// MovedIn returns what a pool came to use since a moment that is remembered because
// operations or pools were moved below it.
func (t *Tree) MovedIn(e fairshare.Element, since Time) (came resource.Vector) {
	pool, operation := t.owner(e)
	if operation != none || t.recently.moved < since {
		return came
	}
	for _, c := range t.recently.usage.since(since) {
		if c.operation == Unknown && t.isOf(c, pool, none) {
			came = came.Add(c.delta)
		}
	}
	return came.Max(resource.Vector{})
}

// isOf reports whether a change concerns an operation, or a pool where that is none.
func (t *Tree) isOf(c *usageChange, pool, operation int32) bool {
	if operation != none {
		return c.operation == t.operations[operation].ID
	}
	return t.IsWithin(c.pool, pool)
}
