package pooltree

// A queue holds the pending operations whose lowest full ancestor is one pool, first come first
// (core/spec/scheduling.md §5.5). It is a list through the operations, so that removing one takes
// constant time.
type queue struct{ head, tail Operation }

var emptyQueue = queue{NoOperation, NoOperation}

// enqueue puts the operation at the end of a pool's queue; NoPool: nowhere.
func (t *Tree) enqueue(o Operation, p Pool) {
	if p == NoPool {
		return
	}
	op, q := &t.operations[o], &t.pools[p].queue
	op.queue, op.previous, op.next = p, q.tail, NoOperation
	if q.tail != NoOperation {
		t.operations[q.tail].next = o
	} else {
		q.head = o
	}
	q.tail = o
}

// dequeue takes the operation out of the queue it waits in, if any.
func (t *Tree) dequeue(o Operation) {
	op := &t.operations[o]
	if op.queue == NoPool {
		return
	}
	q := &t.pools[op.queue].queue
	if op.previous != NoOperation {
		t.operations[op.previous].next = op.next
	} else {
		q.head = op.next
	}
	if op.next != NoOperation {
		t.operations[op.next].previous = op.previous
	} else {
		q.tail = op.previous
	}
	op.queue = NoPool
}

// Wait puts a pending operation at the end of the queue of the lowest pool that
// is full, or of its own where none is: what a log says of an operation that
// may not run yet.
func (t *Tree) Wait(o Operation) {
	t.dequeue(o)
	p := t.Blocker(o)
	if p == NoPool {
		p = t.operations[o].pool
	}
	t.enqueue(o, p)
}

// Due returns the next operation that a rescan or a leave of the chain would
// run now, NoOperation if there is none: the first in the queue of a pool that
// no pool of its chain keeps from running. Operations that another pool holds
// up move to that pool's queue (core/spec/scheduling.md §5.5).
func (t *Tree) Due() Operation {
	for p := range t.pools {
		for {
			o := t.pools[p].queue.head
			if o == NoOperation {
				break
			}
			full := t.Blocker(o)
			if full == NoPool {
				return o
			}
			if full == Pool(p) {
				break
			}
			t.dequeue(o)
			t.enqueue(o, full)
		}
	}
	return NoOperation
}

// requeueStrays sees to the operations that wait in the queue of a pool that
// is not on their chain any more, or gone: they wait for the lowest full pool
// of the new chain, or where nothing is full in the queue of their own pool,
// until the next leave on the chain or the rescan. A moved pool starts nothing
// by itself (core/spec/scheduling.md §5.5).
func (t *Tree) requeueStrays() {
	for p := range t.pools {
		for o := t.pools[p].queue.head; o != NoOperation; {
			next, own := t.operations[o].next, t.operations[o].pool
			if !t.isAncestor(Pool(p), own) {
				t.dequeue(o)
				if full := t.Blocker(o); full != NoPool {
					own = full
				}
				t.enqueue(o, own)
			}
			o = next
		}
	}
}
