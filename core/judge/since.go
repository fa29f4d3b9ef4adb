package judge

import "poolproof/core/scheduling"

// A Meaning is what starving_since says in a log.
//
// The specification names the column and does not say which moment it is
// (core/spec/scheduling.md §13.1, §15.7): the since of the clock (§7.3), from when on the
// element was below its share, or the moment at which its status turned. A log that
// tells it of elements that do not starve means the clock, and tells it of all that are
// below. Of others either may be meant, and what either explains is not held against
// the scheduler.
type Meaning uint8

// The meanings.
const (
	Unsaid     Meaning = iota // recorded of elements that starve, if at all
	BelowSince                // the clock's
)

// A Since follows the recorded starving_since of one operation: of the share that it
// was below first, where the profile has two kinds (core/spec/scheduling.md §17.2). The
// column says what scheduling_status would, that the operation is below its share.
type Since struct {
	Context
	Meaning Meaning

	runs
}

// NewSince returns the timeline of an operation that nothing is known of.
func NewSince(c Context) *Since { return &Since{Context: c, runs: noRuns()} }

// Record judges STV-11 of the next record, whose Below is of either share. The two
// sides are how long the operation had been below by the column, and by the shares of
// the records.
func (s *Since) Record(r StarvationRecord, rulings []Ruling) []Ruling {
	s.follow(&r)
	rulings = append(rulings, s.rule(STV11, s.agrees(&r)))
	s.settle(&r)
	return rulings
}

// agrees compares with a tick of slack. A start after the present, or before a record
// that was surely not below, is wrong whatever the column means.
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
		from := r.At // nothing is said to have begun yet
		if r.HasSince {
			from = r.Since
		}
		f.holds = from <= s.below+slack
		f.may = s.surelyBelow == scheduling.Never || from <= s.surelyBelow+slack
	case r.HasSince && r.Status == scheduling.NonStarving: // else it is STV-03
		f.holds = r.At-s.well <= slack
		f.may = lastedSurely(s.surelyWell, r) <= slack
	}
	return f
}
