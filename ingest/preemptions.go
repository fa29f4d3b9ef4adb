package ingest

import (
	"math"
	"strconv"

	"poolproof/core"
)

// preempted reports whether the row says in any way that the job was preempted.
func (j *starts) preempted() bool {
	i := j.i
	return !j.preempt.Null(i) || !j.why.Null(i) || !j.preemptor.Null(i) || !j.preemptorJob.Null(i) ||
		!j.mode.Null(i) || !j.abort.Null(i) && j.abort.Texts[i] == j.abortedByPreemption
}

// preemptEnd works out the end of a preempted job, whose own end is known so
// far.
func (j *starts) preemptEnd(job *liveJob) bool {
	i, start := j.i, j.stamp.Time
	j.how = preemption{preemptor: core.Unknown, record: j.record()}
	j.how.record.End, j.how.record.EndReason = job.kind, j.reason(&j.abort, &j.interrupt)
	job.kind = core.EndPreempted
	if !j.preemptor.Null(i) {
		switch op := j.preemptor.Int32s[i]; {
		case op < 0:
		case int(op) < j.operations:
			j.how.preemptor = core.OperationID(op)
		default:
			j.problem("preempted_for_op_ix", idOutOfRange, strconv.Itoa(int(op)))
		}
	}
	if !j.preemptorJob.Null(i) {
		j.how.forJob = string(j.preemptorJob.Bytes(i))
	}
	at, ok := j.instant(&j.preempt)
	switch {
	case ok && at < start:
		j.problem("preempt_time", preemptBeforeStart, formatTime(at))
		return false
	case ok && at > job.end:
		// A job that is gone holds nothing that could be taken.
		j.problem("preempt_time", preemptAfterFinish, formatTime(at))
	case ok:
		job.end, job.waits = at, j.how.forJob != ""
	default:
		job.waits, job.untimed = j.how.forJob != "", true
	}
	return true
}

// preemptionColumns are the columns of jobs that tell of a preemption.
type preemptionColumns struct {
	preempt      column `col:"preempt_time"`
	why          column `col:"preempt_reason"`
	mode         column `col:"preempt_mode"`
	preemptor    column `col:"preempted_for_op_ix"`
	preemptorJob column `col:"preempted_for_job_id"`
	target       column `col:"target_priority"`
	priority     column `col:"preemptor_priority"`
	starving     column `col:"properly_starving"`
	level        column `col:"job_preemption_level"`
	conditional  column `col:"conditional"`
	forced       column `col:"forced"`
	explanation  column `col:"explanation"`
	lost         column `col:"lost_time_ms"`
}

// record returns what the current row says of the preemption.
func (j *starts) record() core.PreemptionRecord {
	i, d := j.i, &j.preemptionColumns
	r := core.PreemptionRecord{
		Reason: j.textOf(&d.why), Mode: j.textOf(&d.mode), TargetPriority: j.textOf(&d.target),
		PreemptorPriority: j.textOf(&d.priority), Level: j.textOf(&d.level),
		ProperlyStarving: optionalBool(&d.starving, i), Conditional: optionalBool(&d.conditional, i), Forced: optionalBool(&d.forced, i),
	}
	if !d.explanation.Null(i) {
		r.Explanation = string(d.explanation.Bytes(i))
	}
	if !d.lost.Null(i) {
		if ms := d.lost.Int64s[i]; ms >= 0 && ms <= math.MaxInt64/perMilli {
			r.LostTime = core.Some(core.Time(ms) * perMilli)
		} else {
			j.problem("lost_time_ms", badNumber, strconv.FormatInt(ms, 10))
		}
	}
	return r
}
