package judge

import "poolproof/core/scheduling"

// runs are what the records of an element tell of the clock of its starvation: since
// when they say the same. Never stands where there is nothing to say.
type runs struct {
	// The first record of the run of those that are below, or are not: as the
	// records say, and as far as no tick can have interrupted it.
	below, surelyBelow, well, surelyWell int64
	// sound is the last record before that was surely not below: the clock started
	// after it.
	sound int64
}

func noRuns() runs {
	return runs{
		below: scheduling.Never, surelyBelow: scheduling.Never, well: scheduling.Never, surelyWell: scheduling.Never,
		sound: scheduling.Never,
	}
}

// isSure reports whether the record tells what a tick then made of the element:
// while the states of pools are frozen none made anything of it (§7.4).
func (r *StarvationRecord) isSure() bool { return !r.Doubtful && !r.Frozen }

// follow moves the bounds of the clock to a record that is to be judged.
func (s *runs) follow(r *StarvationRecord) {
	if r.Below {
		run(&s.below, &s.surelyBelow, r)
		s.well, s.surelyWell = scheduling.Never, scheduling.Never
		return
	}
	run(&s.well, &s.surelyWell, r)
	s.below, s.surelyBelow = scheduling.Never, scheduling.Never
}

// settle takes a record for one that is past.
func (s *runs) settle(r *StarvationRecord) {
	if !r.Below && r.isSure() {
		s.sound = r.At
	}
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
