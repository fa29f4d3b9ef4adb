package fairshare

import (
	"math"

	"poolproof/core/resource"
)

// setWeights computes the effective weights of the children of p.
func (t *Tree) setWeights(p Element) {
	for _, c := range t.nodes[p].children {
		n := &t.nodes[c]
		if weight := t.effectiveWeight(c); weight != n.weight {
			n.weight = weight
			t.touch(c)
			t.mark(p, changedFunction)
		}
	}
}

// effectiveWeight follows historic usage, or is the one specified, or follows
// the guarantee, or is 1 (§2.6).
func (t *Tree) effectiveWeight(e Element) float64 {
	n := &t.nodes[e]
	parent := &t.nodes[n.parent]
	specified := t.settings(e).Weight
	switch {
	case parent.pool.config.InferWeightsFromHistory:
		return min(specified.Or(1), mostWeight) * math.Exp2(-n.nextHistory)
	case specified.Set:
		return min(specified.Value, mostWeight)
	case t.options.InferWeightMultiplier == 0:
		return 1
	}
	own, of := n.strong.Dominant(), parent.strong.Dominant()+parent.pool.totalFlow
	if n.pool != nil {
		own += n.pool.totalFlow
	}
	if own < computationPrecision || of < computationPrecision {
		return 1
	}
	return own * t.options.InferWeightMultiplier / of
}

// promise divides among the children of p what it is promised and what its
// guarantees are estimated to give: first each child's own guarantee in child
// order, then the rest by weight (§5.4).
func (t *Tree) promise(p Element) {
	n := &t.nodes[p]
	weights := 0.0
	promised, estimated := n.promised, n.estimated
	for _, c := range n.children {
		child := &t.nodes[c]
		weights += child.weight
		if own, some := child.guaranteed(); some {
			promised = promised.Sub(own.Min(promised))
			estimated = estimated.Sub(own.Min(estimated))
		}
	}
	leftPromised, leftEstimated := n.promised, n.estimated
	for _, c := range n.children {
		child := &t.nodes[c]
		var ofPromised, ofEstimated resource.Share // if all weights are 0, the rest is given to none
		if weights > 0 {
			// In this order, as the reference has it: the last bit hangs on it.
			ofPromised, ofEstimated = promised.Scale(child.weight).Over(weights), estimated.Scale(child.weight).Over(weights)
		}
		if own, some := child.guaranteed(); some {
			first, second := own.Min(leftPromised), own.Min(leftEstimated)
			leftPromised, leftEstimated = leftPromised.Sub(first), leftEstimated.Sub(second)
			ofPromised, ofEstimated = first.Add(ofPromised), second.Add(ofEstimated)
		}
		t.setPromises(c, ofPromised, ofEstimated)
	}
}

// setPromises sets the promised and the estimated guarantee share of e.
func (t *Tree) setPromises(e Element, promised, estimated resource.Share) {
	n := &t.nodes[e]
	if n.promised == promised && n.estimated == estimated {
		return
	}
	n.promised, n.estimated = promised, estimated
	t.touch(e)
	if n.pool != nil {
		t.mark(e, changedGuarantee)
	}
}

// guaranteed is the strong guarantee of an element with its flow on top, and
// whether there is any.
func (n *node) guaranteed() (share resource.Share, some bool) {
	if n.pool != nil && n.pool.totalFlow != 0 {
		return n.strong.Plus(n.pool.totalFlow), true
	}
	return n.strong, n.strong != resource.Share{}
}
