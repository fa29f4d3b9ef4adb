package judge

import "poolproof/core/scheduling"

// isStageKnown reports whether it is certain which stage took the victim: its reason says so, or only the normal
// stage can have. Stages other than that one are entered for operations of their priority alone
// (core/spec/scheduling.md §9.4): those for SSD on nodes of SSD priority, the aggressive one for who starves
// aggressively. No log need record the reason then.
func (b *Batch) isStageKnown() bool {
	t := &b.Taken[b.turn]
	if t.Reason != scheduling.NoReason {
		return true
	}
	e := b.beneficiary()
	if e < 0 || b.NoNode || b.Node.SSD || b.Node.SSDSince != scheduling.Never {
		return false
	}
	for ; e >= 0; e = b.States[0].Elements[e].Above {
		if b.mayStarveAggressively(b.States[0].Element(e)) {
			return false
		}
		if b.States[0].Options.Scope == scheduling.OperationOnly {
			break
		}
	}
	return true
}

// mayStarveAggressively reports whether an element may have starved aggressively, by clocks that may be off by an
// update and a record.
func (b *Batch) mayStarveAggressively(own *Element) bool {
	if !own.Timeouts.AggressiveEnabled {
		return false
	}
	slack := b.Slacks.Tick + b.Slacks.Record + b.Slacks.Clock
	return own.Starvation.Status() == scheduling.AggressivelyStarving || b.ranBefore(own, own.Timeouts.Aggressive) ||
		b.elapsed(own, scheduling.FairShare)+slack > own.Timeouts.Aggressive
}
