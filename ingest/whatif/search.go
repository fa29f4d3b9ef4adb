package whatif

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// A Range is the values of a search, from From on to To in steps.
type Range struct{ From, To, Step float64 }

// steps returns the number of steps; the last may be shorter.
func (r Range) steps() int { return int(math.Ceil(math.Abs(r.To-r.From)/r.Step - 1e-9)) }

// value returns the value after some steps, without the rounding error of their sum.
func (r Range) value(i int) float64 {
	if i >= r.steps() {
		return r.To
	}
	step := r.Step
	if r.To < r.From {
		step = -step
	}
	v, _ := strconv.ParseFloat(strconv.FormatFloat(r.From+float64(i)*step, 'g', 12, 64), 64)
	return v
}

// A Found is the result of a search.
type Found struct {
	Tried []Trial // in the order of the range
	Value float64 // the first that holds
	Holds bool    // one does
	// Against are values beyond it that do not hold.
	Against []float64
	// Refused are the values at the ends of the range that are refused, as spans.
	Refused []RefusedSpan
}

// A RefusedSpan is values from one to another, in the order of the range.
type RefusedSpan struct {
	From, To float64
	Nearest  float64 // of the two the one next to those that are tried
}

// A Trial is a value and whether it holds.
type Trial struct {
	Value float64
	Holds bool
	place int
}

// Search finds the first value of a range that holds, by bisection: right where whatever is
// beyond a value that holds does, too. A few values on both sides are tried to see whether
// that is so; where one before holds, the search goes on there. Ask tries some values at a
// time. Values that are refused are not tried: they are taken to be at the ends of the range.
func Search(
	r Range, refused func(value float64) (bool, error), ask func(values []float64) (holds []bool, err error),
) (*Found, error) {
	s := &search{Range: r, ask: ask, known: map[int]bool{}}
	from, to, err := s.allowed(refused)
	if err != nil || from > to {
		return s.found(-1), err
	}
	if err := s.try(from, to); err != nil {
		return nil, err
	}
	if !s.known[from] && !s.known[to] {
		if err := s.try(between(from, to)...); err != nil {
			return nil, err
		}
	}
	for first := s.firstHeld(); first >= 0; {
		low, high := s.gap(from, first)
		for high-low > 1 {
			middle := low + (high-low)/2
			if err := s.try(middle); err != nil {
				return nil, err
			}
			if s.known[middle] {
				high = middle
			} else {
				low = middle
			}
		}
		if err := s.try(append(between(from, low), between(high, to)...)...); err != nil {
			return nil, err
		}
		if first = s.firstHeld(); first == high {
			return s.found(high), nil
		}
	}
	return s.found(-1), nil
}

// allowed are the first and the last place that are not refused, by bisection from one that is not
// refused; the first is greater where all places looked at are refused.
func (s *search) allowed(refused func(float64) (bool, error)) (from, to int, err error) {
	n := s.steps()
	is := map[int]bool{}
	look := func(place int) bool {
		if _, known := is[place]; !known && err == nil {
			is[place], err = refused(s.value(place))
		}
		return is[place]
	}
	good := -1
	for parts := 1; parts <= probedParts && good < 0 && err == nil; parts *= 2 {
		for i := 0; i <= parts && good < 0; i++ {
			if p := n * i / parts; !look(p) {
				good = p
			}
		}
	}
	if from, to = n+1, -1; good >= 0 {
		from, to = edge(good, 0, look), edge(good, n, look)
	}
	if from > 0 {
		last := min(from-1, n)
		s.refused = append(s.refused, RefusedSpan{s.value(0), s.value(last), s.value(last)})
	}
	if good >= 0 && to < n {
		s.refused = append(s.refused, RefusedSpan{s.value(to + 1), s.value(n), s.value(to + 1)})
	}
	return from, to, err
}

// probedParts is into how many parts a range is divided to find a place that is not refused.
const probedParts = 64

// edge is the last place from a good one towards an end that is not refused.
func edge(good, end int, refused func(int) bool) int {
	if !refused(end) {
		return end
	}
	for bad := end; bad-good > 1 || good-bad > 1; {
		if middle := good + (bad-good)/2; refused(middle) {
			bad = middle
		} else {
			good = middle
		}
	}
	return good
}

// gap is a place that holds, and the last before it that does not; the one before from if it is the
// first.
func (s *search) gap(from, held int) (low, high int) {
	low = from - 1
	for at, holds := range s.known {
		if !holds && at < held {
			low = max(low, at)
		}
	}
	return low, held
}

type search struct {
	Range
	ask   func(values []float64) ([]bool, error)
	known map[int]bool // by place

	refused []RefusedSpan
}

// between are three places apart between two, as far as there are any.
func between(a, b int) (places []int) {
	for i := 1; i < 4; i++ {
		if p := a + (b-a)*i/4; p > a && p < b {
			places = append(places, p)
		}
	}
	return slices.Compact(places)
}

// try asks for those places that are not known.
func (s *search) try(places ...int) error {
	slices.Sort(places)
	places = slices.DeleteFunc(slices.Compact(places), func(p int) bool { _, known := s.known[p]; return known })
	if len(places) == 0 {
		return nil
	}
	var values []float64
	for _, p := range places {
		values = append(values, s.value(p))
	}
	holds, err := s.ask(values)
	if err != nil {
		return err
	}
	for i, p := range places {
		s.known[p] = holds[i]
	}
	return nil
}

// firstHeld is the first known place that holds, -1 if none does.
func (s *search) firstHeld() int {
	first := -1
	for p, holds := range s.known {
		if holds && (first < 0 || p < first) {
			first = p
		}
	}
	return first
}

func (s *search) found(at int) *Found {
	f := &Found{Refused: s.refused}
	for p, holds := range s.known {
		f.Tried = append(f.Tried, Trial{s.Range.value(p), holds, p})
	}
	slices.SortFunc(f.Tried, func(a, b Trial) int { return cmp.Compare(a.place, b.place) })
	if at < 0 {
		return f
	}
	f.Holds, f.Value = true, s.Range.value(at)
	for _, t := range f.Tried {
		if !t.Holds && t.place > at {
			f.Against = append(f.Against, t.Value)
		}
	}
	return f
}
