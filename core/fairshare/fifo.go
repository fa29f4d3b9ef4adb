package fairshare

import (
	"cmp"
	"slices"
)

// sortQueues sorts the children of FIFO pools, for e and all below (§2.7).
func (t *Tree) sortQueues(e Element) {
	if t.flags[e]&below == 0 {
		return
	}
	p := t.nodes[e].pool
	if t.flags[e]&changedOrder != 0 {
		if p.config.Mode == FIFO {
			t.sortQueue(e)
		} else {
			t.number(t.nodes[e].children, -1, 0)
		}
	}
	for _, c := range p.pools {
		t.sortQueues(c)
	}
}

// sortQueue sorts the children of a FIFO pool. Operations equal in every
// parameter stand by their recorded places, then by start time, then by id, then in child order.
func (t *Tree) sortQueue(e Element) {
	p := t.nodes[e].pool
	keys := p.config.FIFOSort
	if keys[0] == noKey {
		keys = [...]FIFOKey{ByWeight, ByStartTime, noKey}
	}
	p.order = append(p.order[:0], t.nodes[e].children...)
	slices.SortStableFunc(p.order, func(a, b Element) int {
		x, y := t.nodes[a].operation, t.nodes[b].operation
		if x == nil || y == nil {
			return 0 // refused: a pool inside a FIFO pool
		}
		for _, key := range keys {
			order := 0
			switch key {
			case ByWeight:
				order = cmp.Compare(t.queueWeight(b), t.queueWeight(a))
			case ByStartTime:
				order = cmp.Compare(x.StartTime, y.StartTime)
			case ByPendingJobs:
				order = cmp.Compare(x.PendingJobs, y.PendingJobs)
			}
			if order != 0 {
				return order
			}
		}
		return cmp.Or(comparePlaces(x.Place, y.Place), cmp.Compare(x.StartTime, y.StartTime), cmp.Compare(x.ID, y.ID))
	})
	t.number(p.order, 0, 1)
	t.mark(e, changedFunction)
}

// comparePlaces compares recorded places: an operation without one came after the record.
func comparePlaces(a, b int32) int {
	if a == 0 || b == 0 {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// number gives FIFO indexes to elements.
func (t *Tree) number(elements []Element, first, step int32) {
	for i, c := range elements {
		index := first + int32(i)*step
		if t.nodes[c].fifoIndex != index {
			t.nodes[c].fifoIndex = index
			t.touch(c)
		}
	}
}

// queueWeight is the weight by which an operation is sorted. Guarantees play
// no part: they are adjusted later, and operations have none.
func (t *Tree) queueWeight(e Element) float64 {
	if t.nodes[t.nodes[e].parent].pool.config.InferWeightsFromHistory {
		return t.effectiveWeight(e)
	}
	return t.nodes[e].operation.Weight.Or(1)
}
