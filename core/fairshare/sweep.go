package fairshare

// A sweep turns F into S (§7.11): it walks along F from the fit factor at
// which something exceeds the guarantee to the one at which something exceeds
// the limit, and takes as abscissa h, the most by which a component exceeds
// its guarantee.
type sweep struct {
	dimensions int
	low, high  vector // G and L: guarantee and limit

	out     []point
	known   window // of F; when done, of S
	at      point  // where the walk stands: at.x is h, at.f the fit factor
	stopped bool   // the limit is reached, or no more is asked for
	start   bool   // only S(0) is asked for
}

// run makes S of an element whose F is plot, under a guarantee and a limit. It
// returns false if F exceeds the limit at 0 already (§7.12, 4).
func (s *sweep) run(plot []point, guarantee, limit *vector) (ok bool) {
	if s.known.empty() {
		s.out = append(s.out, point{})
		return true
	}
	complete := s.known.from == 0
	for k := range s.dimensions {
		if complete && plot[0].y[k] >= limit[k]+computationPrecision {
			return false
		}
		s.high[k] = limit[k]
		s.low[k] = min(guarantee[k], limit[k])
	}
	next := 1
	switch {
	case complete || !exceeds(&plot[0].y, &s.low, s.dimensions):
		s.known.from = 0
		next = s.beginSweep(plot)
		s.stopped = s.stopped || s.start
	case exceeds(&plot[0].y, &s.high, s.dimensions):
		s.known = nowhere // the limit lies before the window
		s.out = append(s.out, point{})
		return true
	default:
		s.at = plot[0]
		s.at.x = s.height(&plot[0].y)
		s.known.from = s.at.x
		s.emit()
	}
	for ; next < len(plot) && !s.stopped; next++ {
		if plot[next].x == s.at.f {
			s.jump(plot[next:])
		} else {
			s.slope(&plot[next-1], &plot[next])
		}
	}
	switch {
	case s.stopped || s.out[len(s.out)-1].x >= 1:
		s.known.to = everywhere.to
	case s.known.to != everywhere.to:
		s.known.to = s.out[len(s.out)-1].x
	}
	return true
}

// beginSweep finds M(0), the largest fit factor at which nothing exceeds the guarantee, and returns
// the index of the point of F that ends its piece.
func (s *sweep) beginSweep(plot []point) (next int) {
	next = s.firstAbove(plot)
	a := &plot[next-1]
	s.at = point{x: 0, f: a.x, y: a.y}
	if next == len(plot) {
		s.emit()
		if s.known.to != everywhere.to {
			s.known = nowhere // M(0) lies beyond the window
		}
		return next
	}
	b := &plot[next]
	if b.x == a.x {
		s.emit()
		return next
	}
	part, atLimit := s.crossing(a, b)
	if part == 0 && next > 1 && plot[next-2].x == a.x {
		// F jumps at M(0): the value there is the lower one.
		s.out = append(s.out, point{x: 0, f: a.x, y: plot[next-2].y})
		if atLimit {
			s.stopped = true
			return next
		}
	}
	if part > 0 {
		s.at = along(a, b, part, s.dimensions)
		s.at.x = 0
	}
	s.emit()
	s.stopped = atLimit
	return next
}

// firstAbove returns the index of the first point of F that exceeds the
// guarantee. The first of all never does.
func (s *sweep) firstAbove(plot []point) int {
	lo, hi := 1, len(plot)
	for lo < hi {
		middle := int(uint(lo+hi) / 2)
		if exceeds(&plot[middle].y, &s.low, s.dimensions) {
			hi = middle
		} else {
			lo = middle + 1
		}
	}
	return lo
}

// crossing returns the part of the piece from a to b after which a component
// exceeds the guarantee, and whether it exceeds the limit with that.
func (s *sweep) crossing(a, b *point) (part float64, atLimit bool) {
	part = 1
	for k := range s.dimensions {
		if b.y[k] <= s.low[k] {
			continue
		}
		p := max(0, partOf(a.y[k], b.y[k], s.low[k]))
		if p < part {
			part, atLimit = p, false
		}
		if p == part && s.low[k] == s.high[k] {
			atLimit = true
		}
	}
	return part, atLimit
}

// partOf returns how far along from a to b the value y lies.
func partOf(a, b, y float64) float64 { return (y - a) / (b - a) }

// jump follows F from where the walk stands to the top of a jump, the first
// of rest. S stays, as the suggestion grows to what the top needs, and jumps
// there. If F exceeds the limit right after the top, no fit factor beyond the
// jump is allowed, and S ends with the lower value.
func (s *sweep) jump(rest []point) {
	top := &rest[0]
	if exceeds(&top.y, &s.high, s.dimensions) {
		s.stopped = true
		return
	}
	for k := range s.dimensions {
		if top.y[k] == s.high[k] && len(rest) > 1 && rest[1].y[k] > s.high[k] {
			s.stopped = true
			return
		}
	}
	if h := max(s.at.x, s.height(&top.y)); h > s.at.x {
		s.at.x = h
		s.emit()
	}
	s.at.y = top.y
	s.emit()
}

// slope follows the sloped piece of F from begin to end, from where the walk
// stands to its end, or to where the limit cuts it.
func (s *sweep) slope(begin, end *point) {
	to := *end
	if exceeds(&end.y, &s.high, s.dimensions) {
		s.stopped = true
		if to = s.cut(begin, end); to.f <= s.at.f {
			return
		}
	}
	to.x = max(s.at.x, s.height(&to.y))
	s.bend(&to)
	s.at = to
	s.emit()
}

// cut returns the point at which a piece of F meets the limit.
func (s *sweep) cut(begin, end *point) point {
	part := 1.0
	for k := range s.dimensions {
		if end.y[k] > s.high[k] {
			part = min(part, max(0, partOf(begin.y[k], end.y[k], s.high[k])))
		}
	}
	return along(begin, end, part, s.dimensions)
}

// along returns the point of F a part of the way from a to b: first the fit factor
// there, then the value at that fit factor. It goes the long way round because
// the reference does: M is a function of its own there, and S is F of M. Where a
// component meets its guarantee or limit, rounding may leave it an ulp away.
func along(a, b *point, part float64, dimensions int) point {
	f := between(a.x, b.x, part)
	p := mix(a, b, partOf(a.x, b.x, f), dimensions)
	p.f = f
	return p
}
