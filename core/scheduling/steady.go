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

// start is since when an element may have been below a share by what the scheduler knew at a
// moment, which is no older than lag; Never if it was not.
func (s *steady) start(c *Clock, now, lag int64) int64 {
	if c.Since == Never && (s.ended == Never || now-s.ended >= lag) {
		return Never
	}
	return s.since
}

// SteadySince returns since when an element may have been below its fair share and its min
// share by what the scheduler knew at a moment, which is no older than lag, had no tick seen
// the gaps that it need not have; Never if it was not.
func (t *Tree) SteadySince(e Element, now, lag int64) (fairShare, minShare int64) {
	n := &t.elements[e]
	return n.steady[0].start(&n.starvation.FairShare, now, lag), n.steady[1].start(&n.starvation.MinShare, now, lag)
}

// AskedAt reports whether an operation may have been schedulable by what the scheduler knew
// at a moment, which is no older than lag.
func (t *Tree) AskedAt(e Element, now, lag int64) bool {
	n := &t.elements[e]
	return n.seen.schedulable || n.operation.asked != Never && now-n.operation.asked < lag
}

// FewestTimeouts returns the timeouts of an operation, scaled by the fewest jobs that it has
// waited for since the last tick, or since it has been below a share if it starved with so
// few: a tick of the scheduler may have found them between two of the replay, and who starves
// then goes on (§7.2, §7.3). Who is not schedulable waited for as many as when it was.
func (t *Tree) FewestTimeouts(e Element) (fairShare Timeouts, minShare int64) {
	n := &t.elements[e]
	pending := n.operation.pending
	if !n.seen.schedulable {
		pending = n.operation.waited
	}
	return t.timeouts(n, min(pending, n.operation.fewest, n.operation.hasty))
}

// noteFewest takes over at a tick by how few jobs an operation may starve that the tick
// did not see.
func (t *Tree) noteFewest(n *element, now int64) {
	op := n.operation
	if !n.starvation.IsBelow() {
		op.hasty = math.MaxInt64
	} else if op.fewest < op.pending && float64(op.fewest) < t.options.JobCountCoefficient {
		h := n.starvation
		fair, minShare := t.timeouts(n, op.fewest)
		if h.Hasten(now, fair, minShare); h.Status() != n.starvation.Status() {
			op.hasty = min(op.hasty, op.fewest)
		}
	}
	op.fewest = math.MaxInt64
}

// forgetClocks has an element's clocks begin anew (§7.3).
func (t *Tree) forgetClocks(e Element) {
	t.countBegin(e)
	n := &t.elements[e]
	n.starvation, n.steady = newStarvation(), newSteady()
	if n.operation != nil {
		n.operation.hasty = math.MaxInt64
	}
}

// countBegin notes that the clocks of an element begin.
func (t *Tree) countBegin(e Element) {
	t.begun++
	t.elements[e].begun = t.begun
}

// Begun tells beginnings of an element's clocks apart: it is another number after each (§7.3).
func (t *Tree) Begun(e Element) int64 { return t.elements[e].begun }
