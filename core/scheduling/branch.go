package scheduling

import "slices"

// A branch holds the children of a pool that take part in a choice, and finds the one that is
// served first (core/spec/scheduling.md §9.6).
//
// In a pool with few children that is the first of equal ones. In a pool with many it is the top of
// a heap that was built from all of them in order and changed since. Most heaps are rebuilt before
// anything but the top is needed. For the top alone a tournament suffices: the winner of a subtree
// is the child that would be at its top, so a changed child affects only the winners above it.
type branch struct {
	rungs    []rung    // in the order of the children
	winners  []int32   // by place: the winner of the subtree of the heap at that place; empty without a heap
	soiled   []Element // children that changed
	heap     []int32   // places, the best first; valid once ordered
	position []int32   // by place: index in the heap
	ordered  bool      // the heap is built and replaces the winners
	isHeap   bool      // there are enough children for a heap
	inOrder  bool      // children are served in FIFO order
	usePool  bool      // the pool's own satisfaction counts, too
}

const noBranch int32 = -1

// A rung is a child with its sort key.
type rung struct {
	key    float64 // satisfaction, or the index in FIFO order: the smallest first
	child  Element
	active bool
}

// goesFirst reports whether a child is served before another.
func (r *rung) goesFirst(other *rung) bool {
	if r.active != other.active {
		return r.active
	}
	return r.key < other.key
}

// newBranch returns the index of an empty branch for a pool.
func (c *choice) newBranch(p Element) int32 {
	if c.grown == len(c.branches) {
		c.branches = append(c.branches, branch{})
	}
	c.grown++
	b, pool := &c.branches[c.grown-1], &c.t.elements[p]
	*b = branch{
		rungs: b.rungs[:0], winners: b.winners[:0], soiled: b.soiled[:0], heap: b.heap[:0], position: b.position[:0],
		inOrder: isFIFO(pool.pool) && pool.own.FIFOOrder, usePool: pool.own.PoolSatisfaction,
	}
	return int32(c.grown - 1)
}

// best returns the child that is served first.
func (b *branch) best() Element {
	switch {
	case b.ordered:
		return b.rungs[b.heap[0]].child
	case b.isHeap:
		return b.rungs[b.winners[0]].child
	}
	return b.rungs[b.first()].child
}

// first returns the place of the first of the best children.
func (b *branch) first() int {
	best := 0
	for i := range b.rungs {
		if b.rungs[i].goesFirst(&b.rungs[best]) {
			best = i
		}
	}
	return best
}

// playAll computes all winners.
func (b *branch) playAll() {
	b.ordered = false
	if !b.isHeap {
		return
	}
	b.winners = slices.Grow(b.winners[:0], len(b.rungs))[:len(b.rungs)]
	for i := len(b.rungs) - 1; i >= 0; i-- {
		b.winners[i] = b.winner(i)
	}
}

// play recomputes the winners above a changed child.
func (b *branch) play(place int32) {
	if !b.isHeap {
		return
	}
	for i := int(place); ; i = (i - 1) / 2 {
		before := b.winners[i]
		b.winners[i] = b.winner(i)
		if i == 0 || b.winners[i] == before && before != place {
			return
		}
	}
}

// winner returns the winner of the subtree at i, given the winners below.
func (b *branch) winner(i int) int32 {
	left, right := 2*i+1, 2*i+2
	if left >= len(b.rungs) {
		return int32(i)
	}
	best := b.winners[left]
	if right < len(b.rungs) && !b.rungs[best].goesFirst(&b.rungs[b.winners[right]]) {
		best = b.winners[right]
	}
	if b.rungs[i].goesFirst(&b.rungs[best]) {
		return int32(i)
	}
	return best
}

// change replaces a child in the heap, which it builds if necessary.
func (b *branch) change(place int32, r rung) {
	if b.isHeap && !b.ordered {
		b.order()
	}
	b.rungs[place] = r
	if b.isHeap {
		if i := int(b.position[place]); !b.siftUp(i) {
			b.siftDown(i)
		}
	}
}

// order builds a heap of the children.
func (b *branch) order() {
	n := len(b.rungs)
	b.heap, b.position = slices.Grow(b.heap[:0], n)[:n], slices.Grow(b.position[:0], n)[:n]
	for i := range b.heap {
		b.heap[i], b.position[i] = int32(i), int32(i)
	}
	for i := n/2 - 1; i >= 0; i-- {
		b.siftDown(i)
	}
	b.ordered = true
}

// siftUp moves the child at i of the heap up to its place, past equal ones. It reports whether the
// child moved.
func (b *branch) siftUp(i int) (moved bool) {
	for i > 0 {
		above := (i - 1) / 2
		if b.heapRung(above).goesFirst(b.heapRung(i)) {
			break
		}
		b.swap(i, above)
		i, moved = above, true
	}
	return moved
}

// siftDown moves the child at i of the heap down to its place, past equal ones.
func (b *branch) siftDown(i int) {
	for {
		child := 2*i + 1
		if child >= len(b.heap) {
			return
		}
		if right := child + 1; right < len(b.heap) && !b.heapRung(child).goesFirst(b.heapRung(right)) {
			child = right
		}
		if b.heapRung(i).goesFirst(b.heapRung(child)) {
			return
		}
		b.swap(i, child)
		i = child
	}
}

// heapRung returns the child at i of the heap.
func (b *branch) heapRung(i int) *rung { return &b.rungs[b.heap[i]] }

func (b *branch) swap(i, j int) {
	b.heap[i], b.heap[j] = b.heap[j], b.heap[i]
	b.position[b.heap[i]], b.position[b.heap[j]] = int32(i), int32(j)
}
