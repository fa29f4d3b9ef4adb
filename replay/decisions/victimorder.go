package decisions

import (
	"cmp"
	"slices"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// sortTaken puts the victims of a heartbeat in the order in which stages take them. A log records
// that they went at one moment, not which went first.
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
			cmp.Compare(r.partOfNode(x), r.partOfNode(y)), // of equals the smaller went first: that alleges least
		)
	})
}

// A pass of a heartbeat takes jobs: graceful operations lose theirs before the stages,
// which come one after the other, and last what the node has no room for
// (core/spec/scheduling.md §9.3, §9.4).
type pass int

const (
	gracefully pass = iota
	inStage         // the first of them; the others follow
	overcommit = inStage + pass(scheduling.PreemptiveNormal) + 1
)

// firstPass is that of the first stage that took jobs to make room, as far as the log records.
func (r *Referee) firstPass(g *heartbeat) pass {
	first := overcommit
	for _, i := range g.taken {
		if stage, ok := r.instant.Events[i].PreemptionReason().Stage(); ok {
			first = min(first, inStage+pass(stage))
		}
	}
	return first
}

// passOf is that of a victim. Any stage may have taken what repaired limits, or went for a reason
// that the log does not record: it counts as taken by the first.
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

// sortEquals puts last, of victims that rank alike, one without which the node
// would not have fitted: if there is such a one, all before it were needed, too.
// Started is what was started in their place.
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

// rankAlike reports whether no rule says which of two victims goes first.
func (r *Referee) rankAlike(a, b int32, first pass) bool {
	if r.passOf(a, first) != r.passOf(b, first) {
		return false
	}
	x, known := r.Core.JobOf(r.instant.Events[a].Job)
	y, also := r.Core.JobOf(r.instant.Events[b].Job)
	return known && also && r.Core.Scheduling().CompareVictims(r.Core.JobHandle(x), r.Core.JobHandle(y)) == 0
}

// usageOf is what a victim gives up at once.
func (r *Referee) usageOf(victim int32) resource.Vector {
	e := &r.instant.Events[victim]
	slot, known := r.Core.JobOf(e.Job)
	if !known || e.PreemptionReason() == scheduling.ForGracefulPreemption {
		return resource.Vector{}
	}
	return r.Core.Job(slot).Usage
}

// partOfNode is how much of its node a job takes, in the resource it takes most
// of.
func (r *Referee) partOfNode(job int32) float64 {
	j := r.Core.Job(job)
	if j.Node < 0 {
		return 0
	}
	return j.Usage.ShareOf(r.Core.Node(j.Node).Limits).Dominant()
}
