package core

import (
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// NodeJobs calls visit with the slots of a node's live jobs in start order.
func (t *Tree) NodeJobs(node int32, visit func(job int32)) {
	t.scheduling.NodeJobs(scheduling.Node(node), t.live(visit))
}

// OperationJobs calls visit with the slots of an operation's live jobs in start
// order (core/spec/scheduling.md §8.1).
func (t *Tree) OperationJobs(operation int32, visit func(job int32)) {
	if o := &t.operations[operation]; o.enabled {
		t.scheduling.OperationJobs(o.Element, t.live(visit))
	}
}

// HasTies reports whether jobs of an operation that started at one moment differ in what
// they use: how its lists are cut depends on their order.
func (t *Tree) HasTies(operation int32) (ties bool) {
	last := int32(none)
	t.OperationJobs(operation, func(job int32) {
		j := &t.jobs[job]
		ties = ties || last != none && t.jobs[last].Start == j.Start && t.jobs[last].Usage != j.Usage
		last = job
	})
	return ties
}

// isWithin reports whether a moment is known and lies after one and no later than another.
func isWithin(at Optional[Time], after, until Time) bool {
	return at.Set && at.Value > after && at.Value <= until
}

// LeavingIn is what jobs of an operation use whose end the log tells soon after an instant:
// by another clock it may have been before.
func (t *Tree) LeavingIn(operation int32, now, soon Time) (used resource.Vector) {
	t.OperationJobs(operation, func(job int32) {
		if j := &t.jobs[job]; isWithin(j.Finish, now, now+soon) {
			used = used.Add(j.Usage)
		}
	})
	return used
}

// LeftAround is what jobs of the tree used, or use still, whose end the log tells within a
// slack of an instant, before or after it: by another clock it may have been after or before
// (ingest/trace/FORMAT.md §4.2). All jobs are looked at.
func (t *Tree) LeftAround(now, slack Time) (used resource.Vector) {
	for _, c := range t.recently.usage.since(now - slack) {
		if c.left != none {
			used = used.Sub(c.delta)
		}
	}
	for slot := range t.jobs {
		if j := &t.jobs[slot]; !j.Ended && isWithin(j.Finish, now, now+slack) {
			used = used.Add(j.Usage)
		}
	}
	return used
}

// StoppedAround reports whether the log tells within a slack of an instant, before or after
// it, that a preempted job of an operation, which stands in its lists until then, has stopped:
// by another clock it may have been after or before (ingest/trace/FORMAT.md §4.2).
func (t *Tree) StoppedAround(operation int32, now, slack Time) (stopped bool) {
	o := &t.operations[operation]
	if o.lastGone >= now-slack {
		return true
	}
	t.scheduling.OperationJobs(o.Element, func(j scheduling.Job) {
		if x, preempted := t.leaving[t.jobID[j]]; preempted && x.handle == j {
			stopped = stopped || isWithin(x.finish, now, now+slack)
		}
	})
	return stopped
}

// loseJobs ends those jobs of a list whose end the log does not know: what they
// belonged to is over (ingest/trace/FORMAT.md §4.2).
func (t *Tree) loseJobs(list func(visit func(job int32))) {
	t.losing = t.losing[:0]
	list(func(job int32) {
		if j := &t.jobs[job]; j.End == EndUnknown || j.End == EndRunning || j.End == EndPreempted && !j.Finish.Set && (j.untimed || j.Asked.Set) {
			t.losing = append(t.losing, job)
		}
	})
	for _, job := range t.losing {
		t.closeJob(job, EndedJob{Slot: job, End: EndUnknown, For: Unknown})
	}
}
