package fairshare

// compose makes S, which is F at M: at each point of M, and wherever M passes a
// point of F (§7.1).
func (l *literal) compose(plot []point) {
	l.findPlaces(plot)
	out, w := l.composed[:0], ascent{plot: plot, dimensions: l.dimensions}
	for i, at := range l.places {
		if i == 0 || l.places[i-1].x != at.x {
			p := point{x: at.x}
			w.left(at.y, &p.y)
			out = addPoint(out, &p)
		}
		if i+1 == len(l.places) || l.places[i+1].x != at.x {
			p := point{x: at.x}
			if i+1 < len(l.places) && l.places[i+1].y > at.y {
				w.right(at.y, &p.y)
			} else {
				w.left(at.y, &p.y)
			}
			out = addPoint(out, &p)
		}
	}
	if n := len(out); n > 1 && out[n-2].x == out[n-1].x {
		out = out[:n-1] // a jump at the right end means nothing
	}
	l.composed = out
}

// findPlaces finds where S has points.
func (l *literal) findPlaces(plot []point) {
	out, j := l.places[:0], 0
	for i, m := range l.fits {
		if i > 0 {
			a := l.fits[i-1]
			for ; j < len(plot) && plot[j].x < m.y; j++ {
				x := plot[j].x
				if x > a.y && a.x < m.x && (j == 0 || plot[j-1].x != x) {
					out = append(out, knot{between(a.x, m.x, (x-a.y)/(m.y-a.y)), x})
				}
			}
		}
		out = append(out, m)
	}
	l.places = out
}

// addPoint appends a point, and drops the one before if a jump or a level piece
// leads through it.
func addPoint(plot []point, p *point) []point {
	n := len(plot)
	if n > 0 && plot[n-1].x == p.x && plot[n-1].y == p.y {
		return plot
	}
	if n > 1 {
		a, b := &plot[n-2], &plot[n-1]
		if a.x == b.x && b.x == p.x || a.y == b.y && b.y == p.y {
			*b = *p
			return plot
		}
	}
	return append(plot, *p)
}

// An ascent is F, evaluated from left to right.
type ascent struct {
	plot       []point
	dimensions int
	i          int // the first point not before
}

func (w *ascent) seek(x float64) {
	for w.i < len(w.plot) && w.plot[w.i].x < x {
		w.i++
	}
}

// left sets y to the value at x.
func (w *ascent) left(x float64, y *vector) {
	w.seek(x)
	switch {
	case w.i == len(w.plot):
		*y = w.plot[w.i-1].y
	case w.plot[w.i].x == x:
		*y = w.plot[w.i].y
	default:
		a, b := &w.plot[w.i-1], &w.plot[w.i]
		t := (x - a.x) / (b.x - a.x)
		for k := range w.dimensions {
			y[k] = between(a.y[k], b.y[k], t)
		}
	}
}

// right sets y to the limit from the right at x.
func (w *ascent) right(x float64, y *vector) {
	w.seek(x)
	if w.i+1 < len(w.plot) && w.plot[w.i+1].x == x {
		*y = w.plot[w.i+1].y
		return
	}
	w.left(x, y)
}
