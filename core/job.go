package core

import "poolproof/core/resource"

// A Job is a live grant of resources on one node to one operation.
type Job struct {
	ID        JobID
	Name      []byte // its id in the source
	Operation int32  // slot
	Node      int32  // slot, or -1 if the source does not name the node
	Pool      PoolID // pool of the operation when the job started
	Start     Time
	Finish    Time // as the log knows it, 0 if it does not
	End       EndKind
	Reason    string
	Resources resource.Vector

	// InOrder says that the job started in a FIFO pool that schedules in order.
	InOrder bool
	Ended   bool // gave its resources back in this instant

	links [2]links
}

func (t *Tree) startJob(e *Event) {
	operation := t.operationAt(e)
	slot := t.newJob()
	j := &t.jobs[slot]
	*j = Job{
		ID: e.Job, Name: append(j.Name[:0], e.Name...),
		Operation: operation, Node: none, Start: e.Time, Finish: e.Finish,
		End: e.End, Reason: e.Reason, Resources: e.Limits,
		InOrder: t.SchedulesInOrder(t.operations[operation].Pool),
	}
	t.jobSlot[e.Job] = slot
	op := &t.operations[operation]
	if !op.Running {
		t.setRunning(operation, true) // a job is proof enough
	}
	op.StartedJobs++
	op.LiveJobs++
	op.LastStart = e.Time
	if op.FirstJob == 0 {
		op.FirstJob = e.Time
	}
	j.Pool = t.pools[op.Pool].ID
	t.pushJob(&op.jobs, ofOperation, slot)
	t.addUsage(operation, e.Limits)
	t.need(operation, op.Needed.Sub(e.Limits).Max(resource.Vector{}))
	if op.PendingJobs > 0 {
		op.PendingJobs--
	}
	if e.Node != Unknown {
		j.Node = t.nodeAt(e.Node)
		n := &t.nodes[j.Node]
		n.Usage = n.Usage.Add(e.Limits)
		t.pushJob(&n.jobs, ofNode, slot)
		t.touchNode(j.Node)
	}
	t.changes.Started = append(t.changes.Started, slot)
}

// endJob takes a job's resources back: at its end, or at the moment it was
// preempted, from which on it counts nowhere (spec/invariants.md LOG-01).
func (t *Tree) endJob(e *Event) {
	slot, ok := t.jobSlot[e.Job]
	if !ok {
		return
	}
	t.closeJob(slot, EndedJob{Slot: slot, Time: e.Time, End: e.End, Reason: e.Reason, For: Unknown})
	if e.Kind == JobPreempted {
		ended := &t.changes.Ended[len(t.changes.Ended)-1]
		ended.End, ended.For = EndPreempted, e.For
		t.operations[t.jobs[slot].Operation].PreemptedJobs++
	}
}

func (t *Tree) closeJob(slot int32, end EndedJob) {
	j := &t.jobs[slot]
	delete(t.jobSlot, j.ID)
	j.Ended = true
	op := &t.operations[j.Operation]
	t.removeJob(&op.jobs, ofOperation, slot)
	op.LiveJobs--
	t.addUsage(j.Operation, resource.Vector{}.Sub(j.Resources))
	if j.Node != none {
		n := &t.nodes[j.Node]
		n.Usage = n.Usage.Sub(j.Resources)
		t.removeJob(&n.jobs, ofNode, slot)
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
	t.vacate(op.Pool)
}

func (t *Tree) newJob() int32 {
	if n := len(t.freeJobs); n > 0 {
		slot := t.freeJobs[n-1]
		t.freeJobs = t.freeJobs[:n-1]
		return slot
	}
	t.jobs = append(t.jobs, Job{})
	return int32(len(t.jobs) - 1)
}
