package decisions

import (
	"cmp"
	"math"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/scheduling"
)

// The ends of preempted jobs are known in advance from the log. Excuses for an end that is too
// early or too late are known only later, so a batch with such an end waits for it.

// uninterruptible is the reason of jobs that cannot be asked to stop.
const uninterruptible = "interruption_unsupported"

// endingOf returns the recorded end of a job that is about to be preempted.
func (r *Referee) endingOf(e *core.Event, j *core.Job) judge.Ending {
	ending := judge.Ending{Ended: scheduling.Never, Untimed: e.Untimed, Interval: r.intervalOf(j.Node)}
	if e.Finish.Set {
		ending.Ended = int64(e.Finish.Value)
	}
	if j.Deadline.Set {
		ending.Deadline, ending.DeadlineRecorded = int64(j.Deadline.Value), true
	}
	ending.PerhapsIdle = j.State == "" && int64(e.Time-j.Start) < r.Core.LongestInterruption()+r.slacks.Between(ending.Interval)
	if p := e.Preemption; p != nil {
		ending.Aborted = abortedForPreemption(p)
		switch {
		case p.Mode == "abort" || p.EndReason == uninterruptible || j.State != "" && j.State != core.JobRunning:
			ending.Interruptible = judge.No
		case p.Mode == "interrupt" || p.Mode == "graceful":
			ending.Interruptible = judge.Yes
		}
	}
	return ending
}

// abortedForPreemption reports whether a preempted job was aborted because of the preemption, as
// far as its end is recorded.
func abortedForPreemption(p *core.PreemptionRecord) judge.Fact {
	switch {
	case p.End == core.EndUnknown || p.End == core.EndAborted && p.EndReason == "":
		return judge.Unknown
	case p.End == core.EndAborted:
		return judge.FactOf(p.EndReason == "preemption" || p.EndReason == "interruption_timeout")
	}
	return judge.No
}

// lookAtEnding completes the ending of victim k of a batch. Of several requests the first deadline
// counts, including that of an earlier graceful request, which is missing in a log that records
// only a job's last preemption (core/spec/invariants.md PRE-22).
func (r *Referee) lookAtEnding(row *preemption, b *judge.Batch, k int) {
	e := &row.ending
	e.Context, e.Preempted, e.Reason, e.Until = b.Context, b.At, b.Taken[k].Reason, int64(r.Log.Window.To)
	o := b.States[0].Options
	own, ofTree := r.ownTimeouts(row.Operation)
	timeout, graceful := timeoutOf(o, e.Reason), o.GracefulTimeout
	if of := own.For(e.Reason); of.Set {
		e.Own = of.Value.Micros()
		timeout = e.Own
	}
	if own.Graceful.Set {
		graceful = own.Graceful.Value.Micros()
	}
	switch {
	case !e.DeadlineRecorded:
		e.Deadline = e.Preempted + timeout
		switch {
		case e.Own > 0:
		case !ofTree:
			e.Missing = judge.OperationState
		case timeout == o.InterruptTimeout && o.LeastInterruptTimeout < timeout:
			e.Soonest = e.Preempted + o.LeastInterruptTimeout
		}
		switch job := &b.Jobs[b.Taken[k].Job]; {
		case e.Reason == scheduling.ForGracefulPreemption:
		case row.asked.Set:
			e.Deadline = min(e.Deadline, int64(row.asked.Value)+graceful)
		case b.States[0].Element(job.Operation).Graceful:
			e.Soonest = min(cmp.Or(e.Soonest, math.MaxInt64), job.Start+graceful)
		}
	case e.Untimed:
		e.Preempted, e.Untimed = e.Deadline-timeout, false
	}
	if e.Ended == scheduling.Never {
		e.Missing = judge.OperationState
	}
}

// ownTimeouts returns the timeouts that an operation's record states, and whether the tree's options hold
// for what it does not.
func (r *Referee) ownTimeouts(id core.OperationID) (own core.PreemptionTimeouts, ofTree bool) {
	if slot, ok := r.Core.OperationOf(id); ok {
		return r.Core.PreemptionTimeouts(slot)
	}
	return own, true
}

// timeoutOf returns the time that a job preempted for the reason may stay by the tree's options.
func timeoutOf(o *scheduling.Options, reason scheduling.Reason) int64 {
	if reason == scheduling.ForGracefulPreemption {
		return o.GracefulTimeout
	}
	return o.InterruptTimeout
}

// judgeEnding appends the rulings on the end of victim k, and sets row.endings to their number.
func (row *preemption) judgeEnding(rulings []judge.Ruling, k int32) []judge.Ruling {
	n := len(rulings)
	rulings = row.ending.Judge(rulings)
	for i := range rulings[n:] {
		rulings[n+i].Victim = k
	}
	row.endings = len(rulings) - n
	return rulings
}

// allegedEnd returns the end of the last victim that ended too early or too late, and whether there
// is any.
func (r *Referee) allegedEnd(rows []preemption) (until core.Time, any bool) {
	var buffer [2]judge.Ruling
	for k := range rows {
		for _, ruling := range rows[k].judgeEnding(buffer[:0], int32(k)) {
			if ruling.Counts() {
				any = true
				until = max(until, core.Time(rows[k].ending.Ended))
			}
		}
	}
	return until, any
}

// followEndings applies an event to the victims of held batches and to held starts.
func (r *Referee) followEndings(e *core.Event) {
	switch e.Kind {
	case core.ProcessChanged, core.NodeChanged, core.OperationChanged, core.JobFinished, core.JobReported, core.JobPreempted:
	default:
		return
	}
	for _, h := range r.Held {
		r.followStart(h, e)
		h.followServed(e, r.slacks.Noticed())
		rows := h.rows
		for k := range rows {
			if row := &rows[k]; row.ending.Ended >= int64(e.Time) {
				r.followEnding(row, e)
			}
		}
	}
}

// followServed records that a preemptor's operation ends so soon that its missing job could not
// start.
func (h *held) followServed(e *core.Event, atOnce int64) {
	if e.Kind != core.OperationChanged || !e.Step.Ends() || int64(e.Time-h.at) > atOnce {
		return
	}
	for k := range h.rows {
		if t := &h.batch.Taken[k]; t.Preemptor == judge.PreemptorElsewhere && h.rows[k].For == core.Some(e.Operation) {
			t.Preemptor = judge.PreemptorEnded
		}
	}
}

func (r *Referee) followEnding(row *preemption, e *core.Event) {
	switch e.Kind {
	case core.ProcessChanged:
		if int64(e.Time) <= row.ending.Deadline+r.slacks.Between(row.ending.Interval) { // otherwise it had already stayed too long
			row.ending.Shaken |= r.Excuses.Shaken(e.Time)
		}
	case core.NodeChanged:
		row.ending.NodeLost = row.ending.NodeLost || !e.Online && row.Node == core.Some(e.Node)
	case core.OperationChanged:
		if e.Operation == row.Operation && e.Step.Ends() {
			row.ending.OperationOver = true
		}
	case core.JobReported:
		if until := int64(e.Time + e.Timeout); e.Job == row.JobIx && e.Timeout > 0 && until < row.ending.Deadline {
			row.ending.Deadline = until
		}
	case core.JobFinished:
		if node, known := r.Core.NodeOf(row.Node.Value); e.Job == row.JobIx && row.Node.Set && known {
			row.ending.NodeOverfull = row.ending.NodeOverfull || r.Core.OverfullSince(node) != scheduling.Never
			row.ending.NodeLost = row.ending.NodeLost || r.Core.IsDisabled(node) || endsWithNode(e.Reason)
		}
	}
	switch e.Kind {
	case core.NodeChanged, core.JobReported, core.JobFinished, core.JobPreempted: // the node may no longer be overfull
		r.lookAtRoom(row, e.Time)
	}
}

// endsWithNode reports whether a recorded reason says that a job ended because the tree lost its
// node. The row of the node may come later (ingest/trace/FORMAT.md §1.3).
func endsWithNode(reason string) bool {
	switch reason {
	case "node_offline", "node_banned", "node_fair_share_tree_changed", "node_with_disabled_jobs":
		return true
	}
	return false
}

// lookAtRoom records whether the node of a preempted job was overfull for so long that a repair may
// have set an earlier deadline for the job (core/spec/scheduling.md §10.8).
func (r *Referee) lookAtRoom(row *preemption, now core.Time) {
	node, known := r.Core.NodeOf(row.Node.Value)
	if !row.Node.Set || !known {
		return
	}
	since, o := r.Core.OverfullSince(node), r.Core.Scheduling().Options()
	if since == scheduling.Never || int64(now) <= since+o.OvercommitDuration {
		return
	}
	cleared := max(since+o.OvercommitDuration, row.ending.Preempted)
	row.ending.NodeOverfull = row.ending.NodeOverfull || row.ending.Ended >= cleared+o.InterruptTimeout-r.slacks.Release
}

// configureEndings records that remaining jobs are asked again, with the timeouts of a new
// configuration.
func (r *Referee) configureEndings(h *held, now core.Time) {
	for k := range h.rows {
		e := &h.rows[k].ending
		e.Deadline = min(e.Deadline, int64(now)+timeoutOf(r.Core.Scheduling().Options(), e.Reason))
		if now-h.at < core.Time(r.slacks.Configuration) { // or already at the first request
			e.Deadline = min(e.Deadline, e.Preempted+timeoutOf(r.Core.Scheduling().Options(), e.Reason))
		}
	}
}
