package core

import "poolproof/core/prefetch"

// Prefetch has what is known of an event's operation, and of its job if that runs, in the
// caches: for events of jobs, before they are judged and applied.
func (t *Tree) Prefetch(e *Event) {
	operation := none
	if e.Kind == JobStarted {
		operation = t.operationSlot[e.Operation]
	} else if job, ok := t.jobSlot[e.Job]; ok {
		prefetch.Record(&t.jobs[job])
		operation = t.jobs[job].Operation
	}
	if operation >= 0 {
		prefetch.Record(&t.operations[operation])
		t.scheduling.ApproachOperation(t.operations[operation].Element)
	}
}
