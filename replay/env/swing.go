package env

import "poolproof/core/resource"

// A Swing keeps the ranges in which the usage and the fair share of an element moved since the
// record before, and its least unmet demand: any tick between the records may have used any of
// these values. For an element that takes no part they are zero.
type Swing struct {
	Usage extremes
	Unmet resource.Vector
	Fair  shareRange
}

// Note takes over what an element uses, demands and is due from now on.
func (s *Swing) Note(usage, demand resource.Vector, fair resource.Share) {
	unmet, due := demand.Sub(usage), only(fair)
	if s.Usage.Set {
		unmet, due = s.Unmet.Min(unmet), s.Fair.with(due)
	}
	s.Unmet, s.Fair = unmet, due
	s.Usage.take(usage)
}

// Since returns what was kept and begins anew.
func (s *Swing) Since() Swing {
	was := *s
	*s = Swing{}
	return was
}

// take takes another amount in.
func (e *extremes) take(amount resource.Vector) {
	if !e.Set {
		*e = extremes{true, amount, amount}
		return
	}
	e.Least, e.Most = e.Least.Min(amount), e.Most.Max(amount)
}

// extremes are the least and the most of some amounts, if there were any.
type extremes struct {
	Set         bool
	Least, Most resource.Vector
}
