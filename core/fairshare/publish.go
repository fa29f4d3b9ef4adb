package fairshare

import "slices"

// publish puts the results of a good update where callers see them, and notes
// which of them changed.
func (t *Tree) publish() {
	t.publishRoot()
	for i, e := range t.touched {
		t.prefetchResults(t.touched, i)
		if t.publishShares(e) {
			t.flags[e] |= published
		}
		if t.flags[e]&whole != 0 && t.publishRest(e) {
			t.flags[e] |= published
		}
		for a := t.satisfied(e); a != none && t.flags[a]&unsatisfied == 0; a = t.nodes[a].parent {
			t.flags[a] |= unsatisfied
			t.touchShare(a)
		}
	}
	t.satisfy(Root, t.options.ScheduleFIFOPoolsInFIFOOrder, t.options.UsePoolSatisfaction)
	t.changed = t.changed[:0]
	t.sortTouched()
	for _, e := range t.touched {
		differs := t.flags[e]&published != 0
		if t.flags[e]&unsatisfied != 0 {
			put(&t.results[e].Satisfaction, t.satisfactions[e].ratio, &differs)
			put(&t.results[e].Schedulable, t.satisfactions[e].schedulable, &differs)
		}
		if differs {
			t.changed = append(t.changed, e)
		}
	}
	t.carryForward()
}

// satisfied publishes the satisfaction of an operation, which is its own. It returns the first
// composite whose satisfaction may change with that of e.
func (t *Tree) satisfied(e Element) Element {
	n := &t.nodes[e]
	if n.pool != nil {
		return e
	}
	r := t.results[e]
	if r.Satisfaction != r.LocalSatisfaction {
		r.Satisfaction = r.LocalSatisfaction
		t.flags[e] |= published
	}
	if r.Schedulable == n.unschedulable {
		t.flags[e] |= unsatisfied // its queue may be closed before it
	}
	t.satisfactions[e] = satisfaction{r.LocalSatisfaction, !n.unschedulable}
	return n.parent
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

// publishRoot publishes the fair share of the root.
func (t *Tree) publishRoot() {
	total, strong := t.rootShares()
	if t.results[Root].FairShare.split(&total, &strong, &t.nodes[Root].proposed) {
		t.flags[Root] |= published
	}
}

// publishShares publishes fair shares and reports whether they changed.
func (t *Tree) publishShares(e Element) (differs bool) {
	n, r := &t.nodes[e], t.results[e]
	if e != Root {
		total := t.granted(mainShares, e)
		if total == r.FairShare.Total && t.flags[e]&whole == 0 && !n.promising {
			return false // nothing of what the rest follows from moved
		}
		differs = r.FairShare.split(&total, &n.strong, &n.proposed)
	}
	if n.promising {
		total := t.granted(guaranteeShares, e)
		differs = r.PromisedGuarantee.split(&total, &n.strong, &n.proposed) || differs
		n.promising = t.given[guaranteeShares][e] != distribution{}
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

// carryForward stores the values of this update that the next one needs.
func (t *Tree) carryForward() {
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
