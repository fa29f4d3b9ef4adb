package fairshare

import (
	"slices"

	"poolproof/core/resource"
)

// Move puts an element, with all below it, last among the children of parent.
// Its volumes and results move with it; its historic usage begins anew (fair-share.md §2.6).
func (t *Tree) Move(e, parent Element) {
	if t.nodes[e].parent == parent {
		return
	}
	t.detach(e)
	t.forgetHistory(e)
	t.attach(e, parent)
	t.Recompute()
}

// Remove takes an element and all below it out of the tree.
func (t *Tree) Remove(e Element) {
	t.detach(e)
	t.release(e)
}

// release gives back the handles of e and all below it.
func (t *Tree) release(e Element) {
	for _, c := range t.nodes[e].children {
		t.release(c)
	}
	if t.nodes[e].pool != nil {
		t.listsStale = true
	}
	t.vacate(e)
	t.free = append(t.free, e)
}

// vacate empties the place of e.
func (t *Tree) vacate(e Element) {
	n := &t.nodes[e]
	if n.operation != nil {
		t.spare = append(t.spare, n.operation)
	}
	if n.pool != nil {
		t.vacant = append(t.vacant, n.pool)
	}
	*n = node{parent: none, children: n.children[:0], suggestion: n.suggestion[:0]}
	t.flags[e] = 0
}

// keepOperation returns a place for o: that of an operation that has left, if
// there is one.
func (t *Tree) keepOperation(o Operation) *Operation {
	var place *Operation
	if last := len(t.spare) - 1; last >= 0 {
		place, t.spare = t.spare[last], t.spare[:last]
	} else {
		place = new(Operation)
	}
	*place = o
	return place
}

// restorePool returns the state of a new pool: in the place of one that has left, if there is one.
func (t *Tree) keepPool(config Pool) *poolState {
	last := len(t.vacant) - 1
	if last < 0 {
		return &poolState{config: config}
	}
	var place *poolState
	place, t.vacant = t.vacant[last], t.vacant[:last]
	*place = poolState{config: config, pools: place.pools[:0], order: place.order[:0], function: place.function[:0], trial: place.trial[:0]}
	return place
}

// claim returns an unused handle, with an empty node and result.
func (t *Tree) claim(parent Element) Element {
	var e Element
	if last := len(t.free) - 1; last >= 0 {
		e, t.free = t.free[last], t.free[:last]
		*t.results[e] = Result{}
	} else {
		e = Element(len(t.nodes))
		t.nodes = append(t.nodes, node{})
		t.flags = append(t.flags, 0)
		t.satisfactions = append(t.satisfactions, satisfaction{})
		for set := range t.given {
			t.given[set], t.cuts[set] = append(t.given[set], distribution{}), append(t.cuts[set], resource.Share{})
		}
		t.results = append(t.results, new(Result))
	}
	t.given[mainShares][e], t.given[guaranteeShares][e] = distribution{}, distribution{}
	n := &t.nodes[e]
	*n = node{
		parent: parent, children: n.children, suggestion: n.suggestion,
		fifoIndex: -1, historyTime: -1, nextHistoryTime: -1, weight: 1,
	}
	return e
}

// attach makes e the last child of parent.
func (t *Tree) attach(e, parent Element) {
	n, p := &t.nodes[e], &t.nodes[parent]
	n.parent = parent
	p.children = append(p.children, e)
	if n.pool != nil {
		p.pool.pools = append(p.pool.pools, e)
		t.mark(parent, unchecked|changedSettings)
	} else {
		p.pool.operations++
	}
	t.addAmounts(parent, n.usage, n.demand)
	t.mark(e, allFlags|unchecked)
	t.markAbove(e)
}

// detach takes e from its parent's children.
func (t *Tree) detach(e Element) {
	n := &t.nodes[e]
	p := &t.nodes[n.parent]
	last := p.children[len(p.children)-1]
	p.children = without(p.children, e)
	if n.pool == nil {
		p.pool.operations--
	}
	usage, demand := n.usage, n.demand
	t.markAbove(e)
	if n.pool != nil || t.nodes[last].pool != nil { // pools stand in other places
		t.listPools(n.parent)
	}
	t.addAmounts(n.parent, resource.Vector{}.Sub(usage), resource.Vector{}.Sub(demand))
	n.parent = none
}

// listPools lists the child pools of p anew, in child order: sums over them are taken in that order.
func (t *Tree) listPools(p Element) {
	pool := t.nodes[p].pool
	pool.pools = pool.pools[:0]
	for _, c := range t.nodes[p].children {
		if t.nodes[c].pool != nil {
			pool.pools = append(pool.pools, c)
		}
	}
	t.listsStale = true
	for ; p != none; p = t.nodes[p].parent {
		t.mark(p, changedRatios)
	}
}

// without returns list without e, in place: the last element stands where e stood (§3.7).
func without(list []Element, e Element) []Element {
	last := len(list) - 1
	list[slices.Index(list, e)] = list[last]
	return list[:last]
}

// forgetHistory resets the historic usage of e.
func (t *Tree) forgetHistory(e Element) {
	n := &t.nodes[e]
	n.history, n.nextHistory = 0, 0
	n.historyTime, n.nextHistoryTime = -1, -1
}
