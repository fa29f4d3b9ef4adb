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

// LeavingIn returns the usage of the operation's jobs whose end is recorded shortly after an
// instant. By the clock of another writer they may have ended before it.
func (t *Tree) LeavingIn(operation int32, now, soon Time) (used resource.Vector) {
	t.OperationJobs(operation, func(job int32) {
		if j := &t.jobs[job]; isWithin(j.Finish, now, now+soon) {
			used = used.Add(j.Usage)
		}
	})
	return used
}

// LeftAround returns the usage of the tree's jobs whose end is recorded within slack of an instant,
// before or after it. By the clock of another writer the order may be the reverse
// (ingest/trace/FORMAT.md §4.2). It visits all jobs.
func (t *Tree) LeftAround(now, slack Time) (used resource.Vector) {
	for _, c := range t.recentChanges.usage.since(now - slack) {
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

// StoppedAround reports whether a preempted job of an operation, which is in its lists until it
// stops, is recorded as stopped within slack of an instant, before or after it. By the clock of
// another writer the order may be the reverse (ingest/trace/FORMAT.md §4.2).
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

// loseJobs ends the jobs of a list whose end the log does not record, because their operation or
// node is gone (ingest/trace/FORMAT.md §4.2).
func (t *Tree) loseJobs(list func(visit func(job int32))) {
	t.losing = t.losing[:0]
	list(func(job int32) {
		if j := &t.jobs[job]; j.End == EndUnknown || j.End == EndRunning || j.End == EndPreempted && !j.Finish.Set && (j.untimed || j.Asked.Set) {
			t.losing = append(t.losing, job)
		}
	})
	for _, job := range t.losing {
		t.closeJob(job, EndedJob{Slot: job, End: EndUnknown, Preemptor: Unknown})
	}
}
