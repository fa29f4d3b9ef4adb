package judge

import "poolproof/core/scheduling"

// An Ending is what became of a preempted job (core/spec/scheduling.md §10.7). Times
// are scheduling.Never where they are not known.
type Ending struct {
	Context
	Preempted     int64 // when the job was asked to stop first
	Deadline      int64 // the earliest deadline of all requests
	Told          bool  // heartbeats told the deadline, whatever the configuration says
	Soonest       int64 // the first deadline that an unrecorded graceful request may have set, 0 if none
	Reason        scheduling.Reason
	Interruptible Fact // unknown where no log says
	PerhapsIdle   bool // it may not have come to run yet, and is then aborted at once
	Ended         int64
	Aborted       Fact  // for having been preempted, and not completed
	Until         int64 // how far the log goes
	Interval      int64 // the longest time that was seen between two heartbeats of its node, 0 if none
	Untimed       bool  // the log does not record when the job was asked: at the latest at its end

	NodeLost      bool
	OperationOver bool // its operation ended before it did
	NodeOverfull  bool // its node was overfull when it was aborted, or for so long before that clearing it may have set the deadline
}

// Judge judges PRE-21, and PRE-22 or GRC-02 where the job could be interrupted.
func (e *Ending) Judge(rulings []Ruling) []Ruling {
	if e.Untimed {
		e.Missing = PreemptTime
	}
	last := e.Preempted + e.Slacks.Gone(e.Interval)
	if e.Told || e.Reason == scheduling.ForGracefulPreemption {
		last = max(last, e.Deadline+e.Slacks.Between(e.Interval))
	}
	gone := inTime(e.Ended, e.Preempted, last, e.Until, e.excuse())
	gone.missing = e.lacks()
	rulings = append(rulings, e.rule(PRE21, gone))
	if e.Ended == scheduling.Never && e.Missing == NothingMissing || e.Interruptible == No {
		return rulings
	}
	i := PRE22
	if e.Reason == scheduling.ForGracefulPreemption {
		i = GRC02
	}
	return append(rulings, e.rule(i, e.notEarly()))
}

// lacks is what the log as a whole leaves out of a deadline.
func (e *Ending) lacks() Input {
	if e.Told {
		return NothingMissing
	}
	return e.MissingInputs.Missing(NoConfiguration)
}

// excuse is why the job may have left when it did.
func (e *Ending) excuse() Excuse {
	if e.NodeLost {
		return NodeLost
	}
	return NoExcuse
}

// inTime holds where something that began happened by a moment, or the log ends
// before it.
func inTime(at, began, last, until int64, excuse Excuse) finding {
	f := compared(until <= last, float64(until-began), float64(last-began))
	if at != scheduling.Never {
		f.left, f.holds = float64(at-began), at <= last
	}
	f.excuse = excuse
	return f
}

// notEarly holds where the job stopped by itself or was let run up to its
// deadline. One that cannot be interrupted, or does not run yet, is aborted at
// once.
func (e *Ending) notEarly() finding {
	early := e.Ended < e.Deadline-e.Slacks.Release
	switch {
	case e.Aborted == Yes && e.Interruptible == Unknown:
		return finding{missing: PreemptMode}
	case e.Aborted == Unknown && early:
		return finding{missing: AbortReason}
	}
	f := compared(e.Aborted == No || !early, float64(e.Ended-e.Preempted), float64(e.Deadline-e.Preempted))
	asked := e.Soonest > 0 && e.Ended >= e.Soonest-e.Slacks.Release
	f.missing, f.may, f.excuse = e.lacks(), e.PerhapsIdle || asked, e.excuse()
	switch {
	case f.excuse != NoExcuse:
	case e.OperationOver:
		f.excuse = OperationOver
	case e.NodeOverfull:
		f.excuse = NodeOverfull
	}
	return f
}

// An Arrival is whether a job came to run for which others were taken away.
type Arrival struct {
	Context
	Granted        int64 // when the others were asked to stop
	Last           int64 // by when they are gone
	Until          int64 // how far the log goes
	Running        int64 // when it came to run, scheduling.Never if not
	Gone           bool  // it was taken itself, or its operation ended, before
	NodeLost       bool
	WaitingTimeout bool // waiting_job_timeout, which is shorter, ended it
}

// Judge judges PRE-23.
func (a *Arrival) Judge(rulings []Ruling) []Ruling {
	excuse := NoExcuse
	switch {
	case a.NodeLost:
		excuse = NodeLost
	case a.Gone:
		excuse = BeneficiaryGone
	case a.WaitingTimeout:
		excuse = WaitingTimeout
	}
	return append(rulings, a.rule(PRE23, inTime(a.Running, a.Granted, a.Last, a.Until, excuse)))
}
