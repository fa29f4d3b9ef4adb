package pooltree

// Add registers an operation in a pool, pending and in no queue, whatever the
// limits say: what a log records, or what a scheduler took over at its restart
// (core/spec/scheduling.md §5.3, §5.4). The pool must exist.
func (t *Tree) Add(p Pool, user string, vanilla bool) Operation {
	o := t.newOperation()
	t.operations[o] = operation{
		pool: p, queue: NoPool, next: NoOperation, previous: NoOperation,
		user: t.userID(user), alive: true, vanilla: vanilla,
	}
	t.link(o)
	t.count(p, Counts{Operations: 1})
	return o
}

// Remove unregisters an operation and starts nothing in its place. An
// ephemeral pool that it leaves empty is gone, with its empty ephemeral
// ancestors.
func (t *Tree) Remove(o Operation) {
	t.leave(o)
	t.collect(t.operations[o].pool)
}

// leave takes the operation out of its queue, its pool and all counters.
func (t *Tree) leave(o Operation) {
	op := &t.operations[o]
	t.dequeue(o)
	t.count(op.pool, t.marks(o, -1))
	t.unlink(o)
	op.alive = false
	t.free = append(t.free, o)
}

// SetRunning marks an operation running or pending, whatever the limits say.
// One that becomes pending waits in no queue.
func (t *Tree) SetRunning(o Operation, on bool) {
	op := &t.operations[o]
	if op.running == on {
		return
	}
	t.dequeue(o)
	before := t.marks(o, -1)
	op.running = on
	before.add(t.marks(o, 1))
	t.count(op.pool, before)
}

// Move puts an operation into another pool, whatever the limits say. Running
// it stays running, lightweight or not as its new pool has it; pending it
// waits for the lowest full pool of its new chain, or in no queue where none
// is full.
func (t *Tree) Move(o Operation, p Pool) {
	op := &t.operations[o]
	from := op.pool
	if from == p {
		return
	}
	t.dequeue(o)
	t.count(from, t.marks(o, -1))
	t.unlink(o)
	op.pool = p
	t.link(o)
	t.count(p, t.marks(o, 1))
	if !op.running {
		t.enqueue(o, t.Blocker(o))
	}
	t.collect(from)
}

// marks returns what the operation adds to the counters of its pool, times
// sign.
func (t *Tree) marks(o Operation, sign int64) Counts {
	c := Counts{Operations: sign}
	switch op := &t.operations[o]; {
	case !op.running:
	case t.IsLightweight(o):
		c.Lightweight = sign
	default:
		c.Running = sign
	}
	return c
}

// count adds to the counters of a pool and all its ancestors.
func (t *Tree) count(p Pool, d Counts) {
	t.pools[p].own.add(d)
	for ; p != NoPool; p = t.pools[p].parent {
		t.pools[p].counts.add(d)
	}
}

// fullRunning returns the lowest pool on the chain whose running limit is
// reached, NoPool if there is none.
func (t *Tree) fullRunning(p Pool) Pool {
	for ; p != NoPool; p = t.pools[p].parent {
		if pool := &t.pools[p]; pool.counts.Running >= pool.maxRunning {
			return p
		}
	}
	return NoPool
}

// fullTotal returns the lowest pool on the chain whose limit of operations is
// reached, NoPool if there is none.
func (t *Tree) fullTotal(p Pool) Pool {
	for ; p != NoPool; p = t.pools[p].parent {
		if pool := &t.pools[p]; pool.counts.Operations >= pool.maxOperations {
			return p
		}
	}
	return NoPool
}

// Blocker returns the lowest pool that keeps the operation from running, or
// would keep it from running anew: NoPool for a lightweight one and where
// nothing is full (core/spec/scheduling.md §5.4).
func (t *Tree) Blocker(o Operation) Pool {
	if t.IsLightweight(o) {
		return NoPool
	}
	return t.fullRunning(t.operations[o].pool)
}

func (t *Tree) newOperation() Operation {
	if n := len(t.free); n > 0 {
		o := t.free[n-1]
		t.free = t.free[:n-1]
		return o
	}
	t.operations = append(t.operations, operation{})
	return Operation(len(t.operations) - 1)
}

// link puts the operation last among those of its pool.
func (t *Tree) link(o Operation) {
	op := &t.operations[o]
	p := &t.pools[op.pool]
	op.before, op.after = p.last, NoOperation
	if p.last != NoOperation {
		t.operations[p.last].after = o
	} else {
		p.first = o
	}
	p.last = o
}

func (t *Tree) unlink(o Operation) {
	op := &t.operations[o]
	p := &t.pools[op.pool]
	if op.before != NoOperation {
		t.operations[op.before].after = op.after
	} else {
		p.first = op.after
	}
	if op.after != NoOperation {
		t.operations[op.after].before = op.before
	} else {
		p.last = op.before
	}
}
