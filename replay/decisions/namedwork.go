package decisions

import (
	"maps"
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// namedWork tracks the work of every aborted victim until a job names it as its predecessor
// (PRE-30). Its clock runs while the operation may run and has no pending jobs: with pending jobs
// the operation waits for resources, which starvation covers, and may do other work first. Results
// count once some job of the tree has named a predecessor, which shows that the log records them.
// Jobs of the operation that compete with others leave a doubt, because they may have done the
// work.
type namedWork struct {
	named bool
	of    map[core.OperationID]*unnamedWork
	rows  []tables.LostWork
}

// unnamedWork holds the work of an operation that no job has redone yet.
type unnamedWork struct {
	jobs  []unnamedJob
	quiet bool      // it has no pending jobs
	since core.Time // since when
	row   tables.LostWork
	vague bool // jobs of it compete, or only snapshots record what it asks for
}

// An unnamedJob is an aborted job, by its id in the source.
type unnamedJob struct {
	id   string
	gone core.Time
}

// followNamedWork handles an event of the window other than a preemption, before it is applied.
func (r *Referee) followNamedWork(e *core.Event) {
	l := &r.lost.named
	if len(l.of) == 0 {
		return
	}
	u := l.of[e.Operation]
	if u == nil {
		return
	}
	switch {
	case e.Kind == core.JobStarted:
		u.vague = u.vague || e.Competes
		r.beginAgain(u, e)
		if o := r.operationOf(e); o != nil && o.Running && !o.Suspended && o.Needed.Sub(e.Limits).Max(resource.Vector{}).IsZero() {
			u.open(e.Time)
		}
	case e.Kind == core.DemandChanged && !e.Needed.IsZero():
		r.closeNamedWork(u, e.Time, "asked")
	case e.Kind == core.DemandChanged:
		if o := r.operationOf(e); o != nil && o.Running && !o.Suspended && !o.Ended {
			u.open(e.Time)
		}
	case e.Kind != core.OperationChanged:
	case e.Step == core.StepSuspended:
		r.closeNamedWork(u, e.Time, "suspended")
	case e.Step == core.StepPending:
		r.closeNamedWork(u, e.Time, "pending")
	case e.Step == core.StepResumed || e.Step == core.StepRunning:
		if o := r.operationOf(e); o != nil && o.Needed.IsZero() {
			u.open(e.Time)
		}
	case e.Step.Ends():
		r.closeNamedWork(u, e.Time, "operation_ended")
		delete(l.of, e.Operation)
	}
}

func (r *Referee) operationOf(e *core.Event) *core.Operation {
	slot, ok := r.Core.OperationOf(e.Operation)
	if !ok {
		return nil
	}
	return r.Core.Operation(slot)
}

// loseNamedWork records an aborted job.
func (r *Referee) loseNamedWork(e *core.Event, j *core.Job, o *core.Operation) {
	l := &r.lost.named
	if o.Ended {
		return
	}
	u := l.of[o.ID]
	if u == nil {
		if l.of == nil {
			l.of = map[core.OperationID]*unnamedWork{}
		}
		u = &unnamedWork{vague: !r.exactDemand}
		l.of[o.ID] = u
	}
	u.jobs = append(u.jobs, unnamedJob{r.texts.copyOf(j.Name), max(e.Time, e.Finish.Or(e.Time))})
	u.row.Operation, u.row.Pool = o.ID, r.Core.Pool(o.Pool).ID
	if isQuiet(o) {
		u.open(e.Time)
	}
}

// beginAgain removes the work that a job names, and records how long it waited.
func (r *Referee) beginAgain(u *unnamedWork, e *core.Event) {
	l := &r.lost.named
	if e.Predecessor == nil {
		return
	}
	k := slices.IndexFunc(u.jobs, func(j unnamedJob) bool { return j.id == string(e.Predecessor) })
	if k < 0 {
		return
	}
	l.named = true
	if u.quiet {
		from := max(u.jobs[k].gone, u.since)
		l.addRow(u, u.jobs[k].id, 1, from, r.recordedQuiet(e.Operation, from, e.Time, "started"))
	}
	u.jobs = slices.Delete(u.jobs, k, k+1)
}

// open starts the clock of an operation without pending jobs.
func (u *unnamedWork) open(at core.Time) {
	if !u.quiet {
		u.quiet, u.since = true, at
	}
}

// closeNamedWork stops the clock, with a row for the work that waited longest.
func (r *Referee) closeNamedWork(u *unnamedWork, at core.Time, cause string) {
	if !u.quiet {
		return
	}
	end := r.recordedQuiet(u.row.Operation, u.since, at, cause)
	u.quiet = false
	var oldest unnamedJob
	count := int64(0)
	for k, j := range u.jobs {
		j.gone = max(j.gone, u.since)
		if end.at-j.gone >= leastLost {
			count++
		}
		if k == 0 || j.gone < oldest.gone || j.gone == oldest.gone && j.id < oldest.id {
			oldest = j
		}
	}
	if len(u.jobs) > 0 {
		r.lost.named.addRow(u, oldest.id, count, oldest.gone, end)
	}
}

// addRow keeps a row of work that waited long enough.
func (l *namedWork) addRow(u *unnamedWork, job string, count int64, from core.Time, end quietEnd) {
	if !end.isLong(from) {
		return
	}
	row := u.row
	row.Job, row.Jobs, row.FromTime, row.ToTime, row.End, row.Recorded = job, count, from, max(from, end.at), end.cause, !u.vague
	l.rows = append(l.rows, row)
}

// finishNamedWork ends the open spans with the window.
func (r *Referee) finishNamedWork(to core.Time) {
	of := r.lost.named.of
	for _, id := range slices.Sorted(maps.Keys(of)) {
		r.closeNamedWork(of[id], to, "window_end")
	}
}
