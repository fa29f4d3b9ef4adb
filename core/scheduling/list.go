package scheduling

import (
	"math"

	"poolproof/core/chain"
	"poolproof/core/resource"
)

// A List is how well the jobs of an operation are protected
// (core/spec/scheduling.md §8.1). The constants are ordered: the least protected is
// the greatest.
type List uint8

// The three consecutive parts of an operation's jobs, in start order.
const (
	NonPreemptible List = iota
	AggressivelyPreemptible
	Preemptible
)

var listNames = [...]string{"non_preemptible", "aggressively_preemptible", "preemptible"}

func (l List) String() string { return listNames[l] }

// A jobList holds the jobs of an operation in the order of their registration,
// cut twice: prefix 0 is non-preemptible, prefix 1 that and what is
// aggressively preemptible. A cut moves job by job, so that a change costs
// what it moves and not what the operation runs.
type jobList struct {
	jobs chain.List[Job]
	end  [2]Job             // last job of each prefix, NoJob if it is empty
	sum  [2]resource.Vector // usage of each prefix
}

var emptyList = jobList{jobs: chain.New[Job](), end: [2]Job{NoJob, NoJob}}

// cut moves both boundaries of an operation's jobs to where they belong: after
// the shortest prefix that is not protected any more.
func (t *Tree) cut(e Element) {
	n := &t.elements[e]
	s := &n.seen
	bound := s.fair.Scale(t.options.AggressiveThreshold())
	t.cutAt(n, 0, bound)
	if preemptionOff(s.fair, s.demand) {
		bound = resource.Uniform(math.Inf(1))
	} else {
		bound = bound.Max(s.fair.Scale(t.options.SatisfactionThreshold))
	}
	t.cutAt(n, 1, bound)
}

// cutAt moves boundary i. Larger usage is never better protected, so that the
// boundary is found from wherever it stands.
func (t *Tree) cutAt(n *element, i int, bound resource.Share) {
	list := &n.operation.list
	for j := list.end[i]; j != NoJob; j = list.end[i] {
		own := &t.jobs[j]
		before := list.sum[i].Sub(own.usage)
		if t.protected(n, before, bound) {
			break
		}
		own.within[i] = false
		list.sum[i], list.end[i] = before, t.ofOperation.Before(j)
	}
	for t.protected(n, list.sum[i], bound) {
		next := list.jobs.First
		if last := list.end[i]; last != NoJob {
			next = t.ofOperation.After(last)
		}
		if next == NoJob {
			break
		}
		own := &t.jobs[next]
		own.within[i] = true
		list.sum[i], list.end[i] = list.sum[i].Add(own.usage), next
	}
}

// protected reports whether jobs that follow a prefix of this usage are
// protected (§8.1).
func (t *Tree) protected(n *element, usage resource.Vector, bound resource.Share) bool {
	return strictlyAbove(n.operation.limit, usage) ||
		Dominates(n.seen.fair, n.seen.demand, bound, usage.ShareOf(t.total))
}

// leave takes a job without usage out of both prefixes.
func (l *jobList) leave(t *Tree, j Job) {
	own := &t.jobs[j]
	for i := range l.end {
		own.within[i] = false
		if l.end[i] == j {
			l.end[i] = t.ofOperation.Before(j)
		}
	}
}
