package core

import (
	"slices"

	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A usageChange is by how much the usage of an operation and of the pools above it
// changed at an instant, or that of pools alone where something moved.
type usageChange struct {
	at        Time
	operation OperationID // Unknown where something moved
	pool      int32       // slot of the lowest of the pools
	node      int32       // slot of the node that lost a job to preemption, none of other changes
	left      int32       // slot of the node that a job left of itself, likewise
	delta     resource.Vector
}

// A demandChange is by how much the demand of an operation changed at an instant, either way.
type demandChange struct {
	at        Time
	operation int32 // slot
	by        resource.Vector
}

// usageChanges are those of the last while, the oldest first.
type usageChanges struct {
	lag   Time // how long they are kept; 0 keeps none
	all   []usageChange
	first int  // of those that are kept
	moved Time // of the last move, 0 if none
	taken Time // of the last preemption, 0 if none
	ended Time // when a job left a node of itself last, 0 if none did

	demands     []demandChange // likewise
	firstDemand int
}

// RememberUsage keeps how usage and demand changed for so long, so that UsedSince, TakenElsewhere,
// MovedIn and DemandTorn can tell.
func (t *Tree) RememberUsage(lag Time) { t.lately.lag = lag }

// noteUsage remembers a change of usage and forgets those that are too long ago.
func (t *Tree) noteUsage(pool int32, operation OperationID, delta resource.Vector) {
	l := &t.lately
	if l.lag == 0 || delta.IsZero() {
		return
	}
	for l.first < len(l.all) && l.all[l.first].at < t.now-l.lag {
		l.first++
	}
	if 2*l.first >= len(l.all) {
		l.all, l.first = append(l.all[:0], l.all[l.first:]...), 0
	}
	if operation == Unknown {
		l.moved = t.now
	}
	l.all = append(l.all, usageChange{t.now, operation, pool, none, none, delta})
}

// noteDemand remembers a change of demand and forgets those that are too long ago.
func (t *Tree) noteDemand(operation int32, delta resource.Vector) {
	l := &t.lately
	if l.lag == 0 {
		return
	}
	for l.firstDemand < len(l.demands) && l.demands[l.firstDemand].at < t.now-l.lag {
		l.firstDemand++
	}
	if 2*l.firstDemand >= len(l.demands) {
		l.demands, l.firstDemand = append(l.demands[:0], l.demands[l.firstDemand:]...), 0
	}
	l.demands = append(l.demands, demandChange{t.now, operation, delta.Max(resource.Vector{}.Sub(delta))})
}

// DemandTorn returns by how much the demands of all operations changed between two moments
// that are remembered, either way: of some of that an update in between may have known and of
// some not. It is zero if one change was all, and stands: the update before or the one after
// went by the other side of that.
func (t *Tree) DemandTorn(from, to Time) (torn resource.Vector) {
	changes, within := t.lately.demands[t.lately.firstDemand:], 0
	operation := none
	for i := len(changes) - 1; i >= 0 && changes[i].at >= from; i-- {
		if d := &changes[i]; d.at <= to {
			torn, operation = torn.Add(d.by), d.operation
			within++
		}
	}
	if within != 1 {
		return torn
	}
	again := slices.ContainsFunc(changes, func(d demandChange) bool { return d.operation == operation && d.at > to })
	if !again {
		return resource.Vector{}
	}
	return torn
}

// notePreempted notes that what changed last was taken from a node by preemption.
func (l *usageChanges) notePreempted(node int32) {
	if n := len(l.all); n > 0 {
		l.all[n-1].node, l.taken = node, l.all[n-1].at
	}
}

// noteLeft notes that what changed last a job gave back that left a node of itself.
func (l *usageChanges) noteLeft(node int32) {
	if n := len(l.all); n > 0 {
		l.all[n-1].left, l.ended = node, l.all[n-1].at
	}
}

// LeftSince returns what jobs that left a node of themselves gave back there since a moment
// that is remembered.
func (t *Tree) LeftSince(node int32, since Time) (left resource.Vector) {
	for i := len(t.lately.all) - 1; i >= 0 && t.lately.all[i].at >= since; i-- {
		if c := &t.lately.all[i]; c.left == node {
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
	for i := len(t.lately.all) - 1; i >= 0; i-- {
		c := &t.lately.all[i]
		if c.at < at {
			least, most, at = least.Min(usage), most.Max(usage), c.at
		}
		if c.at < since {
			break
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

// TakenElsewhere returns what preemption on other nodes than one took of a pool or an
// operation since a moment that is remembered.
func (t *Tree) TakenElsewhere(e fairshare.Element, node int32, since Time) (taken resource.Vector) {
	pool, operation := t.owner(e)
	for i := len(t.lately.all) - 1; i >= 0 && t.lately.all[i].at >= since; i-- {
		if c := &t.lately.all[i]; c.node != none && c.node != node && t.isOf(c, pool, operation) {
			taken = taken.Sub(c.delta)
		}
	}
	return taken
}

// TookSince reports whether preemption took something since a moment that is remembered.
func (t *Tree) TookSince(since Time) bool { return t.lately.taken > 0 && t.lately.taken >= since }

// EndedIn returns what jobs of a pool or an operation gave back that ended of themselves since a
// moment that is remembered.
func (t *Tree) EndedIn(e fairshare.Element, since Time) (left resource.Vector) {
	pool, operation := t.owner(e)
	for i := len(t.lately.all) - 1; i >= 0 && t.lately.all[i].at >= since; i-- {
		if c := &t.lately.all[i]; c.left != none && t.isOf(c, pool, operation) {
			left = left.Sub(c.delta)
		}
	}
	return left
}

// EndedSince reports whether a job on a node ended of itself since a moment that is remembered.
func (t *Tree) EndedSince(since Time) bool { return t.lately.ended > 0 && t.lately.ended >= since }

// MovedIn returns what a pool came to use since a moment that is remembered because
// operations or pools were moved below it.
func (t *Tree) MovedIn(e fairshare.Element, since Time) (came resource.Vector) {
	pool, operation := t.owner(e)
	if operation != none || t.lately.moved == 0 || t.lately.moved < since {
		return came
	}
	for i := len(t.lately.all) - 1; i >= 0 && t.lately.all[i].at >= since; i-- {
		if c := &t.lately.all[i]; c.operation == Unknown && t.isOf(c, pool, none) {
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
	return t.isUnder(c.pool, pool)
}
