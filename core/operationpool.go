package core

import (
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// Which pool an operation is in, and what moves with it.

// learnPool puts an operation whose steps have not told its pool into the one that
// another row names.
func (t *Tree) learnPool(slot int32, pool PoolID) {
	if op := &t.operations[slot]; op.Unplaced && pool != Unknown {
		t.moveOperation(slot, t.poolAt(pool, t.userOf(op.ID)))
		t.notePlaced(op)
	}
}

// moveOperation puts a live operation into another pool, with its counts,
// usage and demand (core/spec/scheduling.md §5.6).
func (t *Tree) moveOperation(slot, pool int32) {
	op := &t.operations[slot]
	if op.Pool == pool {
		return
	}
	from := op.Pool
	op.LastFiltered = t.now
	if !op.Unplaced { // it was there before the log told
		op.LastMoved, op.Joined, t.lastSet = t.now, t.apart(pool, from), t.now
		t.lastTurned = max(t.lastTurned, t.now)
	}
	if op.registered != pooltree.NoOperation {
		t.admission.Move(op.registered, pooltree.Pool(pool))
	}
	t.countChain(from, RaisedByOperation)
	t.shiftOperation(slot, pool)
	op.Lightweight = op.Running && op.registered != pooltree.NoOperation && t.admission.IsLightweight(op.registered)
	t.countChain(pool, op.raise())
	t.releasePool(from)
}

// CameAndWent is how many operations came to a pool or below since a moment, and how many
// left it, or may have: nobody remembers where one was before it moved.
func (t *Tree) CameAndWent(pool int32, since Time) (came, went int64) {
	if t.lastTurned < since {
		return 0, 0 // as a rule
	}
	for slot := range t.operations {
		o := &t.operations[slot]
		switch within := t.IsWithin(o.Pool, pool); {
		case !o.Alive || o.Ended:
		case within && max(o.Seen, o.LastMoved) >= since:
			came++
		case !within && o.LastMoved >= since:
			went++
		}
	}
	for id, end := range t.operationEnd {
		if end.Set && end.Value >= since && t.operationSlot[id] != none && t.IsWithin(t.lastPool(OperationID(id)), pool) {
			went++
		}
	}
	return came, went
}

// shiftOperation carries an operation's usage and demand to another pool, and
// its place in the shares.
func (t *Tree) shiftOperation(slot, pool int32) {
	op := &t.operations[slot]
	t.unqueue(slot)
	nothing := resource.Vector{}
	t.shiftPool(op.Pool, nothing.Sub(op.Usage), nothing.Sub(op.Demand()))
	if op.enabled {
		t.shares.Move(op.Element, t.pools[pool].Element)
		if op.Unplaced { // it was there before the log told
			t.scheduling.Place(op.Element, t.pools[pool].Element)
		} else { // a new child is enabled anew (core/spec/scheduling.md §5.6)
			t.scheduling.Move(op.Element, t.pools[pool].Element)
			t.resetInputs(slot)
		}
		t.pools[op.Pool].count(op, -1)
		t.pools[pool].count(op, 1)
		t.stale = true
	}
	op.Pool = pool
	t.shiftPool(pool, op.Usage, op.Demand())
	t.queue(slot)
	t.pushOperation(slot)
	t.touchOperation(slot)
}
