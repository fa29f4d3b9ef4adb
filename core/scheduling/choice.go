package scheduling

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A choice finds the operation that is served next by following best children from the root
// (core/spec/scheduling.md §9.6). It caches the keys of the elements that take part and is updated
// as operations are deactivated and their usage grows.
type choice struct {
	t        *Tree
	nodes    []choiceNode // by Element
	branches []branch     // of the pools that take part
	grown    int          // number of branches in use
	present  []Element    // elements that take part
	heapFrom int          // number of children from which a pool uses a heap
	atUpdate bool         // use the usage of the last update, not the current one
	swaps    bool         // without a heap, swap the best child with the first
}

// A choiceNode caches the state of one element.
type choiceNode struct {
	satisfaction float64
	leaf         Element // the operation that following best children leads to
	place        int32   // among the children of its pool
	branch       int32   // of a pool
	present      bool    // takes part
	active       bool    // is not deactivated, or has an active operation below
	soiled       bool    // it, or an element below, changed
}

// prepare starts over with the given operations, which are schedulable, in order. Those for which
// inactive returns true are deactivated from the start.
func (c *choice) prepare(operations []Element, inactive func(e Element) bool) {
	for _, e := range c.present {
		n := &c.nodes[e]
		n.present, n.soiled = false, false
	}
	c.present, c.grown = c.present[:0], 0
	for len(c.nodes) < len(c.t.elements) {
		c.nodes = append(c.nodes, choiceNode{leaf: None})
	}
	c.nodes[Root].active, c.nodes[Root].leaf = false, None
	for _, e := range operations {
		c.join(e)
		n := &c.nodes[e]
		n.active, n.leaf, n.satisfaction = inactive == nil || !inactive(e), e, c.satisfaction(e)
	}
	if len(operations) > 0 {
		c.grow(Root)
	}
}

// join adds an operation and its pools.
func (c *choice) join(e Element) {
	n := &c.nodes[e]
	n.present, n.branch = true, noBranch
	c.present = append(c.present, e)
	for p := c.t.elements[e].parent; p != None; e, n, p = p, &c.nodes[p], c.t.elements[p].parent {
		above := &c.nodes[p]
		known := above.present
		if !known {
			above.present, above.branch = true, c.newBranch(p)
			c.present = append(c.present, p)
		}
		b := &c.branches[above.branch]
		n.place = int32(len(b.rungs))
		b.rungs = append(b.rungs, rung{child: e})
		if known {
			return
		}
	}
}

// grow orders the children of a pool and of all pools below it.
func (c *choice) grow(p Element) {
	b := c.branch(p)
	b.isHeap = len(b.rungs) >= c.heapFrom
	for i := range b.rungs {
		child := b.rungs[i].child
		if c.nodes[child].branch != noBranch {
			c.grow(child)
		}
		b.rungs[i] = c.rung(b, child)
	}
	b.playAll()
	c.refresh(p)
}

// soil marks an operation and its pools for build.
func (c *choice) soil(e Element) {
	for n := &c.nodes[e]; e != Root && !n.soiled; n = &c.nodes[e] {
		n.soiled = true
		above := c.t.elements[e].parent
		b := c.branch(above)
		b.soiled = append(b.soiled, e)
		e = above
	}
}

// build orders the soiled children of a pool and of all soiled pools below.
func (c *choice) build(p Element) {
	b := c.branch(p)
	for _, e := range b.soiled {
		n := &c.nodes[e]
		if n.branch != noBranch {
			c.build(e)
		}
		n.soiled = false
		b.rungs[n.place] = c.rung(b, e)
	}
	if b.ordered {
		b.playAll()
	} else {
		for _, e := range b.soiled {
			b.play(c.nodes[e].place)
		}
	}
	b.soiled = b.soiled[:0]
	c.refresh(p)
}

// branch returns the branch of a pool that takes part.
func (c *choice) branch(p Element) *branch { return &c.branches[c.nodes[p].branch] }

// rung returns a child of a pool with its sort key.
func (c *choice) rung(b *branch, child Element) rung {
	n := &c.nodes[child]
	r := rung{n.satisfaction, child, n.active}
	if b.inOrder {
		r.key = float64(c.t.elements[child].seen.fifoIndex)
	}
	return r
}

// next returns the operation that is served next, None if all are deactivated.
func (c *choice) next() Element { return c.nodes[Root].leaf }

// refresh copies the state of the best child.
func (c *choice) refresh(p Element) {
	n := &c.nodes[p]
	b := &c.branches[n.branch]
	if c.swaps && !b.isHeap {
		c.bringForward(b)
	}
	best := &c.nodes[b.best()]
	n.active = best.active
	if !best.active {
		n.satisfaction, n.leaf = fairshare.InfiniteSatisfaction, None
		return
	}
	n.satisfaction, n.leaf = best.satisfaction, best.leaf
	if b.usePool {
		n.satisfaction = min(n.satisfaction, c.satisfaction(p))
	}
}

// bringForward swaps the best child with the first.
func (c *choice) bringForward(b *branch) {
	front, best := &b.rungs[0], &b.rungs[b.first()]
	c.nodes[front.child].place, c.nodes[best.child].place = c.nodes[best.child].place, c.nodes[front.child].place
	*front, *best = *best, *front
}

// satisfaction returns the local satisfaction of an element.
func (c *choice) satisfaction(e Element) float64 {
	if c.atUpdate {
		s := &c.t.elements[e].seen
		return fairshare.LocalSatisfaction(s.fair, s.demand, s.usage)
	}
	return c.t.localSatisfaction(e)
}

// localSatisfaction returns the local satisfaction by current usage (§1.5).
func (t *Tree) localSatisfaction(e Element) float64 {
	n := &t.elements[e]
	return fairshare.LocalSatisfaction(n.seen.fair, n.seen.demand, t.shareOf(n.usage))
}

// shareOf returns an amount as a share of the tree.
func (t *Tree) shareOf(v resource.Vector) resource.Share { return v.ShareOf(t.total) }

// deactivate excludes an operation from now on.
func (c *choice) deactivate(e Element) {
	c.nodes[e].active = false
	c.changed(e)
}

// activate includes a deactivated operation again.
func (c *choice) activate(e Element) {
	c.nodes[e].active = true
	c.changed(e)
}

// updateUsage applies a changed usage of an operation.
func (c *choice) updateUsage(e Element) {
	c.nodes[e].satisfaction = c.satisfaction(e)
	c.changed(e)
}

// changed propagates a change of an element to the root.
func (c *choice) changed(e Element) {
	for p := c.t.elements[e].parent; p != None; e, p = p, c.t.elements[p].parent {
		b := c.branch(p)
		b.change(c.nodes[e].place, c.rung(b, e))
		c.refresh(p)
	}
}
