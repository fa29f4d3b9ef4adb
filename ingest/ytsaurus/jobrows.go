package ytsaurus

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

// A jobRow is what one row says of a job.
type jobRow struct {
	job                        guid
	ends                       bool      // it is of its end
	time                       core.Time // of the row
	event                      eventType
	operation                  guid
	tree, address, kind        string
	limits                     core.Optional[trace.Resources]
	start, finish              core.Optional[core.Time]
	reason, interruption       string
	forJob, forOperation       guid
	allocation                 guid
	competition, predecessorOf string
	predecessor                guid
	ended                      eventType // of a row of the archive
	explanation                string    `record:"long"` // of a preemption
	place                      rowPlace  // of a start, in its source; last, see jobScan
}

var jobRows = layoutOf[jobRow]()

// job keeps a row of a job. The two rows of a job meet when they are sorted by
// its id.
func (l *loader) job(event eventType, c *columnSet) {
	job, ok := l.id(c[keyJob], "job_id")
	if !ok {
		return
	}
	operation, ok := l.id(c[keyOperationID], "operation_id")
	if !ok {
		return
	}
	if l.options.To != 0 && event == jobStarted && l.at >= l.options.To {
		return
	}
	j := jobRow{job: job, ends: event != jobStarted, event: event, time: l.at, place: l.place(), operation: operation, kind: c[keyJobType].string(), reason: c[keyReason].string(), interruption: c[keyInterruption].string()}
	if event == jobAborted && endsWithOperation(j.reason) {
		l.dialect.saw(endsOfOperations, l.at)
	}
	wrong := func(column, code, value string) {
		l.quarantine(column, code, value)
		if event != jobStarted {
			l.keepBroken(job)
		}
	}
	if j.limits, ok = c[keyLimits].optionalResources(); !ok {
		wrong("resource_limits", badAmount, string(c[keyLimits].appendJSON(nil)))
		return
	}
	if c[keyLimits].lacksSome() {
		l.note("resource_limits", missingField, job.String())
		j.limits = core.Optional[trace.Resources]{}
	}
	for _, t := range []struct {
		to     *core.Optional[core.Time]
		from   cursor
		column string
	}{{&j.start, c[keyStartTime], "start_time"}, {&j.finish, c[keyFinishTime], "finish_time"}} {
		if t.from.isNull() {
			continue
		}
		at, ok := t.from.time()
		if !ok {
			wrong(t.column, badTimestamp, string(t.from.appendJSON(nil)))
			return
		}
		*t.to = core.Some(at)
	}
	if event != jobStarted {
		if !j.start.Set {
			wrong("start_time", missingField, "")
			return
		}
		if !j.finish.Set { // the row is written at the end
			j.finish = core.Some(max(l.at, j.start.Value))
			l.note("finish_time", noFinishTime, "")
		}
		if j.finish.Value < j.start.Value {
			wrong("finish_time", finishFirst, string(c[keyFinishTime].bytes()))
			return
		}
		if j.finish.Value > l.at+unbelievable {
			wrong("finish_time", impossibleTime, string(c[keyFinishTime].bytes()))
			return
		}
		l.agents.lag(l.at - j.finish.Value)
	}
	if tree := c[keyTree].bytes(); usable(tree) {
		l.tree(tree)
		j.tree = string(tree)
		l.dialect.saw(treeJobs, l.at)
	} else {
		l.dialect.saw(treelessJobs, l.at)
	}
	if address := c[keyAddress].bytes(); usable(address) {
		j.address = string(address)
	}
	if f := c[keyPreemptedFor]; !f.isNull() {
		j.forJob = l.optionalID(f.get(keyJob), "preempted_for")
		j.forOperation = l.optionalID(f.get(keyOperationID), "preempted_for")
		if a := l.optionalID(f.get(keyAllocation), "preempted_for"); a != (guid{}) {
			l.dialect.saw(allocationIDs, l.at)
			if j.forJob == (guid{}) {
				j.forJob = a
			}
		}
	}
	j.allocation = l.optionalID(c[keyAllocation], "allocation_id")
	j.competition = competition(c)
	j.predecessorOf = c[keyPredecessorType].string()
	j.predecessor = l.optionalID(c[keyPredecessorJob], "predecessor_job_id")
	o := l.sight(operation, j.start.Or(l.at))
	if !c[keyCategory].isNull() {
		o.writer = max(o.writer, writerOf(l.source))
	}
	if event == jobAborted && j.forJob != (guid{}) {
		l.keepVictim(&j)
	}
	l.keepJob(&j)
}

// endsWithOperation reports whether an agent aborted a job because its operation ended.
// operation_finished is the scheduler's own word, also where the operation lost a tree.
func endsWithOperation(reason string) bool {
	switch reason {
	case "operation_completed", "operation_failed", "operation_aborted":
		return true
	}
	return false
}

// competition says whether a job is one of several that do the same work.
func competition(c *columnSet) string {
	if c[keyCompetition].isNull() {
		return ""
	}
	if g, _ := parseGUID(c[keyProbingCompetition].bytes()); g != (guid{}) {
		return "probing"
	}
	if g, _ := parseGUID(c[keyCompetition].bytes()); g != (guid{}) {
		return "speculative"
	}
	return "none"
}

func (l *loader) keepJob(j *jobRow) {
	l.rec.begin(jobRecords, noTree)
	jobRows.put(&l.rec, j)
	l.jobRows++
	l.keep()
}
