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

	Alive     bool // the slot holds an operation
	Running   bool // marked running: takes part in the fair share (spec/scheduling.md §5.4)
	Suspended bool
	Ended     bool // over in the log; its last jobs may still hold resources
	EndStep   Step // how it ended

	Start, RunningSince, FirstJob, Finish Time // 0 if not yet

	Usage       resource.Vector // granted to its live jobs
	Needed      resource.Vector // what it could use beyond that
	MinNeeded   resource.Vector // smallest job it waits for, zero if unknown
	PendingJobs int64           // jobs it waits for, -1 if unknown
	LastJob     resource.Vector // resources of the job started last

	LiveJobs, StartedJobs, PreemptedJobs int64

	jobs                list
	enabled             bool // has an Element
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

// operationAt returns the slot of an event's operation, which it registers if
// the log had not: a trace may begin in the middle of its life.
func (t *Tree) operationAt(e *Event) int32 {
	if slot := t.operationSlot[e.Operation]; slot != none && t.operations[slot].Alive {
		return slot
	}
	var slot int32
	if n := len(t.freeOperations); n > 0 {
		slot = t.freeOperations[n-1]
		t.freeOperations = t.freeOperations[:n-1]
	} else {
		slot = int32(len(t.operations))
		t.operations = append(t.operations, Operation{})
	}
	pool := int32(0)
	if e.Pool != Unknown {
		pool = t.poolAt(e.Pool, e.Time)
	}
	t.operations[slot] = Operation{
		ID: e.Operation, Pool: pool, Alive: true, Start: e.Time,
		PendingJobs: -1, jobs: emptyList,
	}
	t.operationSlot[e.Operation] = slot
	t.countOperation(pool, 1, 0)
	t.touchOperation(slot)
	return slot
}

func (t *Tree) changeOperation(e *Event) {
	if slot := t.operationSlot[e.Operation]; (slot == none || !t.operations[slot].Alive) && endsOperation(e.Step) {
		return // the end of something never seen
	}
	slot := t.operationAt(e)
	op := &t.operations[slot]
	t.touchOperation(slot)
	if e.Pool != Unknown {
		t.moveOperation(slot, t.poolAt(e.Pool, e.Time))
	}
	if e.Params != nil {
		op.Params.patch(e.Params)
		t.pushOperation(slot)
	}
	switch e.Step {
	case StepStarted, StepRevived:
		op.Start = op.Params.StartTime.Or(op.Start)
	case StepRunning, StepMaterialized:
		t.setRunning(slot, true)
		if op.RunningSince == 0 {
			op.RunningSince = e.Time
		}
	case StepPending:
		t.setRunning(slot, false)
	case StepSuspended, StepResumed:
		before := op.Demand()
		op.Suspended = e.Step == StepSuspended
		t.shiftDemand(slot, before)
	default:
		if endsOperation(e.Step) {
			t.endOperation(slot, e)
		}
	}
}

func endsOperation(s Step) bool {
	switch s {
	case StepCompleted, StepFailed, StepAborted, StepRejected, StepErased:
		return true
	}
	return false
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
	t.countOperation(op.Pool, -1, -running(op))
	op.Ended, op.EndStep, op.Finish = true, e.Step, e.Time
	t.shiftDemand(slot, before)
	t.OperationJobs(slot, func(job int32) {
		if t.jobs[job].Finish == 0 {
			t.closeJob(job, EndedJob{Slot: job, End: EndUnknown, For: Unknown})
		}
	})
	if op.LiveJobs == 0 && op.Alive {
		t.detach(slot)
	}
}

// detach takes an operation that ended and holds nothing out of the tree.
func (t *Tree) detach(slot int32) {
	op := &t.operations[slot]
	t.leaveFIFO(slot)
	if op.enabled {
		t.shares.Remove(op.Element)
		op.enabled = false
		t.stale = true
	}
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
	op.Running = on
	t.touchOperation(slot)
	if on {
		t.countOperation(op.Pool, 0, 1)
		t.enable(slot)
	} else {
		t.countOperation(op.Pool, 0, -1)
		if op.LiveJobs == 0 {
			t.disable(slot)
		}
	}
	t.shiftDemand(slot, before)
}

func running(o *Operation) int64 {
	if o.Running {
		return 1
	}
	return 0
}

// moveOperation puts a live operation into another pool, with its counts,
// usage and demand (spec/scheduling.md §5.6).
func (t *Tree) moveOperation(slot, pool int32) {
	op := &t.operations[slot]
	if op.Pool == pool {
		return
	}
	t.leaveFIFO(slot)
	usage, demand := op.Usage, op.Demand()
	for p := op.Pool; p != none; p = t.pools[p].Parent {
		t.pools[p].Usage = t.pools[p].Usage.Sub(usage)
		t.pools[p].Demand = t.pools[p].Demand.Sub(demand)
		t.touchPool(p)
	}
	registered := int64(1)
	if op.Ended {
		registered = 0
	}
	t.countOperation(op.Pool, -registered, -registered*running(op))
	op.Pool = pool
	t.countOperation(pool, registered, registered*running(op))
	for p := pool; p != none; p = t.pools[p].Parent {
		t.pools[p].Usage = t.pools[p].Usage.Add(usage)
		t.pools[p].Demand = t.pools[p].Demand.Add(demand)
		t.touchPool(p)
	}
	if op.enabled {
		t.shares.Move(op.Element, t.pools[pool].Element)
		t.stale = true
		t.joinFIFO(slot)
	}
	t.touchOperation(slot)
}

// patch takes over what the change sets.
func (p *OperationParams) patch(c *OperationParams) {
	replace(&p.Weight, c.Weight)
	replace(&p.MaxShareRatio, c.MaxShareRatio)
	replace(&p.ResourceLimits, c.ResourceLimits)
	replace(&p.StrongGuarantee, c.StrongGuarantee)
	replace(&p.TagFilter, c.TagFilter)
	replace(&p.Gang, c.Gang)
	replace(&p.ApplyLimitsToDemand, c.ApplyLimitsToDemand)
	replace(&p.StartTime, c.StartTime)
}

func replace[T any](to *Optional[T], from Optional[T]) {
	if from.Set {
		*to = from
	}
}
