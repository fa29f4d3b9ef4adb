package judge

import "poolproof/core/scheduling"

// A LateStart is a job that started of an operation that takes part in the tree no more,
// or not yet: there is nothing to judge the other rules of starts by.
type LateStart struct {
	Context
	At    int64
	Ended int64 // when the operation did; scheduling.Never if it had not begun

	// AssumedStates says that the log does not tell when operations run: when one ended
	// was made of its jobs.
	AssumedStates bool
}

// Judge judges HB-03. An end of just now may not have been known.
func (s *LateStart) Judge(rulings []Ruling) []Ruling {
	f := held(false)
	switch {
	case s.Ended == scheduling.Never || s.At-s.Ended <= s.Slacks.Noticed():
		f.missing = OperationState
	case s.AssumedStates:
		f = f.unless(true, OperationState)
	}
	return append(rulings, s.rule(HB03, f))
}
