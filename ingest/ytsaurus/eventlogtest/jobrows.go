package eventlogtest

import "poolproof/core"

// A job's error in the log is always the same: the trace has none.
const (
	userJobFailed        = 1205
	userJobFailedMessage = "User job failed"
)

// agentOf is the controller agent of an operation's jobs, from 0.
func agentOf(op core.OperationID) int { return int(op) % agents }

// jobRow begins a row of a job. What of it the older logs lack is at the end.
func (w *writer) jobRow(at core.Time, event string, j *job) Value {
	v := newRow(at+w.Clocks[agentOf(j.op)], event)
	v.put("job_id", textOf(j.id))
	v.put("operation_id", textOf(w.operationID(j.op)))
	v.put("resource_limits", w.Age.resources(j.limits))
	address := ""
	if j.node >= 0 {
		address = w.addresses[j.node]
	}
	v.put("node_address", textOf(address))
	kind := j.kind
	if kind == "" {
		kind = w.operations[j.op].Type
	}
	v.put("job_type", textOf(kind))
	return v
}

func (w *writer) jobStarted(at core.Time, j *job) Value {
	v := w.jobRow(at, "job_started", j)
	if !w.Age.old() {
		v.put("tree_id", textOf(w.trees[j.tree].name))
	}
	return v
}

func (w *writer) jobFinished(at core.Time, j *job) Value {
	v := w.jobRow(at, "job_"+j.end, j)
	clock := w.Clocks[agentOf(j.op)]
	v.put("start_time", timeOf(j.start+clock))
	v.put("finish_time", timeOf(j.finish+clock))
	v.put("statistics", w.statistics(j))
	competition := func(kind string) Value {
		if j.competition != kind {
			return textOf(noGUID)
		}
		return textOf(guid("competition", kind, j.id))
	}
	v.put("job_competition_id", competition("speculative"))
	v.put("has_competitors", boolOf(j.competition == "speculative"))
	if !w.Age.old() {
		v.put("probing_job_competition_id", competition("probing"))
		v.put("has_probing_competitors", boolOf(j.competition == "probing"))
		v.put("tree_id", textOf(w.trees[j.tree].name))
		if j.predecessor != "" {
			v.put("predecessor_type", textOf(j.predecessorType))
			v.put("predecessor_job_id", textOf(j.predecessor))
		}
	}
	switch j.end {
	case "failed":
		v.put("error", errorValue(userJobFailed, userJobFailedMessage))
	case "aborted":
		v.put("reason", textOf(j.reason))
		// A job that was interrupted for another and ended well is completed, and
		// nothing else (ingest/trace/FORMAT.md §1.3).
		if j.forOp != noOperation {
			v.put("preempted_for", w.preemptedFor(j))
		}
	}
	return v
}

func (w *writer) preemptedFor(j *job) Value {
	v := newMap(3)
	v.put("job_id", textOf(j.forJob))
	v.put("operation_id", textOf(w.operationID(j.forOp)))
	if w.Age.newest() {
		v.put("allocation_id", textOf(j.forJob))
	}
	return v
}

// statistics has only the time that a job took, in milliseconds.
func (w *writer) statistics(j *job) Value {
	took := intOf(int64(j.finish-j.start) / int64(core.Second/1000))
	one := newMap(5)
	one.put("sum", took)
	one.put("count", intOf(1))
	one.put("min", took)
	one.put("max", took)
	if !w.Age.old() {
		one.put("last", took)
	}
	time := newMap(2)
	time.put("total", one)
	time.put("exec", one)
	v := newMap(1)
	v.put("time", time)
	return v
}
