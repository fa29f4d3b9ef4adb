package core

import "poolproof/core/resource"

// learnInputs takes over the inputs of fair shares that a record tells of an operation.
func (t *Tree) learnInputs(slot int32, r *OperationRecord) {
	o := &t.operations[slot]
	if !o.Alive || !o.enabled {
		return
	}
	if r.BestAllocation.Set {
		t.learnBestAllocation(slot, r.BestAllocation.Value)
	}
	if place := r.FIFOIndex.Value + 1; r.FIFOIndex.Set && place > 0 && place != o.place && t.pools[o.Pool].Config.Mode.Value == FIFO {
		o.place = place
		if t.shares.Result(o.Element).FIFOIndex == r.FIFOIndex.Value { // only the number is new, since others have left
			t.shares.SetPlace(o.Element, place)
		} else {
			t.pushLearnt(o)
		}
	}
}

// pushLearnt hands on an input that the update before its record did not know.
func (t *Tree) pushLearnt(o *Operation) {
	o.learnt = t.now
	t.shares.SetOperation(o.Element, t.shareOperation(o))
	t.stale = true
}

// Learnt returns when a record told an input of the operation's fair share that the update
// before it did not know, Never if none did.
func (o *Operation) Learnt() Time { return o.learnt }

// learnBestAllocation takes over the best allocation that a record tells, and from then on works
// out none in the tree: whether a scheduler does, and when, depends on its age
// (core/spec/fair-share.md §3.5).
func (t *Tree) learnBestAllocation(slot int32, recorded resource.Share) {
	o := &t.operations[slot]
	all := t.total.ShareOf(t.total)
	for _, part := range recorded {
		if !(part >= 0 && part <= 1) {
			return
		}
	}
	t.recordsBest = true
	share := recorded.Min(all)
	limits := share != all
	if limits == o.best.limits && (!limits || share == o.best.share) {
		return
	}
	o.best = bestAllocation{share: share, limits: limits, at: t.now}
	t.pushLearnt(o)
}
