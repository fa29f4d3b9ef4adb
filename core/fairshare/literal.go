package fairshare

import "poolproof/core/resource"

// literalElements is up to how many elements a tree has literal plots. Only in
// small trees are usage and fair share often the same fraction, so that decisions
// hang on the last bit; in large ones literal plots would take three to ten times
// as long.
const literalElements = 64

// A literal builds M and S from F in the steps of §7.4: the inverse of every
// component, their minimum, F at it, and no more points than straight lines need.
// These are the very points of the reference, and so its very rounding.
type literal struct {
	dimensions int
	value      []knot  // a component of F, with the axes swapped
	inverse    []knot  // M of this component alone
	fits       []knot  // M of the components so far
	spare      []knot  // for the next
	places     []knot  // where S has points: suggestions, and M there
	composed   []point // S with all of them
}

// chooseSteps decides how this update builds plots. It follows the size of the
// tree alone: results must not depend on its history.
func (t *Tree) chooseSteps() {
	if literal := len(t.nodes)-len(t.free) <= t.literalElements; literal != t.literal {
		t.literal, t.stale = literal, true
	}
}

// literally returns the builder of literal plots.
func (t *Tree) literally() *literal {
	l := &t.scratch.literal
	l.dimensions = len(t.kinds)
	return l
}

// run makes M and S of an element whose F is plot, under a guarantee and a limit,
// and appends S to into, which is empty. It returns false if F exceeds the limit
// at 0 already (§7.12, 4).
func (l *literal) run(plot []point, guarantee, limit *vector, into []point) (s []point, ok bool) {
	l.fits = append(l.fits[:0], knot{0, plot[len(plot)-1].x}, knot{1, plot[len(plot)-1].x})
	ok = true
	for k := range l.dimensions {
		ok = ok && plot[0].y[k] < limit[k]+computationPrecision
		l.invert(plot, k, guarantee[k], limit[k])
		l.spare = least(l.spare[:0], l.fits, l.inverse)
		l.fits, l.spare = l.spare, l.fits
	}
	l.compose(plot)
	return l.compress(into), ok
}

// invert makes M of component k alone: the largest fit factor at which F has no
// more of it than guarantee and suggestion together, or than the limit. Where F
// stays level M jumps.
func (l *literal) invert(plot []point, k int, guarantee, limit float64) {
	value := l.value[:0]
	for i := range plot {
		value = addKnot(value, knot{plot[i].y[k], plot[i].x})
	}
	l.value = value
	low, high := value[0].x, value[len(value)-1].x
	limit = min(max(limit, low), high)
	guarantee = min(max(guarantee, low), limit)

	w := walk{plot: value}
	_, start := w.sides(guarantee) // what costs nothing beyond the guarantee is taken at once
	out := append(l.inverse[:0], knot{0, start})
	add := func(height float64) {
		left, right := w.sides(height)
		out = addKnot(out, knot{height - guarantee, left})
		out = addKnot(out, knot{height - guarantee, right})
	}
	for i := range value {
		if x := value[i].x; x > guarantee && x < limit && x != value[i-1].x {
			add(x)
		}
	}
	if limit > guarantee {
		add(limit)
	}
	l.inverse = closeKnots(out)
}

// least appends the minimum of two plots on [0, 1]: it has a knot at each abscissa
// of either, and where they cross.
func least(into, f, g []knot) []knot {
	fs, gs := walk{plot: f}, walk{plot: g}
	add := func(x float64) {
		a, aRight := fs.sides(x)
		b, bRight := gs.sides(x)
		into = addKnot(into, knot{x, min(a, b)})
		into = addKnot(into, knot{x, min(aRight, bRight)})
	}
	add(0)
	fp, gp := walk{plot: f}, walk{plot: g}
	for x := 0.0; x < 1; {
		a, b := fp.piece(x)
		c, d := gp.piece(x)
		next := min(b.x, d.x)
		if at := crossing(a, b, c, d, x, next); at > x {
			add(at)
		}
		x = next
		add(x)
	}
	return into
}

// crossing returns where two pieces cross between two abscissas: the last number
// at which the lower one still is not above the other (§7.9). It returns the first
// abscissa if they do not cross.
func crossing(a, b, c, d *knot, from, to float64) float64 {
	low, high := valueAt(a, b, from), valueAt(c, d, from)
	if high < low {
		a, b, c, d, low, high = c, d, a, b, high, low
	}
	lowEnd, highEnd := valueAt(a, b, to), valueAt(c, d, to)
	if low >= high || lowEnd <= highEnd {
		return from
	}
	// Far from where they cross in exact arithmetic rounding decides nothing.
	closing := (high - low) + (lowEnd - highEnd)
	middle := from + (to-from)*((high-low)/closing)
	doubt := 1e-14 * ((to-from)*(max(lowEnd, highEnd)/closing) + to)
	return largest(from, to, func(x float64) bool {
		switch {
		case x < middle-doubt:
			return true
		case x > middle+doubt:
			return false
		}
		return valueAt(a, b, x) <= valueAt(c, d, x)
	})
}

// isIdle reports whether an operation uses nothing.
func isIdle(usage *resource.Share) bool { return *usage == resource.Share{} }

// suggestIdle makes S of an operation that uses nothing and has no guarantee: a
// straight line to its demand, if its limits allow that. All points between are
// those that compress drops. It returns false where that does not hold.
func (t *Tree) suggestIdle(n *node, guarantee, limit *vector) bool {
	end := point{y: t.pack(n.demandShare)}
	for k := range t.kinds {
		if guarantee[k] > 0 || limit[k] < end.y[k] {
			return false
		}
		end.x = max(end.x, end.y[k])
	}
	n.suggestion = append(n.suggestion[:0], point{})
	if end.x > 0 {
		n.suggestion = append(n.suggestion, end)
	}
	return true
}
