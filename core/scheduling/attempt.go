package scheduling

import (
	"slices"

	"poolproof/core/resource"
)

// attempt offers the node to an operation (core/spec/scheduling.md §9.7). If no job starts, the
// operation is deactivated for the rest of the stage.
func (t *Tree) attempt(e Element) bool {
	op := t.elements[e].operation
	if result := t.exclusion(e); result != NoObstacle {
		t.giveUp(e, result, None)
		return false
	}
	if result, full := t.refuse(e); result != NoObstacle {
		t.giveUp(e, result, full)
		return false
	}
	if !t.suits(e) {
		t.misfit(e)
		return false
	}
	s := &t.stage
	a := s.controller.Offer(e, s.Node, t.available(e).Min(t.free(e)))
	if a.Refusal == Accepted {
		if full := t.fullSpecified(e, a.Resources); full != None {
			a.Refusal = NotEnoughResources // the job is larger than the smallest one
		}
	}
	t.out.Calls = append(t.out.Calls, Call{e, s.kind, a.Refusal})
	if a.Refusal != Accepted {
		if a.Refusal == Declined {
			t.failures = append(t.failures, failure{e, op.failed})
			t.setFailed(e, s.Now)
		}
		t.giveUp(e, ControllerRefused, None)
		return false
	}
	t.consider(e, NoObstacle, None)
	j := t.AddJob(e, s.Node, a.Resources, a.Resources, s.Now+int64(len(t.out.Started)), a.SSD)
	t.out.Started = append(t.out.Started, Start{j, e, a.Resources, s.kind})
	s.choice.updateUsage(e)
	t.retryMisfits()
	return true
}

// setFailed sets the time when a controller last declined.
func (t *Tree) setFailed(e Element, at int64) {
	op := t.elements[e].operation
	if op.failed == Never && at != Never {
		t.failed = append(t.failed, e)
	}
	if at == Never {
		t.failed = slices.DeleteFunc(t.failed, func(x Element) bool { return x == e })
	}
	op.failed = at
}

// giveUp deactivates an operation.
func (t *Tree) giveUp(e Element, result Obstacle, full Element) {
	t.consider(e, result, full)
	t.stage.choice.deactivate(e)
}

// refuse returns why the smallest job of an operation cannot start here, NoObstacle if it can, and
// the element whose limits prevent it.
func (t *Tree) refuse(e Element) (Obstacle, Element) {
	least := t.elements[e].operation.least
	if !t.someJobFits(e) {
		return NothingFits, None
	}
	if full := t.full(e, least); full != None {
		return LimitsExceeded, full
	}
	if !t.wants(e, least) {
		return NoDemand, None
	}
	if full := t.fullSpecified(e, least); full != None {
		return LimitsExceeded, full
	}
	return NoObstacle, None
}

// someJobFits reports whether the smallest job of some kind fits the node.
func (t *Tree) someJobFits(e Element) bool {
	discount := t.credit(e)
	for _, need := range t.elements[e].operation.smallest {
		if t.fitsNode(need, discount) {
			return true
		}
	}
	return false
}

// full returns the first of an operation and its pools with specified limits whose limits r would
// exceed once unconditional candidates are gone, or None (§9.7, §11.1). The profile Current
// enforces specified limits alone (§15.6).
func (t *Tree) full(e Element, r resource.Vector) Element {
	for x := e; x != None; x = t.elements[x].parent {
		n := &t.elements[x]
		if t.hasSpecified(n) && !n.usage.Add(r).Sub(n.discount).FitsIn(t.enforced(n)) {
			return x
		}
	}
	return None
}

// enforced returns the limits that apply to an element with specified limits.
func (t *Tree) enforced(n *element) resource.Vector {
	if t.options.Profile == Current {
		return t.specified(n)
	}
	return n.seen.limits
}

// wants reports whether usage plus r stays within the demand of the last update.
func (t *Tree) wants(e Element, r resource.Vector) bool {
	n := &t.elements[e]
	return n.usage.Add(r).FitsIn(n.seen.demandAmount)
}

// fullSpecified returns the first of an operation and its pools whose specified limits r would
// exceed, without discounts (§11.2).
func (t *Tree) fullSpecified(e Element, r resource.Vector) Element {
	for x := e; x != None; x = t.elements[x].parent {
		n := &t.elements[x]
		if t.hasSpecified(n) && !n.usage.Add(r).FitsIn(t.specified(n)) {
			return x
		}
	}
	return None
}

// available returns what the specified limits leave to an operation.
func (t *Tree) available(e Element) resource.Vector {
	room := resource.Unlimited
	for x := e; x != None; x = t.elements[x].parent {
		if n := &t.elements[x]; t.hasSpecified(n) {
			room = room.Min(t.specified(n).Sub(n.usage))
		}
	}
	return room
}

// free returns the free resources of the node for an operation, with candidates counted as gone.
func (t *Tree) free(e Element) resource.Vector {
	n := &t.nodes[t.stage.Node]
	return n.Limits.Sub(n.held()).Add(t.stage.unconditional).Add(t.credit(e))
}

func (t *Tree) limitsOf(n *element) *resource.Partial {
	if n.operation != nil {
		return &n.operation.ResourceLimits
	}
	return &n.pool.ResourceLimits
}

func (t *Tree) hasSpecified(n *element) bool { return !t.limitsOf(n).IsEmpty() }

func (t *Tree) specified(n *element) resource.Vector { return t.limitsOf(n).Or(resource.Unlimited) }
