package ledger

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// least is the smallest share that counts as a deficit: less is rounding.
const least = 1e-9

// A subject is the element whose deficits are being updated.
type subject struct {
	*state
	operation int32 // slot, -1 for a pool
	pool      int32 // slot of the pool itself, or of the operation's
	parent    int32 // slot of the pool above

	usage   resource.Share
	demand  resource.Share // what waits for admission included
	waiting resource.Share // that alone
	room    *roomSample

	job resource.Vector // the smallest that the element waits for

	// Of an operation, see operationState.
	behind   int32
	obstacle scheduling.Obstacle
}

// affordable returns its demand, capped at the tree.
func (s *subject) affordable() resource.Share {
	if most := s.demand.Dominant(); most > 1 {
		return s.demand.Over(most)
	}
	return s.demand
}

// followOperation updates the deficits of the operation in a slot.
func (b *books) followOperation(slot int32, o *operationState, now core.Time) {
	a := &b.operations[slot]
	if a.open && (!o.alive || a.operation != o.id || a.pool != o.poolID) {
		b.shut(a, now)
	}
	if !o.alive {
		return
	}
	if !a.open {
		a.open, a.isOperation, a.operation, a.pool = true, true, o.id, o.poolID
	}
	if o.needed.IsZero() {
		a.endDeficits(now)
		b.followUnknownNeed(a, o, now)
		return
	}
	s := &b.subject
	*s = subject{
		state: &o.state, operation: slot, pool: o.pool, parent: o.pool,
		usage: o.usage.ShareOf(b.total), room: &b.sample.operations[slot].roomSample,
		job: o.job, behind: o.behind, obstacle: o.obstacle,
	}
	if !o.takesPart || o.suspended {
		s.waiting = o.needed.ShareOf(b.total)
		s.demand = s.usage.Add(s.waiting)
	} else {
		s.demand = o.demand.ShareOf(b.total)
	}
	b.updateDeficits(a, s, now)
}

// followUnknownNeed records that an operation with unknown demand waits for admission: its deficit
// is unknown and booked as 0.
func (b *books) followUnknownNeed(a *account, o *operationState, now core.Time) {
	if o.behind >= 0 {
		unknown := part{key: key{cause: tables.OperationCount, limiting: -1, pool: o.behind}}
		a.deficits[tables.ToDemand].setOwed(now, resource.Share{}, append(b.parts[:0], unknown))
	}
}

// followPool updates the deficits of the pool in a slot, whose state is known.
func (b *books) followPool(slot int32, now core.Time) {
	p, a := &b.states[slot], &b.pools[slot]
	if a.open && (p.removed || a.pool != p.id) {
		b.shut(a, now)
	}
	if p.removed {
		return
	}
	if !a.open {
		a.open, a.pool = true, p.id
	}
	a.parent = p.parent
	seen := &b.sample.pools[slot]
	if p.demand == p.usage && seen.waiting.IsZero() {
		a.endDeficits(now)
		return
	}
	s := &b.subject
	*s = subject{
		state: &p.state, operation: -1, pool: slot, parent: p.parent,
		usage: p.usage.ShareOf(b.total), waiting: seen.waiting.ShareOf(b.total), room: &seen.roomSample, job: seen.job,
	}
	s.demand = p.demand.ShareOf(b.total).Add(s.waiting)
	b.updateDeficits(a, s, now)
}

// updateDeficits updates the deficits of a subject.
func (b *books) updateDeficits(a *account, s *subject, now core.Time) {
	for level := range a.deficits {
		d := &a.deficits[level]
		lacking := b.lacking(s, tables.DebtLevel(level))
		k := dominant(lacking)
		if lacking[k] < least {
			d.endDeficit(now)
			continue
		}
		if lacking == d.owed && d.looked == b.sample.at {
			continue // the sample has nothing else about it
		}
		all := booking{l: b, s: s, level: tables.DebtLevel(level), lacking: lacking, k: k, rest: 1, parts: b.parts[:0]}
		if b.causes {
			all.book()
		} else {
			all.all(key{})
		}
		d.looked = b.sample.at
		b.parts = all.parts
		d.setOwed(now, lacking, all.parts)
	}
}

// endDeficits ends the deficits of an element that lacks nothing.
func (a *account) endDeficits(now core.Time) {
	for level := range a.deficits {
		a.deficits[level].endDeficit(now)
	}
}

func (d *deficit) endDeficit(now core.Time) {
	if len(d.parts) > 0 {
		d.setOwed(now, resource.Share{}, nil)
	}
}

// lacking returns the difference between a level and usage.
func (b *books) lacking(s *subject, level tables.DebtLevel) (lacking resource.Share) {
	switch level {
	case tables.ToGuarantee:
		if !s.takesPart || s.guarantee.IsEmpty() {
			return lacking
		}
		guarantee := s.guaranteed.ShareOf(b.total)
		for k, named := range s.guarantee.Set {
			if named {
				lacking[k] = max(0, min(guarantee[k], s.demand[k])-s.usage[k])
			}
		}
	case tables.ToFairShare:
		if !s.takesPart {
			return lacking
		}
		for k, fair := range s.fair {
			lacking[k] = max(0, min(fair, s.demand[k])-s.usage[k])
		}
	case tables.ToDemand:
		for k, demand := range s.affordable() {
			lacking[k] = max(0, demand-max(s.fair[k], s.usage[k]))
		}
	}
	return lacking
}
