package simulate

import (
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
)

// Tentative trees: an operation is banned from one whose jobs take much longer than elsewhere
// (core/spec/scheduling.md §2.4). The core itself sees whether enough of them run there.

// learn records the run time of a job, and bans its operation if that is too long.
func (s *simulation) learn(j *job) {
	id := j.work.Operation
	o, m := &s.operations[id], s.membership(id, j.tree)
	if m == nil || m.left || o.over {
		return
	}
	m.completed.Jobs++
	m.completed.Total += pooltree.Milliseconds((s.now - j.start) / 1000)
	for i := range o.requests {
		if o.requests[i].tentative() && !o.in[i].left && s.plan.Operations[id].Eligibility.Bans(o.in[i].completed, o.elsewhere(i)) {
			s.leave(id, i, core.StepBanned, "banned_in_tentative_tree")
		}
	}
	if !slices.ContainsFunc(o.in, func(m membership) bool { return !m.left }) {
		s.end(id, core.StepAborted)
	}
}

// elsewhere sums up the jobs of an operation outside of one of its trees.
func (o *operation) elsewhere(request int) (d pooltree.Durations) {
	for i := range o.in {
		if i != request {
			d.Jobs += o.in[i].completed.Jobs
			d.Total += o.in[i].completed.Total
		}
	}
	return d
}

// sampled reports whether what was offered to a heartbeat completes the sample that an
// operation takes of a tentative tree.
func (c *controller) sampled(id core.OperationID) bool {
	t := c.trees[c.tree].core
	slot, ok := t.OperationOf(id)
	if !ok {
		return false
	}
	left, bounded := t.SampleLeft(slot)
	if !bounded {
		return false
	}
	for _, w := range c.offered {
		if w.Operation == id {
			left--
		}
	}
	return left <= 0
}
