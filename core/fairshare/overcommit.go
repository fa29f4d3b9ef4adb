package fairshare

import "poolproof/core/resource"

// rootGuarantee sums the guarantees of the first level, and scales them and
// the burst guarantees down where they exceed the tree (§5.3).
func (t *Tree) rootGuarantee() {
	if t.hasPriority {
		t.divideTiers(Root)
	}
	if t.flags[Root]&(changedGuarantee|changedRatios) == 0 {
		return
	}
	root := &t.nodes[Root]
	var amounts resource.Vector
	var strong resource.Share
	for _, c := range root.children {
		amounts = amounts.Add(t.nodes[c].effective)
		strong = strong.Add(t.unscaledGuarantee(c))
	}
	for _, b := range t.burst {
		t.setBurst(b, t.nodes[b].pool.specifiedBurst)
	}
	t.errors = nil
	if len(t.nestedPromising) > 0 {
		t.errors = append(t.errors, &UpdateError{
			Code:    CodeNestedPromised,
			Message: "Found pools with enabled promised fair share computation which are nested inside other such pools",
			Pools:   append([]Element(nil), t.nestedPromising...),
		})
	}
	if len(t.withoutDonor) > 0 {
		t.errors = append(t.errors, &UpdateError{
			Code:    CodeWithoutDonor,
			Message: "Found pools with enabled priority strong guarantee adjustment which do not have a donor",
			Pools:   append([]Element(nil), t.withoutDonor...),
		})
	}
	flow := t.total.Times(root.pool.totalFlow)
	if !amounts.Add(flow).FitsIn(t.total) {
		t.errors = append(t.errors, &UpdateError{
			Code:    CodeOvercommit,
			Message: "Strong guarantees and resource flows exceed total cluster resources",
			Strong:  amounts, Integral: flow, Total: t.total,
		})
	}
	burst := t.total.Times(root.pool.totalBurst)
	if !amounts.Add(burst).FitsIn(t.total) {
		t.errors = append(t.errors, &UpdateError{
			Code:    CodeOvercommit,
			Message: "Strong guarantees and burst guarantees exceed total cluster resources",
			Strong:  amounts, Integral: burst, Total: t.total, Burst: true,
		})
		strong = t.scaleToTree(strong)
	}
	t.setStrong(Root, strong)
	t.setPromises(Root, root.promised, strong)
}

// unscaledGuarantee is the guarantee share of e before adjustment (§5.2). In
// FIFO pools operations have none.
func (t *Tree) unscaledGuarantee(e Element) resource.Share {
	n := &t.nodes[e]
	if n.effective.IsZero() || n.operation != nil && t.nodes[n.parent].pool.config.Mode == FIFO {
		return resource.Share{}
	}
	return n.effective.ShareOf(t.total).Min(n.limitsShare)
}

// scaleToTree scales the strong guarantee of the root and all burst ratios by
// one factor, so that together they do not exceed one.
func (t *Tree) scaleToTree(strong resource.Share) resource.Share {
	factor := largest(0, 1, func(factor float64) bool {
		sum := strong.Scale(factor)
		for _, b := range t.burst {
			sum = sum.Plus(float64(factor * t.nodes[b].pool.specifiedBurst))
		}
		return sum.FitsIn(resource.Uniform(1))
	})
	for _, b := range t.burst {
		t.setBurst(b, factor*t.nodes[b].pool.specifiedBurst)
	}
	return strong.Scale(factor)
}

// setBurst sets the burst ratio of a pool.
func (t *Tree) setBurst(e Element, burst float64) {
	if p := t.nodes[e].pool; p.burst != burst {
		p.burst = burst
		t.touch(e)
	}
}

// setStrong sets the strong guarantee share of e.
func (t *Tree) setStrong(e Element, strong resource.Share) {
	n := &t.nodes[e]
	if n.strong == strong {
		return
	}
	n.strong = strong
	t.touch(e)
	t.mark(e, changedPlot)
	if n.pool != nil {
		t.mark(e, changedGuarantee)
	}
}

// adjustGuarantees scales the guarantees of the children of p where they
// exceed that of p, and divides what is promised to p, for p and all below
// (§5.3, §5.4).
func (t *Tree) adjustGuarantees(p Element) {
	if t.flags[p]&changedGuarantee != 0 {
		t.adjustChildren(p)
		t.setWeights(p)
		t.promise(p)
	}
	for _, c := range t.nodes[p].pool.pools {
		if t.flags[c]&below != 0 {
			t.adjustGuarantees(c)
		}
	}
}

// adjustChildren scales operations first, then pools; one factor for all. Where a pool has priority, it is
// scaled last.
func (t *Tree) adjustChildren(p Element) {
	limit, children := t.nodes[p].strong, t.nodes[p].children
	if !t.anyGuarantee(children) {
		return
	}
	if t.hasPriority {
		t.adjustByTier(children, limit)
		return
	}
	raw := t.scratch.shares[:0]
	var pools, all resource.Share
	for _, c := range children {
		share := t.unscaledGuarantee(c)
		raw = append(raw, share)
		all = all.Add(share)
		if t.nodes[c].pool != nil {
			pools = pools.Add(share)
		}
	}
	t.scratch.shares = raw
	ofPools, ofOperations := 1.0, 1.0
	switch {
	case !pools.FitsIn(limit):
		ofOperations = 0
		ofPools = t.largestFactor(children, raw, resource.Share{}, limit, true)
	case !all.FitsIn(limit):
		ofOperations = t.largestFactor(children, raw, pools, limit, false)
	}
	for i, c := range children {
		factor := ofOperations
		if t.nodes[c].pool != nil {
			factor = ofPools
		}
		t.setStrong(c, raw[i].Scale(factor))
		t.nodes[c].held = !t.nodes[c].effective.IsZero()
	}
}

// largestFactor returns the largest factor by which the raw shares of the
// child pools, or of the child operations, fit into limit on top of base.
func (t *Tree) largestFactor(children []Element, raw []resource.Share, base, limit resource.Share, pools bool) float64 {
	return largest(0, 1, func(factor float64) bool {
		sum := base
		for i, c := range children {
			if (t.nodes[c].pool != nil) == pools {
				sum = sum.Add(raw[i].Scale(factor))
			}
		}
		return sum.FitsIn(limit)
	})
}
