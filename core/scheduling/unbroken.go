package scheduling

import "math"

// unbrokenSince tracks since when an element has been below a share, ignoring gaps that the
// scheduler need not have seen: its ticks differ from those of the replay, and a gap at a single
// tick of the replay may have been shorter than a tick period (§13.2):
//
//	replay ticks     below  below  not below  below  below
//	scheduler ticks    below  below         below  below
//
// Nor does a tick end it at which the element is not below by less than the error of recomputed shares.
type unbrokenSince struct {
	since int64 // Never if it has not been below
	ended int64 // when it was last below for certain before a tick with a gap, or Never
}

func newUnbrokenSince() [2]unbrokenSince { return [2]unbrokenSince{{Never, Never}, {Never, Never}} }

// A tickPeriod relates the ticks of the scheduler to the events.
type tickPeriod struct {
	period int64 // time between two ticks
	last   int64 // time of the last event
}

// SetTickPeriod sets the time between updates, and the time of the last event that the next Tick
// sees.
func (t *Tree) SetTickPeriod(period, last int64) { t.tickPeriod = tickPeriod{period, last} }

// updateSince updates the start, given the start of a clock before and after a tick.
func (s *unbrokenSince) updateSince(before, after int64, p tickPeriod) {
	switch {
	case before == after:
	case after == Never:
		s.ended = p.last
	case s.ended == Never || after-s.ended >= 2*p.period: // the gap lasted at least until the previous tick
		s.since = after
	}
}

// bridge carries the time over a tick that ended or continued a gap, if the element was almost below.
func (s *unbrokenSince) bridge(p tickPeriod) { s.ended = p.last }

// mayBridge reports whether the element was below at most two ticks ago.
func (s *unbrokenSince) mayBridge(p tickPeriod) bool {
	return s.ended != Never && p.last-s.ended < 2*p.period
}

// start returns since when an element may have been below a share in the scheduler's view at now,
// which is at most lag old; Never if it was not.
func (s *unbrokenSince) start(c *Clock, now, lag int64) int64 {
	if c.Since == Never && (s.ended == Never || now-s.ended >= lag) {
		return Never
	}
	return s.since
}

// UnbrokenSince returns the earliest start of starvation for the fair share and the min share that
// is consistent with the log, in the scheduler's view at now, which is at most lag old; Never if
// the element was not below.
func (t *Tree) UnbrokenSince(e Element, now, lag int64) (fairShare, minShare int64) {
	n := &t.elements[e]
	return n.unbroken[0].start(&n.starvation.FairShare, now, lag), n.unbroken[1].start(&n.starvation.MinShare, now, lag)
}

// MayHaveBeenSchedulable reports whether an operation may have been schedulable in the scheduler's
// view at now, which is at most lag old.
func (t *Tree) MayHaveBeenSchedulable(e Element, now, lag int64) bool {
	n := &t.elements[e]
	return n.seen.schedulable || n.operation.lastSchedulable != Never && now-n.operation.lastSchedulable < lag
}

// FewestTimeouts returns the timeouts of an operation scaled by the fewest pending jobs since the
// last tick or, if it starved with fewer, since it has been below a share: a tick of the scheduler
// may have seen them between two ticks of the replay, and starvation continues after that (§7.2,
// §7.3). An unschedulable operation counts with the jobs of its last schedulable tick.
func (t *Tree) FewestTimeouts(e Element) (fairShare Timeouts, minShare int64) {
	n := &t.elements[e]
	pending := n.operation.pending
	if !n.seen.schedulable {
		pending = n.operation.waited
	}
	return t.timeouts(n, min(pending, n.operation.fewest, n.operation.fewestStarving))
}

// noteFewest updates, at a tick, the fewest pending jobs with which an operation may starve
// although the tick did not see them.
func (t *Tree) noteFewest(n *element, now int64) {
	op := n.operation
	if !n.starvation.IsBelow() {
		op.fewestStarving = math.MaxInt64
	} else if op.fewest < op.pending && float64(op.fewest) < t.options.JobCountCoefficient {
		h := n.starvation
		fair, minShare := t.timeouts(n, op.fewest)
		if h.ApplyTimeouts(now, fair, minShare); h.Status() != n.starvation.Status() {
			op.fewestStarving = min(op.fewestStarving, op.fewest)
		}
	}
	op.fewest = math.MaxInt64
}

// forgetClocks restarts an element's clocks (§7.3).
func (t *Tree) forgetClocks(e Element) {
	t.countBegin(e)
	n := &t.elements[e]
	n.starvation, n.unbroken = newStarvation(), newUnbrokenSince()
	if n.operation != nil {
		n.operation.fewestStarving = math.MaxInt64
	}
}

// countBegin counts a start of an element's clocks.
func (t *Tree) countBegin(e Element) {
	t.begun++
	t.elements[e].begun = t.begun
}

// Begun returns a number that is different after each restart of an element's clocks (§7.3).
func (t *Tree) Begun(e Element) int64 { return t.elements[e].begun }
