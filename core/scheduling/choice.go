package scheduling

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A choice finds the operation that is served next: from the root along best
// children (spec/scheduling.md §9.6). It holds what the elements that take
// part look like, and is kept up to date as operations drop out and use more.
type choice struct {
	t        *Tree
	nodes    []choiceNode // by Element
	present  []Element    // those that take part
	heapFrom int          // pools with so many children keep a heap
	atUpdate bool         // usage is that of the last update, not of this moment
}

// A choiceNode is what one element looks like.
type choiceNode struct {
	present      bool // takes part
	active       bool // is not deactivated, or has an active operation below
	dirty        bool // of a pool: something below was touched
	satisfaction float64
	leaf         Element   // the operation that following best children leads to
	members      []Element // children that take part, in their order
	heap         []Element // the same as a heap, the best in front
	position     int32     // in the parent's heap
}

// prepare starts over with the given operations, which are schedulable, in
// order. Those that inactive names are passed over from the start.
func (c *choice) prepare(operations []Element, inactive func(e Element) bool) {
	for _, e := range c.present {
		n := &c.nodes[e]
		n.present, n.dirty = false, false
		n.members = n.members[:0]
	}
	c.present = c.present[:0]
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
		c.build(Root)
	}
}

// join makes an operation and the pools above it take part.
func (c *choice) join(e Element) {
	c.nodes[e].present = true
	c.present = append(c.present, e)
	for p := c.t.elements[e].parent; p != None; e, p = p, c.t.elements[p].parent {
		above := &c.nodes[p]
		above.members = append(above.members, e)
		if above.present {
			return
		}
		above.present, above.dirty = true, true
		c.present = append(c.present, p)
	}
}

// build orders the children of a dirty pool and of all dirty pools below.
func (c *choice) build(e Element) {
	n := &c.nodes[e]
	n.dirty = false
	for _, child := range n.members {
		if c.nodes[child].dirty {
			c.build(child)
		}
	}
	if c.isHeap(n) {
		n.heap = append(n.heap[:0], n.members...)
		for i, child := range n.heap {
			c.nodes[child].position = int32(i)
		}
		for i := len(n.heap)/2 - 1; i >= 0; i-- {
			c.siftDown(e, i)
		}
	}
	c.refresh(e)
}

func (c *choice) isHeap(n *choiceNode) bool { return len(n.members) >= c.heapFrom }

// next is the operation that is served next, None if all are passed over.
func (c *choice) next() Element { return c.nodes[Root].leaf }

// best is the child of a pool that is served first. Of equal ones it is the
// first, and in a heap any.
func (c *choice) best(e Element, n *choiceNode) Element {
	if c.isHeap(n) {
		return n.heap[0]
	}
	best := n.members[0]
	for _, child := range n.members[1:] {
		if c.goesFirst(e, child, best) {
			best = child
		}
	}
	return best
}

// refresh takes over from the best child.
func (c *choice) refresh(e Element) {
	n := &c.nodes[e]
	best := &c.nodes[c.best(e, n)]
	n.active = best.active
	if !best.active {
		n.satisfaction, n.leaf = fairshare.InfiniteSatisfaction, None
		return
	}
	n.satisfaction, n.leaf = best.satisfaction, best.leaf
	if c.t.elements[e].own.usePool {
		n.satisfaction = min(n.satisfaction, c.satisfaction(e))
	}
}

// satisfaction is the local satisfaction of an element.
func (c *choice) satisfaction(e Element) float64 {
	if c.atUpdate {
		s := &c.t.elements[e].seen
		return fairshare.LocalSatisfaction(s.fair, s.demand, s.usage)
	}
	return c.t.localSatisfaction(e)
}

// localSatisfaction is that of usage at this moment (§1.5).
func (t *Tree) localSatisfaction(e Element) float64 {
	n := &t.elements[e]
	return fairshare.LocalSatisfaction(n.seen.fair, n.seen.demand, t.shareOf(n.usage))
}

// shareOf is an amount as a share of the tree.
func (t *Tree) shareOf(v resource.Vector) resource.Share { return v.ShareOf(t.total) }

// deactivate passes an operation over from now on.
func (c *choice) deactivate(e Element) {
	c.nodes[e].active = false
	c.changed(e)
}

// activate lets an operation in again that was passed over.
func (c *choice) activate(e Element) {
	c.nodes[e].active = true
	c.changed(e)
}

// updateUsage takes a changed usage of an operation into account.
func (c *choice) updateUsage(e Element) {
	c.nodes[e].satisfaction = c.satisfaction(e)
	c.changed(e)
}

// changed carries a change of an element up to the root.
func (c *choice) changed(e Element) {
	for p := c.t.elements[e].parent; p != None; e, p = p, c.t.elements[p].parent {
		n := &c.nodes[p]
		if c.isHeap(n) {
			if i := int(c.nodes[e].position); !c.siftUp(p, i) {
				c.siftDown(p, i)
			}
		}
		c.refresh(p)
	}
}

// goesFirst reports whether child a of a pool is served before child b.
func (c *choice) goesFirst(p, a, b Element) bool {
	x, y := &c.nodes[a], &c.nodes[b]
	if x.active != y.active {
		return x.active
	}
	if pool := &c.t.elements[p]; pool.pool.FIFO && pool.own.fifoOrder {
		return c.t.elements[a].seen.fifoIndex < c.t.elements[b].seen.fifoIndex
	}
	return x.satisfaction < y.satisfaction
}

// siftUp moves the child at i of a heap up to its place, past those that it
// ties with. It reports whether the child moved.
func (c *choice) siftUp(p Element, i int) (moved bool) {
	n := &c.nodes[p]
	for i > 0 {
		above := (i - 1) / 2
		if c.goesFirst(p, n.heap[above], n.heap[i]) {
			break
		}
		c.swap(n, i, above)
		i, moved = above, true
	}
	return moved
}

// siftDown moves the child at i of a heap down to its place, past those that
// it ties with.
func (c *choice) siftDown(p Element, i int) {
	n := &c.nodes[p]
	for {
		child := 2*i + 1
		if child >= len(n.heap) {
			return
		}
		if right := child + 1; right < len(n.heap) && !c.goesFirst(p, n.heap[child], n.heap[right]) {
			child = right
		}
		if c.goesFirst(p, n.heap[i], n.heap[child]) {
			return
		}
		c.swap(n, i, child)
		i = child
	}
}

func (c *choice) swap(n *choiceNode, i, j int) {
	n.heap[i], n.heap[j] = n.heap[j], n.heap[i]
	c.nodes[n.heap[i]].position = int32(i)
	c.nodes[n.heap[j]].position = int32(j)
}
