package core

import (
	"cmp"
	"slices"
)

// joinFIFO puts an operation into the order of its pool, if that is a FIFO pool.
func (t *Tree) joinFIFO(slot int32) {
	p := &t.pools[t.operations[slot].Pool]
	if p.Config.Mode != FIFO {
		return
	}
	at, _ := slices.BinarySearchFunc(p.fifo, slot, func(a, b int32) int { return t.compareFIFO(p, a, b) })
	p.fifo = slices.Insert(p.fifo, at, slot)
}

func (t *Tree) leaveFIFO(slot int32) {
	p := &t.pools[t.operations[slot].Pool]
	if at := slices.Index(p.fifo, slot); at >= 0 {
		p.fifo = slices.Delete(p.fifo, at, at+1)
	}
}

// sortFIFO rebuilds the order of a pool whose settings changed.
func (t *Tree) sortFIFO(pool int32) {
	p := &t.pools[pool]
	p.fifo = p.fifo[:0]
	if p.Config.Mode != FIFO {
		return
	}
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Alive && o.enabled && o.Pool == pool {
			t.joinFIFO(int32(slot))
		}
	}
}

// compareFIFO orders operations by the pool's fifo_sort_parameters, then start
// time, then id (spec/fair-share.md §2.7). Pending job counts change with every
// start; they order where the log shows them to differ, and the order here is
// that of the moment an operation joined.
func (t *Tree) compareFIFO(p *Pool, a, b int32) int {
	x, y := &t.operations[a], &t.operations[b]
	keys := p.Config.FIFOSort
	if keys == nil {
		keys = defaultFIFOSort
	}
	for _, key := range keys {
		c := 0
		switch key {
		case ByWeight:
			c = cmp.Compare(y.Params.Weight.Or(1), x.Params.Weight.Or(1))
		case ByStartTime:
			c = cmp.Compare(x.ShareStart(), y.ShareStart())
		case ByPendingJobs:
			c = cmp.Compare(x.Needed[0], y.Needed[0])
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(x.ShareStart(), y.ShareStart()), cmp.Compare(x.ID, y.ID))
}

var defaultFIFOSort = []FIFOKey{ByWeight, ByStartTime}

// overtaken returns the first operation before the given one in the order of
// their FIFO pool that still needs resources, or Unknown. Ties of the sort
// parameters never count (spec/scheduling.md §17.4).
func (t *Tree) overtaken(slot int32) OperationID {
	pool := t.operations[slot].Pool
	p := &t.pools[pool]
	if len(p.fifo) < 2 || !t.SchedulesInOrder(pool) {
		return Unknown
	}
	for _, o := range p.fifo {
		if o == slot {
			break
		}
		if t.waits(o) && !t.tiedFIFO(p, o, slot) {
			return t.operations[o].ID
		}
	}
	return Unknown
}

func (t *Tree) waits(slot int32) bool {
	o := &t.operations[slot]
	return !o.Suspended && !o.Ended && !o.Needed.IsZero()
}

func (t *Tree) tiedFIFO(p *Pool, a, b int32) bool {
	x, y := &t.operations[a], &t.operations[b]
	return x.ShareStart() == y.ShareStart() && x.Params.Weight.Or(1) == y.Params.Weight.Or(1)
}

// Overtaken returns the slot of the operation that a started job overtook in
// its FIFO pool, if that still needs resources now, at the end of the instant,
// and got none in it: starts of one instant have no order that counts.
func (t *Tree) Overtaken(job int32) (operation int32, ok bool) {
	id := t.jobs[job].Overtaken
	if id == Unknown {
		return none, false
	}
	slot := t.operationSlot[id]
	if slot == none || !t.operations[slot].Alive || !t.waits(slot) {
		return none, false
	}
	for _, started := range t.changes.Started {
		if t.jobs[started].Operation == slot {
			return none, false
		}
	}
	return slot, true
}
