package fairshare

import "poolproof/core/resource"

// listPriority notes which pools have a guarantee in the tier of priority pools, for e and all
// below it. donated says that a donor stands above, with no priority pool between.
func (t *Tree) listPriority(e Element, donated bool) {
	p := t.nodes[e].pool
	priority := p.config.PriorityGuarantee && e != Root
	switch {
	case priority && donated:
		t.hasPriority = true
	case priority:
		t.withoutDonor = append(t.withoutDonor, e)
	}
	p.hasPriority = priority && donated
	below := p.config.GuaranteeDonor && e != Root || donated && !priority
	for _, c := range p.pools {
		t.listPriority(c, below)
	}
}

// divideTiers computes which part of the guarantees of all pools below e belongs to the tier of
// priority pools, before adjustment (§5.3).
func (t *Tree) divideTiers(e Element) {
	var below resource.Share
	for _, c := range t.nodes[e].pool.pools {
		t.divideTiers(c)
		below = below.Add(t.nodes[c].pool.priority)
	}
	p := t.nodes[e].pool
	switch {
	case e == Root:
		return
	case p.hasPriority:
		below = t.unscaledGuarantee(e)
	case p.config.GuaranteeDonor:
		below = resource.Share{}
	}
	if p.priority != below {
		p.priority = below
		t.mark(t.nodes[e].parent, changedGuarantee)
	}
}

// adjustByTier scales the guarantees of children to what their parent has, tier by tier: those of
// priority pools first, then those of other pools, then those of operations. The first tier that
// does not fit is scaled by one factor, and the next ones get nothing.
func (t *Tree) adjustByTier(children []Element, limit resource.Share) {
	raw := t.scratch.shares[:0]
	for _, c := range children {
		raw = append(raw, t.unscaledGuarantee(c))
	}
	t.scratch.shares = raw
	part := func(i, tier int) (share resource.Share) {
		p := t.nodes[children[i]].pool
		switch {
		case tier == operationTier && p == nil:
			return raw[i]
		case tier == priorityTier && p != nil:
			return p.priority
		case tier == regularTier && p != nil:
			return raw[i].Sub(p.priority)
		}
		return resource.Share{}
	}
	var factors [tiers]float64
	for tier := range factors {
		sum := func(factor float64) (all resource.Share) {
			for i := range children {
				all = all.Add(part(i, tier).Scale(factor))
			}
			return all
		}
		all := sum(1)
		if !all.FitsIn(limit) {
			factors[tier] = largest(0, 1, func(factor float64) bool { return sum(factor).FitsIn(limit) })
			break
		}
		factors[tier], limit = 1, limit.Sub(all)
	}
	for i, c := range children {
		var strong resource.Share
		for tier, factor := range factors {
			strong = strong.Add(part(i, tier).Scale(factor))
		}
		t.setStrong(c, strong)
		t.nodes[c].held = !t.nodes[c].effective.IsZero()
	}
}

// The tiers of guarantees, the one that is scaled last first.
const (
	priorityTier = iota
	regularTier
	operationTier
	tiers
)
