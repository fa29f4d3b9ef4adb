package decisions

import (
	"slices"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/judge"
	"poolproof/core/resource"
)

// A job whose end or preemption has no recorded time counts as using its resources up to the last
// possible moment. A breach that depends on such usage is at most suspect (core/spec/invariants.md
// §1).

// doubtsLookedAt bounds the number of such jobs that are visited at every start: with more, no
// breach is reported.
const doubtsLookedAt = 1024

// lookAtDoubts fills in the part of the usage of the node and of the elements above a started job
// that may have been released, or may not count yet because it was moved there shortly before.
func (r *Referee) lookAtDoubts(s *judge.Start, at core.Time, node int32) {
	elements := s.States[0].Elements
	s.NodeDoubt, s.Doubtful = resource.Vector{}, false
	for i := range elements {
		own := &elements[i]
		own.Doubt = r.Core.MovedIn(own.Handle, at-core.Time(r.slacks.Configuration))
		s.Doubtful = s.Doubtful || !own.Doubt.IsZero()
	}
	jobs := r.Core.Doubtful(at)
	if len(jobs) > doubtsLookedAt {
		s.Evidence = judge.Possible
		return
	}
	for _, slot := range jobs {
		j := r.Core.Job(slot)
		if node >= 0 && j.Node == node {
			s.NodeDoubt, s.Doubtful = s.NodeDoubt.Add(j.Usage), true
		}
		r.eachAbove(j, func(handle fairshare.Element) {
			for i := range elements {
				if elements[i].Handle == handle {
					elements[i].Doubt, s.Doubtful = elements[i].Doubt.Add(j.Usage), true
				}
			}
		})
	}
}

// followStart applies events shortly after a held start, whose clock may be an agent's and not the
// scheduler's (ingest/trace/FORMAT.md §4.2). A heartbeat processes finished jobs and other news
// before it starts any job (core/spec/scheduling.md §9.1). So a job that ends now may already have
// been gone, and one that runs or ends now may no longer have waited.
func (r *Referee) followStart(h *held, e *core.Event) {
	if e.Kind != core.JobFinished && e.Kind != core.JobReported || h.start == nil || int64(e.Time-h.at) > r.slacks.Clock {
		return
	}
	s := h.start
	if i := slices.Index(h.waiting, e.Job); i >= 0 && (e.Kind == core.JobFinished || e.State != "" && e.State != core.JobWaiting) {
		h.waiting = slices.Delete(h.waiting, i, i+1)
		s.NoneWaits = len(h.waiting) == 0
		s.Doubtful = s.Doubtful || s.NoneWaits
	}
	slot, ok := r.Core.JobOf(e.Job)
	if e.Kind != core.JobFinished || !ok || r.Core.Job(slot).Start >= h.at {
		return
	}
	j := r.Core.Job(slot)
	if j.Node >= 0 && h.row.Node == core.Some(r.Core.Node(j.Node).ID) {
		s.NodeDoubt, s.Doubtful = s.NodeDoubt.Add(j.Usage), true
	}
	known := r.stillOwns(h)
	r.eachAbove(j, func(handle fairshare.Element) {
		if !known(handle) {
			return
		}
		for _, state := range s.States {
			for i := range state.Elements {
				if own := &state.Elements[i]; own.Handle == handle {
					own.Doubt, s.Doubtful = own.Doubt.Add(j.Usage), true
				}
			}
		}
	})
}

// eachAbove calls visit with the elements of a job's operation and of the pools above it.
func (r *Referee) eachAbove(j *core.Job, visit func(fairshare.Element)) {
	o := r.Core.Operation(j.Operation)
	if o.Enabled() {
		visit(o.Element)
	}
	for p := o.Pool; p >= 0; p = r.Core.Pool(p).Parent {
		visit(r.Core.Pool(p).Element)
	}
}

// isUndated reports whether it is uncertain that a batch was taken at this time, or that the
// preemptor's job started then.
func (r *Referee) isUndated(g *heartbeat) bool {
	return slices.ContainsFunc(g.taken, func(i int32) bool { return r.instant.Events[i].Untimed }) ||
		slices.ContainsFunc(g.started, func(i int32) bool { return r.instant.Events[i].StartsWithin > 0 })
}

// mayHaveLeft reports whether other jobs may have left before a batch was taken: jobs of the node,
// or so many of the tree that shares may differ.
func (r *Referee) mayHaveLeft(g *heartbeat, at core.Time) bool {
	jobs := r.Core.Doubtful(at)
	return slices.ContainsFunc(jobs, func(slot int32) bool { return g.node >= 0 && r.Core.Job(slot).Node == g.node }) ||
		r.Core.DoubtfulShare(at) > r.slacks.OnUsage
}
