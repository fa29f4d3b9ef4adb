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
	Certain   Optional[Time] // when it has started at the latest, if Start is only the first possible moment
	Finish    Optional[Time] // as recorded
	End       EndKind
	Reason    string
	Resources resource.Vector // granted
	Usage     resource.Vector // observed; the grant until a report

	Stage string // the source's word for the stage that started it

	// State is the last reported state of the job, "" if none was reported (ingest/trace/FORMAT.md
	// §3.4). Deadline is the earliest deadline given to a job that was asked to stop.
	State    string
	Deadline Optional[Time]
	// Asked is the time of the first request to finish gracefully, absent if none is recorded.
	Asked Optional[Time]

	// InOrder says that the job started in a FIFO pool that schedules in order, in a
	// stage that asks all of them.
	InOrder bool
	// MayPreempt says that the log records no stage and that a preemptive stage may have started
	// the job, because such a stage serves its operation; Preemptive says that one did.
	MayPreempt, Preemptive bool

	Ended   bool // released its resources in this instant
	untimed bool // see Event

	doubtful int32 // 1 + its index in doubts.doubtful, or 0

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
	j.InOrder = t.schedulesInOrder(op.Pool)
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

// countStart counts a started job for its operation and lowers what the operation needs.
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
	t.enable(operation) // a job holds resources, whatever the operation's state
	t.addUsage(operation, e.Limits)
	op.LeastNeeded = op.LeastNeeded.Sub(e.Limits).Max(resource.Vector{})
	if !op.NeedMayInclude(e.Time) {
		op.MostNeeded = op.MostNeeded.Sub(e.Limits).Max(resource.Vector{})
	}
	t.setNeed(operation, op.Needed.Sub(e.Limits).Max(resource.Vector{}))
	if op.PendingJobs > 0 {
		op.PendingJobs--
	}
	t.pushNeeds(operation)
}

// StartInPlace records that a preemptive stage started a job in this instant. Such a stage asks
// only operations that may preempt, in FIFO order or not.
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

// reportJob applies a heartbeat's report of a job.
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
		t.setJobUsage(j, e)
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

// setJobUsage applies the reported usage of a job.
func (t *Tree) setJobUsage(j *Job, e *Event) {
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

// endJob releases a job's resources at its end or at its preemption, after which it counts nowhere
// (core/spec/invariants.md LOG-01).
func (t *Tree) endJob(e *Event) {
	slot, ok := t.jobSlot[e.Job]
	if !ok {
		if left, preempted := t.leaving[e.Job]; preempted {
			delete(t.leaving, e.Job)
			t.scheduling.RemoveJob(left.handle)
			if slot, ok := t.OperationOf(left.operation); ok {
				op := &t.operations[slot]
				op.lastGone = t.now
				t.setHeld(slot, op.staying.Sub(left.usage).Max(resource.Vector{})) // the operation may have been registered again
			}
		}
		return
	}
	if e.Kind == JobPreempted {
		reason := e.PreemptionReason()
		if reason == scheduling.ForGracefulPreemption && e.stays() {
			t.scheduling.InterruptJob(t.jobs[slot].handle) // it keeps its resources until it ends
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
	t.closeJob(slot, EndedJob{Slot: slot, Time: Some(e.Time), End: e.End, Reason: e.Reason, Preemptor: Unknown})
	node := t.jobs[slot].Node
	used := node != none && !t.jobs[slot].Usage.IsZero()
	if used && e.Kind == JobFinished {
		t.noteEnded(node)
	}
	if e.Kind == JobPreempted {
		if used {
			t.notePreempted(node)
		}
		ended := &t.changes.Ended[len(t.changes.Ended)-1]
		ended.End, ended.Preemptor = EndPreempted, e.Preemptor
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
		t.setHeld(j.Operation, t.operations[j.Operation].staying.Add(j.Usage))
	}
	t.leaving[e.Job] = left
	j.handle = scheduling.NoJob
}

// setHeld sets what preempted jobs of an operation may still hold.
func (t *Tree) setHeld(slot int32, staying resource.Vector) {
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
