package judge

import "poolproof/core/scheduling"

// runs tracks the runs of equal records of an element, which bound its starvation clock. Never
// means that there is no run.
type runs struct {
	// The first record of the current run of records below, or not below: as recorded, and as far
	// as no tick can have interrupted it.
	below, surelyBelow, well, surelyWell int64
	// sound is the last earlier record that was surely not below: the clock started after it.
	sound int64
}

func noRuns() runs {
	return runs{
		below: scheduling.Never, surelyBelow: scheduling.Never, well: scheduling.Never, surelyWell: scheduling.Never,
		sound: scheduling.Never,
	}
}

// isSure reports whether a tick saw what the record says: while the states of pools are frozen, no
// tick does (§7.4).
func (r *StarvationRecord) isSure() bool { return !r.Doubtful && !r.Frozen }

// extendRuns updates the bounds of the clock by a record before it is judged.
func (s *runs) extendRuns(r *StarvationRecord) {
	if r.Below {
		run(&s.below, &s.surelyBelow, r)
		s.well, s.surelyWell = scheduling.Never, scheduling.Never
		return
	}
	run(&s.well, &s.surelyWell, r)
	s.below, s.surelyBelow = scheduling.Never, scheduling.Never
}

// addPast adds a record after it has been judged.
func (s *runs) addPast(r *StarvationRecord) {
	if !r.Below && r.isSure() {
		s.sound = r.At
	}
}

// run extends a run of equal records.
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

// lastedSurely returns the least time that a run has lasted.
func lastedSurely(surely int64, r *StarvationRecord) int64 {
	if surely == scheduling.Never {
		return 0
	}
	return r.At - surely
}
