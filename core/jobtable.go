package core

import (
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A jobTable holds the jobs of a tree. A job has a slot from its start until the Changes in which
// it ends are cleared, and is found by its id while it holds resources. A preempted job that has
// not stopped yet is no longer a job of the tree; it stays in the lists of the scheduling.Tree, and
// leaving holds its handle.
type jobTable struct {
	jobs    []Job
	jobSlot map[JobID]int32 // of those that hold resources
	leaving map[JobID]leaving

	jobByHandle []int32 // slots by scheduling.Job, see JobBehind
	jobID       []JobID // by scheduling.Job

	freeJobs []int32 // slots
	losing   []int32 // see loseJobs
	doubtfulJobs
}

// A leaving job was preempted and has not been seen to stop.
type leaving struct {
	handle    scheduling.Job
	operation OperationID
	finish    Optional[Time]  // as the log knows it
	usage     resource.Vector // what it may hold until it stops: zero if the time of the preemption is recorded
}

// Job returns the job in a slot.
func (t *jobTable) Job(slot int32) *Job { return &t.jobs[slot] }

// LiveJobs returns how many jobs hold resources.
func (t *jobTable) LiveJobs() int { return len(t.jobSlot) }

// JobOf returns the slot of a job that holds resources.
func (t *jobTable) JobOf(id JobID) (slot int32, ok bool) {
	slot, ok = t.jobSlot[id]
	return slot, ok
}

// JobHandle returns the handle that Scheduling has for a job that holds
// resources.
func (t *jobTable) JobHandle(slot int32) scheduling.Job { return t.jobs[slot].handle }

// JobBehind returns the slot of the live job behind a handle of Scheduling; live is false for a job
// that is leaving.
func (t *jobTable) JobBehind(j scheduling.Job) (slot int32, live bool) {
	slot = t.jobByHandle[j]
	return slot, t.jobs[slot].handle == j
}

// live adapts visit to handles and skips jobs that are leaving.
func (t *jobTable) live(visit func(job int32)) func(scheduling.Job) {
	return func(j scheduling.Job) {
		if slot, live := t.JobBehind(j); live {
			visit(slot)
		}
	}
}

// setHandle sets the handle of a job in Scheduling.
func (t *jobTable) setHandle(slot int32, handle scheduling.Job) {
	for int(handle) >= len(t.jobByHandle) {
		t.jobByHandle = append(t.jobByHandle, none)
		t.jobID = append(t.jobID, Unknown)
	}
	j := &t.jobs[slot]
	j.handle, t.jobByHandle[handle], t.jobID[handle] = handle, slot, j.ID
}
