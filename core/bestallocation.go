package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A bestAllocation bounds the memory that an operation's jobs could fill: a job fits a node whole
// or not at all, so large jobs leave a remainder on every node (core/spec/fair-share.md §3.5). With
// jobs of 60 GB:
//
//	nodes            2 × 100 GB
//	jobs that fit    1 per node
//	best allocation  120 of 200 GB
//
// It is computed at the first update that the operation takes part in, and then once a period,
// whatever changes in between.
type bestAllocation struct {
	share   resource.Share
	limits  bool  // a remainder is left
	at      Time  // when it was computed, or Never
	perJob  int64 // memory of a job then
	resized int64 // version of the nodes then
	whole   bool  // over all nodes of the tree: the operation had no filter of its own
}

// An allocationTime says when the best allocation of an operation was computed.
type allocationTime struct {
	slot int32
	at   Time
}

// memoryPerJob returns the average memory of the operation's jobs, live and pending; 0 if unknown.
func (o *Operation) memoryPerJob() int64 {
	demand := o.Demand()
	if slots := demand[resource.UserSlots]; slots > 0 {
		return demand[resource.Memory] / slots
	}
	return 0
}

// bestAllocations schedules the computation of best allocations.
type bestAllocations struct {
	unallocated []int32          // operations whose best allocation has not been computed
	allocated   []allocationTime // operations whose best allocation was computed, oldest first
	bestMoved   Time             // last change of something that best allocations depend on
	resized     int64            // version of the nodes that they know
	refiltered  bool             // an operation has another filter of its own
	recordsBest bool             // the log records best allocations, so they are not computed
}

// resetInputs sets an operation's best allocation to the whole tree until the next update and drops
// its place in a FIFO pool, because it was enabled again or got another parent.
func (t *Tree) resetInputs(slot int32) {
	o := &t.operations[slot]
	o.best, o.place, o.learnt = bestAllocation{at: Never}, 0, Never
	t.unallocated = append(t.unallocated, slot)
}

// allocateBest computes the best allocations that are due.
func (t *Tree) allocateBest(now Time) {
	if t.recordsBest {
		t.unallocated, t.allocated = t.unallocated[:0], t.allocated[:0]
		return
	}
	if resized := t.tags.Resized(); resized != t.resized || t.refiltered {
		t.resized, t.refiltered, t.bestMoved = resized, false, now
	}
	for _, slot := range t.unallocated {
		if o := &t.operations[slot]; o.Alive && o.enabled && o.best.at == Never {
			t.setBestAllocation(slot, now)
		}
	}
	t.unallocated = t.unallocated[:0]
	period, turns := t.bestAllocationPeriod(), 0
	for waiting := len(t.allocated); turns < waiting && t.allocated[turns].at+period <= now; turns++ {
		d := t.allocated[turns]
		if o := &t.operations[d.slot]; o.Alive && o.enabled && o.best.at == d.at {
			t.setBestAllocation(d.slot, now)
		}
	}
	t.allocated = append(t.allocated[:0], t.allocated[turns:]...)
}

// setBestAllocation computes an operation's best allocation.
func (t *Tree) setBestAllocation(slot int32, now Time) {
	o := &t.operations[slot]
	before := o.best
	if before.at == now {
		return
	}
	t.allocated = append(t.allocated, allocationTime{slot, now})
	o.best.at, o.best.perJob, o.best.resized, o.best.whole = now, o.memoryPerJob(), t.resized, o.filter == 0
	if before.at != Never && o.best.perJob == before.perJob && o.best.resized == before.resized && o.best.whole && before.whole {
		return // none of its inputs changed
	}
	o.best.share = fairshare.BestAllocation(o.Demand(), t.total, t.tags.Memories(o.filter))
	o.best.limits = o.best.share != t.total.ShareOf(t.total)
	if o.best.limits != before.limits || o.best.limits && o.best.share != before.share {
		t.shares.SetOperation(o.Element, t.shareOperation(o))
	}
}

// nextBestAllocation returns when an update will next compute a different best allocation if no
// event comes before; ok is false if no update will.
func (b *bestAllocations) nextBestAllocation(period Time) (at Time, ok bool) {
	if len(b.allocated) == 0 || b.allocated[0].at > b.bestMoved {
		return 0, false
	}
	return b.allocated[0].at + period, true
}
