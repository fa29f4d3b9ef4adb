package ledger

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// least is the share below which nothing is lacking: less is rounding.
const least = 1e-9

// A subject is an element whose deficits are looked at.
type subject struct {
	*state
	operation int32 // slot, -1 for a pool
	pool      int32 // slot of the pool itself, or of the operation's
	parent    int32 // slot of the pool above

	usage   resource.Share
	demand  resource.Share // what waits for admission included
	waiting resource.Share // that alone
	room    *roomSight

	job resource.Vector // the smallest that the element waits for

	// Of an operation, see operationState.
	behind   int32
	obstacle scheduling.Obstacle
}

// affordable is its demand, as much of it as the tree could have.
func (s *subject) affordable() resource.Share {
	if most := s.demand.Dominant(); most > 1 {
		return s.demand.Over(most)
	}
	return s.demand
}

// followOperation takes over the deficits of the operation in a slot.
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
		a.settle(now)
		b.followUnknownNeed(a, o, now)
		return
	}
	s := &b.subject
	*s = subject{
		state: &o.state, operation: slot, pool: o.pool, parent: o.pool,
		usage: o.usage.ShareOf(b.total), room: &b.sight.operations[slot].roomSight,
		job: o.job, behind: o.behind, obstacle: o.obstacle,
	}
	if !o.takesPart || o.suspended {
		s.waiting = o.needed.ShareOf(b.total)
		s.demand = s.usage.Add(s.waiting)
	} else {
		s.demand = o.demand.ShareOf(b.total)
	}
	b.follow(a, s, now)
}

// followUnknownNeed notes that an operation waits for admission while the log does not
// record its demand: it lacks an unknown amount, booked as none.
func (b *books) followUnknownNeed(a *account, o *operationState, now core.Time) {
	if o.behind >= 0 {
		unknown := part{key: key{cause: tables.OperationCount, limiting: -1, pool: o.behind}}
		a.deficits[tables.ToDemand].take(now, resource.Share{}, append(b.parts[:0], unknown))
	}
}

// followPool takes over the deficits of the pool in a slot, whose state is known.
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
	seen := &b.sight.pools[slot]
	if p.demand == p.usage && seen.waiting.IsZero() {
		a.settle(now)
		return
	}
	s := &b.subject
	*s = subject{
		state: &p.state, operation: -1, pool: slot, parent: p.parent,
		usage: p.usage.ShareOf(b.total), waiting: seen.waiting.ShareOf(b.total), room: &seen.roomSight, job: seen.job,
	}
	s.demand = p.demand.ShareOf(b.total).Add(s.waiting)
	b.follow(a, s, now)
}

// follow takes over the deficits of a subject.
func (b *books) follow(a *account, s *subject, now core.Time) {
	for level := range a.deficits {
		d := &a.deficits[level]
		lacking := b.lacking(s, tables.DebtLevel(level))
		k := dominant(lacking)
		if lacking[k] < least {
			d.settle(now)
			continue
		}
		if lacking == d.owed && d.looked == b.sight.at {
			continue // nor is anything else seen of it
		}
		all := booking{l: b, s: s, level: tables.DebtLevel(level), lacking: lacking, k: k, rest: 1, parts: b.parts[:0]}
		if b.causes {
			all.book()
		} else {
			all.all(key{})
		}
		d.looked = b.sight.at
		b.parts = all.parts
		d.take(now, lacking, all.parts)
	}
}

// settle ends the deficits of an element that lacks nothing.
func (a *account) settle(now core.Time) {
	for level := range a.deficits {
		a.deficits[level].settle(now)
	}
}

func (d *deficit) settle(now core.Time) {
	if len(d.parts) > 0 {
		d.take(now, resource.Share{}, nil)
	}
}

// lacking is by how much usage is below a level.
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
