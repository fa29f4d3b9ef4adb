package judge

import "poolproof/core/scheduling"

// A Meaning is the meaning of starving_since in a log.
//
// The specification names the column but not its meaning (core/spec/scheduling.md §13.1, §15.7):
// either the start of the clock (§7.3), since when the element was below its share, or the change
// of its status. A log that records it for elements that do not starve means the clock. In other
// logs either is possible, and the scheduler gets the benefit of the doubt.
type Meaning uint8

// The meanings.
const (
	Unsaid     Meaning = iota // recorded only for elements that starve, if at all
	BelowSince                // start of the clock
)

// A Since tracks the recorded starving_since of one operation: that of the share that it was below
// first, if the profile has two kinds (core/spec/scheduling.md §17.2). The column implies that the
// operation is below its share, like scheduling_status.
type Since struct {
	Context
	Meaning Meaning

	runs
}

// NewSince returns an empty timeline of an operation.
func NewSince(c Context) *Since { return &Since{Context: c, runs: noRuns()} }

// Record judges STV-11 for the next record, whose Below is about either share. The two sides are
// the time below by the column, and by the shares of the records.
func (s *Since) Record(r StarvationRecord, rulings []Ruling) []Ruling {
	s.extendRuns(&r)
	rulings = append(rulings, s.rule(STV11, s.agrees(&r)))
	s.addPast(&r)
	return rulings
}

// agrees compares with a tick of slack. A start in the future, or before a record that was surely
// not below, is wrong under either meaning.
func (s *Since) agrees(r *StarvationRecord) finding {
	slack := s.Slacks.Tick
	f := compared(true, float64(r.At-r.Since), 0)
	if !r.HasSince {
		f.left = 0
	}
	if s.below != scheduling.Never {
		f.right = float64(r.At - s.below)
	}
	switch {
	case r.HasSince && r.Since > r.At+slack:
		f.holds = false
	case r.HasSince && s.sound != scheduling.Never && r.Since < s.sound-slack:
		f.holds, f.right = false, float64(r.At-s.sound)
	case s.Meaning != BelowSince && !r.HasSince:
		f.missing = StarvationSince
	case s.Meaning != BelowSince:
	case r.Below:
		from := r.At // no start is recorded yet
		if r.HasSince {
			from = r.Since
		}
		f.holds = from <= s.below+slack
		f.may = s.surelyBelow == scheduling.Never || from <= s.surelyBelow+slack
	case r.HasSince && r.Status == scheduling.NonStarving: // otherwise it is STV-03
		f.holds = r.At-s.well <= slack
		f.may = lastedSurely(s.surelyWell, r) <= slack
	}
	return f
}
