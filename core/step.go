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

// Step applies one event. Events come in the order (time, kind, seq); what an
// event refers to and the log never introduced is taken as the log uses it: an
// operation without a start, a pool without a configuration.
func (t *Tree) Step(e *Event) {
	if e.Kind != PoolConfigured || e.Time != t.now {
		t.flush()
	}
	t.now = e.Time
	switch e.Kind {
	case ProcessChanged:
		t.changeProcess(e)
	case HeartbeatReceived:
		t.receiveHeartbeat(e)
	case JobStarted:
		t.startJob(e)
	case JobReported:
		t.reportJob(e)
	case JobFinished, JobPreempted:
		t.endJob(e)
	case DemandChanged:
		t.setDemand(e)
	case OperationChanged:
		t.changeOperation(e)
	case PoolRecorded:
		t.learnVolume(e.PoolRecord)
		t.learnStatus(e.PoolRecord)
	case OperationRecorded:
		if slot, ok := t.OperationOf(e.OperationRecord.Operation); ok {
			t.learnPool(slot, e.OperationRecord.Pool)
		}
	case NodeChanged:
		t.changeNode(e)
	case PoolConfigured:
		t.configurePool(e)
	case TreeConfigured:
		t.configureTree(e)
	case ClusterConfigured:
		t.configureCluster(e)
	}
}
