package fairshare

import (
	"math"

	"poolproof/core/resource"
)

// integralShares proposes integral shares to burst pools, then to relaxed ones
// (§6.5, §6.6).
func (t *Tree) integralShares() {
	for _, e := range t.integralPath {
		p := t.nodes[e].pool
		p.previousProposed = t.nodes[e].proposed
		t.nodes[e].proposed = resource.Share{}
	}
	for _, b := range t.burst {
		t.proposeBurst(b)
	}
	t.proposeRelaxed()
	for _, e := range t.integralPath {
		if t.nodes[e].proposed != t.nodes[e].pool.previousProposed {
			t.touch(e)
			if !t.nested { // otherwise only what grant marks is built again
				t.mark(e, changedPlot)
			}
		}
	}
}

// setProposed sets the proposed integral share of e.
func (t *Tree) setProposed(e Element, proposed resource.Share) {
	if t.nodes[e].proposed != proposed {
		t.nodes[e].proposed = proposed
		t.touch(e)
		t.mark(e, changedPlot)
	}
}

// affordable is the share that the volume of a pool pays for (§6.4).
func (t *Tree) affordable(p *poolState) float64 {
	return p.nextVolume.MinRatio(t.total) / resource.Seconds(t.options.SmoothPeriod)
}

// available is the integral share that the limits of e and of its ancestors
// below the root leave room for.
func (t *Tree) available(e Element) resource.Share {
	room := resource.Uniform(1)
	for ; e != Root; e = t.nodes[e].parent {
		n := &t.nodes[e]
		room = room.Min(n.limitsShare.Sub(n.strong).Sub(n.proposed))
	}
	return room
}

// proposeBurst gives a burst pool what its operations can use of its burst
// guarantee, as far as its volume pays for it.
func (t *Tree) proposeBurst(b Element) {
	n := &t.nodes[b]
	offer := resource.Uniform(min(n.pool.burst, t.affordable(n.pool))).Min(t.available(b))
	inside := t.try(b, n.strong.Add(offer), n.limitsShare, true).shareAt(0)
	t.grant(b, inside.Sub(n.strong).Max(resource.Share{}))
}

// proposeRelaxed fills relaxed pools together, in proportion to the volume
// they have, until what burst pools and guarantees leave is used up.
func (t *Tree) proposeRelaxed() {
	room := resource.Uniform(1)
	for _, c := range t.nodes[Root].children {
		n := &t.nodes[c]
		room = room.Sub(n.strong.Add(n.proposed).Min(n.demandShare))
	}
	room = room.Max(resource.Share{})
	offers := t.relaxedOffers()
	if len(offers) == 0 || t.refused != nil {
		return
	}
	fits := func(x float64) bool { return t.gains(offers, x).FitsIn(room) }
	x := 0.0
	switch {
	case fits(0):
		x = largest(0, 1, fits)
	case !t.gains(offers, 0).FitsIn(room.Plus(computationPrecision)):
		t.refuse(offers[0].pool, "relaxed pools exceed what is available, even without a suggestion")
	}
	for i := range offers {
		offer := &offers[i]
		d := offer.gain(t, x).Min(t.available(offer.pool))
		t.grant(offer.pool, d)
	}
}

// A relaxedOffer is one relaxed pool that takes part in the division.
type relaxedOffer struct {
	pool   Element
	weight float64
	trial  trial
}

// relaxedOffers returns the relaxed pools that have volume, with their plots
// under what the volume and the multiplier allow.
func (t *Tree) relaxedOffers() []relaxedOffer {
	offers := t.scratch.offers[:0]
	least := math.Inf(1)
	for _, r := range t.relaxed {
		n := &t.nodes[r]
		affordable := t.affordable(n.pool)
		if affordable <= 0 {
			continue
		}
		multiplier := n.pool.config.Integral.RelaxedShareMultiplierLimit.Or(t.options.RelaxedShareMultiplierLimit)
		limit := n.limitsShare.Min(n.strong.Plus(min(affordable, n.pool.flow*multiplier)))
		offers = append(offers, relaxedOffer{r, affordable, t.try(r, n.strong.Add(n.proposed), limit, false)})
		least = min(least, affordable)
	}
	for i := range offers {
		offers[i].weight /= least
	}
	t.scratch.offers = offers
	return offers
}

// gain returns the share beyond its guarantee that the pool takes at fill level x.
func (o *relaxedOffer) gain(t *Tree, x float64) resource.Share {
	s := o.trial.shareAt(min(1, x*o.weight))
	return s.Sub(t.nodes[o.pool].strong).Max(resource.Share{})
}

// gains is the sum of all gains at fill level x.
func (t *Tree) gains(offers []relaxedOffer, x float64) resource.Share {
	var sum resource.Share
	for i := range offers {
		sum = sum.Add(offers[i].gain(t, x))
	}
	return sum
}

// grant adds d to the proposed share of e and of all above it, and has e pay
// for it in the next update.
func (t *Tree) grant(e Element, d resource.Share) {
	t.nodes[e].pool.nextLast = d.Dominant()
	for a := e; a != none; a = t.nodes[a].parent {
		n := &t.nodes[a]
		n.proposed = n.proposed.Add(d)
		if a != Root {
			n.proposed = guarded(n.proposed, n.strong, n.limitsShare)
		}
	}
	if t.nested {
		t.flags[e] |= changedFunction | changedPlot
	}
}

// guarded lowers the components of proposed that, added to strong, exceed the
// limit by rounding (§6.5).
func guarded(proposed, strong, limit resource.Share) resource.Share {
	for k := range proposed {
		if strong[k]+proposed[k] <= limit[k] {
			continue
		}
		proposed[k] = limit[k] - strong[k]
		for strong[k]+proposed[k] > limit[k] {
			proposed[k] = math.Nextafter(proposed[k], math.Inf(-1))
		}
	}
	return proposed
}
