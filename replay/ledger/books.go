package ledger

import (
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/lane"
	"poolproof/replay/tables"
)

// books holds the accounts. A lane updates them from the states that the ledger passes to it. A
// sample of the whole tree waits for the lane.
type books struct {
	measured      [resource.Kinds]bool // see env.Log
	reconstructed bool                 // demand is reconstructed from later jobs
	causes        bool                 // the table has causes; otherwise each deficit is one row
	total         resource.Vector      // of the tree

	pools, operations []account   // by slot
	states            []poolState // by slot, as noted last
	closed            []account   // of elements that are gone, in the open span
	sample            treeSample

	parts   []part  // reused
	subject subject // reused
}

// notes is a batch of states in the order of time.
type notes struct {
	entries    []entry
	pools      []poolState
	operations []operationState
	totals     []resource.Vector
}

// mostNotes is the size of a batch: large enough to amortize handing it over, small enough for the
// cache.
const mostNotes = 256

// An entry describes the next state of its kind.
type entry struct {
	what noted
	slot int32
	now  core.Time
}

type noted uint8

const (
	totalIs      noted = iota // of the tree
	poolIs                    // of a pool, which bears on those below it
	poolFollowed              // of the pool whose state is known, its deficits
	operationFollowed
)

// batch returns the batch to add to, after handing over a full one.
func (l *Ledger) batch() *notes {
	if l.lane == nil {
		l.lane = lane.Start(l.books.applyNotes)
	} else if len(l.lane.Batch.entries) >= mostNotes {
		l.lane.Hand()
	}
	return l.lane.Batch
}

// wait waits until the lane has processed all notes.
func (l *Ledger) wait() {
	if l.lane != nil {
		l.lane.Wait()
	}
}

// Stop stops the lane.
func (l *Ledger) Stop() {
	if l.lane != nil {
		l.lane.Stop()
		l.lane = nil
	}
}

// tellPools passes on the states of a pool and its ancestors, on which causes depend.
func (l *Ledger) tellPools(slot int32, now core.Time) {
	for ; slot >= 0; slot = l.Core.Pool(slot).Parent {
		l.tellPool(slot, now)
	}
}

// tellPool passes on the state of a pool, once per instant.
func (l *Ledger) tellPool(slot int32, now core.Time) {
	for int(slot) >= len(l.told) {
		l.told = append(l.told, 0)
	}
	if l.told[slot] == l.instant {
		return
	}
	l.told[slot] = l.instant
	n := l.batch()
	l.notePool(another(&n.pools), slot)
	n.entries = append(n.entries, entry{poolIs, slot, now})
}

// tellTotal passes on the total of the tree if it changed.
func (l *Ledger) tellTotal(now core.Time) {
	if total := l.Core.ShareTotal(); total != l.toldTotal {
		l.toldTotal = total
		n := l.batch()
		n.totals = append(n.totals, total)
		n.entries = append(n.entries, entry{what: totalIs, now: now})
	}
}

// another extends a list by one element and returns it, not cleared.
func another[T any](list *[]T) *T {
	if n := len(*list); n < cap(*list) {
		*list = (*list)[:n+1]
	} else {
		*list = append(*list, *new(T))
	}
	return &(*list)[len(*list)-1]
}

// applyNotes applies a batch of notes.
func (b *books) applyNotes(n *notes) {
	totals, pools, operations := n.totals, n.pools, n.operations
	for i := range n.entries {
		e := &n.entries[i]
		switch e.what {
		case totalIs:
			b.total, totals = totals[0], totals[1:]
		case poolIs:
			b.grow(int(e.slot)+1, 0)
			b.states[e.slot], pools = pools[0], pools[1:]
		case poolFollowed:
			b.followPool(e.slot, e.now)
		case operationFollowed:
			b.grow(0, int(e.slot)+1)
			b.followOperation(e.slot, &operations[0], e.now)
			operations = operations[1:]
		}
	}
	n.entries, n.totals, n.pools, n.operations = n.entries[:0], n.totals[:0], n.pools[:0], n.operations[:0]
}

// grow makes room for at least so many slots.
func (b *books) grow(pools, operations int) {
	b.pools, b.states = slices.Grow(b.pools, max(0, pools-len(b.pools))), slices.Grow(b.states, max(0, pools-len(b.states)))
	for len(b.pools) < pools {
		b.pools, b.states = append(b.pools, account{}), append(b.states, poolState{})
	}
	for len(b.operations) < operations {
		b.operations = append(b.operations, account{})
	}
	b.sample.grow(len(b.pools), len(b.operations))
}

// An account holds the deficits of one element.
type account struct {
	open        bool // the slot has a living element
	isOperation bool
	operation   core.OperationID
	pool        core.PoolID
	parent      int32 // of a pool, the slot of the one above
	deficits    [tables.DebtLevels]deficit
}

// shut closes the account in a slot; its sums are kept until the span is written.
func (b *books) shut(a *account, now core.Time) {
	if !a.open {
		return
	}
	kept := false
	for level := range a.deficits {
		a.deficits[level].endDeficit(now)
		a.deficits[level].explain()
		kept = kept || a.deficits[level].lacking > 0
	}
	if kept {
		b.closed = append(b.closed, *a)
		*a = account{}
		return
	}
	a.open = false
	for level := range a.deficits {
		a.deficits[level].reset()
	}
}

func (a *account) explain() {
	for level := range a.deficits {
		a.deficits[level].explain()
	}
}
