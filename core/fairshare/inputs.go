package fairshare

import (
	"math"

	"poolproof/core/resource"
)

// inputs computes limits, usage and demand as shares, for e and all below it
// that changed (§3.3, §3.4). limitsMoved says that the cap of e's parent did.
func (t *Tree) inputs(e Element, limitsMoved bool) {
	f, n := t.flags[e], &t.nodes[e]
	if f&changedSettings != 0 || limitsMoved {
		if f&unchecked != 0 {
			t.checkSettings(e)
		}
		t.touch(e)
		limitsMoved = t.setLimits(e)
	}
	if f&changedAmounts != 0 {
		t.setAmounts(e)
	}
	for i, c := range n.children {
		if t.flags[c]&below != 0 || limitsMoved {
			t.prefetchNodes(n.children, i)
			t.inputs(c, limitsMoved)
		}
	}
}

// setLimits computes the limits of e. It reports whether its cap changed,
// which the limits of those below depend on.
func (t *Tree) setLimits(e Element) bool {
	n := &t.nodes[e]
	capAbove := t.unit
	if n.parent != none {
		capAbove = t.nodes[n.parent].cap
	}
	limits, share := t.total, t.unit
	if n.limited {
		limits, share = t.ownLimits(e, capAbove)
	}
	if limits != n.limits {
		n.limits = limits
		t.touch(e)
	}
	if share != n.limitsShare {
		n.limitsShare = share
		t.touch(e)
		t.mark(e, changedPlot)
		if n.parent != none {
			t.mark(n.parent, changedGuarantee)
		}
	}
	if t.options.Profile == Baseline {
		return false
	}
	below := share.Min(capAbove)
	moved := below != n.cap
	n.cap = below
	return moved
}

// ownLimits returns the limits of an element that has some besides the tree's,
// where capAbove is what those above leave it.
func (t *Tree) ownLimits(e Element, capAbove resource.Share) (limits resource.Vector, share resource.Share) {
	n, s := &t.nodes[e], t.settings(e)
	limits = s.ResourceLimits.Or(resource.Unlimited).Min(s.TagLimits.Or(t.total))
	if ratio := s.MaxShareRatio.Or(1); ratio < 1 {
		share := resource.Uniform(ratio)
		if t.options.Profile == Documented {
			share = capAbove.Scale(ratio)
		}
		limits = limits.Min(t.total.TimesShare(share))
	} else if t.options.Profile == Baseline {
		limits = limits.Min(t.total)
	}
	share = limits.Min(t.total).ShareOf(t.total)
	if n.operation != nil && n.operation.HasBestAllocation {
		share = share.Min(n.operation.BestAllocationShare)
	}
	return limits, share
}

// setAmounts computes the shares of usage and demand.
func (t *Tree) setAmounts(e Element) {
	n := &t.nodes[e]
	n.usageShare, n.demandShare = n.usage.ShareOf(t.total), n.demand.ShareOf(t.total)
	judged := n.usage
	if judged.IsZero() {
		judged = n.demand
	}
	n.dominant = judged.DominantKind(t.total)
	t.touch(e)
	if n.operation != nil {
		t.checkAmounts(e)
	}
}

// setHistory advances the historic usage of the children of pools that keep it,
// whether or not their weights follow it yet, by an exponential moving average
// (§2.6).
func (t *Tree) setHistory() {
	for _, p := range t.historic {
		config := &t.nodes[p].pool.config
		alpha := config.HistoryAlpha
		for _, c := range t.nodes[p].children {
			n := &t.nodes[c]
			n.nextHistory, n.nextHistoryTime = n.history, n.historyTime
			if !alpha.Set {
				continue
			}
			if n.historyTime >= 0 {
				keep := math.Exp2(-alpha.Value * resource.Seconds(t.now-n.historyTime))
				n.nextHistory = float64(keep*n.history) + float64((1-keep)*n.usageShare.Dominant())
			}
			n.nextHistoryTime = t.now
		}
		if config.InferWeightsFromHistory {
			t.mark(p, changedGuarantee|changedOrder)
		}
	}
}
