package swf

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"poolproof/core"
	"poolproof/ingest/joblog"
)

// An operation is a job of the log. Most are one line.
type operation struct {
	id, user string
	pool     core.PoolID
	lead     int32 // the record that describes it as a whole
	// executions are the records of a job that was checkpointed, with their
	// times; nil if the lead is the only one.
	executions []execution
}

// A family is the lines that have a job's number.
type family struct {
	summary    int32 // the line about the whole job, -1 if there is none
	executions []int32
	copies     int // families with the number before this one
}

// families groups the records. Lines with a status of executions belong to the
// last job of their number; another line of that number is its summary if it
// has none, and otherwise another job.
func (l *log) families() []family {
	var all []family
	last := map[int64]int{} // family of a number
	for i := range l.records {
		r := &l.records[i]
		at, known := last[r.number]
		if r.isExecution() {
			if !known {
				at = len(all)
				last[r.number] = at
				all = append(all, family{summary: -1})
			}
			all[at].executions = append(all[at].executions, int32(i))
			continue
		}
		switch {
		case !known:
			last[r.number] = len(all)
			all = append(all, family{summary: int32(i)})
		case all[at].summary < 0:
			all[at].summary = int32(i)
		case l.records[all[at].summary].equal(r):
			l.quarantine(r, "", codeDuplicateRow, strconv.FormatInt(r.number, 10))
		default:
			l.noteProblem(r, fields[0].name, codeDuplicateJob, strconv.FormatInt(r.number, 10))
			last[r.number] = len(all)
			all = append(all, family{summary: int32(i), copies: all[at].copies + 1})
		}
	}
	return all
}

func (r *record) isExecution() bool { return r.status >= toBeContinued && r.status <= lastFailed }

// equal reports whether two lines say the same.
func (r *record) equal(other *record) bool {
	for i := range fields {
		if *fields[i].at(r) != *fields[i].at(other) {
			return false
		}
	}
	return slices.Equal(r.placement, other.placement) && r.queueName == other.queueName && r.request == other.request
}

// operations returns the jobs that the lines make, in the order of their
// submission, and quarantines lines that make none.
func (l *log) operations() []operation {
	var all []operation
	for _, f := range l.families() {
		if o, ok := l.operation(&f); ok {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b operation) int {
		x, y := &l.records[a.lead], &l.records[b.lead]
		return cmp.Or(cmp.Compare(x.submit, y.submit), cmp.Compare(x.row, y.row))
	})
	return all
}

func (l *log) operation(f *family) (operation, bool) {
	o := operation{lead: f.summary}
	if o.lead < 0 {
		o.lead = f.executions[0]
	}
	lead := &l.records[o.lead]
	if lead.submit == missing && len(f.executions) > 0 {
		lead.submit = l.records[f.executions[0]].submit
	}
	o.id = strconv.FormatInt(lead.number, 10)
	if f.copies > 0 {
		o.id += "#" + strconv.Itoa(f.copies+1)
	}
	if lead.user != missing {
		o.user = strconv.FormatInt(lead.user, 10)
	}
	if lead.submit == missing {
		l.quarantineFamily(f, "submit_time", codeMissingSubmit)
		return o, false
	}
	if len(f.executions) == 0 {
		ok := l.usable(lead)
		if ok && lead.wait == missing {
			l.noteProblem(lead, "wait_time", codeUnknownWait, "")
			lead.wait = 0
		}
		if ok && lead.run == missing && !lead.neverStarted() {
			l.noteProblem(lead, "run_time", codeUnknownRunTime, "")
		}
		return o, ok
	}
	o.executions = l.place(lead, f.executions)
	return o, len(o.executions) > 0
}

// quarantineFamily leaves out all lines of a job.
func (l *log) quarantineFamily(f *family, column, code string) {
	for _, i := range f.executions {
		l.quarantine(&l.records[i], column, code, "")
	}
	if f.summary >= 0 {
		l.quarantine(&l.records[f.summary], column, code, "")
	}
}

// usable reports whether a line says what the job got, and quarantines it if not.
func (l *log) usable(r *record) bool {
	n := r.processors()
	switch placed := r.placedProcessors(); {
	case n == 0:
		l.quarantine(r, processorsColumn, codeNoProcessors, "")
	case placed > 0 && r.allocated > 0 && placed != r.allocated:
		// Which of the two is wrong cannot be known, and both matter to a node.
		l.quarantine(r, placementColumn, codeMismatch, fmt.Sprintf("%d processors, %d placed", r.allocated, placed))
	case n > maxNode:
		l.quarantine(r, processorsColumn, codeOutOfRange, strconv.FormatInt(n, 10))
	case l.memory(r) > maxMemory:
		l.quarantine(r, "requested_memory", codeOutOfRange, strconv.FormatInt(r.requestedMemory, 10))
	default:
		return true
	}
	return false
}

// finish returns the end of a job that started, if it is known.
func (r *record) finish(start core.Time) core.Optional[core.Time] {
	if r.run == missing {
		return core.Optional[core.Time]{}
	}
	return core.Some(start + max(r.run, joblog.Moment))
}
