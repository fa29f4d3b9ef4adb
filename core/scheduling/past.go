package scheduling

import "poolproof/core/resource"

// A past is what the last tick replaced of an element, if it looked at it: what
// heartbeats went by before.
type past struct {
	tick       int64 // which tick that was, 0 if none has looked at the element
	was        bool  // the element had been looked at before
	seen       seen
	starvation Starvation
	pending    int64 // of an operation
}

// keep keeps what a tick is about to replace of an element.
func (t *Tree) keep(e Element) {
	n, p := &t.elements[e], &t.pasts[e]
	p.was, p.tick = p.tick > 0, t.ticks
	p.seen, p.starvation = n.seen, n.starvation
	if n.operation != nil {
		p.pending = n.operation.pending
	}
}

// DescribeBefore puts what ticks tell of an element, in a description of it, back to what
// they told before the last one. An element that is new since stays as it is.
func (t *Tree) DescribeBefore(e Element, i *ElementInfo) {
	n, p := &t.elements[e], &t.pasts[e]
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

// TotalBefore returns the resources of the tree before the last tick. There must have
// been one.
func (t *Tree) TotalBefore() resource.Vector {
	if t.ticks == 1 {
		return t.total
	}
	return t.totalBefore
}
