package decisions

import (
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
)

// An operation with enable_multiple_jobs_in_allocation may run one job after another in an
// allocation. Only the first is a decision of the scheduler, and no log tells which that is: a job
// that starts on a node soon after one of the operation of the same size ended there may continue
// its allocation (core/spec/scheduling.md §9.9).

// leastBreak is within what time the next job of an allocation starts.
const leastBreak = 10 * core.Second

// allocations holds the ends of jobs whose allocation may go on.
type allocations struct{ ends []jobEnd }

type jobEnd struct {
	at        core.Time
	node      int32
	operation core.OperationID
	size      resource.Vector
}

// followAllocations records the end of a job of such an operation.
func (r *Referee) followAllocations(e *core.Event) {
	if e.Kind != core.JobFinished {
		return
	}
	slot, ok := r.Core.JobOf(e.Job)
	if !ok {
		return
	}
	j := r.Core.Job(slot)
	if o := r.Core.Operation(j.Operation); o.Params.SeveralJobs.Value {
		a := &r.allocations
		a.ends = append(slices.DeleteFunc(a.ends, func(end jobEnd) bool { return e.Time-end.at > leastBreak }), jobEnd{e.Time, j.Node, o.ID, j.Resources})
	}
}

// mayContinue reports whether a job may continue an allocation.
func (r *Referee) mayContinue(e *core.Event, node int32) bool {
	return slices.ContainsFunc(r.allocations.ends, func(end jobEnd) bool {
		return end.operation == e.Operation && end.node == node && end.size == e.Limits && e.Time-end.at <= leastBreak
	})
}
