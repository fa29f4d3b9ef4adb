package replay

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// endJob writes the row of a job that gave its resources back.
func (r *recorder) endJob(ended *core.EndedJob) {
	row := r.jobRow(ended.Slot)
	row.End, row.Reason = ended.End, ended.Reason
	if ended.Time != 0 {
		row.EndTime = core.Some(ended.Time)
	}
	if ended.For != core.Unknown {
		row.For = core.Some(ended.For)
	}
	add(r.out, r.out.jobs, row)
}

func (r *recorder) jobRow(slot int32) *tables.Job {
	j := r.core.Job(slot)
	row := &r.job
	*row = tables.Job{
		Job: string(j.Name), JobIx: j.ID,
		Operation: r.core.Operation(j.Operation).ID, Pool: j.Pool,
		StartTime: j.Start, Resources: j.Resources,
	}
	if j.Node >= 0 {
		row.Node = core.Some(r.core.Node(j.Node).ID)
	}
	if o := r.overtook(slot); o.id.Set {
		row.Overtook, row.OvertookFits = o.id, o.fits
	}
	return row
}

// An overtaking is an operation that a job was started before, out of the
// order of their FIFO pool, and whether a job of it would have fitted instead.
type overtaking struct {
	id   core.Optional[core.OperationID]
	fits core.Optional[bool]
}

// noteOvertaking settles, at the end of the instant, whom a started job overtook.
func (r *recorder) noteOvertaking(slot int32) {
	for int(slot) >= len(r.overtakings) {
		r.overtakings = append(r.overtakings, overtaking{})
	}
	r.overtakings[slot] = overtaking{}
	operation, ok := r.core.Overtaken(slot)
	if !ok {
		return
	}
	o := r.core.Operation(operation)
	r.overtakings[slot] = overtaking{id: core.Some(o.ID), fits: r.fitsInstead(slot, o)}
}

// overtook returns what noteOvertaking found; a job that started before the
// window has nothing noted.
func (r *recorder) overtook(slot int32) overtaking {
	if int(slot) < len(r.overtakings) {
		return r.overtakings[slot]
	}
	return overtaking{}
}

// fitsInstead reports whether a job of an operation would have fitted on a
// started job's node in its place, in the resources that the trace measures.
func (r *recorder) fitsInstead(job int32, o *core.Operation) core.Optional[bool] {
	j := r.core.Job(job)
	size, known := jobSize(o)
	if j.Node < 0 || !known {
		return core.Optional[bool]{}
	}
	if !r.withinLimits(o, size, j.Resources) {
		return core.Some(false)
	}
	n := r.core.Node(j.Node)
	decided := false
	for k, measured := range r.opts.Measured {
		if measured {
			decided = true
			if size[k] > n.Limits[k]-n.Usage[k]+j.Resources[k] {
				return core.Some(false)
			}
		}
	}
	return core.Optional[bool]{Value: true, Set: decided}
}

// withinLimits reports whether the specified limits of an operation and its
// pools would let it have a job of that size, were the resources freed that its
// pool gave to another's (spec/scheduling.md §11.2).
func (r *recorder) withinLimits(o *core.Operation, size, freed resource.Vector) bool {
	if !size.Add(o.Usage).FitsIn(o.Params.ResourceLimits.Value.Or(resource.Unlimited)) {
		return false
	}
	for p := o.Pool; p >= 0; p = r.core.Pool(p).Parent {
		pool := r.core.Pool(p)
		if !size.Add(pool.Usage).Sub(freed).FitsIn(pool.Config.ResourceLimits.Or(resource.Unlimited)) {
			return false
		}
	}
	return true
}

// jobSize is the smallest job an operation waits for, as far as the log tells:
// recorded, or all it needs if that is one job.
func jobSize(o *core.Operation) (resource.Vector, bool) {
	switch {
	case !o.MinNeeded.IsZero():
		return o.MinNeeded, true
	case o.PendingJobs == 1:
		return o.Needed, true
	}
	return resource.Vector{}, false
}

// finishJobs writes the rows of the jobs that are alive at the window's end.
func (r *recorder) finishJobs() {
	var slots []int32
	r.core.EachJob(func(slot int32) { slots = append(slots, slot) })
	slices.SortFunc(slots, func(a, b int32) int { return cmp.Compare(r.core.Job(a).ID, r.core.Job(b).ID) })
	for _, slot := range slots {
		row := r.jobRow(slot)
		j := r.core.Job(slot)
		row.End, row.Reason = j.End, j.Reason
		if j.Finish != 0 {
			row.EndTime = core.Some(j.Finish)
		}
		add(r.out, r.out.jobs, row)
	}
}
