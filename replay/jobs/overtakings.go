package jobs

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// endJob writes the row of a job that gave its resources back.
func (r *Jobs) endJob(ended *core.EndedJob) {
	row := r.jobRow(ended.Slot)
	row.End, row.Reason, row.EndTime = ended.End, ended.Reason, ended.Time
	if ended.Preemptor != core.Unknown {
		row.For = core.Some(ended.Preemptor)
	}
	r.rows.Add(row)
}

func (r *Jobs) jobRow(slot int32) *tables.Job {
	j := r.Core.Job(slot)
	row := &r.job
	*row = tables.Job{
		Job: string(j.Name), JobIx: j.ID,
		Operation: r.Core.Operation(j.Operation).ID, Pool: j.Pool,
		StartTime: j.Start, Resources: j.Resources, InOrder: j.InOrder,
	}
	if j.Node >= 0 {
		row.Node = core.Some(r.Core.Node(j.Node).ID)
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

// lookedAt bounds the number of waiting operations that are compared with a start; in a queue of
// thousands they are usually all blocked alike.
const lookedAt = 256

// noteOvertaking settles, at the end of the instant, whom a started job overtook: the first
// waiting operation that fits in its place, else the first for which that is unknown, else the
// first that does not fit.
func (r *Jobs) noteOvertaking(slot int32) {
	for int(slot) >= len(r.overtakings) {
		r.overtakings = append(r.overtakings, overtaking{})
	}
	best := &r.overtakings[slot]
	*best = overtaking{}
	if !r.Core.Job(slot).InOrder {
		return
	}
	looked := 0
	r.Core.EarlierWaiting(slot, func(operation int32) bool {
		o := r.Core.Operation(operation)
		if r.records.TakesNoPart(operation, o.ID) {
			return true
		}
		fits := r.fitsInstead(slot, o)
		if !best.id.Set || !fits.Set && best.fits.Set || fits.Value {
			*best = overtaking{core.Some(o.ID), fits}
		}
		looked++
		return !fits.Value && looked < lookedAt
	})
}

// overtook returns what noteOvertaking found; a job that started before the
// window has nothing noted.
func (r *Jobs) overtook(slot int32) overtaking {
	if int(slot) < len(r.overtakings) {
		return r.overtakings[slot]
	}
	return overtaking{}
}

// fitsInstead reports whether a job of an operation would have fitted on a started job's node in
// its place. A resource that the trace does not measure fits up to what the job itself had of it,
// and is unknown beyond. The answer is unknown where packing may have passed the operation over,
// since no log records what packing compares; where a preemptive stage may have started the job,
// since it serves starving operations alone; where jobs with an unknown end may have left room;
// where another order may have been in force; and where it is unknown whether the operation still
// waited.
func (r *Jobs) fitsInstead(job int32, o *core.Operation) core.Optional[bool] {
	j := r.Core.Job(job)
	size, known := o.JobSize()
	if j.Node < 0 || !known && o.MinNeeded.IsZero() || r.filtered(o) || r.Core.Config().Packing.Enable {
		return core.Optional[bool]{}
	}
	freed := j.Resources
	if j.Ended {
		freed = resource.Vector{} // it left its room already
	}
	fits := r.fits(size, o, j, freed)
	if fits == core.Some(false) {
		if doubt := r.Core.DoubtfulUsage(r.Now); doubt.IsZero() || r.fits(size, o, j, freed.Add(doubt)) == fits {
			return fits // what does not fit is not there, whatever each job takes
		}
		return core.Optional[bool]{}
	}
	if !known || j.MayPreempt || r.reordered(j.Operation, o) || !r.records.KnowsDemand(r.Now) {
		return core.Optional[bool]{}
	}
	return fits
}

// reordered reports whether an operation may have stood before another in their FIFO pool
// still, since the configuration or the weight of either by which it does not is too new.
func (r *Jobs) reordered(operation int32, earlier *core.Operation) bool {
	own := r.Core.Operation(operation)
	last := max(r.Core.LastConfigured(own.Pool), own.LastWeighted, earlier.LastWeighted)
	slacks := r.Slacks()
	return int64(r.Now-last) < slacks.Configuration
}

// fits reports whether a job of a size would have fitted on a started job's node and
// below the limits, with something freed. The job was started by a regular stage: what
// the heartbeat took came after (core/spec/scheduling.md §9.3).
func (r *Jobs) fits(size resource.Vector, o *core.Operation, j *core.Job, freed resource.Vector) core.Optional[bool] {
	if !r.withinLimits(o, size, freed) {
		return core.Some(false)
	}
	n := r.Core.Node(j.Node)
	used := n.Usage.Add(r.takenNow(func(taken *core.Job) bool { return taken.Node == j.Node }))
	unknown := false
	for k := range size {
		room := n.Limits[k] - used[k] + freed[k]
		switch {
		case r.Log.Sized[k] && size[k] <= room:
		case r.Log.Measured[k]:
			return core.Some(false)
		case size[k] > j.Resources[k]:
			unknown = true
		}
	}
	return core.Optional[bool]{Value: !unknown, Set: !unknown}
}

// filtered reports whether a tag filter says which nodes serve the operation;
// they are not followed here.
func (r *Jobs) filtered(o *core.Operation) bool {
	if o.Params.TagFilter != nil && !o.Params.TagFilter.IsEmpty() {
		return true
	}
	for p := o.Pool; p >= 0; p = r.Core.Pool(p).Parent {
		if !r.Core.Pool(p).Config.TagFilter.IsEmpty() {
			return true
		}
	}
	return false
}

// withinLimits reports whether the specified limits of an operation and its
// pools would let it have a job of that size, were the resources freed that its
// pool gave to another's (core/spec/scheduling.md §11.2).
func (r *Jobs) withinLimits(o *core.Operation, size, freed resource.Vector) bool {
	own := r.takenNow(func(taken *core.Job) bool { return r.Core.Operation(taken.Operation).ID == o.ID })
	if !size.Add(o.Usage).Add(own).FitsIn(o.Params.ResourceLimits.Value.Or(resource.Unlimited)) {
		return false
	}
	for p := o.Pool; p >= 0; p = r.Core.Pool(p).Parent {
		pool := r.Core.Pool(p)
		below := r.takenNow(func(taken *core.Job) bool { return r.Core.IsWithin(r.Core.Operation(taken.Operation).Pool, p) })
		if !size.Add(pool.Usage).Add(below).Sub(freed).FitsIn(pool.Config.ResourceLimits.Or(resource.Unlimited)) {
			return false
		}
	}
	return true
}

// takenNow returns the usage of selected jobs that were preempted in this instant.
func (r *Jobs) takenNow(counts func(*core.Job) bool) (used resource.Vector) {
	for _, ended := range r.Core.Changes().Ended {
		if j := r.Core.Job(ended.Slot); ended.End == core.EndPreempted && counts(j) {
			used = used.Add(j.Usage)
		}
	}
	return used
}

// finishJobs writes the rows of the jobs that are alive at the window's end.
func (r *Jobs) finishJobs() {
	var slots []int32
	r.Core.EachJob(func(slot int32) { slots = append(slots, slot) })
	slices.SortFunc(slots, func(a, b int32) int { return cmp.Compare(r.Core.Job(a).ID, r.Core.Job(b).ID) })
	for _, slot := range slots {
		row := r.jobRow(slot)
		j := r.Core.Job(slot)
		row.End, row.Reason, row.EndTime = j.End, j.Reason, j.Finish
		r.rows.Add(row)
	}
}
