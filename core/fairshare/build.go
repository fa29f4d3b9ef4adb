package fairshare

import (
	"math"
	"slices"

	"poolproof/core/resource"
)

// build brings the plots of e and of all below it up to date (§7.2–7.4).
//
// Where an integral pool lies inside another, S of an element stays as it was
// first built in this update, unless its own flags say otherwise, even if
// those below it were built anew (§6.9).
func (t *Tree) build(e Element) {
	if t.flags[e]&below == 0 {
		return
	}
	n := &t.nodes[e]
	if n.pool != nil {
		t.buildFunction(e)
	}
	if t.flags[e]&changedPlot == 0 {
		return
	}
	t.flags[e] = t.flags[e]&^changedPlot | rebuilt
	limit, share := t.pack(n.limitsShare), n.strong.Add(n.proposed)
	given := t.pack(share)
	f := t.scratch.operation
	if n.pool != nil {
		f = n.pool.function
	} else {
		f = t.operationFunction(n, f[:0])
		t.scratch.operation = f
	}
	if !t.suggest(n, f, &given, &limit) {
		t.refuse(e, tooMuchAtZero)
		n.suggestion = append(n.suggestion[:0], point{})
	}
	if n.known.empty() {
		t.widen(e) // the windows below it do not meet, or not where its limit lies
	}
	if parent := n.parent; parent != none && !t.nested {
		t.flags[parent] |= changedFunction
	}
}

// tooMuchAtZero is the reason for refusing an element whose S cannot be built (§7.12, 4).
const tooMuchAtZero = "fair share exceeds the limits already without a suggestion"

// suggest makes S of an element, and M beside it, from F under a guarantee and a
// limit. It returns false if F exceeds the limit at 0 already.
func (t *Tree) suggest(n *node, f []point, guarantee, limit *vector) (ok bool) {
	if t.literal {
		n.known = everywhere
		if n.pool == nil && isIdle(&n.usageShare) && !t.isStep(n) && t.suggestIdle(n, guarantee, limit) {
			return true
		}
		l := t.literally()
		n.suggestion, ok = l.run(f, guarantee, limit, n.suggestion[:0])
		if n.pool != nil {
			n.pool.fits, l.fits = l.fits, n.pool.fits
		}
		return ok
	}
	s := sweep{dimensions: len(t.kinds), out: n.suggestion[:0], known: everywhere}
	if n.pool != nil {
		s.known = n.pool.known
	}
	ok = s.run(f, guarantee, limit)
	n.suggestion, n.known = s.out, s.known
	return ok
}

// buildFunction brings F of a composite up to date, and all plots below it.
func (t *Tree) buildFunction(e Element) {
	n := &t.nodes[e]
	for i, c := range n.children {
		if t.flags[c]&below != 0 {
			t.prefetchNodes(n.children, i)
			t.build(c)
			t.flags[e] |= t.flags[c] & rebuilt
		}
	}
	if t.flags[e]&changedFunction == 0 {
		return
	}
	t.flags[e] = t.flags[e]&^changedFunction | changedPlot
	p := n.pool
	if p.config.Mode == FIFO {
		p.function, p.known = t.joinFIFO(e, p.function), everywhere
		return
	}
	p.leastWeight = t.leastWeight(e)
	p.function, p.known = t.sumFairShare(e, p.function)
}

// leastWeight returns w_min, the least weight above EPS among the children of
// a composite (§7.3), or the least of all if none is.
func (t *Tree) leastWeight(e Element) float64 {
	children := t.nodes[e].children
	least, smallest := math.Inf(1), math.Inf(1)
	for _, c := range children {
		w := t.nodes[c].weight
		if w == 0 {
			if t.options.Profile == Baseline {
				t.refuse(c, "weight 0 in a pool that divides by weight")
			}
			continue
		}
		smallest = min(smallest, w)
		if w > computationPrecision {
			least = min(least, w)
		}
	}
	if !math.IsInf(least, 1) {
		return least
	}
	if t.options.Profile == Baseline && len(children) > 0 {
		t.refuse(e, "no child has a weight above 1e-9")
	}
	if math.IsInf(smallest, 1) {
		return 1
	}
	return smallest
}

// operationFunction computes F of an operation on [0, 2] (§7.2): up to 1 all
// kinds rise at one speed until their usage is reached, then all grow toward
// demand. That of a gang may be a step: nothing up to 1, and its demand from there.
func (t *Tree) operationFunction(n *node, into []point) []point {
	used, demanded := t.pack(n.usageShare), t.pack(n.demandShare)
	into = append(into, point{})
	if t.isStep(n) {
		return append(into, point{x: 1, f: 1}, point{x: 1, f: 1, y: demanded}, point{x: 2, f: 2, y: demanded})
	}
	speed := n.usageShare.Dominant()
	if speed > 0 {
		var levels [resource.Kinds]float64
		count := copy(levels[:], used[:len(t.kinds)])
		slices.Sort(levels[:count])
		for i, level := range levels[:count] {
			if level == 0 || level >= speed || i > 0 && level == levels[i-1] {
				continue
			}
			p := point{x: level / speed, f: level / speed}
			for k := range t.kinds {
				p.y[k] = min(used[k], level)
			}
			into = append(into, p)
		}
	}
	return append(into, point{x: 1, f: 1, y: used}, point{x: 2, f: 2, y: demanded})
}

// isStep reports whether F of an operation is a step (§7.2).
func (t *Tree) isStep(n *node) bool {
	return n.operation.Gang && t.options.StepFunctionForGangs && t.nodes[n.parent].pool.config.StepFunctionForGangs != Off
}

// A trial is the plot S of an integral pool under a guarantee or a limit that
// holds only while its integral share is sought.
type trial struct {
	t    *Tree
	plot []point
}

// try returns S of e under a tentative guarantee and limit, only its beginning
// if start is set. Where e was built
// before, inside another integral pool, that plot stands (§6.9).
func (t *Tree) try(e Element, guarantee, limits resource.Share, start bool) trial {
	n := &t.nodes[e]
	wasBuilt := t.nested && t.flags[e]&(changedFunction|changedPlot) == 0
	t.buildFunction(e)
	if wasBuilt {
		return trial{t, n.suggestion}
	}
	given, limit := t.pack(guarantee), t.pack(limits)
	ok := false
	if t.literal {
		n.pool.trial, ok = t.literally().run(n.pool.function, &given, &limit, n.pool.trial[:0])
	} else {
		s := sweep{dimensions: len(t.kinds), out: n.pool.trial[:0], known: everywhere, start: start}
		ok = s.run(n.pool.function, &given, &limit)
		n.pool.trial = s.out
	}
	if !ok {
		t.refuse(e, tooMuchAtZero)
		n.pool.trial = append(n.pool.trial[:0], point{})
	}
	return trial{t, n.pool.trial}
}

// shareAt returns the value of the plot at a suggestion.
func (r trial) shareAt(suggestion float64) resource.Share {
	var at point
	left(r.plot, suggestion, len(r.t.kinds), &at)
	return r.t.unpack(&at.y)
}
