package decisions

import (
	"cmp"
	"maps"
	"slices"

	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// lostWork checks whether the work of aborted victims is redone (PRE-30, core/spec/scheduling.md
// §10.7): the operation starts a job, or has pending jobs. Jobs that were pending before may be
// unrelated, so only operations without pending jobs are tracked, and any start counts. If the log
// names the predecessors of jobs, namedWork is exact instead. If only snapshots record demand, an
// operation has no pending jobs from one of its records to the next.
type lostWork struct {
	open  map[core.OperationID]*tables.LostWork
	rows  []tables.LostWork
	named namedWork
}

// leastLost is the least length of a span with a row.
const leastLost = 60 * core.Second

// followLostWork applies an event.
func (r *Referee) followLostWork(e *core.Event) {
	if e.Kind == core.JobPreempted {
		if j, o := r.lostJob(e); j != nil {
			r.loseNamedWork(e, j, o)
			r.loseWork(e, j, o)
		}
		return
	}
	r.followNamedWork(e)
	if len(r.lost.open) == 0 {
		return
	}
	switch {
	case e.Kind == core.JobStarted:
		r.endLostWork(e, "started")
	case e.Kind == core.DemandChanged && !e.Needed.IsZero():
		r.endLostWork(e, "asked")
	case e.Kind != core.OperationChanged:
	case e.Step == core.StepSuspended:
		r.endLostWork(e, "suspended")
	case e.Step == core.StepPending:
		r.endLostWork(e, "pending")
	case e.Step.Ends():
		r.endLostWork(e, "operation_ended")
	}
}

// loseWork records an aborted job of an operation without pending jobs.
func (r *Referee) loseWork(e *core.Event, j *core.Job, o *core.Operation) {
	if !isQuiet(o) {
		return
	}
	row := r.lost.open[o.ID]
	if row == nil {
		row = &tables.LostWork{Operation: o.ID}
		if r.lost.open == nil {
			r.lost.open = map[core.OperationID]*tables.LostWork{}
		}
		r.lost.open[o.ID] = row
	}
	row.Pool, row.Job, row.FromTime = r.Core.Pool(o.Pool).ID, string(j.Name), max(row.FromTime, e.Time, e.Finish.Or(e.Time))
	row.Jobs++
}

// endLostWork ends the span of the operation of an event.
func (r *Referee) endLostWork(e *core.Event, cause string) {
	if row := r.lost.open[e.Operation]; row != nil {
		r.lost.closeSpan(row, r.recordedQuiet(e.Operation, row.FromTime, e.Time, cause))
	}
}

// A quietEnd tells when and why a span without pending jobs ends.
type quietEnd struct {
	at    core.Time
	cause string
}

// unrecordedEnd is the cause of the end of a span that the operation's records do not cover.
const unrecordedEnd = "unrecorded"

// recordedQuiet returns the end of a span as far as the log records that the operation had no
// pending jobs in it. If only snapshots record demand, it ends early where later ones lack the
// operation.
func (r *Referee) recordedQuiet(id core.OperationID, from, at core.Time, cause string) quietEnd {
	if !r.exactDemand && at-from >= leastLost {
		last := max(from, r.records.LastRecord(id))
		if patience := core.Time(r.records.Slack()); at-last > max(patience+patience/4, leastLost) {
			return quietEnd{last, unrecordedEnd}
		}
	}
	return quietEnd{at, cause}
}

// lostJob returns the job that an event preempts and aborts, and its operation, or nil.
func (r *Referee) lostJob(e *core.Event) (*core.Job, *core.Operation) {
	slot, ok := r.Core.JobOf(e.Job)
	if !ok || !r.exactDemand && !r.sampledDemand || e.Preemption == nil || e.Preemption.End != core.EndAborted ||
		e.PreemptionReason() == scheduling.ForGracefulPreemption {
		return nil, nil
	}
	j := r.Core.Job(slot)
	return j, r.Core.Operation(j.Operation)
}

// isQuiet reports whether an operation may run and has no pending jobs.
func isQuiet(o *core.Operation) bool {
	return !o.Suspended && !o.Ended && o.Running && o.Needed.IsZero()
}

// closeSpan ends an open span.
func (l *lostWork) closeSpan(row *tables.LostWork, end quietEnd) {
	delete(l.open, row.Operation)
	if row.ToTime, row.End = end.at, end.cause; end.isLong(row.FromTime) {
		l.rows = append(l.rows, *row)
	}
}

// isLong reports whether a span that ends so has a row.
func (e quietEnd) isLong(from core.Time) bool {
	return e.cause == unrecordedEnd || e.at-from >= leastLost
}

// finishLostWork writes the rows of spans that reach into the window, in the order of their ends.
func (r *Referee) finishLostWork(out *env.Table[tables.LostWork], window core.Span) {
	l := &r.lost
	for _, id := range slices.Sorted(maps.Keys(l.open)) {
		l.closeSpan(l.open[id], r.recordedQuiet(id, l.open[id].FromTime, window.To, "window_end"))
	}
	if l.named.named {
		r.finishNamedWork(window.To)
		l.rows = l.named.rows
	}
	slices.SortStableFunc(l.rows, func(a, b tables.LostWork) int {
		return cmp.Or(cmp.Compare(a.ToTime, b.ToTime), cmp.Compare(a.Operation, b.Operation))
	})
	for i := range l.rows {
		if l.rows[i].ToTime > window.From {
			out.Add(&l.rows[i])
		}
	}
	r.lost = lostWork{}
}
