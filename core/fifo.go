package core

import (
	"cmp"
	"slices"

	"poolproof/core/scheduling"
)

// queueOperation keeps the waiting operations of a FIFO pool in the pool's order: it inserts or
// removes an operation according to its state.
func (t *Tree) queueOperation(slot int32) {
	o := &t.operations[slot]
	p := &t.pools[o.Pool]
	waits := p.Config.Mode.Value == FIFO && o.enabled && o.Running && !o.Suspended && !o.Ended && !o.Needed.IsZero()
	switch {
	case waits && !o.queued:
		o.queued, o.queuedSince = true, t.now
		p.waiting = slices.Insert(p.waiting, t.queueIndex(p, slot), slot)
	case !waits && o.queued:
		t.unqueueOperation(slot)
	}
}

// unqueueOperation removes an operation before something changes that orders it.
func (t *Tree) unqueueOperation(slot int32) {
	if o := &t.operations[slot]; o.queued {
		o.queued = false
		p := &t.pools[o.Pool]
		at := t.queueIndex(p, slot)
		p.waiting = slices.Delete(p.waiting, at, at+1)
	}
}

// queueIndex returns the index of an operation among the waiting ones, or the index at which it
// would be inserted.
func (t *operationTable) queueIndex(p *Pool, slot int32) int {
	at, _ := slices.BinarySearchFunc(p.waiting, slot, func(a, b int32) int { return t.compareFIFO(p, a, b) })
	return at
}

// rebuildQueue rebuilds the order of a pool whose mode or sort parameters changed.
func (t *Tree) rebuildQueue(pool int32) {
	t.pools[pool].waiting = nil
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Alive && o.Pool == pool {
			o.queued = false
			t.queueOperation(int32(slot))
			t.pushOperation(int32(slot)) // for numbers of pending jobs
		}
	}
}

var defaultFIFOSort = []FIFOKey{ByWeight, ByStartTime}

func (p *Pool) fifoSort() []FIFOKey {
	if p.Config.FIFOSort == nil {
		return defaultFIFOSort
	}
	return p.Config.FIFOSort
}

// compareKeys orders operations by the pool's fifo_sort_parameters (core/spec/fair-share.md §2.7).
// Numbers of pending jobs change with every start and are left out: see schedulesInOrder. sure is
// false if the order depends on a start time that the log does not record.
func (t *operationTable) compareKeys(p *Pool, a, b int32) (c int, sure bool) {
	x, y := &t.operations[a], &t.operations[b]
	sure = true
	for _, key := range p.fifoSort() {
		switch key {
		case ByWeight:
			c = cmp.Compare(y.Params.Weight.Or(1), x.Params.Weight.Or(1))
		case ByStartTime:
			c = cmp.Compare(x.Start, y.Start)
			sure = (c < 0 || !x.Unstarted) && (c > 0 || !y.Unstarted)
		}
		if c != 0 {
			return c, sure
		}
	}
	return 0, sure
}

// compareFIFO orders operations by the keys, then start time, then id.
func (t *operationTable) compareFIFO(p *Pool, a, b int32) int {
	x, y := &t.operations[a], &t.operations[b]
	c, _ := t.compareKeys(p, a, b)
	return cmp.Or(c, cmp.Compare(x.Start, y.Start), cmp.Compare(x.ID, y.ID))
}

// EarlierWaiting calls visit with the operations that a FIFO pool orders before the operation of a
// started job and that were waiting for resources, in that order, until visit returns false. An
// operation was waiting if it needed resources at the last tick, which decides who takes part,
// still needs them, got no job in this instant, and takes part in the stages of a heartbeat of the
// node (core/spec/scheduling.md §9.5). If the job's operation has guarantee priority
// (core/spec/scheduling.md §9.4), only operations with that priority count. Ties of the sort
// parameters (core/spec/scheduling.md §17.4) and starts of one instant have no order.
func (t *Tree) EarlierWaiting(job int32, visit func(operation int32) bool) {
	j := &t.jobs[job]
	own := &t.operations[j.Operation]
	p := &t.pools[own.Pool]
	promised := own.enabled && t.scheduling.HasGuaranteePriority(own.Element)
	for _, o := range p.waiting {
		before, sure := t.compareKeys(p, o, j.Operation)
		if before >= 0 {
			return
		}
		x := &t.operations[o]
		if !sure || x.LastStart == j.Start || x.queuedSince >= t.previous || promised && !t.scheduling.HasGuaranteePriority(x.Element) {
			continue
		}
		if !t.scheduling.Wants(x.Element, x.smallestJob()) {
			continue // it got what it wanted at that time
		}
		if x.Params.Graceful.Value && !t.isSurelyBelow(x) {
			continue
		}
		at := scheduling.Heartbeat{Node: scheduling.Node(j.Node), Now: int64(j.Start)}
		if j.Node >= 0 && !t.scheduling.TakesPart(at, x.Element) {
			continue
		}
		if !visit(o) {
			return
		}
	}
}

// isSurelyBelow reports whether an operation was below its fair share at the last update and would
// still be with its current usage.
func (t *Tree) isSurelyBelow(o *Operation) bool {
	return t.scheduling.BelowFairShare(o.Element) && t.scheduling.WouldBeBelow(o.Element, o.Usage, t.total)
}

// schedulesInOrder reports whether a pool is a FIFO pool that picks its next operation by order and
// not by satisfaction (core/spec/scheduling.md §9.6, §17.1), as far as the log records it: a
// default counts only if the pool or the tree is configured. Order by pending jobs is not
// reproduced.
func (t *Tree) schedulesInOrder(slot int32) bool {
	p := &t.pools[slot]
	if p.Config.Mode.Value != FIFO || t.sortsByPending(slot) {
		return false
	}
	for at := slot; at > 0; at = t.pools[at].Parent {
		if o := t.pools[at].Config.FIFOOrder; o.Set {
			return o.Value == OrderFIFO
		}
	}
	if t.config.FIFOOrder.Set {
		return t.config.FIFOOrder.Value == OrderFIFO
	}
	return (p.Configured || !t.config.Assumed) && t.profile.FIFOOrder() == OrderFIFO
}

// noteStarted records that the start of an operation is known.
func (t *poolTable) noteStarted(op *Operation) {
	if op.Unstarted && op.enabled {
		t.pools[op.Pool].unstarted--
	}
	op.Unstarted = false
}

// StandsBefore reports whether operation a of a FIFO pool comes before b, or may: their sort
// parameters are equal, or the order depends on numbers of pending jobs, which are not reproduced,
// or on a start that the log does not record.
func (t *Tree) StandsBefore(a, b int32) bool {
	p := &t.pools[t.operations[a].Pool]
	c, sure := t.compareKeys(p, a, b)
	return c <= 0 || !sure || slices.Contains(p.fifoSort(), ByPendingJobs)
}
