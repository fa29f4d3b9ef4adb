package judge

import "poolproof/core/scheduling"

// An Ending is what became of a preempted job and of the job that it made room
// for (spec/scheduling.md §10.7). Times are scheduling.Never where they are not
// known.
type Ending struct {
	Context
	Preempted     int64 // when the job was asked to stop first
	Deadline      int64 // the earliest deadline of all requests
	Reason        scheduling.Reason
	Interruptible Fact // unknown where no log says
	Ended         int64
	Aborted       bool  // not completed
	Until         int64 // how far the log goes
	NodeLost      bool

	// The beneficiary's job; HasBeneficiary is false where there is none.
	HasBeneficiary bool
	Running        int64 // when it came to run
	Gone           bool  // it or its operation ended before
	WaitingTimeout bool  // waiting_job_timeout is shorter than the interruption
}

// Judge judges PRE-21, PRE-22 or GRC-02, and PRE-23.
func (e *Ending) Judge(rulings []Ruling) []Ruling {
	last := e.Preempted + e.Slacks.Gone()
	if e.Reason == scheduling.ForGracefulPreemption {
		last = max(last, e.Deadline+e.Slacks.Heartbeat)
	}
	rulings = append(rulings, e.rule(PRE21, e.inTime(e.Ended, last)))
	if e.Aborted && e.Ended != scheduling.Never {
		i := PRE22
		if e.Reason == scheduling.ForGracefulPreemption {
			i = GRC02
		}
		rulings = append(rulings, e.rule(i, e.notEarly()))
	}
	if !e.HasBeneficiary {
		return rulings
	}
	f := e.inTime(e.Running, e.Preempted+e.Slacks.Gone())
	switch {
	case e.Gone:
		f.excuse = BeneficiaryGone
	case e.WaitingTimeout:
		f.excuse = WaitingTimeout
	}
	return append(rulings, e.rule(PRE23, f))
}

// inTime holds where something happened by a moment, or the log ends before it.
func (e *Ending) inTime(at, last int64) finding {
	f := compared(e.Until <= last, float64(e.Until-e.Preempted), float64(last-e.Preempted))
	if at != scheduling.Never {
		f.left, f.holds = float64(at-e.Preempted), at <= last
	}
	if e.NodeLost {
		f.excuse = NodeLost
	}
	return f
}

// notEarly holds where the job was let run up to its deadline. A job that cannot
// be interrupted is aborted at once.
func (e *Ending) notEarly() finding {
	f := compared(e.Interruptible == No || e.Ended >= e.Deadline-e.Slacks.Release, float64(e.Ended-e.Preempted), float64(e.Deadline-e.Preempted))
	f.may = e.Interruptible == Unknown
	if e.NodeLost {
		f.excuse = NodeLost
	}
	return f
}
