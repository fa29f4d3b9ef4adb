package judge

import "poolproof/core/scheduling"

// isStageKnown reports whether the victim's stage is certain: it follows from the recorded reason,
// or only the normal stage is possible. The other stages run only for operations of their priority
// (core/spec/scheduling.md §9.4): those for SSD on SSD-priority nodes, the aggressive one for
// aggressively starving elements.
func (b *Batch) isStageKnown() bool {
	t := &b.Taken[b.turn]
	if t.Reason != scheduling.NoReason {
		return true
	}
	e := b.preemptor()
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

// mayStarveAggressively reports whether an element may have starved aggressively, with clocks off
// by up to an update and a record.
func (b *Batch) mayStarveAggressively(own *Element) bool {
	if !own.Timeouts.AggressiveEnabled {
		return false
	}
	slack := b.Slacks.Tick + max(b.Slacks.Record, b.DemandLag) + b.Slacks.Clock
	return own.Starvation.Status() == scheduling.AggressivelyStarving || b.ranBefore(own, own.Timeouts.Aggressive) ||
		b.elapsed(own, scheduling.FairShare)+slack > own.Timeouts.Aggressive
}
