package core

import (
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A jobTable holds the jobs of a tree. A job has a slot from its start until the Changes
// in which it ends are cleared, and is found by its id while it holds resources. One that
// was preempted and is not seen to have stopped is no more of the tree's jobs; it stays in
// the lists of the scheduling.Tree, and its handle is found among those leaving.
type jobTable struct {
	jobs    []Job
	jobSlot map[JobID]int32 // of those that hold resources
	leaving map[JobID]leaving

	jobByHandle []int32 // slots by scheduling.Job, see JobBehind
	jobID       []JobID // by scheduling.Job

	freeJobs []int32 // slots
	losing   []int32 // see loseJobs
	doubts
}

// A leaving job was preempted, and is not seen to have stopped.
type leaving struct {
	handle    scheduling.Job
	operation OperationID
	finish    Optional[Time]  // as the log knows it
	usage     resource.Vector // what it may have held until it stopped: nothing if the log tells when it was preempted
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

// JobBehind returns the slot of the live job behind a handle of Scheduling, and reports
// whether there is one: a job that is leaving is none.
func (t *jobTable) JobBehind(j scheduling.Job) (slot int32, live bool) {
	slot = t.jobByHandle[j]
	return slot, t.jobs[slot].handle == j
}

// live calls visit with the slots of those jobs that are not leaving.
func (t *jobTable) live(visit func(job int32)) func(scheduling.Job) {
	return func(j scheduling.Job) {
		if slot, live := t.JobBehind(j); live {
			visit(slot)
		}
	}
}

// setHandle notes which handle of Scheduling a job has got.
func (t *jobTable) setHandle(slot int32, handle scheduling.Job) {
	for int(handle) >= len(t.jobByHandle) {
		t.jobByHandle = append(t.jobByHandle, none)
		t.jobID = append(t.jobID, Unknown)
	}
	j := &t.jobs[slot]
	j.handle, t.jobByHandle[handle], t.jobID[handle] = handle, slot, j.ID
}
