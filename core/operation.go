package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// An Operation is a leaf of the tree, from its registration until its last job
// is gone.
type Operation struct {
	ID      OperationID
	Pool    int32 // slot
	Element fairshare.Element
	Params  OperationParams

	Alive       bool // the slot holds an operation
	Running     bool // marked running: takes part in the fair share (spec/scheduling.md §5.4)
	Suspended   bool
	Lightweight bool // counted apart from the running ones (spec/scheduling.md §5.7)
	Ended       bool // over in the log; its last jobs may still hold resources
	Late        bool // was over before: only jobs that the log starts too late
	Revived     bool // registered again after a restart, without checks
	EndStep     Step // how it ended

	Start, RunningSince, FirstJob, Finish Time // 0 if not yet

	Usage       resource.Vector // granted to its live jobs
	Needed      resource.Vector // what it could use beyond that
	MinNeeded   resource.Vector // smallest job it waits for, zero if unknown
	PendingJobs int64           // jobs it waits for, -1 if unknown
	LastStart   Time            // start of its last job

	LiveJobs, StartedJobs, PreemptedJobs int64

	jobs                list
	enabled, queued     bool // has an Element; waits in a FIFO pool
	touched, staleUsage bool
}

// Demand returns usage and unmet need; only usage where the operation cannot
// get jobs (spec/fair-share.md §3.4).
func (o *Operation) Demand() resource.Vector {
	if o.Suspended || o.Ended || !o.Running {
		return o.Usage
	}
	return o.Usage.Add(o.Needed)
}

// ShareStart is the start time that orders a FIFO pool.
func (o *Operation) ShareStart() Time { return o.Params.StartTime.Or(o.Start) }

// gone reports whether the log had the operation and has ended it, jobs and all.
func (t *Tree) gone(id OperationID) bool {
	slot := t.operationSlot[id]
	return slot < none || slot >= 0 && !t.operations[slot].Alive
}

// lastPool is the slot of the pool that a gone operation was in.
func (t *Tree) lastPool(id OperationID) int32 {
	if slot := t.operationSlot[id]; slot >= 0 {
		return t.operations[slot].Pool
	}
	return none - 1 - t.operationSlot[id]
}

// operationAt returns the slot of an event's operation, which it registers if
// the log had not: a trace may begin in the middle of its life. One that is
// over comes back only for a job that the log starts too late, and counts
// nowhere.
func (t *Tree) operationAt(e *Event) int32 {
	if slot := t.operationSlot[e.Operation]; slot >= 0 && t.operations[slot].Alive {
		return slot
	}
	o := Operation{ID: e.Operation, Alive: true, Start: e.Time, PendingJobs: -1, jobs: emptyList}
	if t.gone(e.Operation) && e.Step != StepStarted && e.Step != StepRevived {
		o.Late, o.Ended, o.Running = true, true, true
	}
	switch {
	case e.Pool != Unknown:
		o.Pool = t.poolAt(e.Pool, e.Time)
	case o.Late: // its pool may have left with it
		o.Pool = t.poolAt(t.pools[t.lastPool(e.Operation)].ID, e.Time)
	}
	o.Revived = e.Step == StepRevived
	var slot int32
	if n := len(t.freeOperations); n > 0 {
		slot = t.freeOperations[n-1]
		t.freeOperations = t.freeOperations[:n-1]
	} else {
		slot = int32(len(t.operations))
		t.operations = append(t.operations, Operation{})
	}
	t.operations[slot] = o
	t.operationSlot[e.Operation] = slot
	if o.Late {
		t.enable(slot)
	} else {
		t.countOperation(o.Pool, 1, 0, o.raise())
	}
	t.touchOperation(slot)
	return slot
}

// raise is why a pool's counts grow when the operation is counted.
func (o *Operation) raise() Raise {
	if o.Revived {
		return RaisedByRevival
	}
	return RaisedByOperation
}

func (t *Tree) changeOperation(e *Event) {
	if t.gone(e.Operation) && e.Step != StepStarted && e.Step != StepRevived {
		return
	}
	if t.operationSlot[e.Operation] == none && endsOperation(e.Step) {
		return // the end of something never seen
	}
	slot := t.operationAt(e)
	op := &t.operations[slot]
	t.touchOperation(slot)
	if op.Ended && (e.Step == StepStarted || e.Step == StepRevived) {
		t.reopenOperation(slot, e)
	}
	if e.Pool != Unknown {
		t.moveOperation(slot, t.poolAt(e.Pool, e.Time))
	}
	if e.Params != nil {
		t.unqueue(slot)
		op.Params.patch(e.Params)
		t.pushOperation(slot)
		t.queue(slot)
	}
	switch e.Step {
	case StepStarted, StepRevived:
		op.Start = op.Params.StartTime.Or(op.Start)
	case StepRunning:
		t.setRunning(slot, true)
	case StepMaterialized:
		// The earliest moment of running; where a limit holds the operation
		// back it is pending (spec/trace-formats.md §4.2).
		if t.hasRoom(op.Pool) || t.lightweight(op) {
			t.setRunning(slot, true)
		}
	case StepPending:
		t.setRunning(slot, false)
	case StepSuspended, StepResumed:
		before := op.Demand()
		op.Suspended = e.Step == StepSuspended
		t.queue(slot)
		t.shiftDemand(slot, before)
	default:
		if endsOperation(e.Step) {
			t.endOperation(slot, e)
		}
	}
}

func endsOperation(s Step) bool {
	switch s {
	case StepCompleted, StepFailed, StepAborted, StepRejected, StepErased, StepBanned:
		return true
	}
	return false
}

// hasRoom reports whether no pool of a chain is full of running operations
// (spec/scheduling.md §5.4).
func (t *Tree) hasRoom(pool int32) bool {
	for p := pool; p != none; p = t.pools[p].Parent {
		if limit := t.pools[p].MaxRunning; limit.Set && t.pools[p].Running >= limit.Value {
			return false
		}
	}
	return true
}

// lightweight reports whether the operation counts apart from the running ones
// of its pool (spec/scheduling.md §5.7).
func (t *Tree) lightweight(o *Operation) bool {
	p := &t.pools[o.Pool]
	return (t.profile == Documented || t.profile == Current) && p.Config.LightweightOps.Value && p.Config.Mode.Value == FIFO &&
		t.dims.Operations[o.ID].Type == "vanilla"
}

// endOperation takes the operation out of all counts and ends its demand. Its
// jobs keep their resources until the log ends them; those whose end the log
// does not know end here (spec/trace-formats.md §4.2).
func (t *Tree) endOperation(slot int32, e *Event) {
	op := &t.operations[slot]
	if op.Ended {
		return
	}
	before := op.Demand()
	t.countOperation(op.Pool, -1, -op.counted(), RaisedByOperation)
	op.Ended, op.EndStep, op.Finish = true, e.Step, e.Time
	t.queue(slot)
	t.shiftDemand(slot, before)
	t.loseJobs(op.jobs, ofOperation)
	if op.LiveJobs == 0 && op.Alive {
		t.detach(slot)
	}
	t.vacate(op.Pool)
}

// reopenOperation registers an operation anew that is over and whose last jobs
// still hold resources.
func (t *Tree) reopenOperation(slot int32, e *Event) {
	op := &t.operations[slot]
	op.Ended, op.Late, op.EndStep, op.Finish = false, false, StepOther, 0
	op.Running, op.Lightweight, op.Suspended, op.RunningSince = false, false, false, 0
	op.Needed, op.MinNeeded, op.PendingJobs = resource.Vector{}, resource.Vector{}, -1
	op.Revived = e.Step == StepRevived
	t.countOperation(op.Pool, 1, 0, op.raise())
}

// detach takes an operation that ended and holds nothing out of the tree.
func (t *Tree) detach(slot int32) {
	op := &t.operations[slot]
	t.disable(slot)
	op.Alive = false
	t.touchOperation(slot)
}

// setRunning marks the operation running or pending, in the counts of all its
// ancestors (spec/scheduling.md §5.4).
func (t *Tree) setRunning(slot int32, on bool) {
	op := &t.operations[slot]
	if op.Running == on || op.Ended {
		return
	}
	before := op.Demand()
	t.touchOperation(slot)
	if on {
		op.Running, op.Lightweight = true, t.lightweight(op)
		if op.RunningSince == 0 {
			op.RunningSince = t.now
		}
		t.countOperation(op.Pool, 0, op.counted(), op.raise())
		t.enable(slot)
		t.queue(slot) // one that still holds jobs takes part already
	} else {
		t.countOperation(op.Pool, 0, -op.counted(), RaisedByOperation)
		op.Running, op.Lightweight = false, false
		t.queue(slot)
		if op.LiveJobs == 0 {
			t.disable(slot)
		}
	}
	t.shiftDemand(slot, before)
}

// counted is what the operation adds to running_operation_count.
func (o *Operation) counted() int64 {
	if o.Running && !o.Lightweight && !o.Ended {
		return 1
	}
	return 0
}

// registered is what the operation adds to operation_count.
func (o *Operation) registered() int64 {
	if o.Ended {
		return 0
	}
	return 1
}

// moveOperation puts a live operation into another pool, with its counts,
// usage and demand (spec/scheduling.md §5.6).
func (t *Tree) moveOperation(slot, pool int32) {
	op := &t.operations[slot]
	if op.Pool == pool {
		return
	}
	t.unqueue(slot)
	from := op.Pool
	usage, demand := op.Usage, op.Demand()
	for p := from; p != none; p = t.pools[p].Parent {
		t.pools[p].Usage = t.pools[p].Usage.Sub(usage)
		t.pools[p].Demand = t.pools[p].Demand.Sub(demand)
		t.touchPool(p)
	}
	t.countOperation(from, -op.registered(), -op.counted(), RaisedByOperation)
	op.Pool = pool
	op.Lightweight = op.Running && t.lightweight(op)
	t.countOperation(pool, op.registered(), op.counted(), op.raise())
	for p := pool; p != none; p = t.pools[p].Parent {
		t.pools[p].Usage = t.pools[p].Usage.Add(usage)
		t.pools[p].Demand = t.pools[p].Demand.Add(demand)
		t.touchPool(p)
	}
	if op.enabled {
		t.shares.Move(op.Element, t.pools[pool].Element)
		t.pools[from].members--
		t.pools[pool].members++
		t.stale = true
	}
	t.queue(slot)
	t.touchOperation(slot)
	t.vacate(from)
}

// patch takes over what the change sets.
func (p *OperationParams) patch(c *OperationParams) {
	replace(&p.Weight, c.Weight)
	replace(&p.MaxShareRatio, c.MaxShareRatio)
	mergePartial(&p.ResourceLimits, c.ResourceLimits)
	mergePartial(&p.StrongGuarantee, c.StrongGuarantee)
	if c.TagFilter != nil {
		p.TagFilter = c.TagFilter
	}
	replace(&p.Gang, c.Gang)
	replace(&p.ApplyLimitsToDemand, c.ApplyLimitsToDemand)
	replace(&p.StartTime, c.StartTime)
	replace(&p.Graceful, c.Graceful)
	replace(&p.FairShareStarvationTolerance, c.FairShareStarvationTolerance)
	replace(&p.FairShareStarvationTimeout, c.FairShareStarvationTimeout)
	replace(&p.MinSharePreemptionTimeout, c.MinSharePreemptionTimeout)
	replace(&p.EnableAggressiveStarvation, c.EnableAggressiveStarvation)
	replace(&p.MaxUnpreemptibleJobs, c.MaxUnpreemptibleJobs)
}

func replace[T any](to *Optional[T], from Optional[T]) {
	if from.Set {
		*to = from
	}
}

// mergePartial takes over the resources that the change names.
func mergePartial(to *Optional[resource.Partial], from Optional[resource.Partial]) {
	if !from.Set {
		return
	}
	to.Set = true
	for k, set := range from.Value.Set {
		if set {
			to.Value.Amounts[k], to.Value.Set[k] = from.Value.Amounts[k], true
		}
	}
}
