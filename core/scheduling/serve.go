package scheduling

import "poolproof/core/resource"

// CouldServe calls visit with the index of each operation for which the preemptive stages of a
// heartbeat now could start its smallest pending job if they considered it first: the job fits the
// free resources of the node plus the stage's candidates, in the measured resources, and the limits
// of the operation and its pools allow it (§9.7, §10.4). Candidates of the operation itself do not
// count. The check ignores the node's backoff, packing, disk and controllers.
func (t *Tree) CouldServe(h Heartbeat, operations []Element, measured [resource.Kinds]bool, visit func(i int)) {
	s, own := &t.stage, &t.nodes[h.Node]
	s.Heartbeat, s.jobs = h, len(own.jobs)
	for kind := PreemptiveSSDAggressive; kind <= PreemptiveNormal; kind++ {
		target := kind.Target()
		if target.forSSD() && !own.SSD {
			continue
		}
		collected := false
		var room resource.Vector // without what is attached
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

// couldServe is CouldServe for one operation of the stage whose candidates are collected.
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

// fitsIn reports whether amounts fit room in the measured resources.
func fitsIn(amounts, room *resource.Vector, measured [resource.Kinds]bool) bool {
	for k := range amounts {
		if measured[k] && amounts[k] > room[k] {
			return false
		}
	}
	return true
}

// creditedToItself returns the part of an operation's discount that comes from its own jobs.
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
