package fairshare

import "poolproof/core/resource"

// effectiveGuarantees infers the guarantees of the children of p, and of all
// below (§5.1). That of p is final.
func (t *Tree) effectiveGuarantees(p Element) {
	if t.flags[p]&changedGuarantee != 0 {
		t.inferGuarantees(p)
	}
	for _, c := range t.nodes[p].pool.pools {
		if t.flags[c]&below != 0 {
			t.effectiveGuarantees(c)
		}
	}
}

// inferGuarantees computes the effective guarantees of the children of p.
func (t *Tree) inferGuarantees(p Element) {
	children := t.nodes[p].children
	if !t.anyGuarantee(children) {
		return
	}
	own := t.nodes[p].effective
	main := t.options.MainResource
	var explicit resource.Vector
	for _, c := range children {
		explicit = explicit.Add(t.settings(c).StrongGuarantee.Or(resource.Vector{}))
	}
	residual := own.Sub(explicit).Max(resource.Vector{})
	factor := t.inferenceFactors(p, own, residual)
	for _, c := range children {
		configured := &t.settings(c).StrongGuarantee
		effective := configured.Or(resource.Vector{})
		if quota := quotaOf(configured, own, main); quota != 0 {
			for k := range effective {
				if kind := resource.Kind(k); kind != main && !configured.Set[k] {
					effective[k] = resource.FromReal(kind, quota*own.Real(kind)*factor[k])
				}
			}
		}
		if t.nodes[c].effective != effective {
			t.nodes[c].effective, t.nodes[c].held = effective, true
			t.touch(c)
			if t.nodes[c].pool != nil {
				t.mark(c, changedGuarantee)
			}
		}
	}
}

// anyGuarantee reports whether any of the elements has a strong guarantee, or
// had one in the last update.
func (t *Tree) anyGuarantee(elements []Element) bool {
	for _, e := range elements {
		if n := &t.nodes[e]; n.guarantees || n.held {
			return true
		}
	}
	return false
}

// inferenceFactors returns by how much inferred guarantees of each kind are
// scaled to fit what explicit ones leave. At the first level nothing is:
// overcommitment is handled there by scaling shares (§5.3).
func (t *Tree) inferenceFactors(p Element, own, residual resource.Vector) resource.Share {
	factor := resource.Uniform(1)
	if p == Root {
		return factor
	}
	main := t.options.MainResource
	var implicit resource.Share
	for _, c := range t.nodes[p].children {
		configured := &t.settings(c).StrongGuarantee
		quota := quotaOf(configured, own, main)
		if quota == 0 {
			continue
		}
		for k := range implicit {
			if !configured.Set[k] {
				implicit[k] += float64(quota * own.Real(resource.Kind(k)))
			}
		}
	}
	for k := range implicit {
		if kind := resource.Kind(k); kind != main && implicit[k] > residual.Real(kind) {
			factor[k] = residual.Real(kind) / implicit[k]
		}
	}
	return factor
}

// quotaOf is the part of the parent's guarantee of the main resource that a
// child is given explicitly.
func quotaOf(configured *resource.Partial, own resource.Vector, main resource.Kind) float64 {
	if own[main] <= 0 || !configured.Set[main] {
		return 0
	}
	return configured.Amounts.Real(main) / own.Real(main)
}

// ratios computes burst and flow of e and of all below (§6.1).
func (t *Tree) ratios(e Element) {
	if t.flags[e]&changedRatios == 0 {
		return
	}
	p := t.nodes[e].pool
	old := [...]float64{p.specifiedBurst, p.flow, p.totalBurst, p.totalFlow}
	p.specifiedBurst, p.flow = 0, 0
	if g := &p.config.Integral; g.Type != NoGuarantee && e != Root {
		p.flow = g.ResourceFlow.Amounts.MaxRatio(t.total)
		if g.Type == Burst {
			p.specifiedBurst = g.BurstGuarantee.Amounts.MaxRatio(t.total)
		}
	}
	p.totalBurst, p.totalFlow = p.specifiedBurst, p.flow
	for _, c := range p.pools {
		t.ratios(c)
		child := t.nodes[c].pool
		p.totalBurst += child.totalBurst
		p.totalFlow += child.totalFlow
	}
	if old == [...]float64{p.specifiedBurst, p.flow, p.totalBurst, p.totalFlow} {
		return
	}
	t.touch(e)
	t.mark(e, changedGuarantee)
	if parent := t.nodes[e].parent; parent != none {
		t.mark(parent, changedGuarantee)
	}
}
