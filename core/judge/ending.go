package judge

import "poolproof/core/scheduling"

// An Ending describes the end of a preempted job (core/spec/scheduling.md §10.7). Unknown times are
// scheduling.Never.
type Ending struct {
	Context
	Preempted        int64 // when the job was first asked to stop
	Deadline         int64 // the earliest deadline of all requests
	DeadlineRecorded bool  // heartbeats recorded the deadline, whatever the configuration says
	Own              int64 // the time that its operation's record gives preempted jobs, or 0
	Soonest          int64 // the first deadline that an unrecorded graceful request, or a default of some builds, may have set, or 0
	Reason           scheduling.Reason
	Interruptible    Fact // Unknown if not recorded
	PerhapsIdle      bool // it may not have been running yet, and is then aborted immediately
	Ended            int64
	Aborted          Fact  // for having been preempted, and not completed
	Until            int64 // how far the log goes
	Interval         int64 // the longest observed time between two heartbeats of its node, or 0
	Untimed          bool  // the time of the request is not recorded: at the latest at its end

	NodeLost      bool
	OperationOver bool // its operation ended before the job
	NodeOverfull  bool // its node was overfull when it was aborted, or long enough before that the repair may have set the deadline
}

// Judge judges PRE-21, and PRE-22 or GRC-02 if the job could be interrupted.
func (e *Ending) Judge(rulings []Ruling) []Ruling {
	if e.Untimed {
		e.Missing = PreemptTime
	}
	last := e.Preempted + e.Slacks.Gone(e.Interval)
	if e.Own > 0 {
		last = e.Preempted + e.Own + e.Slacks.Between(e.Interval)
	}
	if e.DeadlineRecorded || e.Reason == scheduling.ForGracefulPreemption {
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

// lacks returns the input for the deadline that the log as a whole lacks.
func (e *Ending) lacks() Input {
	if e.DeadlineRecorded || e.Own > 0 {
		return NothingMissing
	}
	return e.MissingInputs.Missing(NoConfiguration)
}

// excuse returns why the job may have ended when it did.
func (e *Ending) excuse() Excuse {
	if e.NodeLost {
		return NodeLost
	}
	return NoExcuse
}

// inTime holds if something that began happened by a time, or the log ends before that time.
func inTime(at, began, last, until int64, excuse Excuse) finding {
	f := compared(until <= last, float64(until-began), float64(last-began))
	if at != scheduling.Never {
		f.left, f.holds = float64(at-began), at <= last
	}
	f.excuse = excuse
	return f
}

// notEarly holds if the job stopped by itself or ran up to its deadline. A job that cannot be
// interrupted or is not running yet is aborted immediately.
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

// An Arrival records whether a job for which others were preempted came to run.
type Arrival struct {
	Context
	Granted        int64 // when the others were asked to stop
	Last           int64 // by when they must have stopped
	Until          int64 // how far the log goes
	Running        int64 // when it came to run, or scheduling.Never
	Gone           bool  // it was preempted itself, or its operation ended, before
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
		excuse = PreemptorGone
	case a.WaitingTimeout:
		excuse = WaitingTimeout
	}
	return append(rulings, a.rule(PRE23, inTime(a.Running, a.Granted, a.Last, a.Until, excuse)))
}
