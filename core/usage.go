package core

import "poolproof/core/resource"

// addUsage adds resources, which may be negative, to an operation and all its pools. Demand changes
// too, because it contains usage, unless a limit caps it.
func (t *Tree) addUsage(slot int32, delta resource.Vector) {
	op := &t.operations[slot]
	before := op.Demand()
	op.Usage = op.Usage.Add(delta)
	t.noteUsage(t.now, op.Pool, op.ID, delta)
	demand := op.Demand().Sub(before)
	for p := op.Pool; p != none; p = t.pools[p].Parent {
		pool := &t.pools[p]
		pool.Usage = pool.Usage.Add(delta)
		pool.Demand = pool.Demand.Add(demand)
		t.touchPool(p)
	}
	t.touchShares(slot)
}

// setNeed sets what an operation could use beyond its usage.
func (t *Tree) setNeed(slot int32, needed resource.Vector) {
	op := &t.operations[slot]
	before, wanted := op.Demand(), op.Needed.IsZero()
	op.Needed = needed
	switch {
	case needed.IsZero():
		op.WaitingSince = Never
	case op.WaitingSince == Never:
		op.WaitingSince = t.now
	}
	t.queueOperation(slot)
	if needed.IsZero() != wanted || t.sortsByPending(op.Pool) {
		t.pushOperation(slot)
	}
	t.shiftDemand(slot, before)
}

// setDemand applies a demand record (ingest/trace/FORMAT.md §3.4).
func (t *Tree) setDemand(e *Event) {
	if t.hasEnded(e.Operation) {
		return // an ended operation has no demand
	}
	slot := t.operationAt(e)
	op := &t.operations[slot]
	op.startedLeast = op.startedLeast && e.MinNeeded == op.MinNeeded
	op.MinNeeded, op.PendingJobs = e.MinNeeded, e.PendingJobs
	if !e.Needed.IsZero() && !e.MinNeeded.IsZero() {
		op.LastNeeded = e.MinNeeded
	}
	t.setSegment(slot)
	if e.Needed != op.Needed {
		t.needMoved = t.now
	}
	op.needDoubtedAt = op.lastNeedDoubt(t.now)
	op.MostNeeded, op.LeastNeeded, op.neededAt = e.Needed, op.leastNeeded(e.Needed, t.now), t.now
	t.setNeed(slot, e.Needed)
	t.pushNeeds(slot)
}

// shiftDemand adds the change of an operation's demand since before to its pools.
func (t *Tree) shiftDemand(slot int32, before resource.Vector) {
	op := &t.operations[slot]
	delta := op.Demand().Sub(before)
	if delta.IsZero() {
		return
	}
	t.noteDemand(t.now, slot, delta)
	for p := op.Pool; p != none; p = t.pools[p].Parent {
		t.pools[p].Demand = t.pools[p].Demand.Add(delta)
		t.touchPool(p)
	}
	t.touchShares(slot)
}

// touchShares records that the operation's usage and demand must be passed to the shares.
func (t *Tree) touchShares(slot int32) {
	t.touchOperation(slot)
	op := &t.operations[slot]
	if op.enabled && !op.staleUsage {
		op.staleUsage = true
		t.staleUsage = append(t.staleUsage, slot)
	}
	t.stale = true
}
