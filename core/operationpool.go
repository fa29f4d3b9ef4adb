package core

import (
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// The pool of an operation, and what moves with it.

// learnPool moves an operation whose pool was unknown into the pool that another row names.
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
		op.LastMoved, op.Joined, t.lastSet = t.now, t.levelsApart(pool, from), t.now
		t.lastTurnover = max(t.lastTurnover, t.now)
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

// OperationTurnover returns how many operations came to a pool or below since the given time, and how
// many left or may have left: the previous pool of a moved operation is not kept.
func (t *Tree) OperationTurnover(pool int32, since Time) (came, went int64) {
	if t.lastTurnover < since {
		return 0, 0 // the usual case
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

// shiftOperation moves an operation's usage, demand and place in the shares to another pool.
func (t *Tree) shiftOperation(slot, pool int32) {
	op := &t.operations[slot]
	t.unqueueOperation(slot)
	nothing := resource.Vector{}
	t.shiftPool(op.Pool, nothing.Sub(op.Usage), nothing.Sub(op.Demand()))
	if op.enabled {
		t.shares.Move(op.Element, t.pools[pool].Element)
		if op.Unplaced { // it was there before the log told
			t.scheduling.Place(op.Element, t.pools[pool].Element)
		} else { // a new child is enabled again (core/spec/scheduling.md §5.6)
			t.scheduling.Move(op.Element, t.pools[pool].Element)
			t.resetInputs(slot)
		}
		t.pools[op.Pool].count(op, -1)
		t.pools[pool].count(op, 1)
		t.stale = true
	}
	op.Pool = pool
	t.shiftPool(pool, op.Usage, op.Demand())
	t.queueOperation(slot)
	t.pushOperation(slot)
	t.touchOperation(slot)
}
