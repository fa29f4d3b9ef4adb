package judge

import "poolproof/core/scheduling"

// A StarvationRecord is the recorded starvation of an element at one time, and whether its recorded
// shares put it below.
type StarvationRecord struct {
	At            int64
	Below         bool // below its share by the recorded shares (core/spec/scheduling.md §7.1)
	BelowMinShare bool // if that has its own clock, which is never aggressive (§17.2)
	Doubtful      bool // another admissible reading of the record gives the opposite
	Wavered       bool // it may have been the opposite between the previous record and this one
	Status        scheduling.Status
	Unschedulable bool  // an operation that did not take part
	Frozen        bool  // a pool while enable_pool_starvation is off
	HasSince      bool  // starving_since is recorded
	Since         int64 // its value
}

// A Starvation tracks the recorded starvation of one element, of one kind if the profile has two.
// Records come in order of time; between them only bounds of the clock are known
// (core/spec/scheduling.md §13.4):
//
//	10:00:00  not below
//	10:00:05  below       the clock started in (10:00:00, 10:00:05]
//	10:00:35  starving    after 30 to 35 s
type Starvation struct {
	Context
	Timeouts scheduling.Timeouts // in force now; a caller may change them between records
	Raised   int64               // when the timeout was last raised, or scheduling.Never
	Meaning  Meaning             // of starving_since

	seen     bool
	previous StarvationRecord
	runs
}

// NewStarvation returns an empty timeline of an element.
func NewStarvation(c Context, t scheduling.Timeouts) *Starvation {
	return &Starvation{Context: c, Timeouts: t, Raised: scheduling.Never, runs: noRuns()}
}

// Record judges the next record and appends the rulings.
func (s *Starvation) Record(r StarvationRecord, rulings []Ruling) []Ruling {
	s.extendRuns(&r)
	rulings = append(rulings, s.rule(STV02, s.isNotLate(&r)), s.rule(STV03, s.hasRecovered(&r)))
	if !s.seen || r.Status == scheduling.NonStarving || s.previous.Status == scheduling.NonStarving {
		timeout := s.Timeouts.Starving
		if r.Status == scheduling.AggressivelyStarving && s.Timeouts.AggressiveEnabled {
			timeout = min(timeout, s.Timeouts.Aggressive) // a pool's own timeout may be longer than the tree's (core/spec/scheduling.md §7.3)
		}
		rulings = append(rulings, s.rule(STV01, s.isNotEarly(&r, scheduling.Starving, timeout)))
	}
	if r.Status == scheduling.AggressivelyStarving {
		rulings = append(rulings, s.rule(STV04, s.mayBeAggressive(&r)))
	}
	s.addPast(&r)
	s.seen, s.previous = true, r
	return rulings
}

// isNotEarly judges STV-01 and half of STV-04, with a record of slack. A breach is certain only if
// even a clock that started right after the last record that was not below has not passed the
// timeout. If starving_since records the start of the clock, that start counts.
func (s *Starvation) isNotEarly(r *StarvationRecord, least scheduling.Status, timeout int64) finding {
	f := compared(false, 0, float64(timeout))
	if r.Status < least {
		f.holds = true
		return f
	}
	from := s.below
	if !r.Below { // it may have been below since the previous record
		from = r.At
	}
	earliest := s.sound
	if since, told := s.startOf(r); told {
		from, earliest = min(from, since), max(earliest, since)
	} else if !s.seen {
		f.missing = StarvationSince
		return f
	}
	f.left = float64(r.At - from)
	f.holds = r.At-from+s.Slacks.Record > timeout
	f.may = earliest == scheduling.Never || r.At-earliest > timeout
	return f
}

// startOf returns the start of the clock if starving_since records it: not if the column may be the
// change of the status, nor if it contradicts the shares, which is STV-11. With two kinds it is the
// start of the earlier one.
func (s *Starvation) startOf(r *StarvationRecord) (since int64, told bool) {
	turned := s.Meaning == Unsaid && !(s.seen && s.previous.Status == scheduling.NonStarving && r.Since < s.previous.At-s.Slacks.Tick)
	if !r.HasSince || turned || !r.Below || r.Since > s.below+s.Slacks.Tick {
		return 0, false
	}
	return max(r.Since, s.sound), true
}

// mayBeAggressive judges STV-04. An element that already starves aggressively needs no clock: it
// must only still be allowed to (while a change of that propagates, the caller's evidence is
// Possible) and be below its fair share. An element below no share is judged by STV-03; the min
// share explains starvation, but not aggressive starvation.
func (s *Starvation) mayBeAggressive(r *StarvationRecord) finding {
	switch {
	case !s.Timeouts.AggressiveEnabled:
		return held(false)
	case !s.seen || s.previous.Status != scheduling.AggressivelyStarving:
		return s.isNotEarly(r, scheduling.AggressivelyStarving, s.Timeouts.Aggressive)
	case !r.BelowMinShare:
		return held(true)
	}
	f := s.hasRecovered(r)
	f.left, f.right = 0, float64(s.Timeouts.Aggressive)
	return f
}

// SurelyBelow returns since when all records put the element below its share, scheduling.Never if
// the last one does not.
func (s *Starvation) SurelyBelow() int64 { return s.surelyBelow }

// isNotLate judges STV-02: a delay within a tick and a record is tolerated, and one within another
// record is possibly wrong. If records are further apart than usual, that slack may exceed the
// delay: a delay beyond a tick and a usual record is then undecidable, not in time.
func (s *Starvation) isNotLate(r *StarvationRecord) finding {
	slack := s.Slacks.Tick + s.Slacks.Record
	allowed := s.Timeouts.Starving + slack
	f := compared(true, 0, float64(allowed))
	f.granted = float64(slack)
	if !r.Below {
		return f
	}
	lasted := r.At - s.below
	f.left = float64(lasted)
	f.holds = r.Status != scheduling.NonStarving || lasted <= allowed
	if f.holds && r.Status == scheduling.NonStarving && lasted > s.Timeouts.Starving+s.Slacks.Tick+min(s.Slacks.Record, usualRecord) {
		f.missing = ShareRecords
	}
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

// hasRecovered judges STV-03.
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
