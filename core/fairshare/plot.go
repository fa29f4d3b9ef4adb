package fairshare

import "poolproof/core/resource"

// A point of a plot: a function that is piecewise linear, does not decrease,
// and is continuous from the left (§7.1). Two points with the same x are a
// jump; there are never three. Beyond its last point a plot is constant.
//
// Of F, x is the fit factor and f is the same. Of S, x is the suggestion and f
// the fit factor at which F has this value: the plot M, kept beside S.
type point struct {
	x, f float64
	y    vector
}

// A vector has one value for each kind of Tree.kinds, in that order; the rest
// is unused and zero.
type vector [resource.Kinds]float64

// pack returns the components of s that plots have.
func (t *Tree) pack(s resource.Share) vector {
	var v vector
	for i, k := range t.kinds {
		v[i] = s[k]
	}
	return v
}

// unpack returns v as a share; what the tree does not have is zero.
func (t *Tree) unpack(v *vector) resource.Share {
	var s resource.Share
	for i, k := range t.kinds {
		s[k] = v[i]
	}
	return s
}

// between interpolates from a to b, where t runs from 0 to 1, from the nearer
// end, so that the ends are exact and the result does not decrease with t (§7.9).
// The conversions forbid fusing a product with a sum.
func between(a, b, t float64) float64 {
	if t < 0.5 {
		return a + float64((b-a)*t)
	}
	return b - float64((b-a)*(1-t))
}

// firstFrom returns the index of the first point with an x of at least x.
func firstFrom(plot []point, x float64) int {
	if len(plot) <= 8 {
		for i := range plot {
			if plot[i].x >= x {
				return i
			}
		}
		return len(plot)
	}
	lo, hi := 0, len(plot)
	for lo < hi {
		middle := int(uint(lo+hi) / 2)
		if plot[middle].x < x {
			lo = middle + 1
		} else {
			hi = middle
		}
	}
	return lo
}

// left sets the value of a plot at x, that is, the limit from the left at a
// jump, and the fit factor there.
func left(plot []point, x float64, dimensions int, at *point) {
	i := firstFrom(plot, x)
	at.x = x
	switch {
	case i == len(plot):
		last := &plot[i-1]
		at.f = last.f
		setVector(&at.y, &last.y)
		return
	case i == 0 || plot[i].x == x:
		at.f = plot[i].f
		setVector(&at.y, &plot[i].y)
		return
	}
	a, b := &plot[i-1], &plot[i]
	s := (x - a.x) / (b.x - a.x)
	for k := range dimensions {
		at.y[k] = between(a.y[k], b.y[k], s)
	}
	for k := dimensions; k < len(at.y); k++ {
		at.y[k] = 0
	}
	at.f = between(a.f, b.f, s)
}

// scratch is the memory that one update needs and the next one reuses.
type scratch struct {
	shares    []resource.Share
	hungry    []*poolState
	offers    []relaxedOffer
	runs      []run
	front     []point
	back      []point
	operation []point
	literal   literal
	several   several
	parts     []point // what the children of the elements under way get
}
