package scheduling

import "poolproof/core/resource"

// CouldServe calls visit with the index of each of some operations for which the
// preemptive stages of a heartbeat that came now could start the smallest job that it
// waits for, if they came to it first: the free room of the node and what its stage may
// take there hold the job, in the resources that are measured, and no limit of the
// operation or a pool above it is in the way (§9.7, §10.4). What it would take from itself
// serves nobody. Left aside are the backoff of the node, packing, disk, and what
// controllers say.
func (t *Tree) CouldServe(h Heartbeat, operations []Element, measured [resource.Kinds]bool, visit func(i int)) {
	s, own := &t.stage, &t.nodes[h.Node]
	s.Heartbeat, s.jobs = h, len(own.jobs)
	for kind := PreemptiveSSDAggressive; kind <= PreemptiveNormal; kind++ {
		target := kind.Target()
		if target.forSSD() && !own.SSD {
			continue
		}
		collected := false
		var room resource.Vector // but for what is attached
		for i, e := range operations {
			if t.Priority(e, h.Node) != target {
				continue
			}
			if !collected {
				collected = true
				t.collect(target)
				t.attach()
				room = own.Limits.Sub(own.held()).Add(s.unconditional)
			}
			mayHold := len(s.attached) > 0 || fitsIn(&t.elements[e].operation.least, &room, measured)
			if mayHold && t.exclusion(e) == NoObstacle && t.couldServe(e, measured) {
				visit(i)
			}
		}
		if collected {
			t.resetDiscounts()
		}
	}
}

// couldServe reports it of an operation of the stage whose candidates are collected.
func (t *Tree) couldServe(e Element, measured [resource.Kinds]bool) bool {
	op, own := t.elements[e].operation, t.creditedToItself(e)
	room, spare := t.free(e).Sub(own), t.spare(t.options.MinSpare)
	if !fitsIn(&spare, &room, measured) {
		return false
	}
	for i := range op.smallest {
		if need := &op.smallest[i]; !need.IsZero() && fitsIn(need, &room, measured) {
			return t.full(e, op.least.Add(own)) == None && t.fullSpecified(e, op.least) == None && t.wants(e, op.least)
		}
	}
	return false
}

// fitsIn reports whether amounts fit some room in the resources that are measured.
func fitsIn(amounts, room *resource.Vector, measured [resource.Kinds]bool) bool {
	for k := range amounts {
		if measured[k] && amounts[k] > room[k] {
			return false
		}
	}
	return true
}

// creditedToItself is what an operation would be credited with of its own jobs.
func (t *Tree) creditedToItself(e Element) (own resource.Vector) {
	for _, candidates := range [...][]candidate{t.stage.candidates, t.stage.attached} {
		for i := range candidates {
			if c := &candidates[i]; c.operation == e {
				own = own.Add(t.jobs[c.job].usage)
			}
		}
	}
	return own
}
