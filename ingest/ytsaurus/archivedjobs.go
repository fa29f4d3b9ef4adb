package ytsaurus

import (
	"poolproof/core"
)

// archivedJob takes in a row of the archive's table jobs. What it calls start_time is
// the node's, later than the controller's that the log has; newer clusters have both.
func (l *loader) archivedJob(c *columnSet) {
	job, ok := c.halves(keyJobHi, keyJobLo)
	if !ok {
		l.quarantine("job_id_hi", badID, "")
		return
	}
	operation, ok := c.halves(keyOperationIDHi, keyOperationIDLo)
	if !ok {
		l.quarantine("operation_id_hi", badID, "")
		return
	}
	nodes, finish, ok := l.archivedTimes(c[keyStartTime], c[keyFinishTime])
	if !ok {
		return
	}
	j := jobRow{job: job, event: archivedJob, time: nodes.Or(finish.Value), operation: operation, kind: c[keyJobType].string()}
	j.start = c[keyControllerStart].moment()
	if at := c[keyControllerFinish].moment(); at.Set {
		finish = at
	}
	if state := c.jobState(); state != unknownEvent && finish.Set && finish.Value >= j.start.Or(j.time) {
		j.ended, j.finish = state, finish
	}
	if !nodes.Set && !j.start.Set && !j.finish.Set {
		return // it was never on a node
	}
	if tree := c[keyTree].bytes(); usable(tree) {
		l.tree(tree)
		j.tree = string(tree)
	}
	if address := c[keyAddress].bytes(); usable(address) {
		j.address = string(address)
	}
	if j.limits, ok = c[keyLimits].optionalResources(); !ok {
		l.note("resource_limits", badAmount, string(c[keyLimits].appendJSON(nil)))
	}
	j.reason = string(c[keyError].errorAttribute(keyAbortReason, 0))
	j.explanation = string(c[keyError].errorAttribute(keyPreemptionReason, 0))
	if info := c[keyInterruptionInfo]; !info.isNull() {
		j.interruption = info.get(keyInterruptionReason).string()
		j.explanation = max(j.explanation, info.get(keyPreemptionReason).string())
		j.forJob = l.optionalID(info.get(keyPreemptedFor).get(keyAllocation), "interruption_info")
		j.forOperation = l.optionalID(info.get(keyPreemptedFor).get(keyOperationID), "interruption_info")
	}
	j.competition = competition(c)
	j.allocation, _ = c.halves(keyAllocationHi, keyAllocationLo)
	l.keepJob(&j)
}

// jobState is how a job ended. The controller's word counts before the node's.
func (c *columnSet) jobState() eventType {
	for _, k := range [...]key{keyControllerState, keyState, keyTransientState} {
		switch string(c[k].bytes()) {
		case "completed":
			return jobCompleted
		case "failed":
			return jobFailed
		case "aborted":
			return jobAborted
		}
	}
	return unknownEvent
}

// errorAttribute is an attribute of an error, or of the first of those that caused it.
func (c cursor) errorAttribute(k key, depth int) []byte {
	if found := c.get(keyAttributes).get(k).bytes(); len(found) > 0 || depth > maxDepth {
		return found
	}
	for inner := range c.get(keyInnerErrors).children {
		if found := inner.errorAttribute(k, depth+1); len(found) > 0 {
			return found
		}
	}
	return nil
}

// archiveSlack is how far the log and the archive may be apart on when a job ended: the
// controller records one and the node the other.
const archiveSlack = 10 * core.Second

// fill completes what the log says of a job by what the archive does, and notes where the two
// differ. Start is known where a row of the log, or the controller, records it.
func (p *pairing) fill(out *placedJob, last *jobRow) {
	a := p.archived
	if last != nil {
		p.compareJob(out, a)
	} else if a.ended != unknownEvent {
		out.finish, out.end, out.reason = a.finish, endWords[a.ended], a.reason
		out.competition = a.competition
	}
	if last == nil && a.start.Set {
		out.start = a.start.Value
	} else if last == nil {
		out.start = min(out.start, a.time)
	}
	if out.interruption == "" {
		out.interruption = a.interruption
	}
	if out.forJob == (guid{}) && out.forOperation == (guid{}) && out.end == endWords[jobAborted] {
		out.forJob, out.forOperation = a.forJob, a.forOperation
	}
	if out.allocation == (guid{}) {
		out.allocation = a.allocation
	}
	out.explanation = a.explanation
}

func (p *pairing) compareJob(out *placedJob, a *jobRow) {
	if a.ended == unknownEvent {
		return
	}
	if end := endWords[a.ended]; end != out.end {
		p.differs("state", out.job, out.end, end)
	}
	if out.finish.Set && !near(out.finish.Value, a.finish.Value, archiveSlack) {
		p.differs("finish_time", out.job, formatTime(out.finish.Value), formatTime(a.finish.Value))
	}
}

// differs notes that the log and the archive say something else of an operation or a job.
func (a *assembly) differs(column string, id guid, log, archive string) {
	a.problems.Note(wholeLog, -1, column, archiveDiffers, id.String()+": "+log+" in the log, "+archive+" in the archive")
}

func near(a, b, slack core.Time) bool { return a-b <= slack && b-a <= slack }
