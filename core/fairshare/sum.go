package fairshare

import (
	"math"
	"slices"
)

// A run is a plot within a buffer: the points from start to end, and where it
// is known.
type run struct {
	start, end int
	known      window
}

// sumFairShare computes F of a composite that divides by weight: the sum of
// its children's S, each with its suggestion scaled by the child's weight
// (§7.3), in the window that is wanted. The result replaces the points of into.
//
// Few children are added all at once, in child order, as the reference adds any
// number of them. Many are added in pairs, the sums in pairs again, and so on:
// each point is touched once per level, and rounding grows with the levels only.
func (t *Tree) sumFairShare(e Element, into []point) ([]point, window) {
	p := t.nodes[e].pool
	s := &t.scratch
	front, runs := s.front[:0], s.runs[:0]
	for _, c := range t.nodes[e].children {
		n := &t.nodes[c]
		if isZero(n.suggestion) {
			continue
		}
		known, wanted := everywhere, everywhere
		if n.pool != nil {
			known = n.known
		}
		if p.wanted != everywhere {
			wanted = window{p.wanted.from * n.weight, min(1, p.wanted.to*n.weight)}
		}
		plot, known := within(n.suggestion, known, wanted)
		start, scale := len(front), n.weight/p.leastWeight
		front = appendScaled(front, plot, n.weight, p.leastWeight, len(t.kinds))
		if n.weight == 0 {
			known, scale = everywhere, 1
		}
		runs = append(runs, run{start, len(front), window{known.from / scale, known.to / scale}})
	}
	back := s.back
	if 2 < len(runs) && (t.literal || len(runs) <= fewChildren) {
		back, runs = s.several.addAll(back[:0], front, runs)
		front, back = back, front
	}
	for len(runs) > 1 {
		back = back[:0]
		pairs := len(runs) / 2
		for i := range pairs {
			a, b := runs[2*i], runs[2*i+1]
			start := len(back)
			known := window{max(a.known.from, b.known.from), min(a.known.to, b.known.to)}
			if known.empty() {
				s.front, s.back, s.runs = front, back, runs
				return append(into[:0], point{}), nowhere
			}
			back = appendSum(back, front[a.start:a.end], front[b.start:b.end], known)
			runs[i] = run{start, len(back), known}
		}
		if len(runs)%2 == 1 {
			odd := runs[len(runs)-1]
			runs[pairs] = run{len(back), len(back) + odd.end - odd.start, odd.known}
			back = append(back, front[odd.start:odd.end]...)
			pairs++
		}
		runs = runs[:pairs]
		front, back = back, front
	}
	into = append(into[:0], front...)
	known := everywhere
	if len(runs) > 0 {
		known = runs[0].known
	}
	s.front, s.back, s.runs = front, back, runs
	if !math.IsInf(known.to, 1) {
		return into, known
	}
	return closed(into, 1), known
}

// isZero reports whether a plot is zero throughout.
func isZero(plot []point) bool { return len(plot) == 1 && plot[0].y == vector{} }

// closed ends a plot of F with a point at the end of its domain.
func closed(plot []point, end float64) []point {
	if len(plot) == 0 {
		plot = append(plot, point{})
	}
	if last := plot[len(plot)-1]; last.x < end {
		plot = append(plot, point{x: end, f: end, y: last.y})
	}
	return plot
}

// appendScaled appends the S of a child of the given weight as a function of
// the fit factor. One of weight zero never gets beyond what S gives at 0.
func appendScaled(into, plot []point, weight, leastWeight float64, dimensions int) []point {
	if weight == 0 {
		return append(into, point{y: plot[0].y})
	}
	start, scale := len(into), weight/leastWeight
	for i := range plot {
		p := &plot[i]
		x := p.x / scale
		if x > 1 { // only below the least weight
			last := point{x: 1, f: 1}
			left(plot, min(1, weight/leastWeight), dimensions, &last)
			last.x, last.f = 1, 1
			return push(into, start, &last)
		}
		if n := len(into); n > start && into[n-1].x == x {
			if p.y == plot[i-1].y {
				continue // a jump of M alone
			}
			if n-start >= 2 && into[n-2].x == x {
				n-- // keep only the ends of a jump
			}
			into = into[:n]
		}
		into = append(into, point{})
		out := &into[len(into)-1]
		out.x, out.f = x, x
		setVector(&out.y, &p.y)
	}
	return into
}

// setVector sets v to w, number by number.
func setVector(v, w *vector) {
	v[0], v[1], v[2], v[3], v[4] = w[0], w[1], w[2], w[3], w[4]
}

// push appends a point to the plot that begins at start, and keeps only the
// ends of a jump that has come to have three points.
func push(into []point, start int, p *point) []point {
	n := len(into)
	if n-start >= 2 && into[n-1].x == p.x && into[n-2].x == p.x {
		into = into[:n-1]
	}
	into = append(into, point{})
	out := &into[len(into)-1]
	out.x, out.f = p.x, p.f
	setVector(&out.y, &p.y)
	return into
}

// appendSum appends the sum of two plots, where both are known. At each
// abscissa of either it adds the values from the left, and those from the
// right.
//
// Most of an update's time is spent here. Vectors are written in place, number
// by number and all five of them, whatever kinds the tree has: copies of whole
// vectors just written, and loops, take twice the time.
func appendSum(into, a, b []point, known window) []point {
	n := len(into)
	into = slices.Grow(into, len(a)+len(b))[:n+len(a)+len(b)]
	i, j := 0, 0
	if known.from > 0 {
		i, j = firstFrom(a, known.from), firstFrom(b, known.from)
	}
	for i < len(a) || j < len(b) {
		if known.to <= 1 && (i == len(a) || a[i].x > known.to) && (j == len(b) || b[j].x > known.to) {
			break
		}
		switch {
		case j == len(b) || i < len(a) && a[i].x < b[j].x:
			i, n = addBetween(into, n, a, i, b, j)
		case i == len(a) || a[i].x > b[j].x:
			j, n = addBetween(into, n, b, j, a, i)
		default:
			firstA, firstB := &a[i], &b[j]
			lastA, lastB := firstA, firstB
			i, j = i+1, j+1
			if i < len(a) && a[i].x == firstA.x {
				lastA = &a[i]
				i++
			}
			if j < len(b) && b[j].x == firstB.x {
				lastB = &b[j]
				j++
			}
			into[n].x, into[n].f = firstA.x, firstA.x
			setSum(&into[n].y, &firstA.y, &firstB.y)
			n++
			if lastA != firstA || lastB != firstB {
				into[n].x, into[n].f = firstA.x, firstA.x
				setSum(&into[n].y, &lastA.y, &lastB.y)
				n++
			}
		}
	}
	return into[:n]
}

// addBetween writes the sum at point i of plot to into[n:], where other has no
// point: the next one there is j. It returns the next i and n.
func addBetween(into []point, n int, plot []point, i int, other []point, j int) (nextPoint, nextSum int) {
	p, out := &plot[i], &into[n]
	out.x, out.f = p.x, p.x
	if j == len(other) {
		setSum(&out.y, &p.y, &other[j-1].y)
	} else {
		a, b := &other[j-1], &other[j]
		addMixed(&out.y, &p.y, a, b, (p.x-a.x)/(b.x-a.x))
	}
	i, n = i+1, n+1
	if i == len(plot) || plot[i].x != p.x {
		return i, n
	}
	// A jump: the other plot is continuous here.
	top, upper := &plot[i], &into[n]
	upper.x, upper.f = p.x, p.x
	if j == len(other) {
		setSum(&upper.y, &top.y, &other[j-1].y)
	} else {
		a, b := &other[j-1], &other[j]
		addMixed(&upper.y, &top.y, a, b, (p.x-a.x)/(b.x-a.x))
	}
	return i + 1, n + 1
}

// setSum sets sum to v + w.
func setSum(sum, v, w *vector) {
	sum[0] = v[0] + w[0]
	sum[1] = v[1] + w[1]
	sum[2] = v[2] + w[2]
	sum[3] = v[3] + w[3]
	sum[4] = v[4] + w[4]
}

// joinFIFO computes F of a FIFO pool: the children's S one after the other,
// each on an interval of length 1 (§7.3).
func (t *Tree) joinFIFO(e Element, into []point) []point {
	into = into[:0]
	var before vector
	for i, c := range t.nodes[e].pool.order {
		plot := t.nodes[c].suggestion
		for j := range plot {
			if j == 0 && i > 0 && isSame(into[len(into)-1], float64(i), before) {
				continue
			}
			y := before
			for k := range t.kinds {
				y[k] += plot[j].y[k]
			}
			x := float64(i) + plot[j].x
			into = push(into, 0, &point{x: x, f: x, y: y})
		}
		before = into[len(into)-1].y
	}
	return closed(into, max(1, float64(len(t.nodes[e].pool.order))))
}

// isSame reports whether p is the point (x, y).
func isSame(p point, x float64, y vector) bool { return p.x == x && p.y == y }
