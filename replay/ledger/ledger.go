package ledger

import (
	"cmp"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/lane"
	"poolproof/replay/tables"
)

const (
	lookEvery = 10 * core.Second
	spanLasts = 60 * core.Second // longer only while nothing changes
)

// A Ledger books the deficits of a tree's pools and operations.
type Ledger struct {
	*env.Env
	debts env.Batch[tables.ShareDebt]

	books // owned by the lane, see wait
	lane  *lane.Lane[notes]

	instant   int64   // serial of the current instant
	told      []int64 // by slot of a pool: instant in which its state was last passed on
	toldTotal resource.Vector

	look     core.Time // the next one
	spanFrom core.Time
	began    bool
	moved    bool // since the last look

	shared    []sharedBy     // holders of this span's surpluses, see holdersOf
	lines     []line         // reused
	nested    []nesting      // by slot of a pool, while a span is written
	holders   [][]holder     // by index of shared, reused
	groups    []group        // reused
	operation operationState // reused
}

// New returns the ledger of a tree, which must be stopped.
func New(e *env.Env) *Ledger {
	return &Ledger{Env: e, debts: env.OpenBatch(e.Out, compareDebts), books: books{
		measured: e.Log.Measured, reconstructed: e.Log.Records("demand", "reconstructed"),
		causes: env.Holds[tables.ShareDebt](e.Out, "cause", "holder_pool", "holder_operation", "limiting_resource",
			"obstacle", "blocking_pool", "cause_from_time"),
	}}
}

// BeginWindow opens the accounts at the start of the window.
func (l *Ledger) BeginWindow(at core.Time) {
	l.began, l.spanFrom, l.look = true, at, at
	l.sample.at = at
	l.lookAround(at)
	l.nextLook(at)
}

// nextLook sets the time of the next sample after an instant: the multiples of lookEvery.
func (l *Ledger) nextLook(after core.Time) { l.look = (after/lookEvery + 1) * lookEvery }

// SettleOperation records an operation that changed.
func (l *Ledger) SettleOperation(slot int32, now core.Time) {
	if !l.began {
		return
	}
	l.moved = true
	l.tellTotal(now)
	if l.causes {
		l.tellPools(l.Core.Operation(slot).Pool, now)
	}
	n := l.batch()
	l.noteOperation(another(&n.operations), slot, now)
	n.entries = append(n.entries, entry{operationFollowed, slot, now})
}

// SettlePool records a pool that changed.
func (l *Ledger) SettlePool(slot int32, now core.Time) {
	if !l.began || slot == 0 {
		return
	}
	l.moved = true
	l.tellTotal(now)
	if l.causes {
		l.tellPools(slot, now)
	} else {
		l.tellPool(slot, now)
	}
	n := l.batch()
	n.entries = append(n.entries, entry{poolFollowed, slot, now})
}

// PassTo takes the samples that are due before a later instant.
func (l *Ledger) PassTo(to core.Time) {
	l.instant++
	if !l.began || to < l.look {
		return
	}
	l.wait()
	for l.moved && l.look <= to {
		at := l.look
		l.moved = false // this sample holds until something changes
		l.addSurpluses(at)
		l.lookAround(at)
		if at >= l.spanFrom+spanLasts {
			l.writeSpan(at)
		}
		l.nextLook(at)
	}
	if l.look <= to { // nothing changed since the last sample
		l.nextLook(to)
	}
}

// lookAround takes a sample of the tree and updates all elements by it.
func (l *Ledger) lookAround(at core.Time) {
	l.grow(l.Core.Pools(), l.Core.Operations())
	l.total = l.Core.ShareTotal()
	l.toldTotal = l.total
	for slot := range l.pools {
		l.notePool(&l.states[slot], int32(slot))
	}
	l.sampleTree(at)
	for slot := range l.operations {
		l.noteOperation(&l.operation, int32(slot), at)
		l.followOperation(int32(slot), &l.operation, at)
		l.operations[slot].explain()
	}
	for slot := 1; slot < len(l.pools); slot++ {
		l.followPool(int32(slot), at)
		l.pools[slot].explain()
	}
}

// Finish closes the accounts at the window's end.
func (l *Ledger) Finish(to core.Time) {
	if !l.began {
		return
	}
	l.wait()
	l.addSurpluses(to)
	l.lookAround(to)
	l.writeSpan(to)
}

// Flush writes the rows of the last span.
func (l *Ledger) Flush() { l.debts.Flush() }

func compareDebts(a, b *tables.ShareDebt) int {
	return cmp.Or(
		cmp.Compare(a.Element, b.Element), cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Operation.Value, b.Operation.Value),
		cmp.Compare(a.Level, b.Level), cmp.Compare(a.FromTime, b.FromTime), cmp.Compare(a.Cause, b.Cause),
	)
}

// A deficit accumulates the share that one element lacks at one level, in the open span.
type deficit struct {
	from, to core.Time // first and last moment of it in the span
	summed   core.Time // until when the sums are complete
	lacking  int64     // µs

	owed   resource.Share // at present
	looked core.Time      // the sample by which that is booked
	parts  []part         // of what is owed at present
	whole  resource.Share // share·µs of the span
	sums   []part         // of that, by cause

	open resource.Share // share·µs since the last sample that this sample does not explain
}

// A part is the share that one cause accounts for.
type part struct {
	key
	share resource.Share

	since int64     // when the element, or the pool that entitles it to preempt, began to starve; scheduling.Never if none does
	from  core.Time // of sums: the first moment at which something was booked to it
}

// A key identifies the cause of a part.
type key struct {
	cause    tables.DebtCause
	obstacle scheduling.Obstacle
	target   target
	limiting int8  // resource, -1 if none
	pool     int32 // slot: of the limit; of OthersOverFairShare, the one whose children have the share; -1 if none
}

// A target is the priority with which an element may preempt for its deficit.
type target uint8

const (
	normally target = iota
	aggressively

	targets
)

// sumTo adds the current parts to the sums up to an instant.
func (d *deficit) sumTo(to core.Time) {
	length := to - d.summed
	d.summed = to
	if len(d.parts) == 0 || length <= 0 {
		return
	}
	if d.lacking == 0 {
		d.from = to - length
	}
	d.to = to
	d.lacking += int64(length)
	d.whole = d.whole.Add(d.owed.Scale(float64(length)))
	for i := range d.parts {
		p := &d.parts[i]
		if p.cause == tables.Unexplained {
			d.open = d.open.Add(p.share.Scale(float64(length)))
		} else {
			d.book(p, p.share.Scale(float64(length)), to-length)
		}
	}
}

func (d *deficit) book(p *part, share resource.Share, from core.Time) {
	sum := d.sumOf(p, from)
	sum.from = min(sum.from, from)
	sum.share, sum.since = sum.share.Add(share), min(sum.since, p.since) // Never is before all
}

// explain attributes the unexplained part by the current sample: a deficit that began after the
// last sample and has ended was closed within two samples, and the rest has the causes of the
// current one.
func (d *deficit) explain() {
	if d.open == (resource.Share{}) {
		return
	}
	if len(d.parts) == 0 {
		d.book(&part{key: causedBy(tables.SchedulingDelay)}, d.open, d.from)
	} else {
		whole := 0.0
		for i := range d.parts {
			whole += d.parts[i].share.Dominant()
		}
		rest := d.open
		for i := range d.parts[1:] {
			part := d.open.Scale(d.parts[i+1].share.Dominant() / whole)
			rest = rest.Sub(part)
			d.book(&d.parts[i+1], part, d.summed)
		}
		d.book(&d.parts[0], rest, d.summed)
	}
	d.open = resource.Share{}
}

func (d *deficit) sumOf(p *part, from core.Time) *part {
	for i := range d.sums {
		if d.sums[i].key == p.key {
			return &d.sums[i]
		}
	}
	d.sums = append(d.sums, part{key: p.key, since: p.since, from: from})
	return &d.sums[len(d.sums)-1]
}

// setOwed sets the current deficit, whose parts are booked, from an instant on.
func (d *deficit) setOwed(now core.Time, owed resource.Share, parts []part) {
	d.sumTo(now)
	d.owed = owed
	d.parts = append(d.parts[:0], parts...)
}

// reset begins another span.
func (d *deficit) reset() {
	d.lacking, d.whole, d.sums = 0, resource.Share{}, d.sums[:0]
}
