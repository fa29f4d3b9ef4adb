package core

import (
	"cmp"
	"slices"

	"poolproof/core/scheduling"
)

// queue keeps the operations of a FIFO pool that wait for resources in the
// pool's order: it puts an operation in or takes it out as its state has it.
func (t *Tree) queue(slot int32) {
	o := &t.operations[slot]
	p := &t.pools[o.Pool]
	waits := p.Config.Mode.Value == FIFO && o.enabled && o.Running && !o.Suspended && !o.Ended && !o.Needed.IsZero()
	switch {
	case waits && !o.queued:
		o.queued, o.queuedSince = true, t.now
		p.waiting = slices.Insert(p.waiting, t.place(p, slot), slot)
	case !waits && o.queued:
		t.unqueue(slot)
	}
}

// unqueue takes an operation out, before something that orders it changes.
func (t *Tree) unqueue(slot int32) {
	if o := &t.operations[slot]; o.queued {
		o.queued = false
		p := &t.pools[o.Pool]
		at := t.place(p, slot)
		p.waiting = slices.Delete(p.waiting, at, at+1)
	}
}

// place is where an operation stands, or would stand, among the waiting.
func (t *operationTable) place(p *Pool, slot int32) int {
	at, _ := slices.BinarySearchFunc(p.waiting, slot, func(a, b int32) int { return t.compareFIFO(p, a, b) })
	return at
}

// requeue rebuilds the order of a pool whose mode or sort parameters changed.
func (t *Tree) requeue(pool int32) {
	t.pools[pool].waiting = nil
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Alive && o.Pool == pool {
			o.queued = false
			t.queue(int32(slot))
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

// compareKeys orders operations by the pool's fifo_sort_parameters
// (core/spec/fair-share.md §2.7). Numbers of pending jobs change with every start
// and are left out: see SchedulesInOrder. It is not sure where a start decides that
// no log tells.
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

// EarlierWaiting calls visit with the operations that stand before a started
// job's in the order of their FIFO pool, needed resources at the last tick, which
// decides who takes part, and still do of that demand, and got no job in this instant,
// where the stages of a heartbeat of the node ask them (core/spec/scheduling.md §9.5), in that
// order, until it returns false.
// Where the job's operation goes first for what it was promised (core/spec/scheduling.md
// §9.4), only those that do so too count. Ties of the sort parameters have no order
// that counts (core/spec/scheduling.md §17.4), nor have the starts of one instant.
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
			continue // it got what it wanted then
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

// isSurelyBelow reports whether the last update found an operation below its fair share,
// and one that saw what it uses by now would have.
func (t *Tree) isSurelyBelow(o *Operation) bool {
	return t.scheduling.BelowFairShare(o.Element) && t.scheduling.WouldBeBelow(o.Element, o.Usage, t.total)
}

// SchedulesInOrder reports whether a pool is a FIFO pool that picks its next
// operation by order and not by satisfaction (core/spec/scheduling.md §9.6, §17.1),
// as far as the log tells: a default counts only where the pool or the tree is
// configured. An order by pending jobs is not followed.
func (t *Tree) SchedulesInOrder(slot int32) bool {
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

// noteStarted notes that the start of an operation is known.
func (t *poolTable) noteStarted(op *Operation) {
	if op.Unstarted && op.enabled {
		t.pools[op.Pool].unstarted--
	}
	op.Unstarted = false
}

// StandsBefore reports whether one operation of a FIFO pool stands before
// another in its order, or may: their sort parameters are equal, or what decides
// are numbers of pending jobs, which are not followed, or a start that no log tells.
func (t *Tree) StandsBefore(a, b int32) bool {
	p := &t.pools[t.operations[a].Pool]
	c, sure := t.compareKeys(p, a, b)
	return c <= 0 || !sure || slices.Contains(p.fifoSort(), ByPendingJobs)
}
