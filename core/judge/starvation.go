package judge

import "poolproof/core/scheduling"

// A StarvationRecord is what the log says of an element at one moment, and
// whether its shares then put it below.
type StarvationRecord struct {
	At            int64
	Below         bool // below its share by the recorded shares (spec/scheduling.md §7.1)
	Status        scheduling.Status
	Unschedulable bool // an operation that took no part
	Frozen        bool // a pool while enable_pool_starvation is off
}

// A Starvation follows the recorded starvation of one element, of one kind
// where the profile has two. Records come in order of time; between them only
// bounds of the clock are known (spec/scheduling.md §13.4).
type Starvation struct {
	Context
	Timeouts scheduling.Timeouts // in force now; a caller may change them between records
	Raised   int64               // when the timeout was last raised, scheduling.Never if it was not
	Switched int64               // when aggressive starvation was last switched off, likewise

	seen     bool
	previous StarvationRecord
	// The clock started after lower and by upper; healthy is the first record of
	// the run of those that are not below. Never where there is none.
	lower, upper, healthy int64
	bound                 int64 // from when on an element that is not below now may have been
}

// NewStarvation returns the timeline of an element that nothing is known of.
func NewStarvation(c Context, t scheduling.Timeouts) *Starvation {
	return &Starvation{
		Context: c, Timeouts: t, Raised: scheduling.Never, Switched: scheduling.Never,
		lower: scheduling.Never, upper: scheduling.Never, healthy: scheduling.Never,
	}
}

// Record judges the next record and appends the rulings.
func (s *Starvation) Record(r StarvationRecord, rulings []Ruling) []Ruling {
	s.follow(&r)
	rulings = append(rulings, s.rule(STV02, s.isNotLate(&r)), s.rule(STV03, s.hasRecovered(&r)))
	if !s.seen || r.Status == scheduling.NonStarving || s.previous.Status == scheduling.NonStarving {
		rulings = append(rulings, s.rule(STV01, s.isNotEarly(&r, scheduling.Starving, s.Timeouts.Starving)))
	}
	if r.Status == scheduling.AggressivelyStarving {
		rulings = append(rulings, s.rule(STV04, s.mayBeAggressive(&r)))
	}
	s.seen, s.previous = true, r
	return rulings
}

// follow moves the bounds of the clock.
func (s *Starvation) follow(r *StarvationRecord) {
	switch {
	case !r.Below:
		if s.healthy == scheduling.Never {
			s.healthy = r.At
		}
		s.bound = s.previous.At
		if s.previous.Below {
			s.bound = s.lower
		}
		s.lower, s.upper = scheduling.Never, scheduling.Never
	case s.upper == scheduling.Never:
		if s.seen {
			s.lower = s.previous.At
		}
		s.upper, s.healthy = r.At, scheduling.Never
	}
}

// isNotEarly is STV-01, and half of STV-04: certain to be wrong only if even a
// clock that started right after the last record that was not below has not
// passed the timeout.
func (s *Starvation) isNotEarly(r *StarvationRecord, least scheduling.Status, timeout int64) finding {
	f := compared(false, 0, float64(timeout))
	if r.Status < least {
		f.holds = true
		return f
	}
	from, bound := s.upper, s.lower
	if !r.Below { // it may have been below since the record before
		from, bound = r.At, s.bound
	}
	if !s.seen {
		f.missing = StarvationSince
		return f
	}
	f.left = float64(r.At - from)
	f.holds = r.At-from > timeout
	f.may = bound == scheduling.Never || r.At-bound > timeout
	return f
}

// mayBeAggressive is STV-04. Who is aggressively starving already needs no clock,
// only that it is still allowed.
func (s *Starvation) mayBeAggressive(r *StarvationRecord) finding {
	switch {
	case !s.Timeouts.AggressiveEnabled:
		return finding{may: s.Switched != scheduling.Never && r.At-s.Switched <= s.Slacks.Configuration}
	case s.seen && s.previous.Status == scheduling.AggressivelyStarving:
		return held(true)
	}
	return s.isNotEarly(r, scheduling.AggressivelyStarving, s.Timeouts.Aggressive)
}

// isNotLate is STV-02: with a tick and a record of slack nothing is alleged, with
// another record it may be.
func (s *Starvation) isNotLate(r *StarvationRecord) finding {
	allowed := s.Timeouts.Starving + s.Slacks.Tick + s.Slacks.Record
	f := compared(true, 0, float64(allowed))
	if !r.Below {
		return f
	}
	lasted := r.At - s.upper
	f.left = float64(lasted)
	f.holds = r.Status != scheduling.NonStarving || lasted <= allowed
	f.may = lasted <= allowed+s.Slacks.Record
	switch {
	case r.Frozen:
		f.excuse = StarvationFrozen
	case r.Unschedulable:
		f.excuse = Unschedulable
	case s.Raised != scheduling.Never && s.Raised >= s.upper && r.At-s.Raised <= allowed:
		f.excuse = TimeoutRaised
	}
	return f
}

// hasRecovered is STV-03.
func (s *Starvation) hasRecovered(r *StarvationRecord) finding {
	allowed := s.Slacks.Tick + s.Slacks.Record
	f := compared(true, 0, float64(allowed))
	if r.Below {
		return f
	}
	lasted := r.At - s.healthy
	f.left = float64(lasted)
	f.holds = r.Status == scheduling.NonStarving || lasted <= allowed
	if r.Frozen {
		f.excuse = StarvationFrozen
	}
	return f
}
