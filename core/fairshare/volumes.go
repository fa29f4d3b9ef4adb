package fairshare

import (
	"cmp"
	"math"
	"slices"

	"poolproof/core/resource"
)

// volumes accumulates and charges the volumes of all integral pools (§6.2),
// and passes on what full ones could not keep (§6.3). Nothing flows in the
// first update after a start, or in a tree without resources.
func (t *Tree) volumes() {
	flows := t.previous != NoUpdate && t.now >= t.previous && !t.total.IsZero()
	for _, list := range [...][]Element{t.burst, t.relaxed} {
		for _, e := range list {
			p := t.nodes[e].pool
			p.nextVolume, p.nextLast = p.volume, p.last
			p.overflow, p.acceptable, p.accepted = resource.Volume{}, resource.Volume{}, resource.Volume{}
			saturation := resource.Seconds(t.options.PoolCapacitySaturationPeriod)
			p.capacity = t.total.Times(p.flow).Over(saturation)
			if flows {
				t.accrue(p)
			}
			t.touch(e)
		}
	}
	t.gatherOverflow(flows)
	if flows {
		t.spreadOverflow()
	}
}

// accrue charges what was granted last against what has flowed in since.
func (t *Tree) accrue(p *poolState) {
	tick := t.total.Over(resource.Seconds(t.now - t.previous))
	volume := p.volume.Add(tick.Times(p.flow)).Sub(tick.Times(p.last)).Max(resource.Volume{})
	// What exceeds the capacity stays, it only cannot grow.
	upper := p.volume.Max(p.capacity)
	p.overflow = volume.Sub(upper).Max(resource.Volume{})
	if !p.config.Integral.RefuseFreeVolume {
		p.acceptable = p.capacity.Sub(volume).Max(resource.Volume{})
	}
	p.nextVolume = volume.Min(upper)
}

// gatherOverflow sums bottom-up what pools cannot keep and could take. What
// lies below an integral pool is not visited: it is a leaf here.
func (t *Tree) gatherOverflow(flows bool) {
	for _, e := range t.hosts {
		p := t.nodes[e].pool
		var overflow, acceptable resource.Volume
		if flows {
			for _, c := range p.pools {
				child := t.nodes[c].pool
				overflow, acceptable = overflow.Add(child.overflow), acceptable.Add(child.acceptable)
			}
		}
		p.childrenOverflow = overflow
		p.overflow = overflow.Sub(acceptable).Max(resource.Volume{})
		p.acceptable, p.accepted = resource.Volume{}, resource.Volume{}
		if !p.config.Integral.RefuseFreeVolume {
			p.acceptable = acceptable.Sub(overflow).Max(resource.Volume{})
		}
		t.touch(e)
	}
}

// spreadOverflow hands free volume down, parents first, and adds to the
// volumes of integral pools what they accept.
func (t *Tree) spreadOverflow() {
	for i := len(t.hosts) - 1; i >= 0; i-- {
		e := t.hosts[i]
		p := t.nodes[e].pool
		byTree := t.options.DistributeFreeVolume && e != Root
		if !p.config.Integral.DistributeFreeVolume.Or(byTree) {
			continue
		}
		free := p.accepted.Add(p.childrenOverflow)
		if free.IsZero() {
			continue
		}
		for k := range free {
			t.spreadKind(p, resource.Kind(k), free[k])
		}
	}
	for _, list := range [...][]Element{t.burst, t.relaxed} {
		for _, e := range list {
			p := t.nodes[e].pool
			p.nextVolume = p.nextVolume.Add(p.accepted)
		}
	}
}

// spreadKind divides the free volume of one kind among the hungry child pools
// by their flow. Those that could take less than their part are filled first.
func (t *Tree) spreadKind(p *poolState, k resource.Kind, free float64) {
	hungry := t.scratch.hungry[:0]
	weights := 0.0
	for _, c := range p.pools {
		child := t.nodes[c].pool
		if natural(child.acceptable[k], k) > computationPrecision && child.totalFlow > computationPrecision {
			hungry = append(hungry, child)
			weights += child.totalFlow
		}
	}
	t.scratch.hungry = hungry
	sortHungry(hungry, k)
	for len(hungry) > 0 {
		child := hungry[0]
		offer := free * child.totalFlow / weights
		if k == resource.CPU { // in whole core·seconds, here only
			offer = math.Trunc(offer/resource.CentsPerCore) * resource.CentsPerCore
		}
		if offer < child.acceptable[k] {
			break
		}
		child.accepted[k] = child.acceptable[k]
		free -= child.acceptable[k]
		weights -= child.totalFlow
		hungry = hungry[1:]
	}
	for _, child := range hungry {
		child.accepted[k] = free * child.totalFlow / weights
		if k == resource.CPU {
			child.accepted[k] = math.Round(child.accepted[k])
		}
	}
}

// natural is a volume of kind k in its natural unit.
func natural(volume float64, k resource.Kind) float64 {
	if k == resource.CPU {
		return volume / resource.CentsPerCore
	}
	return volume
}

// sortHungry sorts pools by how soon their part of free volume fills them,
// earlier children first on a tie.
func sortHungry(pools []*poolState, k resource.Kind) {
	slices.SortStableFunc(pools, func(a, b *poolState) int {
		return cmp.Compare(a.acceptable[k]/a.totalFlow, b.acceptable[k]/b.totalFlow)
	})
}
