package scheduling

import (
	"slices"

	"poolproof/core/resource"
)

// A Job is the handle of a job in a Tree. Handles are dense; that of a removed
// job is given to a later one.
type Job int32

// NoJob is the handle of a missing job.
const NoJob Job = -1

// A job is an exclusive grant of resources on one node to one operation.
type job struct {
	operation     Element
	node          Node
	start         int64
	ssd           bool  // holds a quota on a medium of ssd_priority_preemption
	preempted     bool  // it lost its resources and has not stopped yet
	takenIn       int64 // the heartbeat that preempted it, see stage.serial
	interrupted   bool  // asked to finish gracefully
	within        [2]bool
	usage, limits resource.Vector
}

// A JobInfo describes a job.
type JobInfo struct {
	Operation              Element
	Node                   Node
	Limits, Usage          resource.Vector
	Start                  int64
	SSD                    bool
	Preempted, Interrupted bool
}

// AddJob adds a running job as the latest of its operation (§8.1).
func (t *Tree) AddJob(operation Element, n Node, granted, usage resource.Vector, start int64, ssd bool) Job {
	var j Job
	if last := len(t.freeJobs) - 1; last >= 0 {
		j, t.freeJobs = t.freeJobs[last], t.freeJobs[:last]
	} else {
		j = Job(len(t.jobs))
		t.jobs = append(t.jobs, job{})
	}
	t.jobs[j] = job{operation: operation, node: n, limits: granted, usage: usage, start: start, ssd: ssd}
	t.ofOperation.Add(&t.elements[operation].operation.list.jobs, j)
	if n != NoNode {
		own := &t.nodes[n]
		own.jobs = append(own.jobs, j)
		own.usage = own.usage.Add(usage)
		own.preemptible++
	}
	t.addUsageAbove(operation, usage)
	t.seeStart(operation)
	t.touch(operation)
	op := &t.elements[operation]
	t.cutOn(operation, [2]bool{t.afterCut(op, 0) == j, t.afterCut(op, 1) == j})
	return j
}

// RemoveJob removes a job that has ended.
func (t *Tree) RemoveJob(j Job) {
	t.setJobUsage(j, resource.Vector{})
	own := &t.jobs[j]
	list, before := &t.elements[own.operation].operation.list, own.within
	t.leave(list, j)
	t.ofOperation.Remove(&list.jobs, j)
	if own.node != NoNode {
		n := &t.nodes[own.node]
		i := slices.Index(n.jobs, j)
		n.jobs = slices.Delete(n.jobs, i, i+1)
		n.preemptible--
	}
	t.cutOn(own.operation, before)
	own.operation = None
	t.freeJobs = append(t.freeJobs, j)
}

// SetJobUsage sets the reported usage of a job. A preempted job may be reported with usage again
// (§10.7).
func (t *Tree) SetJobUsage(j Job, usage resource.Vector) {
	own := &t.jobs[j]
	switch shrinks := usage.FitsIn(own.usage); {
	case !t.setJobUsage(j, usage):
	case shrinks:
		t.cutOn(own.operation, own.within)
	case t.stale || own.within != [2]bool{}:
		t.cut(own.operation)
	}
}

// setJobUsage is SetJobUsage without the cut of the operation's list. It reports whether the usage
// changed.
func (t *Tree) setJobUsage(j Job, usage resource.Vector) (changed bool) {
	own := &t.jobs[j]
	delta := usage.Sub(own.usage)
	if delta.IsZero() {
		return false
	}
	own.usage = usage
	list := &t.elements[own.operation].operation.list
	for i, within := range own.within {
		if within {
			list.sum[i] = list.sum[i].Add(delta)
		}
	}
	if own.node != NoNode {
		t.nodes[own.node].usage = t.nodes[own.node].usage.Add(delta)
	}
	t.addUsageAbove(own.operation, delta)
	t.holdLapsed(own.operation, delta)
	t.touch(own.operation)
	return true
}

// PreemptJob takes away a job's resources immediately. It keeps its place in the list until it is
// removed (§8.1, §10.7).
func (t *Tree) PreemptJob(j Job) {
	t.jobs[j].preempted = true
	t.SetJobUsage(j, resource.Vector{})
}

// InterruptJob marks a job as asked to finish gracefully (§10.6).
func (t *Tree) InterruptJob(j Job) { t.jobs[j].interrupted = true }

// Job returns the description of a job.
func (t *Tree) Job(j Job) JobInfo {
	own := &t.jobs[j]
	return JobInfo{
		Operation: own.operation, Node: own.node, Limits: own.limits, Usage: own.usage,
		Start: own.start, SSD: own.ssd, Preempted: own.preempted, Interrupted: own.interrupted,
	}
}

// List returns the list of its operation that a job is in (§8.1).
func (t *Tree) List(j Job) List { return t.jobs[j].list() }

func (j *job) list() List {
	switch {
	case j.within[0]:
		return NonPreemptible
	case j.within[1]:
		return AggressivelyPreemptible
	}
	return Preemptible
}

// hasUnusedCPU reports whether a job uses less cpu than it was granted
// (§10.5).
func (j *job) hasUnusedCPU() bool { return j.usage[resource.CPU] < j.limits[resource.CPU] }
