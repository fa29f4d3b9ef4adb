package decisions

import (
	"cmp"
	"slices"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// sortTaken sorts the victims of a heartbeat in the order in which stages take them. The log
// records only their common time.
func (r *Referee) sortTaken(g *heartbeat) {
	first := r.firstPass(g)
	slices.SortStableFunc(g.taken, func(a, b int32) int {
		if c := cmp.Compare(r.passOf(a, first), r.passOf(b, first)); c != 0 {
			return c
		}
		x, known := r.Core.JobOf(r.instant.Events[a].Job)
		y, also := r.Core.JobOf(r.instant.Events[b].Job)
		switch {
		case known != also && known:
			return -1
		case known != also:
			return 1
		case !known:
			return cmp.Compare(r.instant.Events[a].Seq, r.instant.Events[b].Seq)
		}
		return cmp.Or(
			r.Core.Scheduling().CompareVictims(r.Core.JobHandle(x), r.Core.JobHandle(y)),
			cmp.Compare(r.partOfNode(x), r.partOfNode(y)), // of equals the smaller went first, in the scheduler's favour
		)
	})
}

// A pass of a heartbeat preempts jobs: first the graceful pass, then the stages one after the
// other, and last the jobs that do not fit the node (core/spec/scheduling.md §9.3, §9.4).
type pass int

const (
	gracefully pass = iota
	inStage         // the first of them; the others follow
	overcommit = inStage + pass(scheduling.PreemptiveNormal) + 1
)

// firstPass returns the pass of the first stage that took jobs to make room, as far as recorded.
func (r *Referee) firstPass(g *heartbeat) pass {
	first := overcommit
	for _, i := range g.taken {
		if stage, ok := r.instant.Events[i].PreemptionReason().Stage(); ok {
			first = min(first, inStage+pass(stage))
		}
	}
	return first
}

// passOf returns the pass of a victim. Victims of a repair of limits or with an unrecorded reason
// may be of any stage and count as taken by the first.
func (r *Referee) passOf(victim int32, first pass) pass {
	switch reason := r.instant.Events[victim].PreemptionReason(); reason {
	case scheduling.ForGracefulPreemption:
		return gracefully
	case scheduling.ForOvercommit:
		return overcommit
	default:
		if stage, ok := reason.Stage(); ok {
			return inStage + pass(stage)
		}
		return first
	}
}

// sortEquals moves to the end, among victims of equal rank, one that was needed for the node to
// fit: then all before it were needed, too. started is the usage of the preemptor's job.
func (r *Referee) sortEquals(g *heartbeat, started, limits resource.Vector) {
	if g.node < 0 {
		return
	}
	rest, first := r.Core.Node(g.node).Usage.Add(started), r.firstPass(g)
	for from := 0; from < len(g.taken); {
		to := from
		for ; to < len(g.taken) && (to == from || r.rankAlike(g.taken[from], g.taken[to], first)); to++ {
			rest = rest.Sub(r.usageOf(g.taken[to]))
		}
		for k := to - 1; k >= from; k-- {
			if v := g.taken[k]; !rest.Add(r.usageOf(v)).FitsIn(limits) {
				g.taken = slices.Insert(slices.Delete(g.taken, k, k+1), to-1, v)
				break
			}
		}
		from = to
	}
}

// rankAlike reports whether the rules do not order two victims.
func (r *Referee) rankAlike(a, b int32, first pass) bool {
	if r.passOf(a, first) != r.passOf(b, first) {
		return false
	}
	x, known := r.Core.JobOf(r.instant.Events[a].Job)
	y, also := r.Core.JobOf(r.instant.Events[b].Job)
	return known && also && r.Core.Scheduling().CompareVictims(r.Core.JobHandle(x), r.Core.JobHandle(y)) == 0
}

// usageOf returns what a victim releases immediately.
func (r *Referee) usageOf(victim int32) resource.Vector {
	e := &r.instant.Events[victim]
	slot, known := r.Core.JobOf(e.Job)
	if !known || e.PreemptionReason() == scheduling.ForGracefulPreemption {
		return resource.Vector{}
	}
	return r.Core.Job(slot).Usage
}

// partOfNode returns the dominant share of its node that a job takes.
func (r *Referee) partOfNode(job int32) float64 {
	j := r.Core.Job(job)
	if j.Node < 0 {
		return 0
	}
	return j.Usage.ShareOf(r.Core.Node(j.Node).Limits).Dominant()
}
