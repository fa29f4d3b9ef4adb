package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// An Operation is a leaf of the tree, from its registration until its last job
// is gone.
type Operation struct {
	ID      OperationID
	Pool    int32 // slot
	Element fairshare.Element
	Params  OperationParams

	Alive       bool // the slot holds an operation
	Running     bool // marked running: takes part in the fair share (core/spec/scheduling.md §5.4)
	Suspended   bool
	Lightweight bool // counted apart from the running ones (core/spec/scheduling.md §5.7)
	Ended       bool // over in the log; its last jobs may still hold resources
	Late        bool // was over before: only jobs that the log starts too late
	Revived     bool // registered again after a restart, without checks
	Unplaced    bool // the log has not told its pool: it counts in the root
	Unstarted   bool // the log tells of no start: Start is the latest that it can have been
	EndStep     Step // how it ended

	Start                          Time
	RunningSince, FirstJob, Finish Optional[Time] // absent if not yet
	Seen                           Time           // when the log told of it first

	Usage       resource.Vector // granted to its live jobs
	Needed      resource.Vector // what it could use beyond that
	MinNeeded   resource.Vector // smallest job it waits for, zero if unknown
	LastNeeded  resource.Vector // smallest job it waited for last, zero if that was never known
	PendingJobs int64           // jobs it waits for, -1 if unknown
	MostNeeded  resource.Vector // the most that Needed may be
	LeastNeeded resource.Vector // and the least, as the row that told it need not count the starts just before
	neededAt    Time            // when the log told it
	staying     resource.Vector // what preempted jobs that are not seen to have stopped may hold, see leaving
	misjudged   Time            // when Needed may have been another amount last; Never if it never may
	LastStart   Time            // start of its last job

	Segment       scheduling.Segment // of the nodes that it may use (core/spec/scheduling.md §12)
	SegmentKnown  bool               // the log tells it
	SegmentSince  Time               // when it was fixed
	Module        int32              // number of the module where its jobs run, else of the one assigned; 0: none
	WaitingSince  Time               // since when it has wanted more than it had, Never if it does not
	segmentOfJobs runsIn             // where its jobs run
	RunsDoubted   Time               // when the log told last that this may be elsewhere; Never if never
	sample        sample

	LastFiltered  Time  // when its tag filter or its pool changed last, Never if not since its start
	LastLimited   Time  // when its own limits of resources or of its share changed last, likewise
	LastWeighted  Time  // when its weight did
	LastProtected Time  // when its max_unpreemptible_job_count did (core/spec/scheduling.md §8.2)
	LastMoved     Time  // when its pool did
	LastRevived   Time  // when it was registered again last, after a restart
	Joined        int32 // how many pools above it, the lowest ones, it was not in before that

	LiveJobs, StartedJobs, PreemptedJobs int64

	best                bestAllocation
	place               int32              // fifo_index of the last record in this pool, from 1; 0 if none tells it
	learnt              Time               // see Learnt
	firstNeeded         resource.Vector    // the first MinNeeded
	registered          pooltree.Operation // NoOperation once it is over
	filter              pooltree.Filter    // of its scheduling_tag_filter
	enabled, queued     bool               // has an Element; waits in a FIFO pool
	startedLeast        bool               // a job no larger than MinNeeded, since that was recorded
	queuedSince         Time
	lastGone            Time // when a preempted job of it was seen to have stopped last, Never if none was
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

// wanted is what the operation may still get: what it could use, as far as its own
// limits leave it (core/spec/fair-share.md §3.4).
func (o *Operation) wanted() resource.Vector {
	if !o.Params.ApplyLimitsToDemand.Value {
		return o.Needed
	}
	return pooltree.Demand(o.Needed, o.Usage, o.Params.ResourceLimits.Value, true).Sub(o.Usage)
}

// changeOperation follows a step in an operation's life: what the policy says of it, then
// its pool and settings, then the step itself.
func (t *Tree) changeOperation(e *Event) {
	t.admit(e)
	again := e.Step == StepStarted || e.Step == StepRevived
	if t.gone(e.Operation) && !again {
		return
	}
	if t.operationSlot[e.Operation] == none && e.Step.Ends() {
		return // the end of something never seen
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
	t.takeStep(slot, e)
}

// setParams takes over the settings of an operation that a row changes.
func (t *Tree) setParams(slot int32, e *Event) {
	op := &t.operations[slot]
	t.unqueue(slot)
	before, was := op.Demand(), op.Params
	op.Params.Patch(e.Params)
	if e.Step != StepStarted {
		t.noteSet(op, &was, t.now)
	}
	t.setSegment(slot)
	t.refiltered = t.refilter(&op.filter, op.tagFilter()) || t.refiltered
	if e.Params.TagFilter != nil && e.Step != StepStarted {
		op.LastFiltered = e.Time
	}
	t.pushOperation(slot)
	t.queue(slot)
	t.shiftDemand(slot, before)
}

// takeStep follows the step itself.
func (t *Tree) takeStep(slot int32, e *Event) {
	op := &t.operations[slot]
	switch e.Step {
	case StepStarted:
		t.noteStarted(op)
	case StepRevived:
		op.LastRevived = e.Time
		if op.enabled { // a scheduler that comes back knows of no clock
			t.scheduling.ResetStarvation(op.Element) // core/spec/scheduling.md §7.3
			t.stale = true
		}
	case StepRunning:
		t.setRunning(slot, true)
	case StepMaterialized:
		// The earliest moment of running; where a limit holds the operation
		// back it is pending (ingest/trace/FORMAT.md §4.2).
		switch {
		case op.Running: // whatever its pools hold, itself included
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
		t.queue(slot)
		t.pushOperation(slot)
		t.shiftDemand(slot, before)
	default:
		if e.Step.Ends() {
			t.endOperation(slot, e)
		}
	}
}

// operationAt returns the slot of an event's operation, which it registers if
// the log had not: a trace may begin in the middle of its life. One that is
// over comes back only for a job that the log starts too late, and counts
// nowhere.
func (t *Tree) operationAt(e *Event) int32 {
	if slot := t.operationSlot[e.Operation]; slot >= 0 && t.operations[slot].Alive {
		return slot
	}
	start := t.dims.Operations[e.Operation].Start
	o := Operation{
		ID: e.Operation, Alive: true, Start: min(e.Time, start.Or(e.Time)), Seen: e.Time, PendingJobs: -1, registered: pooltree.NoOperation,
		misjudged: Never, neededAt: Never, LastStart: Never, SegmentSince: Never, WaitingSince: Never, RunsDoubted: Never,
		LastFiltered: Never, LastLimited: Never, LastWeighted: Never, LastProtected: Never, LastMoved: Never, LastRevived: Never,
		queuedSince: Never, lastGone: Never,
	}
	o.Unstarted = e.Step != StepStarted && !start.Set
	if t.gone(e.Operation) && e.Step != StepStarted && e.Step != StepRevived {
		o.Late, o.Ended, o.Running = true, true, true
	}
	switch {
	case o.Late: // its pool may have left with it
		o.Pool = t.lastPool(e.Operation)
		t.keepPool(o.Pool)
	case e.Pool != Unknown:
		o.Pool = t.poolAt(e.Pool, t.userOf(e.Operation))
	case t.gone(e.Operation): // back where it was
		o.Pool = t.lastPool(e.Operation)
		t.poolAgain(o.Pool, t.userOf(e.Operation))
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

// unregister takes an operation out of all counts.
func (t *Tree) unregister(slot int32) {
	o := &t.operations[slot]
	t.admission.Remove(o.registered)
	t.registered[o.registered] = none
	o.registered = pooltree.NoOperation
	t.countChain(o.Pool, RaisedByOperation)
}

func (t *Tree) userOf(id OperationID) string { return t.dims.Operations[id].User }

// raise is why a pool's counts grow when the operation is counted.
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

// endOperation takes the operation out of all counts and ends its demand. Its
// jobs keep their resources until the log ends them; those whose end the log
// does not know end here (ingest/trace/FORMAT.md §4.2).
func (t *Tree) endOperation(slot int32, e *Event) {
	op := &t.operations[slot]
	if op.Ended {
		return
	}
	before := op.Demand()
	t.unregister(slot)
	op.Ended, op.EndStep, op.Finish = true, e.Step, Some(e.Time)
	t.noteNeedDoubted(op)
	t.operationEnd[op.ID], t.lastTurned = op.Finish, max(t.lastTurned, e.Time)
	t.queue(slot)
	t.pushOperation(slot)
	t.shiftDemand(slot, before)
	t.loseJobs(func(visit func(int32)) { t.OperationJobs(slot, visit) })
	if op.LiveJobs == 0 && op.Alive {
		t.detach(slot)
	}
	t.releasePool(op.Pool)
}

// reopenOperation registers an operation anew that is over and whose last jobs
// still hold resources.
func (t *Tree) reopenOperation(slot int32, e *Event) {
	op := &t.operations[slot]
	op.Ended, op.Late, op.EndStep, op.Finish = false, false, StepOther, Optional[Time]{}
	op.Running, op.Lightweight, op.Suspended, op.RunningSince = false, false, false, Optional[Time]{}
	op.Needed, op.MinNeeded, op.PendingJobs, op.startedLeast = resource.Vector{}, resource.Vector{}, -1, false
	op.MostNeeded, op.LeastNeeded = resource.Vector{}, resource.Vector{}
	op.Revived, op.sample = e.Step == StepRevived, sample{}
	t.poolAgain(op.Pool, t.userOf(op.ID))
	t.register(slot)
	t.pushOperation(slot)
}

// detach takes an operation that ended and holds nothing out of the tree.
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
	op.Revived = op.Revived && !on // once it runs again, later steps are steps like any
}

// markRunning lets an operation take part in the shares, or no longer.
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
		t.queue(slot)
	} else {
		op.Lightweight = false
		t.queue(slot)
		if op.LiveJobs == 0 {
			t.disable(slot)
		}
	}
	t.pushOperation(slot)
	t.shiftDemand(slot, before)
}

// Patch takes over what the change sets.
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
