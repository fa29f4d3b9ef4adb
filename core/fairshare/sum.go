package fairshare

// A run is a plot within a buffer: the points from start to end.
type run struct{ start, end int }

// sumFairShare computes F of a composite that divides by weight: the sum of
// its children's S, each with its suggestion scaled by the child's weight
// (§7.3). The result replaces the points of into.
//
// The children are added in pairs, the sums in pairs again, and so on: each
// point is touched once per level, and rounding grows with the levels only.
func (t *Tree) sumFairShare(e Element, into []point) []point {
	p := t.nodes[e].pool
	s := &t.scratch
	front, runs := s.front[:0], s.runs[:0]
	for _, c := range t.nodes[e].children {
		n := &t.nodes[c]
		if isZero(n.suggestion) {
			continue
		}
		start := len(front)
		front = appendScaled(front, n.suggestion, n.weight, p.leastWeight, len(t.kinds))
		runs = append(runs, run{start, len(front)})
	}
	back := s.back
	for len(runs) > 1 {
		back = back[:0]
		pairs := len(runs) / 2
		for i := range pairs {
			a, b := runs[2*i], runs[2*i+1]
			start := len(back)
			back = appendSum(back, front[a.start:a.end], front[b.start:b.end], len(t.kinds))
			runs[i] = run{start, len(back)}
		}
		if len(runs)%2 == 1 {
			odd := runs[len(runs)-1]
			runs[pairs] = run{len(back), len(back) + odd.end - odd.start}
			back = append(back, front[odd.start:odd.end]...)
			pairs++
		}
		runs = runs[:pairs]
		front, back = back, front
	}
	into = append(into[:0], front...)
	s.front, s.back, s.runs = front, back, runs
	return closed(into, 1)
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
	start, scale := len(into), leastWeight/weight
	for i := range plot {
		x := plot[i].x * scale
		if x > 1 { // only below the least weight
			y, _ := left(plot, min(1, weight/leastWeight), dimensions)
			return push(into, start, point{x: 1, f: 1, y: y})
		}
		if i > 0 && x == into[len(into)-1].x && plot[i].y == plot[i-1].y {
			continue // a jump of M alone
		}
		into = push(into, start, point{x: x, f: x, y: plot[i].y})
	}
	return into
}

// push appends a point to the plot that begins at start, and keeps only the
// ends of a jump that has come to have three points.
func push(into []point, start int, p point) []point {
	n := len(into)
	if n-start >= 2 && into[n-1].x == p.x && into[n-2].x == p.x {
		into[n-1] = p
		return into
	}
	return append(into, p)
}

// appendSum appends the sum of two plots that begin at 0. At each abscissa of
// either it adds the values from the left, and those from the right.
func appendSum(into, a, b []point, dimensions int) []point {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		var x float64
		switch {
		case i == len(a):
			x = b[j].x
		case j == len(b):
			x = a[i].x
		default:
			x = min(a[i].x, b[j].x)
		}
		n := len(into)
		into = append(into, point{x: x, f: x}, point{x: x, f: x})
		lower, upper := &into[n].y, &into[n+1].y
		var jumpA, jumpB bool
		i, jumpA = addAt(a, i, x, lower, upper, dimensions)
		j, jumpB = addAt(b, j, x, lower, upper, dimensions)
		if !jumpA && !jumpB {
			into = into[:n+1]
		}
	}
	return into
}

// addAt adds the values of a plot at x, from the left to lower and from the
// right to upper, where i is its first point not before x. It returns the
// first point beyond x, and whether there is a jump at x.
func addAt(plot []point, i int, x float64, lower, upper *vector, dimensions int) (next int, jump bool) {
	switch {
	case i == len(plot):
		last := &plot[i-1].y
		for k := range dimensions {
			lower[k] += last[k]
			upper[k] += last[k]
		}
		return i, false
	case plot[i].x > x:
		a, b := &plot[i-1], &plot[i]
		s := (x - a.x) / (b.x - a.x)
		for k := range dimensions {
			y := between(a.y[k], b.y[k], s)
			lower[k] += y
			upper[k] += y
		}
		return i, false
	}
	first, last := &plot[i].y, &plot[i].y
	next = i + 1
	if next < len(plot) && plot[next].x == x {
		last = &plot[next].y
		next++
	}
	for k := range dimensions {
		lower[k] += first[k]
		upper[k] += last[k]
	}
	return next, first != last
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
			into = push(into, 0, point{x: x, f: x, y: y})
		}
		before = into[len(into)-1].y
	}
	return closed(into, max(1, float64(len(t.nodes[e].pool.order))))
}

// isSame reports whether p is the point (x, y).
func isSame(p point, x float64, y vector) bool { return p.x == x && p.y == y }
