package replay

import (
	"math"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// An arrival is a job that was started in place of others and does not run yet,
// as far as heartbeats tell (PRE-23).
type arrival struct {
	judge.Arrival
	job       core.JobID
	operation core.OperationID
	pool      core.PoolID
	node      core.NodeID
	told      bool // heartbeats told its state
}

// expect waits for a job that a heartbeat has just started in place of the
// victims that were judged last.
func (r *referee) expect(e *core.Event) {
	slot, ok := r.core.OperationOf(e.Operation)
	if !ok {
		return
	}
	pool := r.core.Operation(slot).Pool
	a := arrival{job: e.Job, operation: e.Operation, pool: r.core.Pool(pool).ID, node: e.Node, Arrival: judge.Arrival{
		Context: r.context(e.Time, judge.Recorded, pool), Granted: int64(e.Time), Until: int64(r.opts.Window.To), Running: scheduling.Never,
	}}
	a.Missing = a.Lacks.Missing(judge.NoConfiguration)
	a.Last = a.Granted + a.Slacks.Gone()
	for k := range r.rows {
		a.Last = max(a.Last, r.rows[k].ending.Deadline+a.Slacks.Heartbeat)
	}
	if len(r.arrivals) == 0 || a.Last < r.arrivalsLast {
		r.arrivalsLast = a.Last
	}
	r.arrivals = append(r.arrivals, a)
}

// followArrivals notes what becomes of the jobs that are waited for.
func (r *referee) followArrivals(e *core.Event) {
	switch e.Kind {
	case core.JobReported, core.JobFinished, core.JobPreempted, core.OperationChanged, core.NodeChanged:
	default: // tells of none of them, and nobody's time is over
		if int64(e.Time) <= r.arrivalsLast {
			return
		}
	}
	kept, last := 0, int64(math.MaxInt64)
	for i := range r.arrivals {
		a := &r.arrivals[i]
		if int64(e.Time) > a.Last || a.follow(e) {
			r.settleArrival(a)
			continue
		}
		if kept < i {
			r.arrivals[kept] = *a
		}
		kept++
		last = min(last, a.Last)
	}
	r.arrivalsLast = last
	clear(r.arrivals[kept:])
	r.arrivals = r.arrivals[:kept]
}

// follow notes an event, and reports whether the job runs or is gone by it.
func (a *arrival) follow(e *core.Event) (settled bool) {
	switch e.Kind {
	case core.JobReported:
		if e.Job != a.job || e.State == "" {
			return false
		}
		a.told = true
		if e.State != core.JobWaiting && e.State != core.JobScheduled {
			a.Running = int64(e.Time)
		}
		return a.Running != scheduling.Never
	case core.JobFinished:
		if e.Job != a.job {
			return false
		}
		a.WaitingTimeout = e.Reason == "waiting_timeout"
		if a.Gone = e.End == core.EndAborted && !a.WaitingTimeout; e.End == core.EndCompleted || e.End == core.EndFailed {
			a.told, a.Running = true, a.Granted // it must have run
		}
		return true
	case core.JobPreempted:
		a.Gone = a.Gone || e.Job == a.job
	case core.OperationChanged:
		a.Gone = a.Gone || e.Operation == a.operation && e.Step.Ends()
	case core.NodeChanged:
		a.NodeLost = a.NodeLost || e.Node == a.node && !e.Online
	}
	return a.Gone || a.NodeLost
}

func (r *referee) settleArrival(a *arrival) {
	if !a.told && !a.Gone && !a.NodeLost && a.Missing == judge.NothingMissing {
		a.Missing = judge.JobStates
	}
	if excuse := r.grace.at(core.Time(a.Last)); a.Excuse == judge.NoExcuse {
		a.Excuse = excuse
	}
	r.rulings = a.Judge(r.rulings[:0])
	at := core.Time(a.Granted)
	r.tally.addAll(at, r.rulings)
	if isPlain(r.rulings) {
		return
	}
	row := tables.Decision{Time: at, Kind: "start", JobIx: a.job, Operation: a.operation, Pool: a.pool}
	if a.node >= 0 {
		row.Node = core.Some(a.node)
	}
	if slot, ok := r.core.JobOf(a.job); ok { // and that it is until its end is stepped
		row.Job = string(r.core.Job(slot).Name)
	}
	r.addDecisions(&row, r.rulings)
}

// finishArrivals settles what is waited for at the window's end.
func (r *referee) finishArrivals() {
	for i := range r.arrivals {
		r.settleArrival(&r.arrivals[i])
	}
	r.arrivals = nil
}
