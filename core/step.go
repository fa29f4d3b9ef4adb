package core

import (
	"poolproof/core/prefetch"
	"poolproof/core/scheduling"
)

// Prefetch prefetches the records that a coming event reads: the node of a heartbeat; the job, its
// operation and its node for events of a job. Prefetches of several events wait for memory in
// parallel.
func (t *Tree) Prefetch(e *Event) {
	operation := none
	switch e.Kind {
	case HeartbeatReceived:
	case JobStarted:
		operation = t.operationSlot[e.Operation]
	case JobFinished, JobPreempted:
		if job, ok := t.jobSlot[e.Job]; ok {
			prefetch.Record(&t.jobs[job])
			operation = t.jobs[job].Operation
		}
	default:
		return
	}
	if operation >= 0 {
		prefetch.Record(&t.operations[operation])
		t.scheduling.PrefetchOperation(t.operations[operation].Element)
	}
	if e.Node < 0 || t.nodeSlot[e.Node] == none {
		return
	}
	slot := t.nodeSlot[e.Node]
	if e.Kind == HeartbeatReceived {
		t.nodes[slot].prefetchHeartbeat()
	} else {
		prefetch.Record(&t.nodes[slot])
	}
	t.scheduling.PrefetchNode(scheduling.Node(slot))
}

// Step applies one event. Events come in the order (time, kind, seq); objects that an event refers
// to and the log never introduced, such as an operation without a start or a pool without a
// configuration, are created as the log uses them.
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
	case TreeRecorded:
		t.recordTotal(e.TreeRecord)
	case PoolRecorded:
		t.learnVolume(e.PoolRecord)
		t.learnStatus(e.PoolRecord)
		t.records.expectRecords(t.now, e.PoolRecord)
	case OperationRecorded:
		t.records.countRecord(t.now, e.OperationRecord.Pool)
		if slot, ok := t.OperationOf(e.OperationRecord.Operation); ok {
			t.learnPool(slot, e.OperationRecord.Pool)
			t.learnInputs(slot, e.OperationRecord)
			t.learnTimeouts(slot, e.OperationRecord.Timeouts)
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
