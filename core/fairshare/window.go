package fairshare

import "math"

// A window is a closed interval on which a plot is known. Within it the plot
// has the very points that it would have if it were known throughout, so that
// results do not depend on windows.
type window struct{ from, to float64 }

// everywhere is the window of a plot that is complete.
var everywhere = window{0, math.Inf(1)}

// nowhere is an empty window.
var nowhere = window{1, 0}

// empty reports whether a plot is known nowhere.
func (w window) empty() bool { return w.to < w.from }

// covers reports whether a plot may be evaluated at x: inside its window, and not at an end that
// the plot does not reach.
func (w window) covers(x float64) bool {
	return (x > w.from || w.from == 0) && x < w.to
}

// Windows are wider than what the last update had by a margin, relative to it. The margin follows
// how much shares move: it doubles with an update that found a window too narrow, and shrinks
// slowly with each that did not. Too wide a window costs little, too narrow a one much.
const (
	leastMargin = 0.01
	mostMargin  = 0.32
	shrinking   = 0.98
)

// setMargin chooses the margin of the next update.
func (t *Tree) setMargin() {
	if t.widened {
		t.margin = min(2*t.margin, mostMargin)
	} else {
		t.margin = max(shrinking*t.margin, leastMargin)
	}
	t.widened = false
}

// plan chooses, top-down, the windows in which this update builds the plots of e and of those
// below. Only values near the solution matter, and it is expected near that of the last update.
// Plots are built throughout where there was no update, or other values are needed, too.
//
// S of e is needed for suggestions between from and to.
func (t *Tree) plan(e Element, from, to float64) {
	n := &t.nodes[e]
	p := n.pool
	known := n.known.from <= from && to <= n.known.to && len(n.suggestion) > 0
	if known && t.flags[e]&below == 0 {
		return
	}
	if !known || t.planned(p) || e != Root && p.config.Integral.Type != NoGuarantee {
		t.planAll(e)
		return
	}
	var at point
	left(n.suggestion, max(n.known.from, from*(1-t.margin)), 0, &at)
	low := at.f * (1 - t.margin) / p.leastWeight
	left(n.suggestion, min(n.known.to, to*(1+t.margin)), 0, &at)
	high := at.f * (1 + t.margin) / p.leastWeight
	p.wanted = window{low, high}
	if t.flags[e]&changedFunction == 0 {
		// S is known here, but what changed below may need more of it.
		t.mark(e, changedFunction)
	}
	for _, c := range p.pools {
		weight := t.nodes[c].weight
		t.plan(c, min(1, low*weight), min(1, high*weight))
	}
}

// planned reports whether a pool is one of those always built throughout.
func (t *Tree) planned(p *poolState) bool {
	return t.stale || t.literal || t.nested || p.config.Mode == FIFO || p.config.ComputePromisedGuarantee || len(p.function) == 0
}

// planAll plans complete plots for e and all below.
func (t *Tree) planAll(e Element) {
	n := &t.nodes[e]
	n.pool.wanted = everywhere
	if n.pool.known == everywhere && n.known == everywhere && t.flags[e]&below == 0 {
		return // and so is everything below
	}
	if n.pool.known != everywhere || n.known != everywhere {
		t.mark(e, changedFunction)
	}
	for _, c := range n.pool.pools {
		t.planAll(c)
	}
}

// widen builds the plots of e and of all below throughout, after a window turned out too narrow.
// What was made of them before stands: it came from within the window, where they do not change.
func (t *Tree) widen(e Element) {
	t.widened = true
	t.planAll(e)
	t.build(e)
}

// within returns the part of a plot from the last point not beyond from to the
// first one not before to, and its window.
func within(plot []point, known, wanted window) ([]point, window) {
	if wanted == everywhere {
		return plot, known
	}
	first := firstFrom(plot, wanted.from)
	if first == len(plot) || first > 0 && plot[first].x > wanted.from {
		first--
		if first > 0 && plot[first-1].x == plot[first].x {
			first--
		}
	}
	got := known
	if first > 0 {
		got.from = plot[first].x
	}
	last := first + firstFrom(plot[first:], wanted.to)
	if last+1 < len(plot) && plot[last+1].x == plot[last].x {
		last++
	}
	if last+1 < len(plot) {
		plot = plot[:last+1]
		got.to = plot[last].x
	}
	return plot[first:], got
}
