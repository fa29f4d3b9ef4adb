package core

import "iter"

// NodeJobs calls visit with the slots of a node's live jobs in start order,
// until it returns false.
func (t *Tree) NodeJobs(node int32, visit func(job int32) bool) {
	t.ofNode.All(t.nodes[node].jobs)(visit)
}

// OperationJobs calls visit with the slots of an operation's live jobs in start
// order (spec/scheduling.md §8.1), until it returns false.
func (t *Tree) OperationJobs(operation int32, visit func(job int32) bool) {
	t.ofOperation.All(t.operations[operation].jobs)(visit)
}

// LatestJob returns the slot of the live job that an operation started last, -1
// if it has none.
func (t *Tree) LatestJob(operation int32) int32 { return t.operations[operation].jobs.Last }

// JobBefore returns the slot of the live job that the operation of a job started
// before it, -1 if there is none.
func (t *Tree) JobBefore(job int32) int32 { return t.ofOperation.Before(job) }

// loseJobs ends those jobs whose end the log does not know: what they
// belonged to is over (spec/trace-formats.md §4.2).
func (t *Tree) loseJobs(jobs iter.Seq[int32]) {
	for job := range jobs {
		if j := &t.jobs[job]; j.End == EndUnknown || j.End == EndRunning || j.End == EndPreempted && j.Finish == 0 && j.untimed {
			t.closeJob(job, EndedJob{Slot: job, End: EndUnknown, For: Unknown})
		}
	}
}
