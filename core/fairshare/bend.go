package fairshare

// bend emits the points inside the piece that leads to end at which another,
// steeper component comes to exceed its guarantee the most. h is convex there:
// the greatest of one straight line per component.
func (s *sweep) bend(end *point) {
	lead := s.leader(end)
	if end.y[lead]-s.low[lead] >= end.x {
		return // one component leads throughout
	}
	from, part := s.at, 0.0
	for {
		next, at := s.overtaker(&from, end, lead, part)
		if next < 0 {
			return
		}
		if at > 0 {
			s.at = mix(&from, end, at, s.dimensions)
			// The height of the component that is left: if that one is flat
			// exactly its value, lest the jump becomes a steep piece.
			x := from.y[lead] - s.low[lead] + float64((end.y[lead]-from.y[lead])*at)
			s.at.x = min(max(x, from.x), end.x)
			s.emit()
		}
		lead, part = next, at
	}
}

// leader returns the component that exceeds its guarantee the most where the
// walk stands; of several the one that rises the most on the way to end.
func (s *sweep) leader(end *point) int {
	lead := 0
	for k := 1; k < s.dimensions; k++ {
		d := (s.at.y[k] - s.low[k]) - (s.at.y[lead] - s.low[lead])
		if d > 0 || d == 0 && end.y[k]-s.at.y[k] > end.y[lead]-s.at.y[lead] {
			lead = k
		}
	}
	return lead
}

// overtaker returns the component that next comes to exceed its guarantee by
// more than lead does, and how far along from one point to the other; -1 if
// none does.
func (s *sweep) overtaker(from, to *point, lead int, part float64) (next int, at float64) {
	next, at = -1, 1
	rise, best := to.y[lead]-from.y[lead], 0.0
	for k := range s.dimensions {
		steeper := to.y[k] - from.y[k] - rise
		if steeper <= 0 {
			continue
		}
		behind := (from.y[lead] - s.low[lead]) - (from.y[k] - s.low[k])
		p := max(part, behind/steeper)
		if p < at || p == at && next >= 0 && steeper > best {
			next, at, best = k, p, steeper
		}
	}
	return next, at
}

// mix interpolates the fit factor and the value between two points.
func mix(a, b *point, part float64, dimensions int) point {
	p := point{f: between(a.f, b.f, part)}
	for k := range dimensions {
		p.y[k] = between(a.y[k], b.y[k], part)
	}
	return p
}

// height is h: the most by which a component of y exceeds its guarantee.
func (s *sweep) height(y *vector) float64 {
	h := 0.0
	for k := range s.dimensions {
		h = max(h, y[k]-s.low[k])
	}
	return h
}

// exceeds reports whether a component of y is above that of bound.
func exceeds(y, bound *vector, dimensions int) bool {
	for k := range dimensions {
		if y[k] > bound[k] {
			return true
		}
	}
	return false
}

// emit appends where the walk stands. Suggestions end at 1, and nothing is
// needed beyond the first point there: a jump at the right end means nothing.
func (s *sweep) emit() {
	if n := len(s.out); n > 0 && s.out[n-1].x >= 1 {
		return
	}
	s.at.x = min(s.at.x, 1)
	s.out = push(s.out, 0, &s.at)
}
