package fairshare

import (
	"slices"

	"poolproof/core/resource"
)

// publish puts the results of a good update where callers see them, and notes
// which of them changed.
func (t *Tree) publish(rootStrong resource.Share) {
	for _, e := range t.touched {
		if t.publishShares(e, rootStrong) {
			t.flags[e] |= published
		}
		if n := &t.nodes[e]; n.pool == nil {
			t.satisfactions[e] = satisfaction{t.results[e].LocalSatisfaction, !n.unschedulable}
		}
		for a := e; a != none && t.flags[a]&unsatisfied == 0; a = t.nodes[a].parent {
			t.flags[a] |= unsatisfied
			t.touchShare(a)
		}
	}
	t.satisfy(Root, t.options.ScheduleFIFOPoolsInFIFOOrder, t.options.UsePoolSatisfaction)
	t.changed = t.changed[:0]
	t.sortTouched()
	for _, e := range t.touched {
		r := t.results[e]
		differs := t.flags[e]&published != 0
		put(&r.Satisfaction, t.satisfactions[e].ratio, &differs)
		put(&r.Schedulable, t.satisfactions[e].schedulable, &differs)
		if t.flags[e]&whole != 0 && t.publishRest(e) {
			differs = true
		}
		if differs {
			t.changed = append(t.changed, e)
		}
	}
	t.keep()
}

// sortTouched sorts what was touched. If that is much of the tree, it looks
// for it in the flags instead.
func (t *Tree) sortTouched() {
	if len(t.touched) < len(t.flags)/16 {
		slices.Sort(t.touched)
		return
	}
	t.touched = t.touched[:0]
	for e, f := range t.flags {
		if f&listed != 0 {
			t.touched = append(t.touched, Element(e))
		}
	}
}

// put sets a field and notes whether that changed it.
func put[T comparable](field *T, value T, differs *bool) {
	if *field != value {
		*field = value
		*differs = true
	}
}

// publishShares publishes fair shares and reports whether they changed.
func (t *Tree) publishShares(e Element, rootStrong resource.Share) (differs bool) {
	n, r := &t.nodes[e], t.results[e]
	strong := &n.strong
	if e == Root {
		strong = &rootStrong
	}
	differs = r.FairShare.split(&t.given[mainShares][e].total, strong, &n.proposed)
	if n.promising {
		promised := &t.given[guaranteeShares][e]
		differs = r.PromisedGuarantee.split(&promised.total, &n.strong, &n.proposed) || differs
		n.promising = *promised != distribution{}
	}
	put(&r.LocalSatisfaction, LocalSatisfaction(r.FairShare.Total, n.demandShare, n.usageShare), &differs)
	return differs
}

// publishRest publishes everything else and reports whether it changed.
func (t *Tree) publishRest(e Element) (differs bool) {
	n, r := &t.nodes[e], t.results[e]
	put(&r.Usage, n.usage, &differs)
	put(&r.Demand, n.demand, &differs)
	put(&r.Limits, n.limits, &differs)
	put(&r.EffectiveGuarantee, n.effective, &differs)
	put(&r.UsageShare, n.usageShare, &differs)
	put(&r.DemandShare, n.demandShare, &differs)
	put(&r.LimitsShare, n.limitsShare, &differs)
	put(&r.StrongShare, n.strong, &differs)
	put(&r.Promised, n.promised, &differs)
	put(&r.Estimated, n.estimated, &differs)
	put(&r.Proposed, n.proposed, &differs)
	put(&r.Weight, n.weight, &differs)
	put(&r.FIFOIndex, n.fifoIndex, &differs)
	put(&r.Dominant, n.dominant, &differs)
	p := n.pool
	if p == nil {
		return differs
	}
	if r.Integral == nil {
		r.Integral = new(IntegralResult)
	}
	put(r.Integral, IntegralResult{
		SpecifiedBurst: p.specifiedBurst, Burst: p.burst, Flow: p.flow,
		TotalBurst: p.totalBurst, TotalFlow: p.totalFlow,
		Volume: p.nextVolume, Capacity: p.capacity, LastShareRatio: p.nextLast,
		Overflow: p.overflow, Acceptable: p.acceptable,
		Accepted: p.accepted, ChildrenOverflow: p.childrenOverflow,
	}, &differs)
	return differs
}

// keep makes what updates carry forward that of this update.
func (t *Tree) keep() {
	for _, list := range [...][]Element{t.burst, t.relaxed} {
		for _, e := range list {
			p := t.nodes[e].pool
			p.volume, p.last = p.nextVolume, p.nextLast
		}
	}
	for _, p := range t.historic {
		for _, c := range t.nodes[p].children {
			n := &t.nodes[c]
			n.history, n.historyTime = n.nextHistory, n.nextHistoryTime
		}
	}
}
