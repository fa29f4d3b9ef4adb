package ytsaurus

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/ingest/reconstruct"
	"poolproof/ingest/trace"
)

// Of a job without an end only the row is there that an agent wrote when it learned of
// the start, seconds later. The job may have started as long before as it took others; no
// earlier than its operation can have had jobs, no later than jobs left that were taken
// for it, and only when its node had room.

// A room is what jobs take of a node around the starts that are not known.
type room struct {
	during core.Span
	jobs   []tenant
	stays  []occupancy // of jobs that were there after the first that is open
}

// A tenant is a job on such a node.
type tenant struct {
	job, forJob   guid
	start, finish core.Time // finish is never if the log does not record
	limits        trace.Resources
	quiet         bool // see isQuiet
}

// watch notes that a start on a node is not known.
func (p *pairing) watch(r *jobRow) {
	from, to := r.time-longestLag*1000, r.time
	if n := p.rooms[r.address]; n != nil {
		n.during = core.Span{From: min(n.during.From, from), To: max(n.during.To, to)}
		return
	}
	p.rooms[r.address] = &room{during: core.Span{From: from, To: to}}
}

// occupy notes where a job was.
func (p *pairing) occupy(o *placedJob) {
	n := p.rooms[o.address]
	finish := o.finish.Or(never)
	if n != nil && finish >= n.during.From {
		n.stays = append(n.stays, occupancy{o.start, finish, o.limits})
	}
	if n != nil && o.start <= n.during.To && finish >= n.during.From {
		n.jobs = append(n.jobs, tenant{o.job, o.forJob, o.start, finish, o.limits, o.isQuiet()})
	}
}

// guess says from when on an open job may have been there, and how much later it may have
// started.
func (p *pairing) guess(o *openJob) {
	p.guessed++
	latest := o.start
	earliest := latest - p.lags.longest()
	if op := p.operations[o.operation]; op != nil {
		earliest = max(earliest, op.startOf())
		if len(op.materialized) > 0 {
			earliest = max(earliest, slices.Min(op.materialized))
		}
	}
	if n := p.rooms[o.address]; n != nil {
		for i := range n.jobs {
			if v := &n.jobs[i]; v.forJob == o.job && v.start < v.finish {
				latest = min(latest, v.finish)
			}
		}
		earliest = min(earliest, latest)
		if node := p.nodes[o.address]; node != nil && len(node.states) > 0 {
			earliest = n.roomFrom(&o.placedJob, node.limitsAt(latest), core.Span{From: earliest, To: latest}, p.patience())
		}
	}
	earliest = min(earliest, latest)
	o.start, o.startsWithin = earliest, latest-earliest
	if o.startsWithin > 0 {
		o.place = noPlace
	}
}

// roomFrom returns the first moment of a span from which on the node has room for a job up to its
// end. If it never has, or not at the end, that proves nothing, and the first moment of all is
// returned.
func (n *room) roomFrom(o *placedJob, limits trace.Resources, during core.Span, patience core.Time) core.Time {
	type step struct {
		at  core.Time
		use trace.Resources
	}
	used := o.limits
	var steps []step // what is used less, going back over a moment
	starts := map[guid]core.Time{}
	for i := range n.jobs {
		starts[n.jobs[i].job] = n.jobs[i].start
	}
	for i := range n.jobs {
		t := &n.jobs[i]
		if t.forJob == o.job || t.job == o.job {
			continue
		}
		left := t.finish
		if t.quiet {
			left -= patience // it may have made room
		}
		if at, known := starts[t.forJob]; known && t.forJob != (guid{}) {
			left = min(left, at) // it gave way when that started
		}
		if t.start > during.To || left <= during.From {
			continue
		}
		if left > during.To {
			used = reconstruct.Plus(used, t.limits, 1)
		} else {
			steps = append(steps, step{left, t.limits})
		}
		if t.start > during.From {
			steps = append(steps, step{t.start, reconstruct.Plus(trace.Resources{}, t.limits, -1)})
		}
	}
	if !reconstruct.Fits(used, limits) {
		return during.From
	}
	slices.SortFunc(steps, func(a, b step) int { return -cmp.Compare(a.at, b.at) })
	for i := 0; i < len(steps); {
		at := steps[i].at
		for ; i < len(steps) && steps[i].at == at; i++ {
			used = reconstruct.Plus(used, steps[i].use, 1)
		}
		if !reconstruct.Fits(used, limits) {
			return at
		}
	}
	return during.From
}
