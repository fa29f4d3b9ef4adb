package scheduling

import (
	"math"

	"poolproof/core/chain"
	"poolproof/core/resource"
)

// A List is a degree of protection of an operation's jobs (core/spec/scheduling.md §8.1). The
// constants are ordered: the least protected is the greatest.
type List uint8

// The three consecutive parts of an operation's jobs, in start order.
const (
	NonPreemptible List = iota
	AggressivelyPreemptible
	Preemptible
)

var listNames = [...]string{"non_preemptible", "aggressively_preemptible", "preemptible"}

func (l List) String() string { return listNames[l] }

// A jobList holds the jobs of an operation in the order of their registration, cut twice: prefix 0
// is non-preemptible, and prefix 1 also contains the aggressively preemptible jobs. With thresholds
// of 0.2 and 0.4 of the tree and jobs of 0.1 each:
//
//	jobs     1    2    3    4    5    6
//	prefix   0    0    1    1    -    -
//	list     non  non  agg  agg  pre  pre
//
// A cut moves job by job, so the cost of a change depends on what moves, not on the number of jobs.
type jobList struct {
	jobs chain.List[Job]
	end  [2]Job             // last job of each prefix, NoJob if it is empty
	sum  [2]resource.Vector // usage of each prefix
}

var emptyList = jobList{jobs: chain.New[Job](), end: [2]Job{NoJob, NoJob}}

// cut moves both boundaries of an operation's jobs to their places: after the shortest prefix that
// is no longer protected. Larger usage is never better protected, so a boundary can be found from
// its current place.
func (t *Tree) cut(e Element) {
	n := &t.elements[e]
	for i, bound := range t.bounds(n) {
		t.retreat(n, i, bound)
		t.advance(n, i, bound)
	}
}

// cutOn is cut for changes that can only move the given boundaries forward: less usage before them
// or a new job after them.
func (t *Tree) cutOn(e Element, moved [2]bool) {
	if t.stale { // settings changed that lists do not reflect yet
		t.cut(e)
		return
	}
	n := &t.elements[e]
	for i := range moved {
		moved[i] = moved[i] && t.afterCut(n, i) != NoJob
	}
	if moved == [2]bool{} {
		return
	}
	for i, bound := range t.bounds(n) {
		if moved[i] {
			t.advance(n, i, bound)
		}
	}
}

// bounds returns the shares up to which the two prefixes of an operation's jobs are protected.
func (t *Tree) bounds(n *element) (bounds [2]resource.Share) {
	s := &n.seen
	bounds[0] = s.fair.Scale(t.options.AggressiveThreshold())
	if preemptionOff(s.fair, s.demand) {
		bounds[1] = resource.Uniform(math.Inf(1))
	} else {
		bounds[1] = bounds[0].Max(s.fair.Scale(t.options.SatisfactionThreshold))
	}
	return bounds
}

// retreat moves boundary i back, past jobs that are not protected.
func (t *Tree) retreat(n *element, i int, bound resource.Share) {
	list := &n.operation.list
	for j := list.end[i]; j != NoJob; j = list.end[i] {
		before := list.sum[i].Sub(t.jobs[j].usage)
		if t.protected(n, before, bound) {
			return
		}
		t.place(j, i, false)
		list.sum[i], list.end[i] = before, t.ofOperation.Before(j)
	}
}

// advance moves boundary i on, past jobs that are protected.
func (t *Tree) advance(n *element, i int, bound resource.Share) {
	list := &n.operation.list
	for j := t.afterCut(n, i); j != NoJob && t.protected(n, list.sum[i], bound); j = t.afterCut(n, i) {
		t.place(j, i, true)
		list.sum[i], list.end[i] = list.sum[i].Add(t.jobs[j].usage), j
	}
}

// afterCut returns the first job behind boundary i, or NoJob.
func (t *Tree) afterCut(n *element, i int) Job {
	list := &n.operation.list
	if last := list.end[i]; last != NoJob {
		return t.ofOperation.After(last)
	}
	return list.jobs.First
}

// place moves a job before boundary i or behind it.
func (t *Tree) place(j Job, i int, within bool) {
	own := &t.jobs[j]
	if i == 1 && own.within[1] != within && own.node != NoNode {
		if n := &t.nodes[own.node]; within {
			n.preemptible--
		} else {
			n.preemptible++
		}
	}
	own.within[i] = within
}

// protected reports whether jobs that follow a prefix of this usage are
// protected (§8.1).
func (t *Tree) protected(n *element, usage resource.Vector, bound resource.Share) bool {
	return strictlyAbove(n.operation.limit, usage) ||
		Dominates(n.seen.fair, n.seen.demand, bound, usage.ShareOf(t.total))
}

// leave removes a job without usage from both prefixes.
func (t *Tree) leave(list *jobList, j Job) {
	for i := range list.end {
		t.place(j, i, false)
		if list.end[i] == j {
			list.end[i] = t.ofOperation.Before(j)
		}
	}
}
