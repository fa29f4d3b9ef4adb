package scheduling

import "math"

// steady follows since when an element has been below a share but for gaps that no tick of
// the scheduler need have seen: its ticks fall apart from those of the replay, and a gap
// that a single one of these found may have lasted for less than the time between two
// (§13.2).
type steady struct {
	since int64 // Never if it has not been below
	ended int64 // when it was below last for certain before a tick found it not to be, Never if none did
}

func newSteady() [2]steady { return [2]steady{{Never, Never}, {Never, Never}} }

// A pace is how ticks follow each other and what happens.
type pace struct {
	period int64 // between two of them
	last   int64 // when something happened last
}

// SetPace says how far apart updates are, and when what the next Tick sees happened at
// the latest.
func (t *Tree) SetPace(period, last int64) { t.pace = pace{period, last} }

// follow takes over when a clock started, before and after a tick.
func (s *steady) follow(before, after int64, p pace) {
	switch {
	case before == after:
	case after == Never:
		s.ended = p.last
	case s.ended == Never || after-s.ended >= 2*p.period: // the gap lasted until the tick before this one at least
		s.since = after
	}
}

// start is since when an element may have been below a share at a moment, Never if it was not.
func (s *steady) start(c *Clock, now int64, p pace) int64 {
	if c.Since == Never && (s.ended == Never || now-s.ended >= p.period) {
		return Never
	}
	return s.since
}

// SteadySince returns since when an element may have been below its fair share and its min
// share at a moment, had no tick seen the gaps that it need not have; Never if it was not.
func (t *Tree) SteadySince(e Element, now int64) (fairShare, minShare int64) {
	n := &t.elements[e]
	return n.steady[0].start(&n.hunger.FairShare, now, t.pace), n.steady[1].start(&n.hunger.MinShare, now, t.pace)
}

// FewestTimeouts returns the timeouts of an operation, scaled by the fewest jobs that it has
// waited for since the last tick, or since it has been below a share if it starved with so
// few: a tick of the scheduler may have found them between two of the replay, and who starves
// then goes on (§7.2, §7.3).
func (t *Tree) FewestTimeouts(e Element) (fairShare Timeouts, minShare int64) {
	n := &t.elements[e]
	return t.timeouts(n, min(n.operation.pending, n.operation.fewest, n.operation.hasty))
}

// noteFewest takes over at a tick by how few jobs an operation may starve that the tick
// did not see.
func (t *Tree) noteFewest(n *element, now int64) {
	op := n.operation
	if !n.hunger.IsBelow() {
		op.hasty = math.MaxInt64
	} else if op.fewest < op.pending && float64(op.fewest) < t.options.JobCountCoefficient {
		h := n.hunger
		fair, minShare := t.timeouts(n, op.fewest)
		if h.Hasten(now, fair, minShare); h.Status() != n.hunger.Status() {
			op.hasty = min(op.hasty, op.fewest)
		}
	}
	op.fewest = math.MaxInt64
}

// forgetClocks has an element's clocks begin anew (§7.3).
func (n *element) forgetClocks() {
	n.hunger, n.steady = newHunger(), newSteady()
	if n.operation != nil {
		n.operation.hasty = math.MaxInt64
	}
}
