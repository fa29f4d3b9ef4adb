package decisions

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// An arrival is a preemptor's job that, by the heartbeats, is not running yet (PRE-23).
type arrival struct {
	judge.Arrival
	job       core.JobID
	operation core.OperationID
	pool      core.PoolID
	node      core.NodeID
	serial    int64 // in the order in which the waits began
	reported  bool  // heartbeats reported its state
	between   int64 // tolerated time between two heartbeats of its node, when the wait began
}

// arrivals holds the jobs that are waited for. An event visits only those that it concerns.
type arrivals struct {
	queue   []*arrival // in the order in which the waits end, equal ones as they began
	of      map[core.JobID]*arrival
	began   int64
	settled []*arrival // by the current event
	free    []*arrival
}

// expectArrival starts to wait for the job that a heartbeat has just started in place of the
// victims that were judged last.
func (r *Referee) expectArrival(e *core.Event) {
	slot, ok := r.Core.OperationOf(e.Operation)
	if !ok {
		return
	}
	pool := r.Core.Operation(slot).Pool
	a := arrival{job: e.Job, operation: e.Operation, pool: r.Core.Pool(pool).ID, node: e.Node, Arrival: judge.Arrival{
		Context: r.context(e.Time, judge.Recorded, pool), Granted: int64(e.Time), Until: int64(r.Log.Window.To), Running: scheduling.Never,
	}}
	a.Gone = r.Core.EndOf(e.Operation).Set
	a.Missing = a.MissingInputs.Missing(judge.NoConfiguration)
	seen := r.intervalOf(r.nodeOf(e))
	a.between = a.Slacks.Between(seen)
	a.Last = a.Granted + a.Slacks.Gone(seen)
	for k := range r.rows {
		a.Last = max(a.Last, r.rows[k].ending.Deadline+a.between)
	}
	r.arrivals.addArrival(&a)
}

// addArrival adds a copy of an arrival.
func (q *arrivals) addArrival(a *arrival) {
	if q.of == nil {
		q.of = map[core.JobID]*arrival{}
	}
	own := q.spare()
	q.began++
	*own = *a
	own.serial = q.began
	q.of[own.job] = own
	q.queue = slices.Insert(q.queue, q.place(own), own)
}

// spare returns a free arrival; it allocates many at once.
func (q *arrivals) spare() *arrival {
	if len(q.free) == 0 {
		room := make([]arrival, arrivalsAtOnce)
		for i := range room {
			q.free = append(q.free, &room[i])
		}
	}
	last := len(q.free) - 1
	a := q.free[last]
	q.free = q.free[:last]
	return a
}

const arrivalsAtOnce = 64

// place returns the index of an arrival in the queue, or where it would be inserted.
func (q *arrivals) place(a *arrival) int {
	if last := len(q.queue) - 1; last < 0 || q.queue[last].compare(a) < 0 {
		return last + 1 // the usual case for a new one
	}
	place, _ := slices.BinarySearchFunc(q.queue, a, (*arrival).compare)
	return place
}

func (a *arrival) compare(b *arrival) int {
	return cmp.Or(cmp.Compare(a.Last, b.Last), cmp.Compare(a.serial, b.serial))
}

// followArrivals updates the awaited jobs by an event.
func (r *Referee) followArrivals(e *core.Event) {
	q := &r.arrivals
	over := 0
	for over < len(q.queue) && int64(e.Time) > q.queue[over].Last {
		r.expire(q.queue[over], e.Time)
		q.settled = append(q.settled, q.queue[over])
		over++
	}
	switch e.Kind {
	case core.JobReported, core.JobFinished, core.JobPreempted:
		if a := q.of[e.Job]; a != nil && int64(e.Time) <= a.Last && a.applyEvent(e) {
			q.settled = append(q.settled, a)
		}
	case core.OperationChanged:
		if e.Step.Ends() {
			q.followAll(e, over)
		}
	case core.NodeChanged:
		if !e.Online {
			q.followAll(e, over)
		}
	case core.ProcessChanged:
		for _, a := range q.queue[over:] {
			a.Shaken |= r.Excuses.Shaken(e.Time)
		}
	}
	r.settleArrivals()
}

// expire ends a wait if its time is up. If the log holds all heartbeats, the outcome is still
// unknown if the node sent none since the victims had to be gone, or was silent for longer than
// ever before.
func (r *Referee) expire(a *arrival, now core.Time) {
	if int64(now) <= a.Last {
		return
	}
	a.Until = min(a.Until, int64(now))
	if r.allHeartbeats && a.node >= 0 {
		node, _ := r.Core.NodeOf(a.node)
		heard := int64(r.Core.Node(node).LastHeartbeat) > a.Last-a.between
		a.reported = a.reported && heard && a.Slacks.Between(r.intervalOf(node)) <= a.between
	}
}

// followAll applies an event to all arrivals from an index on.
func (q *arrivals) followAll(e *core.Event, from int) {
	for _, a := range q.queue[from:] {
		if a.applyEvent(e) {
			q.settled = append(q.settled, a)
		}
	}
}

// settleArrivals judges the arrivals whose outcome is known, in the order in which the waits
// began.
func (r *Referee) settleArrivals() {
	q := &r.arrivals
	slices.SortFunc(q.settled, func(a, b *arrival) int { return cmp.Compare(a.serial, b.serial) })
	for _, a := range q.settled {
		r.settleArrival(a)
		place := q.place(a)
		q.queue = slices.Delete(q.queue, place, place+1)
		delete(q.of, a.job)
	}
	q.free = append(q.free, q.settled...)
	q.settled = q.settled[:0]
}

// applyEvent applies an event, and reports whether the job now runs or has ended.
func (a *arrival) applyEvent(e *core.Event) (settled bool) {
	switch e.Kind {
	case core.JobReported:
		if e.Job != a.job || e.State == "" {
			return false
		}
		a.reported = true
		if e.State != core.JobWaiting && e.State != core.JobScheduled {
			a.Running = int64(e.Time)
		}
		return a.Running != scheduling.Never
	case core.JobFinished:
		if e.Job != a.job {
			return false
		}
		if a.WaitingTimeout = e.Reason == "waiting_timeout"; a.WaitingTimeout {
			a.reported = true // it waited to its end
		}
		if a.Gone = e.End == core.EndAborted && !a.WaitingTimeout; e.End == core.EndCompleted || e.End == core.EndFailed {
			a.reported, a.Running = true, a.Granted // it must have run
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

func (r *Referee) settleArrival(a *arrival) {
	if !a.reported && !a.Gone && !a.NodeLost && a.Missing == judge.NothingMissing {
		a.Missing = judge.JobStates
	}
	r.rulings = r.ofPolicy(a.Judge(r.rulings[:0]))
	at := core.Time(a.Granted)
	r.tally.addAll(at, r.rulings)
	if isPlain(r.rulings) {
		return
	}
	row := tables.Decision{Time: at, Kind: "start", JobIx: a.job, Operation: a.operation, Pool: a.pool}
	if a.node >= 0 {
		row.Node = core.Some(a.node)
	}
	if slot, ok := r.Core.JobOf(a.job); ok { // it still exists until its end is applied
		row.Job = string(r.Core.Job(slot).Name)
	}
	r.addDecisions(&row, r.rulings)
}

// finishArrivals judges the awaited jobs at the window's end.
func (r *Referee) finishArrivals() {
	q := &r.arrivals
	for _, a := range q.queue {
		r.expire(a, r.Log.Window.To)
	}
	q.settled = append(q.settled, q.queue...)
	r.settleArrivals()
}
