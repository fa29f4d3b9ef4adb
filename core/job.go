package core

import (
	"strings"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A Job is a live grant of resources on one node to one operation.
type Job struct {
	ID        JobID
	Name      []byte // its id in the source
	Operation int32  // slot
	Node      int32  // slot, or -1 if the source does not name the node
	Pool      PoolID // pool of the operation when the job started
	Start     Time
	Certain   Optional[Time] // from when on it is there, if Start is the first moment at which it can be
	Finish    Optional[Time] // as the log knows it
	End       EndKind
	Reason    string
	Resources resource.Vector // granted
	Usage     resource.Vector // seen to be used; what was granted until something else is seen

	Stage string // the source's word for the stage that started it

	// State is the last word of a heartbeat for what the job does, "" if none told
	// (ingest/trace/FORMAT.md §3.4), and Deadline the earliest until which one that
	// was asked to stop was told to have.
	State    string
	Deadline Optional[Time]
	// Asked is when it was asked to finish gracefully first; absent if it was not or the log
	// does not tell.
	Asked Optional[Time]

	// InOrder says that the job started in a FIFO pool that schedules in order, in a
	// stage that asks all of them.
	InOrder bool
	// MayPreempt says that the log tells no stage, and that a preemptive one may have
	// started it, since that serves its operation; Preemptive that one did.
	MayPreempt, Preemptive bool

	Ended   bool // gave its resources back in this instant
	untimed bool // see Event

	doubtful int32 // its place in the list of such jobs, from 1; 0 if it is not there

	handle scheduling.Job
}

// startJob grants a job its resources: it counts for its operation, then on its node, and
// goes to the end of their lists.
func (t *Tree) startJob(e *Event) {
	operation := t.operationAt(e)
	t.learnPool(operation, e.Pool)
	slot := takeSlot(&t.jobs, &t.freeJobs)
	j, op := &t.jobs[slot], &t.operations[operation]
	*j = Job{
		ID: e.Job, Name: append(j.Name[:0], e.Name...),
		Operation: operation, Pool: t.pools[op.Pool].ID, Node: none, Start: e.Time, Finish: e.Finish,
		End: e.End, Reason: e.Reason, Resources: e.Limits, Usage: e.Limits,
		Stage: e.Stage, untimed: e.Untimed,
	}
	j.InOrder = t.SchedulesInOrder(op.Pool)
	t.jobSlot[e.Job] = slot
	t.countStart(operation, e)
	node := scheduling.NoNode
	if e.Node != Unknown {
		j.Node = t.nodeAt(e.Node)
		node = scheduling.Node(j.Node)
		n := &t.nodes[j.Node]
		n.Usage = n.Usage.Add(e.Limits)
		t.noteOverfull(j.Node)
		n.LiveJobs++
		t.touchNode(j.Node)
		j.MayPreempt = j.Stage == "" && t.MayPreempt(operation, j.Node)
	}
	if strings.HasPrefix(e.Stage, "preemptive") {
		t.StartInPlace(slot)
	}
	t.doubtJob(slot, e)
	t.setHandle(slot, t.scheduling.AddJob(op.Element, node, e.Limits, e.Limits, int64(e.Time), e.SSD || t.holdsSSD(op)))
	t.changes.Started = append(t.changes.Started, slot)
}

// countStart counts a job that starts for its operation, which needs as much less.
func (t *Tree) countStart(operation int32, e *Event) {
	op := &t.operations[operation]
	if !op.Running {
		t.setRunning(operation, true) // a job is proof enough
	}
	if e.Node != Unknown {
		t.runIn(operation, &t.nodes[t.nodeAt(e.Node)])
	}
	op.StartedJobs++
	op.LiveJobs++
	op.LastStart = e.Time
	op.startedLeast = op.startedLeast || e.Limits.FitsIn(op.MinNeeded)
	t.saturate(operation)
	if !op.FirstJob.Set {
		op.FirstJob = Some(e.Time)
	}
	t.enable(operation) // a job holds resources whatever else is known
	t.addUsage(operation, e.Limits)
	op.LeastNeeded = op.LeastNeeded.Sub(e.Limits).Max(resource.Vector{})
	if !op.InNeed(e.Time) {
		op.MostNeeded = op.MostNeeded.Sub(e.Limits).Max(resource.Vector{})
	}
	t.need(operation, op.Needed.Sub(e.Limits).Max(resource.Vector{}))
	if op.PendingJobs > 0 {
		op.PendingJobs--
	}
	t.pushNeeds(operation)
}

// StartInPlace notes that a preemptive stage started a job in this instant: one that asks
// only those who may preempt, in FIFO order or not.
func (t *Tree) StartInPlace(slot int32) {
	j := &t.jobs[slot]
	j.InOrder, j.Preemptive = false, true
	if j.Node != none {
		t.nodes[j.Node].LastInPlace = j.Start
	}
}

// MayPreempt reports whether preemptive stages serve an operation on a node.
func (t *Tree) MayPreempt(operation, node int32) bool {
	o := &t.operations[operation]
	return o.enabled && t.scheduling.Priority(o.Element, scheduling.Node(node)) != scheduling.NoPriority
}

// States of a job (ingest/trace/FORMAT.md §3.4).
const (
	JobScheduled = "scheduled" // its node does not have it yet
	JobWaiting   = "waiting"   // its node has it, and no room for it yet
	JobRunning   = "running"
)

// reportJob notes what a heartbeat tells of a job.
func (t *Tree) reportJob(e *Event) {
	slot, ok := t.jobSlot[e.Job]
	if !ok {
		return
	}
	j := &t.jobs[slot]
	if e.State != "" {
		t.setJobState(j, e.State)
	}
	if until := e.Time + e.Timeout; e.Timeout > 0 && (!j.Deadline.Set || until < j.Deadline.Value) {
		j.Deadline = Some(until)
	}
	if e.Uses {
		t.useJob(j, e)
	}
}

// setJobState counts the jobs that wait on a node.
func (t *nodeTable) setJobState(j *Job, state string) {
	if j.Node != none {
		n := &t.nodes[j.Node]
		if j.State == JobWaiting {
			n.Waiting--
		}
		if state == JobWaiting {
			n.Waiting++
		}
	}
	j.State = state
}

// useJob notes what a job was seen to use.
func (t *Tree) useJob(j *Job, e *Event) {
	delta := e.Usage.Sub(j.Usage)
	if delta.IsZero() {
		return
	}
	j.Usage = e.Usage
	t.addUsage(j.Operation, delta)
	t.scheduling.SetJobUsage(j.handle, e.Usage)
	if j.Node != none {
		n := &t.nodes[j.Node]
		n.Usage = n.Usage.Add(delta)
		t.noteOverfull(j.Node)
		t.touchNode(j.Node)
	}
}

// endJob takes a job's resources back: at its end, or at the moment it was
// preempted, from which on it counts nowhere (core/spec/invariants.md LOG-01).
func (t *Tree) endJob(e *Event) {
	slot, ok := t.jobSlot[e.Job]
	if !ok {
		if left, preempted := t.leaving[e.Job]; preempted {
			delete(t.leaving, e.Job)
			t.scheduling.RemoveJob(left.handle)
			if slot, ok := t.OperationOf(left.operation); ok {
				op := &t.operations[slot]
				op.lastGone = t.now
				t.hold(slot, op.staying.Sub(left.usage).Max(resource.Vector{})) // it may be registered anew
			}
		}
		return
	}
	if e.Kind == JobPreempted {
		reason := e.PreemptionReason()
		if reason == scheduling.ForGracefulPreemption && e.stays() {
			t.scheduling.InterruptJob(t.jobs[slot].handle) // it keeps its resources until it is gone
			if j := &t.jobs[slot]; !j.Asked.Set {
				j.Asked = Some(e.Time)
			}
			return
		}
		if j := &t.jobs[slot]; j.Node != none && e.isOfStage() {
			t.notePreemptive(j.Node, e.Untimed)
		}
		if e.stays() {
			t.preemptJob(slot, e)
		}
	}
	t.closeJob(slot, EndedJob{Slot: slot, Time: Some(e.Time), End: e.End, Reason: e.Reason, For: Unknown})
	node := t.jobs[slot].Node
	used := node != none && !t.jobs[slot].Usage.IsZero()
	if used && e.Kind == JobFinished {
		t.noteLeft(node)
	}
	if e.Kind == JobPreempted {
		if used {
			t.notePreempted(node)
		}
		ended := &t.changes.Ended[len(t.changes.Ended)-1]
		ended.End, ended.For = EndPreempted, e.For
		t.operations[t.jobs[slot].Operation].PreemptedJobs++
	}
}

// preemptJob takes a job's resources away and keeps its place in its
// operation's list until it is seen to have stopped (core/spec/scheduling.md §8.1).
func (t *Tree) preemptJob(slot int32, e *Event) {
	j := &t.jobs[slot]
	t.scheduling.PreemptJob(j.handle)
	left := leaving{handle: j.handle, operation: t.operations[j.Operation].ID, finish: e.Finish}
	if e.Untimed {
		left.usage = j.Usage
		t.hold(j.Operation, t.operations[j.Operation].staying.Add(j.Usage))
	}
	t.leaving[e.Job] = left
	j.handle = scheduling.NoJob
}

// hold notes what preempted jobs of an operation may hold.
func (t *Tree) hold(slot int32, staying resource.Vector) {
	op := &t.operations[slot]
	t.noteHeld(slot, staying.Sub(op.staying))
	op.staying = staying
}

func (t *Tree) closeJob(slot int32, end EndedJob) {
	j := &t.jobs[slot]
	delete(t.jobSlot, j.ID)
	t.endDoubt(slot)
	j.Ended = true
	if j.handle != scheduling.NoJob {
		t.scheduling.RemoveJob(j.handle)
		j.handle = scheduling.NoJob
	}
	op := &t.operations[j.Operation]
	op.LiveJobs--
	if end.End == EndCompleted {
		op.sample.finished++
	}
	t.saturate(j.Operation)
	t.addUsage(j.Operation, resource.Vector{}.Sub(j.Usage))
	t.setJobState(j, "")
	if j.Node != none {
		n := &t.nodes[j.Node]
		n.Usage = n.Usage.Sub(j.Usage)
		t.noteOverfull(j.Node)
		n.LiveJobs--
		t.touchNode(j.Node)
	}
	t.changes.Ended = append(t.changes.Ended, end)
	switch {
	case op.LiveJobs > 0:
	case op.Ended:
		t.detach(j.Operation)
	case !op.Running: // made pending before its jobs were gone
		t.disable(j.Operation)
	}
	t.releasePool(op.Pool)
}
