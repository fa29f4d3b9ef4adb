package scheduling

import "poolproof/core/resource"

// attempt offers the node to an operation (spec/scheduling.md §9.7). What
// starts no job deactivates the operation for the rest of the stage.
func (t *Tree) attempt(e Element) bool {
	op := t.elements[e].operation
	if !t.someJobFits(e) || !t.holds(e, op.least) || !t.wants(e, op.least) || !t.withinSpecified(e, op.least) {
		t.deactivate(e)
		return false
	}
	s := &t.stage
	room := t.available(e).Min(t.free(e))
	a := s.controller.Offer(e, s.Node, room)
	if a.Refusal == Accepted && !t.withinSpecified(e, a.Resources) {
		a.Refusal = NotEnoughResources
	}
	t.out.Calls = append(t.out.Calls, Call{e, s.kind, a.Refusal})
	if a.Refusal != Accepted {
		if a.Refusal == Declined {
			op.failed = s.Now
		}
		t.deactivate(e)
		return false
	}
	start := s.Now + int64(len(t.out.Started))
	j := t.AddJob(e, s.Node, a.Resources, a.Resources, start, a.SSD)
	t.out.Started = append(t.out.Started, Start{j, e, a.Resources, s.kind, op.index})
	t.updateUsage(e)
	return true
}

// someJobFits reports whether the smallest job of some kind fits the node.
func (t *Tree) someJobFits(e Element) bool {
	discount := t.conditionalFor(e)
	for _, need := range t.elements[e].operation.smallest {
		if t.fitsNode(need, discount) {
			return true
		}
	}
	return false
}

// holds reports whether the limits of an operation and of its pools, where they
// are specified, hold resources more, given that unconditional candidates go
// (§9.7, §11.1).
func (t *Tree) holds(e Element, r resource.Vector) bool {
	for x := e; x != None; x = t.elements[x].parent {
		n := &t.elements[x]
		if t.hasSpecified(n) && !n.usage.Add(r).Sub(n.discount).FitsIn(n.seen.limits) {
			return false
		}
	}
	return true
}

// wants reports whether the demand of the last update holds resources more.
func (t *Tree) wants(e Element, r resource.Vector) bool {
	n := &t.elements[e]
	return n.usage.Add(r).FitsIn(n.seen.demandAmount)
}

// withinSpecified reports whether the specified limits alone hold resources
// more; discounts do not count (§11.2).
func (t *Tree) withinSpecified(e Element, r resource.Vector) bool {
	for x := e; x != None; x = t.elements[x].parent {
		n := &t.elements[x]
		if t.hasSpecified(n) && !n.usage.Add(r).FitsIn(t.specified(n)) {
			return false
		}
	}
	return true
}

// available is what the specified limits leave to an operation.
func (t *Tree) available(e Element) resource.Vector {
	room := resource.Unlimited
	for x := e; x != None; x = t.elements[x].parent {
		if n := &t.elements[x]; t.hasSpecified(n) {
			room = room.Min(t.specified(n).Sub(n.usage))
		}
	}
	return room
}

// free is the room of the node for an operation, candidates counted as gone.
func (t *Tree) free(e Element) resource.Vector {
	n := &t.nodes[t.stage.Node]
	return n.Limits.Sub(n.usage).Add(t.stage.unconditional).Add(t.conditionalFor(e))
}

func (t *Tree) limitsOf(n *element) *resource.Partial {
	if n.operation != nil {
		return &n.operation.ResourceLimits
	}
	return &n.pool.ResourceLimits
}

func (t *Tree) hasSpecified(n *element) bool { return !t.limitsOf(n).IsEmpty() }

func (t *Tree) specified(n *element) resource.Vector { return t.limitsOf(n).Or(resource.Unlimited) }
