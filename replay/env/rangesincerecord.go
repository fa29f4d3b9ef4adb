package env

import "poolproof/core/resource"

// A RangeSinceRecord holds the ranges of the usage and the fair share of an element since the
// previous record, and its least unmet demand: a tick between the records may have used any of
// these values. For an element that does not take part they are zero.
type RangeSinceRecord struct {
	Usage extremes
	Unmet resource.Vector
	Fair  shareRange
}

// AddSample extends the ranges by current values.
func (s *RangeSinceRecord) AddSample(usage, demand resource.Vector, fair resource.Share) {
	if !s.Usage.Set {
		*s = RangeSinceRecord{extremes{true, usage, usage}, demand.Sub(usage), only(fair)}
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

// Restart returns the ranges and restarts them at the current values.
func (s *RangeSinceRecord) Restart() RangeSinceRecord {
	was := *s
	*s = RangeSinceRecord{}
	return was
}

// extremes holds the least and the most of some amounts, if there were any.
type extremes struct {
	Set         bool
	Least, Most resource.Vector
}
