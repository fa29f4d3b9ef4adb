package scheduling

import "slices"

// clone returns a deep copy of everything that a heartbeat changes, including lists and the layout
// of heaps, which breaks ties. Settings and fair shares are shared with the original. The cost is
// proportional to the size of the tree.
func (t *Tree) clone() *Tree {
	c := *t
	c.elements, c.nodes, c.jobs = slices.Clone(t.elements), slices.Clone(t.nodes), slices.Clone(t.jobs)
	for i := range c.nodes {
		c.nodes[i].jobs = slices.Clone(c.nodes[i].jobs)
	}
	c.ofOperation = t.ofOperation.Clone()
	for i := range c.elements {
		if n := &c.elements[i]; n.operation != nil {
			op := *n.operation
			n.operation = &op
		}
	}
	c.freeJobs, c.order, c.failed, c.failures = slices.Clone(t.freeJobs), slices.Clone(t.order), slices.Clone(t.failed), nil
	c.lapsed = slices.Clone(t.lapsed)
	c.lists = t.lists.clone()
	for i := range c.kept {
		k := &c.kept[i]
		k.choice = t.kept[i].cloneFor(&c)
		k.touched = slices.Clone(k.touched)
	}
	c.some = choice{t: &c}
	c.stage, c.out = stage{serial: t.stage.serial}, Outcome{}
	return &c
}

func (l *lists) clone() lists {
	c := *l
	for _, list := range []*[]Element{&c.schedulable, &c.starving, &c.graceful, &c.inOrder} {
		*list = slices.Clone(*list)
	}
	for p := range c.byPriority {
		c.byPriority[p] = slices.Clone(c.byPriority[p])
	}
	return c
}

func (c *choice) cloneFor(t *Tree) choice {
	other := *c
	other.t = t
	other.nodes, other.branches, other.present = slices.Clone(c.nodes), slices.Clone(c.branches), slices.Clone(c.present)
	for i := range other.branches {
		b := &other.branches[i]
		b.rungs, b.winners, b.soiled = slices.Clone(b.rungs), slices.Clone(b.winners), slices.Clone(b.soiled)
		b.heap, b.position = slices.Clone(b.heap), slices.Clone(b.position)
	}
	return other
}
