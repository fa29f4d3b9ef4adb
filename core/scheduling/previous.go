package scheduling

import "poolproof/core/resource"

// A previousTick saves the state of an element that the last tick replaced, if the tick visited the
// element. Earlier heartbeats used that state.
type previousTick struct {
	tick       int64 // serial of that tick, 0 if none has visited the element
	was        bool  // the element had been visited before
	seen       seen
	starvation Starvation
	pending    int64 // of an operation
}

// savePrevious saves the state of an element that a tick is about to replace.
func (t *Tree) savePrevious(e Element) {
	n, p := &t.elements[e], &t.previousTicks[e]
	p.was, p.tick = p.tick > 0, t.ticks
	p.seen, p.starvation = n.seen, n.starvation
	if n.operation != nil {
		p.pending = n.operation.pending
	}
}

// DescribeBefore restores, in the description of an element, the values before the last tick. New
// elements keep theirs.
func (t *Tree) DescribeBefore(e Element, i *ElementInfo) {
	n, p := &t.elements[e], &t.previousTicks[e]
	if p.tick != t.ticks || !p.was {
		return
	}
	s := &p.seen
	i.Fair, i.Demand, i.Starvation = s.fair, s.demand, p.starvation
	i.Guarantee, i.DemandAmount, i.FIFOIndex = s.guarantee, s.demandAmount, s.fifoIndex
	if t.options.Profile != Current {
		i.Limits = s.limits
	}
	if n.operation == nil {
		return
	}
	i.Schedulable = s.schedulable
	i.Timeouts, i.MinShare = t.timeouts(n, p.pending)
	if n.graceful {
		i.BelowFairShare, i.StartsBelow = t.below(n, s), n.tolerable(s).Min(s.demand)
	}
}

// TotalBefore returns the resources of the tree before the last tick. There must have been a tick.
func (t *Tree) TotalBefore() resource.Vector {
	if t.ticks == 1 {
		return t.total
	}
	return t.totalBefore
}
