package fairshare

import "poolproof/core/resource"

// distribute gives e what it gets at a suggestion, and hands on to all below
// it (§7.6). set says which of the two sets of fair shares is computed.
// It leaves alone what cannot differ from the last update.
func (t *Tree) distribute(e Element, set int, suggestion float64) {
	parts := append(t.scratch.parts[:0], point{})
	t.scratch.parts = parts
	t.part(e, suggestion, &parts[0])
	t.assignShares(e, set, &parts[0])
}

// part sets what e gets at a suggestion, and the fit factor there.
func (t *Tree) part(e Element, suggestion float64, at *point) {
	n := &t.nodes[e]
	if n.pool != nil && !n.known.covers(suggestion) {
		t.widen(e)
	}
	left(n.suggestion, suggestion, len(t.kinds), at)
	if t.literal && n.pool != nil {
		at.f = leftOf(n.pool.fits, suggestion)
	}
}

// assignShares gives e the value of its plot at a suggestion, and its children the values at the
// fit factor there.
func (t *Tree) assignShares(e Element, set int, at *point) {
	n := &t.nodes[e]
	d := &t.given[set][e]
	same := d.fit == at.f && t.flags[e]&rebuilt == 0
	if t.stale { // the kinds may be others
		d.target, same = resource.Share{}, false
	}
	for i, k := range t.kinds {
		if d.target[k] != at.y[i] {
			d.target[k] = at.y[i]
			same = false
		}
	}
	if same && (n.pool != nil || !d.isCut) {
		return // what a pool that truncates has cut is given back if it does so no more
	}
	d.fit, d.isCut = at.f, false // see cutBelow
	t.touchShare(e)
	if set == guaranteeShares {
		n.promising = true
	}
	if len(n.children) > 0 {
		t.settleChildren(e, set, at)
		t.cutBelow(e, set)
	}
}

// granted returns the share that a distribution finally gives e.
func (t *Tree) granted(set int, e Element) resource.Share {
	d := &t.given[set][e]
	if d.isCut {
		return d.target.Sub(t.cuts[set][e]).Max(resource.Share{})
	}
	return d.target
}

// settleChildren finds the fit factor at which the children together stay
// within the target, and gives each of them its part.
func (t *Tree) settleChildren(e Element, set int, at *point) {
	fit, bound := at.f, at.y
	for k := range t.kinds {
		bound[k] += computationPrecision
	}
	start := len(t.scratch.parts)
	fits := func(f float64) bool {
		t.scratch.parts = t.scratch.parts[:start]
		return t.offersFit(e, f, &bound)
	}
	if !fits(fit) {
		// Only rounding brings us here.
		fit = largestBelow(fit, fits)
		if !fits(fit) {
			t.refuse(e, "children exceed the share even without a suggestion")
		}
	}
	for i, c := range t.inOrder(e) {
		t.assignShares(c, set, &t.scratch.parts[start+i])
	}
	t.scratch.parts = t.scratch.parts[:start]
}

// inOrder returns the children of e, as sorted in a FIFO pool.
func (t *Tree) inOrder(e Element) []Element {
	if n := &t.nodes[e]; n.pool.config.Mode != FIFO {
		return n.children
	}
	return t.nodes[e].pool.order
}

// offersFit reports whether the children of e stay within bound at a fit
// factor. What each of them gets is appended to the parts.
func (t *Tree) offersFit(e Element, fit float64, bound *vector) bool {
	p := t.nodes[e].pool
	var sum vector
	children := t.inOrder(e)
	for i, c := range children {
		t.prefetchPlots(children, i)
		t.scratch.parts = append(t.scratch.parts, point{})
		part := &t.scratch.parts[len(t.scratch.parts)-1]
		t.part(c, t.offer(p, c, i, fit), part)
		setSum(&sum, &sum, &part.y)
	}
	return !exceeds(&sum, bound, len(t.kinds))
}

// offer returns the suggestion that the i-th child gets at a fit factor.
func (t *Tree) offer(p *poolState, c Element, i int, fit float64) float64 {
	if p.config.Mode == FIFO {
		return min(max(fit-float64(i), 0), 1)
	}
	return min(1, fit*(t.nodes[c].weight/p.leastWeight))
}

// cutBelow takes from a FIFO pool that truncates the shares of its gangs that
// cannot be satisfied, and sums what is taken below e (§7.7).
func (t *Tree) cutBelow(e Element, set int) {
	n, given, cuts := &t.nodes[e], t.given[set], t.cuts[set]
	var cut resource.Share
	for _, c := range n.pool.pools {
		if given[c].isCut {
			cut = cut.Add(cuts[c])
		}
	}
	if n.pool.config.Mode == FIFO && n.pool.config.TruncateFIFO.Or(t.options.TruncateFIFO) {
		for _, c := range n.children {
			child, d := &t.nodes[c], &given[c]
			gang := child.operation.Gang && !child.demandShare.FitsIn(d.target.Plus(comparisonPrecision))
			if d.isCut = gang && d.target != (resource.Share{}); d.isCut {
				cuts[c] = d.target
				cut = cut.Add(d.target)
			}
		}
	}
	given[e].isCut, cuts[e] = cut != resource.Share{}, cut
}

// promiseGuarantees divides the guarantees of the pools that ask for it, as if
// nothing were given by weight (§7.8).
func (t *Tree) promiseGuarantees() {
	for _, p := range t.promising {
		t.distribute(p, guaranteeShares, 0)
	}
}

// rootShares returns the share of the root, which is the sum of its children's, and what of it is
// within their strong guarantees (§7.6).
func (t *Tree) rootShares() (total, strong resource.Share) {
	for _, c := range t.nodes[Root].children {
		share := t.granted(mainShares, c)
		total = total.Add(share)
		strong = strong.Add(share.Min(t.nodes[c].strong))
	}
	t.touchShare(Root)
	return total, strong
}

// split divides a total into its parts (§7.6) and reports whether that
// changed any of them.
func (s *Shares) split(total, strong, proposed *resource.Share) (differs bool) {
	for k, all := range total {
		ofStrong, rest, ofProposed := all, 0.0, 0.0
		if all > strong[k] {
			ofStrong = strong[k]
			rest = all - ofStrong
			ofProposed = rest
			if rest > proposed[k] {
				ofProposed = proposed[k]
			}
		}
		byWeight := rest - ofProposed
		if s.Total[k] != all || s.Strong[k] != ofStrong || s.Integral[k] != ofProposed || s.Weight[k] != byWeight {
			s.Total[k], s.Strong[k], s.Integral[k], s.Weight[k] = all, ofStrong, ofProposed, byWeight
			differs = true
		}
	}
	return differs
}
