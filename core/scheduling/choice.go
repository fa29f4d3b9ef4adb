package scheduling

import "poolproof/core/fairshare"

// choice finds the operation that is offered the node next: from the root along
// best children (spec/scheduling.md §9.6).
type choice struct {
	nodes    []choiceNode // by Element
	heapFrom int          // pools with so many children keep a heap
}

// A choiceNode is what one element looks like in a stage.
type choiceNode struct {
	present      bool // takes part in this stage
	active       bool // is not deactivated, or has an active operation below
	satisfaction float64
	best         Element
	leaf         Element   // the operation that following best children leads to
	children     []Element // those present, the best in front
	position     int32     // in the parent's children
}

// prepare starts a stage over the given operations, which are schedulable, in
// order. Those that check refuses are inactive from the start.
func (t *Tree) prepare(operations []Element, inactive func(e Element) bool) {
	c := &t.choice
	for len(c.nodes) < len(t.elements) {
		c.nodes = append(c.nodes, choiceNode{})
	}
	for i := range c.nodes {
		c.nodes[i].present = false
		c.nodes[i].children = c.nodes[i].children[:0]
	}
	c.nodes[Root].active = false
	c.nodes[Root].leaf = None
	for _, e := range operations {
		n := &c.nodes[e]
		n.present, n.active, n.leaf = true, !inactive(e), e
		n.satisfaction = t.localSatisfaction(e)
		for x := e; ; {
			p := t.elements[x].parent
			if p == None {
				break
			}
			above := &c.nodes[p]
			above.children = append(above.children, x)
			if above.present {
				break
			}
			above.present = true
			x = p
		}
	}
	if c.nodes[Root].present {
		t.build(Root)
	}
}

// build orders the children of a pool and of all pools below.
func (t *Tree) build(e Element) {
	n := &t.choice.nodes[e]
	for _, child := range n.children {
		if t.elements[child].operation == nil {
			t.build(child)
		}
	}
	for i, child := range n.children {
		t.choice.nodes[child].position = int32(i)
	}
	if t.isHeap(n) {
		for i := len(n.children)/2 - 1; i >= 0; i-- {
			t.siftDown(e, i)
		}
	} else {
		t.scan(e)
	}
	t.refresh(e)
}

func (t *Tree) isHeap(n *choiceNode) bool { return len(n.children) >= t.choice.heapFrom }

// refresh takes over from the best child.
func (t *Tree) refresh(e Element) {
	n := &t.choice.nodes[e]
	if t.isHeap(n) {
		n.best = n.children[0]
	}
	best := &t.choice.nodes[n.best]
	n.active = best.active
	if !best.active {
		n.satisfaction, n.leaf = fairshare.InfiniteSatisfaction, None
		return
	}
	n.satisfaction, n.leaf = best.satisfaction, best.leaf
	if t.elements[e].own.usePool {
		n.satisfaction = min(n.satisfaction, t.localSatisfaction(e))
	}
}

// localSatisfaction is that of usage at this moment (§1.5).
func (t *Tree) localSatisfaction(e Element) float64 {
	n := &t.elements[e]
	return fairshare.LocalSatisfaction(n.seen.fair, n.seen.demand, n.usage.ShareOf(t.total))
}

// changed carries a change of an element up to the root.
func (t *Tree) changed(e Element) {
	for p := t.elements[e].parent; p != None; e, p = p, t.elements[p].parent {
		n := &t.choice.nodes[p]
		if t.isHeap(n) {
			if i := int(t.choice.nodes[e].position); !t.siftUp(p, i) {
				t.siftDown(p, i)
			}
		} else {
			t.scan(p)
		}
		t.refresh(p)
	}
}

// deactivate leaves an operation out for the rest of the stage.
func (t *Tree) deactivate(e Element) {
	t.choice.nodes[e].active = false
	t.changed(e)
}

// updateUsage takes a changed usage of an operation into account.
func (t *Tree) updateUsage(e Element) {
	t.choice.nodes[e].satisfaction = t.localSatisfaction(e)
	t.changed(e)
}

// goesFirst reports whether child a of a pool is served before child b.
func (t *Tree) goesFirst(p, a, b Element) bool {
	x, y := &t.choice.nodes[a], &t.choice.nodes[b]
	if x.active != y.active {
		return x.active
	}
	if t.inOrder(p) {
		return t.elements[a].seen.fifoIndex < t.elements[b].seen.fifoIndex
	}
	return x.satisfaction < y.satisfaction
}

// inOrder reports whether a pool serves its operations in FIFO order.
func (t *Tree) inOrder(p Element) bool {
	return t.elements[p].pool.FIFO && t.elements[p].own.fifoOrder
}

// scan puts the best child in front. Each child that is better than the one in
// front changes places with it, so that after a change ties do not stand in
// child order any more.
func (t *Tree) scan(p Element) {
	n := &t.choice.nodes[p]
	best := 0
	for i := 1; i < len(n.children); i++ {
		if t.goesFirst(p, n.children[i], n.children[best]) {
			best = i
		}
	}
	n.best = n.children[best]
}

func (t *Tree) swap(n *choiceNode, i, j int) {
	n.children[i], n.children[j] = n.children[j], n.children[i]
	t.choice.nodes[n.children[i]].position = int32(i)
	t.choice.nodes[n.children[j]].position = int32(j)
}

// siftUp moves the child at i of a heap up to its place, past those that it
// ties with. It reports whether the child moved.
func (t *Tree) siftUp(p Element, i int) (moved bool) {
	n := &t.choice.nodes[p]
	for i > 0 {
		above := (i - 1) / 2
		if t.goesFirst(p, n.children[above], n.children[i]) {
			break
		}
		t.swap(n, i, above)
		i, moved = above, true
	}
	return moved
}

// siftDown moves the child at i of a heap down to its place, past those that
// it ties with.
func (t *Tree) siftDown(p Element, i int) {
	n := &t.choice.nodes[p]
	for {
		child := 2*i + 1
		if child >= len(n.children) {
			return
		}
		if right := child + 1; right < len(n.children) && !t.goesFirst(p, n.children[child], n.children[right]) {
			child = right
		}
		if t.goesFirst(p, n.children[i], n.children[child]) {
			return
		}
		t.swap(n, i, child)
		i = child
	}
}

// rank numbers the schedulable operations in scheduling order, by the usage of
// the last update (§6.1).
func (t *Tree) rank() {
	if t.ranked {
		return
	}
	t.ranked = true
	all := t.inAnyOrder()
	t.choice.heapFrom = 0
	t.prepare(all, func(Element) bool { return false })
	t.operations = t.operations[:0]
	for _, e := range t.order {
		if op := t.elements[e].operation; op != nil {
			op.index = -1
		}
	}
	if len(all) == 0 {
		return
	}
	for e := t.choice.nodes[Root].leaf; e != None; e = t.choice.nodes[Root].leaf {
		t.elements[e].operation.index = int32(len(t.operations))
		t.operations = append(t.operations, e)
		t.deactivate(e)
	}
}

// schedulable lists the schedulable operations in the order of the tree.
func (t *Tree) schedulable() []Element {
	list := t.stage.all[:0]
	for _, e := range t.order {
		if n := &t.elements[e]; n.operation != nil && n.seen.schedulable {
			list = append(list, e)
		}
	}
	t.stage.all = list
	return list
}

// inAnyOrder lists the schedulable operations where no rule orders those that
// are equal: among equals the rank and the stages over parts of the operations
// follow it.
func (t *Tree) inAnyOrder() []Element {
	list := t.schedulable()
	if t.shuffle != nil {
		t.shuffle(list)
	}
	return list
}

// SchedulingIndex returns the position of an operation in scheduling order, -1
// if it is unschedulable (§6.1).
func (t *Tree) SchedulingIndex(e Element) int32 {
	t.rank()
	return t.elements[e].operation.index
}

// HasGuaranteePriority reports whether a regular stage of its own serves an
// operation: its promised guarantee fair share dominates its usage (§9.4).
func (t *Tree) HasGuaranteePriority(e Element) bool {
	s := &t.elements[e].seen
	return t.options.GuaranteePriority && s.schedulable && Dominates(s.fair, s.demand, s.promised, s.usage)
}
