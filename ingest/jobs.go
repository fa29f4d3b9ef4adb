package ingest

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/ingest/trace"
)

// starts is the source of JobStarted. Every start goes into live, from which the ends come.
type starts struct {
	tableSource
	live *live
	job  liveJob // the current row, as far as it is kept until its end
	how  preemption
	name []byte
	pool core.PoolID

	number      column `col:"job_ix"`
	jobID       column `col:"job_id"`
	op          column `col:"op_ix"`
	inPool      column `col:"pool_ix"`
	node        column `col:"node_ix"`
	limits      group  `col:"limits"`
	vague       column `col:"start_uncertainty_us"`
	finish      column `col:"finish_time"`
	early       column `col:"release_uncertainty_us"`
	endKind     column `col:"end_kind"`
	abort       column `col:"abort_reason"`
	interrupt   column `col:"interruption_reason"`
	stage       column `col:"scheduling_stage"`
	predecessor column `col:"predecessor_job_id"`
	competition column `col:"competition"`
	preemptionColumns

	kinds               map[int32]core.EndKind // by interned end_kind
	abortedByPreemption int32                  // the interned abort_reason
	alone               int32                  // the interned competition of a job that does its work alone
	operations, nodes   int
}

func newStarts(s *stream, folder string) (*starts, error) {
	j := &starts{
		live:       newLive(),
		operations: len(s.trace.dimensions.Operations), nodes: len(s.trace.dimensions.Nodes),
		abortedByPreemption: s.intern.ID([]byte("preemption")),
		alone:               s.intern.ID([]byte("none")),
		kinds:               map[int32]core.EndKind{},
	}
	for word, kind := range map[string]core.EndKind{
		"unknown": core.EndUnknown, "running": core.EndRunning,
		"completed": core.EndCompleted, "failed": core.EndFailed, "aborted": core.EndAborted,
	} {
		j.kinds[s.intern.ID([]byte(word))] = kind
	}
	j.live.startOf, j.live.nextStart = j.startOf, j.head
	return j, j.open(s, folder, &trace.Jobs.Table, bindColumns(j, &trace.Jobs.Table), j.acceptRow)
}

func (j *starts) emit(e *core.Event) {
	e.Job, e.Operation, e.Node, e.Pool = j.job.job, j.job.operation, j.job.node, j.pool
	e.Name, e.Limits = j.name, j.limits.vector(j.i)
	e.Reason, e.Finish, e.End = j.job.reason, j.job.finish, j.job.kind
	e.Untimed = j.job.untimed && j.how.record.ReasonCode() != scheduling.ForGracefulPreemption // such a job keeps its resources to its end
	e.StartsWithin, e.ReleasesWithin = j.uncertainty(&j.vague), j.uncertainty(&j.early)
	e.Stage = j.textOf(&j.stage)
	e.Competes = !j.competition.Null(j.i) && j.competition.Texts[j.i] != j.alone
	e.Predecessor = nil
	if !j.predecessor.Null(j.i) {
		e.Predecessor = j.predecessor.Bytes(j.i)
	}
	j.live.add(j.job, &j.how)
}

// uncertainty returns the uncertainty of a time, which a column holds.
func (j *starts) uncertainty(v *column) core.Time {
	if v.Null(j.i) {
		return 0
	}
	return core.Time(max(v.Int64s[j.i], 0))
}

// startOf looks ahead for the start of a job on a node up to a moment, as far as the whole
// instants of the batch go, which has many rows to a moment.
func (j *starts) startOf(id string, node core.NodeID, until core.Time) (at core.Time, ok bool) {
	if j.batch == nil {
		return never, false
	}
	for k := j.place; k < j.whole; k++ {
		i := j.row(k)
		at = core.Time(j.times.Int64s[i])
		if at > until {
			break
		}
		if core.NodeID(j.node.Int32s[i]) == node && string(j.jobID.Bytes(i)) == id {
			return at, true
		}
	}
	return never, false
}

// acceptRow checks the current row and works out the job's end.
func (j *starts) acceptRow() bool {
	i := j.i
	job := liveJob{job: core.JobID(j.number.Int64s[i]), operation: core.OperationID(j.op.Int32s[i]), node: core.NodeID(j.node.Int32s[i]),
		seq: j.stamp.Seq, end: never, preemption: -1, waiting: -1}
	if job.job < 0 {
		j.problem("job_ix", idOutOfRange, strconv.FormatInt(int64(job.job), 10))
		return false
	}
	if _, taken := j.live.slots[job.job]; taken {
		j.problem("job_ix", duplicateJob, strconv.FormatInt(int64(job.job), 10))
		return false
	}
	if !j.idOf(&j.op, j.operations) || !j.resources(&j.limits) {
		return false
	}
	if job.node < 0 {
		job.node = core.Unknown
	} else if !j.idOf(&j.node, j.nodes) {
		return false
	}
	j.pool = core.Unknown
	if !j.inPool.Null(i) && j.inPool.Int32s[i] >= 0 {
		j.pool = core.PoolID(j.inPool.Int32s[i])
		if !j.checkPool("pool_ix", j.pool) {
			return false
		}
	}
	if !j.end(&job) {
		return false
	}
	j.job = job
	j.name = j.jobID.Bytes(i)
	if !utf8.Valid(j.name) {
		j.name = bytes.ToValidUTF8(j.name, []byte("\uFFFD"))
		j.problem("job_id", badText, string(j.name))
	}
	j.live.preemptorStarts(j.name, job.node, j.stamp.Time, j.uncertainty(&j.vague) > 0)
	return true
}

// end works out when and how the job of the current row ends.
func (j *starts) end(job *liveJob) bool {
	i, start := j.i, j.stamp.Time
	kind, known := j.kinds[j.endKind.Texts[i]]
	if !known {
		j.problem("end_kind", unknownEnum, j.textOf(&j.endKind))
	}
	job.kind = kind
	job.reason = j.reason(&j.why, &j.abort, &j.interrupt)
	finish, ok := j.instant(&j.finish)
	if ok {
		if finish < start {
			j.problem("finish_time", finishBeforeStart, formatTime(finish))
			return false
		}
		job.finish, job.end = core.Some(finish), finish
	}
	if kind == core.EndRunning && ok {
		j.problem("finish_time", contradictoryEnd, formatTime(finish))
		job.kind = core.EndUnknown
	}
	if j.preempted() {
		return j.preemptEnd(job)
	}
	if kind > core.EndRunning && !ok {
		j.problem("finish_time", missingFinish, "")
		job.kind = core.EndUnknown
	}
	return true
}

// reason is the source's most telling word for the end: that of the first
// column that has one.
func (j *starts) reason(columns ...*column) string {
	for _, c := range columns {
		if text := j.textOf(c); text != "" {
			return text
		}
	}
	return ""
}
