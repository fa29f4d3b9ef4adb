package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A bestAllocation is how much memory an operation's jobs could fill: a job fits a
// node whole or not at all, so that big ones leave a rest on every node
// (core/spec/fair-share.md §3.5). It is worked out at the first update that the operation
// takes part in, and then once a period, whatever changes in between.
type bestAllocation struct {
	share   resource.Share
	limits  bool  // there is a rest
	at      Time  // when it was worked out, Never if it was not
	perJob  int64 // memory of a job then
	resized int64 // version of the nodes then
	whole   bool  // over all nodes of the tree: the operation had no filter of its own
}

// A due is an operation whose best allocation was worked out at an instant.
type due struct {
	slot int32
	at   Time
}

// memoryPerJob is what a job of the operation takes on average, those that it has
// and those that it waits for; 0 if nothing tells.
func (o *Operation) memoryPerJob() int64 {
	demand := o.Demand()
	if slots := demand[resource.UserSlots]; slots > 0 {
		return demand[resource.Memory] / slots
	}
	return 0
}

// bestAllocations are whose turn it is, and when.
type bestAllocations struct {
	unallocated []int32 // operations whose best allocation no update has worked out
	allocated   []due   // those whose best allocation one has, the longest ago first
	bestMoved   Time    // when something changed last that best allocations depend on
	resized     int64   // version of the nodes that they know
	refiltered  bool    // an operation has another filter of its own
	recordsBest bool    // records tell best allocations: none is worked out
}

// resetInputs makes an operation's best allocation all there is until the next update, and
// forgets its place in a FIFO pool: it is enabled anew, or has another parent.
func (t *Tree) resetInputs(slot int32) {
	o := &t.operations[slot]
	o.best, o.place, o.learnt = bestAllocation{at: Never}, 0, Never
	t.unallocated = append(t.unallocated, slot)
}

// allocateBest works out the best allocations whose turn it is.
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

// setBestAllocation works out an operation's best allocation.
func (t *Tree) setBestAllocation(slot int32, now Time) {
	o := &t.operations[slot]
	before := o.best
	if before.at == now {
		return
	}
	t.allocated = append(t.allocated, due{slot, now})
	o.best.at, o.best.perJob, o.best.resized, o.best.whole = now, o.memoryPerJob(), t.resized, o.filter == 0
	if before.at != Never && o.best.perJob == before.perJob && o.best.resized == before.resized && o.best.whole && before.whole {
		return // all that it depends on is what it was
	}
	o.best.share = fairshare.BestAllocation(o.Demand(), t.total, t.tags.Memories(o.filter))
	o.best.limits = o.best.share != t.total.ShareOf(t.total)
	if o.best.limits != before.limits || o.best.limits && o.best.share != before.share {
		t.shares.SetOperation(o.Element, t.shareOperation(o))
	}
}

// nextBestAllocation returns when an update will work out a best allocation that
// differs, if nothing happens before; ok is false if none will.
func (b *bestAllocations) nextBestAllocation(period Time) (at Time, ok bool) {
	if len(b.allocated) == 0 || b.allocated[0].at > b.bestMoved {
		return 0, false
	}
	return b.allocated[0].at + period, true
}
