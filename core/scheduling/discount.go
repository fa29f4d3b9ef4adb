package scheduling

import "poolproof/core/resource"

// prepareDiscounts computes the conditional discounts of a stage. Whatever the scope, an operation
// below a starving pool gets a discount, which counts for the maximum.
func (t *Tree) prepareDiscounts(kind Stage) {
	s := &t.stage
	t.attach()
	ssd := ssdIndex(t.nodes[s.Node].SSD)
	for _, c := range s.attached {
		if t.elements[c.blocker].eligible[ssd][kind.Target()] > 0 {
			s.maxDiscount = s.maxDiscount.Max(t.attachedFrom(c.blocker))
		}
	}
	from := len(t.out.discounts)
	if s.Explain {
		for _, e := range t.lists.starving {
			if t.PriorityIn(e, s.Node, OperationAndAncestors) == kind.Target() {
				t.out.discounts = append(t.out.discounts, Discount{e, t.credit(e)})
			}
		}
	}
	t.out.Stages = append(t.out.Stages, StageReport{
		Stage: kind, Unconditional: s.unconditional, Candidates: len(s.candidates), Conditional: len(s.attached),
		Discounts: t.out.discounts[from:len(t.out.discounts):len(t.out.discounts)],
	})
}

// attach adds the conditional candidates to the pools that block them (§10.4).
func (t *Tree) attach() {
	for _, c := range t.stage.attached {
		pool := &t.elements[c.blocker]
		pool.attached = pool.attached.Add(t.jobs[c.job].usage)
	}
}

// credit returns the conditional discount of an operation: what is attached to its pools.
func (t *Tree) credit(e Element) resource.Vector {
	if len(t.stage.attached) == 0 {
		return resource.Vector{}
	}
	return t.attachedFrom(t.elements[e].parent)
}

// attachedFrom sums what is attached to a pool and its ancestors.
func (t *Tree) attachedFrom(p Element) (sum resource.Vector) {
	for ; p != None; p = t.elements[p].parent {
		sum = sum.Add(t.elements[p].attached)
	}
	return sum
}

// resetDiscounts clears the discounts at the end of a stage.
func (t *Tree) resetDiscounts() {
	s := &t.stage
	s.unconditional, s.maxDiscount = resource.Vector{}, resource.Vector{}
	for _, c := range s.candidates {
		for p := t.elements[c.operation].parent; p != None; p = t.elements[p].parent {
			t.elements[p].discount = resource.Vector{}
		}
	}
	for _, c := range s.attached {
		t.elements[c.blocker].attached = resource.Vector{}
	}
}

// isAbove reports whether a pool is an ancestor of an element.
func (t *Tree) isAbove(pool, e Element) bool {
	for p := t.elements[e].parent; p != None; p = t.elements[p].parent {
		if p == pool {
			return true
		}
	}
	return false
}
