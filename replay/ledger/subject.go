package ledger

import (
	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// least is the share below which nothing is lacking: less is rounding.
const least = 1e-9

// A subject is an element whose deficits are looked at.
type subject struct {
	element   fairshare.Element
	shares    *fairshare.Result // nil for an operation that takes no part
	operation int32             // slot, -1 for a pool
	pool      int32             // slot of the pool itself, or of the operation's
	parent    int32             // slot of the pool above

	usage     resource.Share
	demand    resource.Share // what waits for admission included
	waiting   resource.Share // that alone
	guarantee *resource.Partial
	limits    *resource.Partial
	ratio     core.Optional[float64] // max_share_ratio
	used      resource.Vector        // by its jobs
	filtered  bool                   // it has a tag filter
	room      *roomSight
}

// fair is its fair share, none of an operation that takes no part.
func (s *subject) fair() (fair resource.Share) {
	if s.shares != nil {
		fair = s.shares.FairShare.Total
	}
	return fair
}

// affordable is its demand, as much of it as the tree could have.
func (s *subject) affordable() resource.Share {
	if most := s.demand.Dominant(); most > 1 {
		return s.demand.Over(most)
	}
	return s.demand
}

// followOperation takes over the deficits of the operation in a slot.
func (l *Ledger) followOperation(slot int32, now core.Time) {
	o, a := l.Core.Operation(slot), &l.operations[slot]
	pool := l.Core.Pool(o.Pool)
	alive := o.Alive && !o.Ended
	if a.open && (!alive || a.operation != o.ID || a.pool != pool.ID) {
		l.shut(a, now)
	}
	if !alive {
		return
	}
	if !a.open {
		a.open, a.isOperation, a.operation, a.pool = true, true, o.ID, pool.ID
	}
	if o.Needed.IsZero() {
		a.settle(now)
		l.followUnknownNeed(a, slot, o, now)
		return
	}
	total := l.Core.ShareTotal()
	s := &l.subject
	*s = subject{
		element: o.Element, shares: l.Published(o), operation: slot, pool: o.Pool, parent: o.Pool,
		usage:     o.Usage.ShareOf(total),
		guarantee: &o.Params.StrongGuarantee.Value, limits: &o.Params.ResourceLimits.Value, ratio: o.Params.MaxShareRatio,
		used: o.Usage, filtered: o.Params.TagFilter != nil && !o.Params.TagFilter.IsEmpty(), room: &l.sight.operations[slot].roomSight,
	}
	if s.shares == nil || o.Suspended {
		s.waiting = o.Needed.ShareOf(total)
		s.demand = s.usage.Add(s.waiting)
	} else {
		s.demand = o.Demand().ShareOf(total)
	}
	l.follow(a, s, now)
}

// followUnknownNeed notes that an operation waits for admission of which the log does not record
// what it wants: it lacks an amount that is not known, booked as none.
func (l *Ledger) followUnknownNeed(a *account, slot int32, o *core.Operation, now core.Time) {
	if o.Running || o.Suspended {
		return
	}
	if behind := l.waitsBehind(slot); behind >= 0 {
		unknown := part{key: key{cause: tables.OperationCount, limiting: -1, pool: behind}}
		a.deficits[tables.ToDemand].take(now, resource.Share{}, append(l.parts[:0], unknown))
	}
}

// followPool takes over the deficits of the pool in a slot.
func (l *Ledger) followPool(slot int32, now core.Time) {
	p, a := l.Core.Pool(slot), &l.pools[slot]
	if a.open && (p.Removed != 0 || a.pool != p.ID) {
		l.shut(a, now)
	}
	if p.Removed != 0 {
		return
	}
	if !a.open {
		a.open, a.pool = true, p.ID
	}
	total, seen := l.Core.ShareTotal(), &l.sight.pools[slot]
	if p.Demand == p.Usage && seen.waiting.IsZero() {
		a.settle(now)
		return
	}
	s := &l.subject
	*s = subject{
		element: p.Element, shares: l.Core.Shares(p.Element), operation: -1, pool: slot, parent: p.Parent,
		usage: p.Usage.ShareOf(total), waiting: seen.waiting.ShareOf(total),
		guarantee: &p.Config.StrongGuarantee, limits: &p.Config.ResourceLimits, ratio: p.Config.MaxShareRatio,
		used: p.Usage, filtered: !p.Config.TagFilter.IsEmpty(), room: &seen.roomSight,
	}
	s.demand = p.Demand.ShareOf(total).Add(s.waiting)
	l.follow(a, s, now)
}

// follow takes over the deficits of a subject.
func (l *Ledger) follow(a *account, s *subject, now core.Time) {
	for level := range a.deficits {
		d := &a.deficits[level]
		lacking := l.lacking(s, tables.DebtLevel(level))
		k := dominant(lacking)
		if lacking[k] < least {
			d.settle(now)
			continue
		}
		if lacking == d.owed && d.looked == l.sight.at {
			continue // nor is anything else seen of it
		}
		b := booking{l: l, s: s, level: tables.DebtLevel(level), lacking: lacking, k: k, rest: 1, parts: l.parts[:0]}
		if s.operation < 0 {
			b.job = l.sight.pools[s.pool].job
		} else {
			b.job = l.Core.SmallestJob(s.operation)
		}
		b.book()
		d.looked = l.sight.at
		l.parts = b.parts
		d.take(now, lacking, b.parts)
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
func (l *Ledger) lacking(s *subject, level tables.DebtLevel) (lacking resource.Share) {
	switch level {
	case tables.ToGuarantee:
		if s.shares == nil || s.guarantee.IsEmpty() {
			return lacking
		}
		guarantee := s.shares.EffectiveGuarantee.ShareOf(l.Core.ShareTotal())
		for k, named := range s.guarantee.Set {
			if named {
				lacking[k] = max(0, min(guarantee[k], s.demand[k])-s.usage[k])
			}
		}
	case tables.ToFairShare:
		if s.shares == nil {
			return lacking
		}
		for k, fair := range s.shares.FairShare.Total {
			lacking[k] = max(0, min(fair, s.demand[k])-s.usage[k])
		}
	case tables.ToDemand:
		fair := s.fair()
		for k, demand := range s.affordable() {
			lacking[k] = max(0, demand-max(fair[k], s.usage[k]))
		}
	}
	return lacking
}
