package judge

import "poolproof/core/scheduling"

// A StarvationRecord is what the log says of an element at one moment, and
// whether its shares then put it below.
type StarvationRecord struct {
	At            int64
	Below         bool // below its share by the recorded shares (spec/scheduling.md §7.1)
	Doubtful      bool // by another admissible reading of the record it is otherwise
	Wavered       bool // between the record before and this one it may have been otherwise
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
	// The first record of the run of those that are below, or are not: as the
	// records say, and as far as no tick can have interrupted it. Never where there
	// is none.
	below, surelyBelow, well, surelyWell int64
	// sound is the last record before that was surely not below: the clock started
	// after it. Never where there is none.
	sound int64
}

// NewStarvation returns the timeline of an element that nothing is known of.
func NewStarvation(c Context, t scheduling.Timeouts) *Starvation {
	return &Starvation{
		Context: c, Timeouts: t, Raised: scheduling.Never, Switched: scheduling.Never,
		below: scheduling.Never, surelyBelow: scheduling.Never, well: scheduling.Never, surelyWell: scheduling.Never,
		sound: scheduling.Never,
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
	if !r.Below && r.isSure() {
		s.sound = r.At
	}
	s.seen, s.previous = true, r
	return rulings
}

// isSure reports whether the record tells what a tick then made of the element:
// while the states of pools are frozen none made anything of it (§7.4).
func (r *StarvationRecord) isSure() bool { return !r.Doubtful && !r.Frozen }

// follow moves the bounds of the clock.
func (s *Starvation) follow(r *StarvationRecord) {
	if r.Below {
		run(&s.below, &s.surelyBelow, r)
		s.well, s.surelyWell = scheduling.Never, scheduling.Never
		return
	}
	run(&s.well, &s.surelyWell, r)
	s.below, s.surelyBelow = scheduling.Never, scheduling.Never
}

// run carries a run of records on that say the same.
func run(since, surely *int64, r *StarvationRecord) {
	if *since == scheduling.Never {
		*since = r.At
	}
	switch {
	case !r.isSure():
		*surely = scheduling.Never
	case *surely == scheduling.Never, r.Wavered:
		*surely = r.At
	}
}

// lastedSurely is how long a run has lasted at least.
func lastedSurely(surely int64, r *StarvationRecord) int64 {
	if surely == scheduling.Never {
		return 0
	}
	return r.At - surely
}

// isNotEarly is STV-01, and half of STV-04: with a record of slack nothing is
// alleged, and it is certain to be wrong only if even a clock that started right
// after the last record that was not below has not passed the timeout.
func (s *Starvation) isNotEarly(r *StarvationRecord, least scheduling.Status, timeout int64) finding {
	f := compared(false, 0, float64(timeout))
	if r.Status < least {
		f.holds = true
		return f
	}
	from := s.below
	if !r.Below { // it may have been below since the record before
		from = r.At
	}
	if !s.seen {
		f.missing = StarvationSince
		return f
	}
	f.left = float64(r.At - from)
	f.holds = r.At-from+s.Slacks.Record > timeout
	f.may = s.sound == scheduling.Never || r.At-s.sound > timeout
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
	lasted := r.At - s.below
	f.left = float64(lasted)
	f.holds = r.Status != scheduling.NonStarving || lasted <= allowed
	f.may = lastedSurely(s.surelyBelow, r) <= allowed+s.Slacks.Record
	switch {
	case r.Frozen:
		f.excuse = StarvationFrozen
	case r.Unschedulable:
		f.excuse = Unschedulable
	case s.Raised != scheduling.Never && s.Raised >= s.below && r.At-s.Raised <= allowed:
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
	lasted := r.At - s.well
	f.left = float64(lasted)
	f.holds = r.Status == scheduling.NonStarving || lasted <= allowed
	f.may = lastedSurely(s.surelyWell, r) <= allowed
	if r.Frozen {
		f.excuse = StarvationFrozen
	}
	return f
}
