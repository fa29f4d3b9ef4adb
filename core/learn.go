package core

import "poolproof/core/resource"

// learnInputs adopts the inputs of fair shares that a record states for an operation.
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
		if t.shares.Result(o.Element).FIFOIndex == r.FIFOIndex.Value { // only the index changed, because other operations left
			t.shares.SetPlace(o.Element, place)
		} else {
			t.pushLearnt(o)
		}
	}
}

// pushLearnt passes on an input that the update before its record did not know.
func (t *Tree) pushLearnt(o *Operation) {
	o.learnt = t.now
	t.shares.SetOperation(o.Element, t.shareOperation(o))
	t.stale = true
}

// Learnt returns the time of the last record with an input of the operation's fair share that the
// update before did not know, or Never.
func (o *Operation) Learnt() Time { return o.learnt }

// learnBestAllocation adopts a recorded best allocation. From then on the tree computes none:
// whether and when a scheduler does depends on its version (core/spec/fair-share.md §3.5).
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
