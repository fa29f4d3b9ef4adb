package scheduling

import (
	"cmp"
	"slices"

	"poolproof/core/resource"
)

// preemptGracefully asks the preemptible jobs of graceful operations to finish, once each, whether
// or not an operation starves (core/spec/scheduling.md §10.6).
func (t *Tree) preemptGracefully() {
	if t.gracefulOperations == 0 {
		return
	}
	t.found(func(j Job, job *job) {
		if job.interrupted || job.preempted || job.list() != Preemptible || !t.elements[job.operation].operation.Graceful {
			return
		}
		t.InterruptJob(j) // it keeps its resources until it stops
		t.out.Preempted = append(t.out.Preempted, Preemption{
			Job: j, Operation: job.operation, Resources: job.limits, Usage: job.usage, Reason: ForGracefulPreemption,
			Timeout: t.options.GracefulTimeout, List: Preemptible, PreemptorJob: NoJob, Preemptor: None,
		})
	})
}

// overcommitted reports whether the node's usage has exceeded its limits for longer than allowed
// (§10.8).
func (t *Tree) overcommitted() bool {
	n := &t.nodes[t.stage.Node]
	return !n.held().FitsIn(n.Limits) && n.overcommitted != Never && t.stage.Now > n.overcommitted+t.options.OvercommitDuration
}

// preemptOvercommit keeps the jobs that fit the node, the best protected and earliest started
// first, and preempts the others.
func (t *Tree) preemptOvercommit() {
	s := &t.stage
	own := &t.nodes[s.Node]
	s.candidates = s.candidates[:0]
	t.found(func(j Job, job *job) {
		if !job.preempted {
			s.candidates = append(s.candidates, t.candidateOf(j))
		}
	})
	sortKept(s.candidates)
	var kept resource.Vector
	for i := range s.candidates {
		c := &s.candidates[i]
		if with := kept.Add(t.jobs[c.job].usage); with.FitsIn(own.Limits) {
			kept = with
		} else {
			t.preempt(t.preemption(c, ForOvercommit))
		}
	}
}

// sortKept sorts candidates in the order in which they are kept.
func sortKept(list []candidate) {
	slices.SortStableFunc(list, func(a, b candidate) int {
		if c := cmp.Compare(a.list, b.list); c != 0 {
			return c
		}
		if a.unusedCPU != b.unusedCPU && a.list != Preemptible {
			if b.unusedCPU {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.start, b.start)
	})
}
