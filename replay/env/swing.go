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
	if !s.Usage.Set {
		*s = Swing{extremes{true, usage, usage}, demand.Sub(usage), only(fair)}
		return
	}
	for k, amount := range usage {
		s.Unmet[k] = min(s.Unmet[k], demand[k]-amount)
		s.Usage.Least[k], s.Usage.Most[k] = min(s.Usage.Least[k], amount), max(s.Usage.Most[k], amount)
	}
	if fair != s.Fair.Least || fair != s.Fair.Most {
		s.Fair = s.Fair.with(only(fair))
	}
}

// Since returns what was kept and begins anew.
func (s *Swing) Since() Swing {
	was := *s
	*s = Swing{}
	return was
}

// extremes are the least and the most of some amounts, if there were any.
type extremes struct {
	Set         bool
	Least, Most resource.Vector
}
