package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// An Operation is a leaf of the tree, from its registration until its last job has ended.
type Operation struct {
	ID      OperationID
	Pool    int32 // slot
	Element fairshare.Element
	Params  OperationParams

	Alive       bool // the slot holds an operation
	Running     bool // marked running: takes part in the fair share (core/spec/scheduling.md §5.4)
	Suspended   bool
	Lightweight bool // counted apart from the running ones (core/spec/scheduling.md §5.7)
	Ended       bool // ended in the log; its last jobs may still hold resources
	Late        bool // had ended before; exists only for jobs that start too late
	Revived     bool // registered again after a restart, without checks
	Unplaced    bool // its pool is not recorded: it counts in the root
	Unstarted   bool // its start is not recorded: Start is the latest possible one
	EndStep     Step // how it ended

	Start                          Time
	RunningSince, FirstJob, Finish Optional[Time] // absent if not yet
	Seen                           Time           // when it first appeared in the log

	Usage         resource.Vector // granted to its live jobs
	Needed        resource.Vector // what it could use beyond that
	MinNeeded     resource.Vector // smallest job it waits for, zero if unknown
	LastNeeded    resource.Vector // last known smallest job it waited for, zero if never known
	PendingJobs   int64           // jobs it waits for, -1 if unknown
	MostNeeded    resource.Vector // the most that Needed may be
	LeastNeeded   resource.Vector // and the least: the row may not account for starts just before it
	neededAt      Time            // time of the row with Needed
	timeouts      recordedTimeouts
	staying       resource.Vector // what preempted jobs may hold until they stop, see leaving
	needDoubtedAt Time            // when the need may last have differed from Needed, or Never
	LastStart     Time            // start of its last job

	Segment       scheduling.Segment // of the nodes that it may use (core/spec/scheduling.md §12)
	SegmentKnown  bool               // the log records it
	SegmentSince  Time               // when it was fixed
	Module        int32              // module where its jobs run, else the assigned one; 0: none
	WaitingSince  Time               // since when it wants more than it has, or Never
	segmentOfJobs runsIn             // segment and module of its jobs
	RunsDoubted   Time               // when that was last found to be doubtful, or Never
	sample        trial

	LastFiltered  Time  // last change of its tag filter or pool since its start, or Never
	LastLimited   Time  // last change of its own limits of resources or share, likewise
	LastWeighted  Time  // last change of its weight
	LastProtected Time  // last change of its max_unpreemptible_job_count (core/spec/scheduling.md §8.2)
	LastMoved     Time  // last change of its pool
	LastRevived   Time  // last registration after a restart
	Joined        int32 // number of its lowest pools that it was not in before LastMoved

	LiveJobs, StartedJobs, PreemptedJobs int64

	best                bestAllocation
	place               int32              // fifo_index of the last record in this pool, from 1; 0 if not recorded
	learnt              Time               // see Learnt
	firstNeeded         resource.Vector    // the first MinNeeded
	registered          pooltree.Operation // NoOperation once it has ended
	filter              pooltree.Filter    // of its scheduling_tag_filter
	enabled, queued     bool               // has an Element; waits in a FIFO pool
	startedLeast        bool               // a job no larger than MinNeeded, since that was recorded
	queuedSince         Time
	lastGone            Time // last time a preempted job of it stopped, or Never
	touched, staleUsage bool
}

// Demand returns usage and unmet need, which the operation's own limits may cap;
// only usage where it cannot get jobs (core/spec/fair-share.md §3.4,
// core/spec/scheduling.md §11.5).
func (o *Operation) Demand() resource.Vector {
	if o.Suspended || o.Ended || !o.Running {
		return o.Usage
	}
	if !o.Params.ApplyLimitsToDemand.Value {
		return o.Needed.Add(o.Usage)
	}
	return pooltree.Demand(o.Needed, o.Usage, o.Params.ResourceLimits.Value, true)
}

// wanted returns what the operation may still get: its need, capped by its own limits
// (core/spec/fair-share.md §3.4).
func (o *Operation) wanted() resource.Vector {
	if !o.Params.ApplyLimitsToDemand.Value {
		return o.Needed
	}
	return pooltree.Demand(o.Needed, o.Usage, o.Params.ResourceLimits.Value, true).Sub(o.Usage)
}

// changeOperation applies a step in an operation's life: first it records what the policy says,
// then it sets pool and settings, then it applies the step itself.
func (t *Tree) changeOperation(e *Event) {
	t.admit(e)
	again := e.Step == StepStarted || e.Step == StepRevived
	if t.hasEnded(e.Operation) && !again {
		return
	}
	if t.operationSlot[e.Operation] == none && e.Step.Ends() {
		return // the end of an operation that never started
	}
	slot := t.operationAt(e)
	op := &t.operations[slot]
	t.touchOperation(slot)
	if op.Ended && again {
		t.reopenOperation(slot, e)
	}
	if e.Pool != Unknown {
		t.moveOperation(slot, t.poolAt(e.Pool, t.userOf(e.Operation)))
		t.notePlaced(op)
	}
	t.setRole(slot, e)
	if e.Params != nil {
		t.setParams(slot, e)
	}
	t.applyStep(slot, e)
}

// setParams applies the settings of an operation that a row changes.
func (t *Tree) setParams(slot int32, e *Event) {
	op := &t.operations[slot]
	t.unqueueOperation(slot)
	before, was := op.Demand(), op.Params
	op.Params.Patch(e.Params)
	op.Params.DropIgnored(t.profile)
	if e.Step != StepStarted {
		t.noteSet(op, &was, t.now)
	}
	t.setSegment(slot)
	t.refiltered = t.refilter(&op.filter, op.tagFilter()) || t.refiltered
	if e.Params.TagFilter != nil && e.Step != StepStarted {
		op.LastFiltered = e.Time
	}
	t.pushOperation(slot)
	t.queueOperation(slot)
	t.shiftDemand(slot, before)
}

// applyStep applies the step itself.
func (t *Tree) applyStep(slot int32, e *Event) {
	op := &t.operations[slot]
	switch e.Step {
	case StepStarted:
		t.noteStarted(op)
	case StepRevived:
		op.LastRevived = e.Time
		if op.enabled { // a restarted scheduler has no starvation clocks
			t.scheduling.ResetStarvation(op.Element) // core/spec/scheduling.md §7.3
			t.stale = true
		}
	case StepRunning:
		t.setRunning(slot, true)
	case StepMaterialized:
		// The earliest moment of running; if a limit blocks the operation it is pending
		// (ingest/trace/FORMAT.md §4.2).
		switch {
		case op.Running: // whatever the counts of its pools, itself included
		case op.registered == pooltree.NoOperation || t.admission.Blocker(op.registered) == pooltree.NoPool:
			t.setRunning(slot, true)
		default:
			t.admission.Wait(op.registered)
		}
	case StepPending:
		t.setRunning(slot, false)
		if op.registered != pooltree.NoOperation && !op.Running {
			t.admission.Wait(op.registered)
		}
	case StepSuspended, StepResumed:
		before := op.Demand()
		op.Suspended = e.Step == StepSuspended
		t.queueOperation(slot)
		t.pushOperation(slot)
		t.shiftDemand(slot, before)
	default:
		if e.Step.Ends() {
			t.endOperation(slot, e)
		}
	}
}

// operationAt returns the slot of an event's operation, which it registers if necessary: a trace
// may begin in the middle of its life. An operation that has ended comes back only for a job that
// starts too late, and counts nowhere.
func (t *Tree) operationAt(e *Event) int32 {
	if slot := t.operationSlot[e.Operation]; slot >= 0 && t.operations[slot].Alive {
		return slot
	}
	start := t.dims.Operations[e.Operation].Start
	o := Operation{
		ID: e.Operation, Alive: true, Start: min(e.Time, start.Or(e.Time)), Seen: e.Time, PendingJobs: -1, registered: pooltree.NoOperation,
		needDoubtedAt: Never, neededAt: Never, LastStart: Never, SegmentSince: Never, WaitingSince: Never, RunsDoubted: Never,
		LastFiltered: Never, LastLimited: Never, LastWeighted: Never, LastProtected: Never, LastMoved: Never, LastRevived: Never,
		queuedSince: Never, lastGone: Never,
	}
	o.Unstarted = e.Step != StepStarted && !start.Set
	if t.hasEnded(e.Operation) && e.Step != StepStarted && e.Step != StepRevived {
		o.Late, o.Ended, o.Running = true, true, true
	}
	switch {
	case o.Late: // its pool may have been removed with it
		o.Pool = t.lastPool(e.Operation)
		t.restorePool(o.Pool)
	case e.Pool != Unknown:
		o.Pool = t.poolAt(e.Pool, t.userOf(e.Operation))
	case t.hasEnded(e.Operation): // in its previous pool
		o.Pool = t.lastPool(e.Operation)
		t.ensurePool(o.Pool, t.userOf(e.Operation))
	default:
		o.Unplaced = true
		t.unplaced++
	}
	o.Revived = e.Step == StepRevived
	slot := t.addOperation(o)
	if o.Late {
		t.enable(slot)
	} else {
		t.register(slot)
	}
	t.touchOperation(slot)
	return slot
}

// vanilla is the type of the operations that may be lightweight
// (core/spec/scheduling.md §5.7).
const vanilla = "vanilla"

// register counts an operation in its pool.
func (t *Tree) register(slot int32) {
	o := &t.operations[slot]
	t.operationEnd[o.ID] = Optional[Time]{}
	info := &t.dims.Operations[o.ID]
	o.registered = t.admission.Add(pooltree.Pool(o.Pool), info.User, info.Type == vanilla)
	for int(o.registered) >= len(t.registered) {
		t.registered = append(t.registered, none)
	}
	t.registered[o.registered] = slot
	t.countChain(o.Pool, o.raise())
}

// unregister removes an operation from all counts.
func (t *Tree) unregister(slot int32) {
	o := &t.operations[slot]
	t.admission.Remove(o.registered)
	t.registered[o.registered] = none
	o.registered = pooltree.NoOperation
	t.countChain(o.Pool, RaisedByOperation)
}

func (t *Tree) userOf(id OperationID) string { return t.dims.Operations[id].User }

// raise returns the reason why a pool's counts grow when the operation is counted.
func (o *Operation) raise() Raise {
	if o.Revived {
		return RaisedByRevival
	}
	return RaisedByOperation
}

// Ends reports whether the step ends an operation's life in the tree.
func (s Step) Ends() bool {
	switch s {
	case StepCompleted, StepFailed, StepAborted, StepRejected, StepErased, StepBanned:
		return true
	}
	return false
}

// endOperation removes the operation from all counts and ends its demand. Its jobs keep their
// resources until the log ends them; jobs whose end is not recorded end here
// (ingest/trace/FORMAT.md §4.2).
func (t *Tree) endOperation(slot int32, e *Event) {
	op := &t.operations[slot]
	if op.Ended {
		return
	}
	before := op.Demand()
	t.unregister(slot)
	op.Ended, op.EndStep, op.Finish = true, e.Step, Some(e.Time)
	t.noteNeedDoubt(op)
	t.operationEnd[op.ID], t.lastTurnover = op.Finish, max(t.lastTurnover, e.Time)
	t.queueOperation(slot)
	t.pushOperation(slot)
	t.shiftDemand(slot, before)
	t.loseJobs(func(visit func(int32)) { t.OperationJobs(slot, visit) })
	if op.LiveJobs == 0 && op.Alive {
		t.detach(slot)
	}
	t.releasePool(op.Pool)
}

// reopenOperation registers again an operation that ended and whose last jobs still hold resources.
func (t *Tree) reopenOperation(slot int32, e *Event) {
	op := &t.operations[slot]
	op.Ended, op.Late, op.EndStep, op.Finish = false, false, StepOther, Optional[Time]{}
	op.Running, op.Lightweight, op.Suspended, op.RunningSince = false, false, false, Optional[Time]{}
	op.Needed, op.MinNeeded, op.PendingJobs, op.startedLeast = resource.Vector{}, resource.Vector{}, -1, false
	op.MostNeeded, op.LeastNeeded = resource.Vector{}, resource.Vector{}
	op.Revived, op.sample = e.Step == StepRevived, trial{}
	t.ensurePool(op.Pool, t.userOf(op.ID))
	t.register(slot)
	t.pushOperation(slot)
}

// detach removes an operation that ended and holds nothing from the tree.
func (t *Tree) detach(slot int32) {
	op := &t.operations[slot]
	t.disable(slot)
	t.refilter(&op.filter, pooltree.Formula{})
	op.Alive = false
	t.notePlaced(op)
	t.touchOperation(slot)
}

// setRunning marks the operation running or pending, in the counts of all its
// ancestors (core/spec/scheduling.md §5.4).
func (t *Tree) setRunning(slot int32, on bool) {
	op := &t.operations[slot]
	if op.Running == on || op.Ended {
		return
	}
	t.admission.SetRunning(op.registered, on)
	t.countChain(op.Pool, op.raise())
	t.markRunning(slot, on)
	op.Lightweight = on && t.admission.IsLightweight(op.registered)
	op.Revived = op.Revived && !on // once it runs again, later steps are checked as usual
}

// markRunning starts or stops an operation's participation in the shares.
func (t *Tree) markRunning(slot int32, on bool) {
	op := &t.operations[slot]
	before := op.Demand()
	t.touchOperation(slot)
	op.Running = on
	if on {
		if !op.RunningSince.Set {
			op.RunningSince = Some(t.now)
		}
		if op.enabled { // by jobs that it still holds
			t.scheduling.ResetStarvation(op.Element) // core/spec/scheduling.md §7.3
		}
		t.enable(slot)
		t.queueOperation(slot)
	} else {
		op.Lightweight = false
		t.queueOperation(slot)
		if op.LiveJobs == 0 {
			t.disable(slot)
		}
	}
	t.pushOperation(slot)
	t.shiftDemand(slot, before)
}

// Patch copies the settings that the change sets.
func (p *OperationParams) Patch(c *OperationParams) {
	p.OperationSettings.Override(&c.OperationSettings)
	mergePartial(&p.ResourceLimits, c.ResourceLimits)
	mergePartial(&p.StrongGuarantee, c.StrongGuarantee)
	if c.TagFilter != nil {
		p.TagFilter = c.TagFilter
	}
	replace(&p.Gang, c.Gang)
	replace(&p.ApplyLimitsToDemand, c.ApplyLimitsToDemand)
	replace(&p.Graceful, c.Graceful)
	replace(&p.RequestsSSD, c.RequestsSSD)
	if c.Media != nil {
		p.Media = c.Media
	}
	if c.Modules != nil {
		p.Modules = c.Modules
	}
}

func replace[T any](to *Optional[T], from Optional[T]) {
	if from.Set {
		*to = from
	}
}

// mergePartial copies the resources that the change names.
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
