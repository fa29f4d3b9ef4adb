package fairshare

import (
	"math"

	"poolproof/core/resource"
)

// What no scheduler comes near, and beyond which ratios and sums would leave
// the range of doubles. A larger weight is legal and counts as the most.
const (
	mostWeight = 1e100
	mostVolume = 1e100
)

// refuse notes that e breaks a rule. The first refusal of an update stands.
func (t *Tree) refuse(e Element, rule string) {
	if t.refused == nil {
		t.refused = &RefusedError{Element: e, Name: t.name(e), Rule: rule}
	}
}

// checkSettings refuses a configuration without computable shares.
func (t *Tree) checkSettings(e Element) {
	n, s := &t.nodes[e], t.settings(e)
	if w := s.Weight; w.Set && !(w.Value >= 0 && w.Value <= math.MaxFloat64) {
		t.refuse(e, "weight must be a finite number, zero or above")
	}
	if r := s.MaxShareRatio; r.Set && !(r.Value >= 0 && r.Value <= 1) {
		t.refuse(e, "max_share_ratio must lie in [0, 1]")
	}
	if !amountsLegal(s.ResourceLimits.Amounts) {
		t.refuse(e, "resource_limits must not be negative")
	}
	if !amountsLegal(s.TagLimits.Amounts) {
		t.refuse(e, "limits by tag filter must not be negative")
	}
	if !amountsLegal(s.StrongGuarantee.Amounts) {
		t.refuse(e, "strong_guarantee_resources must not be negative")
	}
	if n.operation != nil {
		t.checkOperation(e)
	} else {
		t.checkPool(e)
	}
}

func (t *Tree) checkOperation(e Element) {
	o := t.nodes[e].operation
	for _, share := range o.BestAllocationShare {
		if o.HasBestAllocation && !(share >= 0 && share <= 1) {
			t.refuse(e, "best_allocation_share must lie in [0, 1]")
		}
	}
}

func (t *Tree) checkPool(e Element) {
	p := t.nodes[e].pool
	if p.config.Mode == FIFO && len(p.pools) > 0 {
		t.refuse(p.pools[0], "a FIFO pool may hold operations only")
	}
	g := &p.config.Integral
	if !amountsLegal(g.ResourceFlow.Amounts) {
		t.refuse(e, "resource_flow must not be negative")
	}
	if !amountsLegal(g.BurstGuarantee.Amounts) {
		t.refuse(e, "burst_guarantee_resources must not be negative")
	}
	if m := g.RelaxedShareMultiplierLimit; m.Set && !(m.Value >= 0 && m.Value <= math.MaxFloat64) {
		t.refuse(e, "relaxed_share_multiplier_limit must be a finite number, zero or above")
	}
	if a := p.config.HistoryAlpha; a.Set && !(a.Value >= 0 && a.Value <= math.MaxFloat64) {
		t.refuse(e, "ema_alpha must be a finite number, zero or above")
	}
	for _, v := range p.volume {
		if !(v >= 0 && v <= mostVolume) {
			t.refuse(e, "accumulated volume must be a number from zero to 1e100")
		}
	}
	if !(p.last >= 0 && p.last <= mostVolume) {
		t.refuse(e, "last share ratio must be a number from zero to 1e100")
	}
}

// checkAmounts refuses an operation that uses more than it demands (§7.12).
func (t *Tree) checkAmounts(e Element) {
	n := &t.nodes[e]
	if !amountsLegal(n.usage) || !amountsLegal(n.demand) {
		t.refuse(e, "usage and demand must not be negative")
	}
	for k := range n.usageShare {
		if n.usageShare[k] > n.demandShare[k] {
			t.refuse(e, "usage of "+resource.Kind(k).String()+" exceeds demand")
		}
	}
}

// amountsLegal reports whether no amount is negative.
func amountsLegal(a resource.Vector) bool {
	return min(a[0], a[1], a[2], a[3], a[4]) >= 0
}
