package fairshare

// compressionPrecision bounds the change of a value of S by dropping points (§7.9, rule 5).
const compressionPrecision = 1e-15

// A ray leads from the point where the piece under way begins: how far right, and
// how far up.
type ray struct{ x, y float64 }

// steeper is above zero if r rises more steeply than s, and below zero if less.
func (r ray) steeper(s ray) float64 { return float64(s.x*r.y) - float64(r.x*s.y) }

// compress appends S without the points that lie on a straight line between
// others, within the compression precision: from the left, each piece is made as
// long as it can be.
func (l *literal) compress(into []point) []point {
	all := l.composed
	if len(all) == 1 {
		return append(into, all[0])
	}
	start, end := &all[0], &all[1]
	into = append(into, *start)
	var c corridor
	c.open(start, end, l.dimensions)
	for i := 2; i < len(all); i++ {
		next := &all[i]
		if !c.admits(start, next, l.dimensions) {
			into = addPoint(into, end)
			start = end
			c.open(start, next, l.dimensions)
		}
		end = next
	}
	into = addPoint(into, end)
	if n := len(into); n > 1 && into[n-2].y == into[n-1].y {
		into = into[:n-1] // a plot is constant beyond its last point
	}
	return into
}

// A corridor bounds the straight line that may replace the pieces so far: below the top rays and
// above the bottom ones.
type corridor struct{ top, bottom [len(vector{})]ray }

// open makes the corridor that of one piece.
func (c *corridor) open(a, b *point, dimensions int) {
	for k := range dimensions {
		c.top[k], c.bottom[k] = bounds(a, b, k)
	}
}

// bounds returns the rays from a to just above b and to just below it.
func bounds(a, b *point, k int) (top, bottom ray) {
	x := b.x - a.x
	return ray{x, b.y[k] + compressionPrecision - a.y[k]}, ray{x, b.y[k] - compressionPrecision - a.y[k]}
}

// admits reports whether a straight line from a to b may replace the pieces so
// far, and narrows the corridor to what passes b.
func (c *corridor) admits(a, b *point, dimensions int) bool {
	for k := range dimensions {
		top, bottom := bounds(a, b, k)
		if c.top[k].steeper(top) > 0 {
			c.top[k] = top
		}
		if c.bottom[k].steeper(bottom) < 0 {
			c.bottom[k] = bottom
		}
		straight := ray{b.x - a.x, b.y[k] - a.y[k]}
		if straight.steeper(c.bottom[k]) <= 0 || straight.steeper(c.top[k]) >= 0 {
			return false
		}
	}
	return true
}
