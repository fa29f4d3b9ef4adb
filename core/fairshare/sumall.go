package fairshare

// fewChildren is up to how many children of a pool are added all at once where
// plots are not literal. What it costs grows with the square of their number.
const fewChildren = 8

// addAll adds the plots of all runs in buffer, where all of them are known: at
// each abscissa of any it adds the values from the left, and those from the
// right, in the order of the runs. The sum is appended to into, which must be
// empty, and is the one run that is returned.
func (s *several) addAll(into, buffer []point, runs []run) ([]point, []run) {
	known := everywhere
	for _, r := range runs {
		known = window{max(known.from, r.known.from), min(known.to, r.known.to)}
	}
	if known.empty() {
		runs[0] = run{0, 1, nowhere}
		return append(into, point{}), runs[:1]
	}
	s.plots, s.at = s.plots[:0], s.at[:0]
	for _, r := range runs {
		s.plots, s.at = append(s.plots, buffer[r.start:r.end]), append(s.at, 0)
	}
	s.start(known.from)
	for x, more := s.next(); more && !(known.to <= 1 && x > known.to); x, more = s.next() {
		into = s.add(into, x)
	}
	runs[0] = run{0, len(into), known}
	return into, runs[:1]
}

// several are plots that are walked together from left to right.
type several struct {
	plots [][]point
	at    []int // the next point of each
}

// start goes to the first points from x on.
func (s *several) start(x float64) {
	if x == 0 {
		return
	}
	for i, plot := range s.plots {
		s.at[i] = firstFrom(plot, x)
	}
}

// next returns the abscissa of the next point of any of them.
func (s *several) next() (x float64, more bool) {
	for i, plot := range s.plots {
		if at := s.at[i]; at < len(plot) && (!more || plot[at].x < x) {
			x, more = plot[at].x, true
		}
	}
	return x, more
}

// add appends the sum at x, the abscissa of the next point, and goes beyond it.
func (s *several) add(into []point, x float64) []point {
	into, jump := s.addSide(into, x, 0)
	if jump {
		into, _ = s.addSide(into, x, 1)
	}
	for i, plot := range s.plots {
		for s.at[i] < len(plot) && plot[s.at[i]].x == x {
			s.at[i]++
		}
	}
	return into
}

// addSide appends the sum of the values at x from the left, or from the right where past
// is 1. It reports whether any of the plots jumps there.
func (s *several) addSide(into []point, x float64, past int) (sum []point, jump bool) {
	into = append(into, point{x: x, f: x})
	y := &into[len(into)-1].y
	for i, plot := range s.plots {
		at := s.at[i]
		switch {
		case at == len(plot):
			setSum(y, y, &plot[at-1].y)
		case plot[at].x == x:
			if at+1 < len(plot) && plot[at+1].x == x {
				jump, at = true, at+past
			}
			setSum(y, y, &plot[at].y)
		default:
			a, b := &plot[at-1], &plot[at]
			addMixed(y, y, a, b, (x-a.x)/(b.x-a.x))
		}
	}
	return into, jump
}

// addMixed sets sum to v plus what lies between a and b at t, number by number.
func addMixed(sum, v *vector, a, b *point, t float64) {
	y, z := &a.y, &b.y
	if t < 0.5 {
		sum[0] = v[0] + (y[0] + float64((z[0]-y[0])*t))
		sum[1] = v[1] + (y[1] + float64((z[1]-y[1])*t))
		sum[2] = v[2] + (y[2] + float64((z[2]-y[2])*t))
		sum[3] = v[3] + (y[3] + float64((z[3]-y[3])*t))
		sum[4] = v[4] + (y[4] + float64((z[4]-y[4])*t))
		return
	}
	u := 1 - t
	sum[0] = v[0] + (z[0] - float64((z[0]-y[0])*u))
	sum[1] = v[1] + (z[1] - float64((z[1]-y[1])*u))
	sum[2] = v[2] + (z[2] - float64((z[2]-y[2])*u))
	sum[3] = v[3] + (z[3] - float64((z[3]-y[3])*u))
	sum[4] = v[4] + (z[4] - float64((z[4]-y[4])*u))
}
