package swf

import (
	"fmt"
	"strconv"

	"poolproof/core"
)

// An execution is a time that a checkpointed job ran without a break.
type execution struct {
	record        int32
	wanted, start core.Time
	finish        core.Optional[core.Time]
}

// place finds when the executions of a job ran. The standard gives only the
// first a submit time; the wait of the others counts from the end of the one
// before. One that says when it was submitted nevertheless starts its wait then.
func (l *log) place(lead *record, parts []int32) []execution {
	var placed []execution
	before := core.Some(lead.submit) // since when the operation waits for the next
	for n, i := range parts {
		r := &l.records[i]
		r.inherit(lead)
		if !l.usable(r) {
			before.Set = false
			continue
		}
		from := before
		if n > 0 && r.submit != missing {
			from = core.Some(r.submit)
		}
		if !from.Set {
			l.quarantine(r, "run_time", codeUnplaced, strconv.FormatInt(r.number, 10))
			continue
		}
		if r.wait == missing {
			l.noteProblem(r, "wait_time", codeUnknownWait, "")
			r.wait = 0
		}
		e := execution{record: i, wanted: before.Or(from.Value), start: from.Value + r.wait}
		if e.start < e.wanted {
			l.quarantine(r, "submit_time", codeOverlapping, fmt.Sprintf("%d s before the end of the execution before", (e.wanted-e.start)/core.Second))
			continue
		}
		if e.finish = r.finish(e.start); !e.finish.Set {
			l.noteProblem(r, "run_time", codeUnknownRunTime, "")
		}
		before = e.finish
		placed = append(placed, e)
	}
	return placed
}

// inherit takes over what the line of an execution leaves to that of the job.
func (r *record) inherit(lead *record) {
	if r.processors() == 0 {
		r.allocated, r.requested = lead.allocated, lead.requested
	}
	if r.requestedMemory == missing && r.usedMemory == missing {
		r.requestedMemory, r.usedMemory = lead.requestedMemory, lead.usedMemory
	}
}
