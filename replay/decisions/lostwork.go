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
// names the predecessors of jobs, namedWork is exact instead.
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
		r.lost.closeSpan(e.Operation, e.Time, "started")
	case e.Kind == core.DemandChanged && !e.Needed.IsZero():
		r.lost.closeSpan(e.Operation, e.Time, "asked")
	case e.Kind != core.OperationChanged:
	case e.Step == core.StepSuspended:
		r.lost.closeSpan(e.Operation, e.Time, "suspended")
	case e.Step == core.StepPending:
		r.lost.closeSpan(e.Operation, e.Time, "pending")
	case e.Step.Ends():
		r.lost.closeSpan(e.Operation, e.Time, "operation_ended")
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

// lostJob returns the job that an event preempts and aborts, and its operation, or nil.
func (r *Referee) lostJob(e *core.Event) (*core.Job, *core.Operation) {
	slot, ok := r.Core.JobOf(e.Job)
	if !ok || !r.exactDemand || e.Preemption == nil || e.Preemption.End != core.EndAborted || e.PreemptionReason() == scheduling.ForGracefulPreemption {
		return nil, nil
	}
	j := r.Core.Job(slot)
	return j, r.Core.Operation(j.Operation)
}

// isQuiet reports whether an operation may run and has no pending jobs.
func isQuiet(o *core.Operation) bool {
	return !o.Suspended && !o.Ended && o.Running && o.Needed.IsZero()
}

// closeSpan ends the span of an operation.
func (l *lostWork) closeSpan(id core.OperationID, at core.Time, cause string) {
	row := l.open[id]
	if row == nil {
		return
	}
	delete(l.open, id)
	if row.ToTime, row.End = at, cause; at-row.FromTime >= leastLost {
		l.rows = append(l.rows, *row)
	}
}

// finish writes the rows of spans that reach into the window, in the order of their ends.
func (l *lostWork) finish(out *env.Table[tables.LostWork], window core.Span) {
	to := window.To
	for _, id := range slices.Sorted(maps.Keys(l.open)) {
		l.closeSpan(id, to, "window_end")
	}
	if l.named.named {
		l.named.finish(to)
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
	*l = lostWork{}
}
