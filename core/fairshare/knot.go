package fairshare

// A knot is a point of a plot of numbers, such as M: the fit factor y at the
// suggestion x. As with points, two knots with the same x are a jump.
type knot struct{ x, y float64 }

// addKnot appends a knot, and drops the one before if a jump or a level piece
// leads through it.
func addKnot(plot []knot, k knot) []knot {
	n := len(plot)
	if n > 0 && plot[n-1] == k {
		return plot
	}
	if n > 1 {
		a, b := &plot[n-2], &plot[n-1]
		if a.x == b.x && b.x == k.x || a.y == b.y && b.y == k.y {
			*b = k
			return plot
		}
	}
	return append(plot, k)
}

// closeKnots continues a plot to 1, or drops a jump there, which means nothing.
func closeKnots(plot []knot) []knot {
	n := len(plot)
	switch last := plot[n-1]; {
	case last.x < 1:
		return addKnot(plot, knot{1, last.y})
	case n > 1 && plot[n-2].x == last.x:
		return plot[:n-1]
	}
	return plot
}

// valueAt returns the value at x of the piece from a to b, which must not be a jump.
func valueAt(a, b *knot, x float64) float64 {
	return between(a.y, b.y, (x-a.x)/(b.x-a.x))
}

// leftOf returns the value of a plot of numbers at x.
func leftOf(plot []knot, x float64) float64 {
	lo, hi := 1, len(plot)-1
	for lo < hi {
		if middle := int(uint(lo+hi) / 2); plot[middle].x < x {
			lo = middle + 1
		} else {
			hi = middle
		}
	}
	a, b := &plot[lo-1], &plot[lo]
	if a.x == b.x {
		return a.y
	}
	return valueAt(a, b, x)
}

// A walk evaluates a plot of numbers from left to right.
type walk struct {
	plot []knot
	i    int // the piece from knot i to the next
}

// sides returns the values from the left and from the right at x.
func (w *walk) sides(x float64) (left, right float64) {
	plot := w.plot
	for w.i+2 < len(plot) && plot[w.i+1].x < x {
		w.i++
	}
	if w.i+1 == len(plot) {
		return plot[w.i].y, plot[w.i].y
	}
	a, b := &plot[w.i], &plot[w.i+1]
	switch {
	case b.x == x && w.i+2 < len(plot) && plot[w.i+2].x == x:
		return b.y, plot[w.i+2].y
	case a.x == b.x:
		return a.y, b.y
	}
	y := valueAt(a, b, x)
	return y, y
}

// piece returns the ends of the piece that leads on from x, which is not the
// right end.
func (w *walk) piece(x float64) (a, b *knot) {
	for w.i+2 < len(w.plot) && w.plot[w.i+1].x <= x {
		w.i++
	}
	return &w.plot[w.i], &w.plot[w.i+1]
}
