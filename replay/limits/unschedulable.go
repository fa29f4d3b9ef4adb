package limits

import (
	"cmp"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// followUnschedulable opens, carries on or closes the episode of an operation (LIM-10,
// core/spec/scheduling.md §5.9).
func (l *Limits) followUnschedulable(slot int32, o *core.Operation, now core.Time) {
	for len(l.unschedulable) <= int(slot) {
		l.unschedulable = append(l.unschedulable, nil)
	}
	var found *tables.UnschedulableEpisode
	check := l.unschedulableCheck(o)
	if l.checks == nil {
		l.checks = make([]tables.UnschedulableCheck, len(l.Dims.Operations))
	}
	l.checks[o.ID] = max(l.checks[o.ID], check)
	if check == tables.SchedulabilityChecked {
		found = l.smallerLimit(o)
	}
	if old := l.unschedulable[slot]; old != nil &&
		(found == nil || old.Operation != o.ID || old.LimitPool != found.LimitPool || old.Resource != found.Resource) {
		l.closeUnschedulable(slot, now, false)
	}
	if found == nil {
		return
	}
	if l.unschedulable[slot] == nil {
		found.FromTime = now
		l.unschedulable[slot] = found
	}
}

// unschedulableCheck is whether such a limit is looked for now.
func (l *Limits) unschedulableCheck(o *core.Operation) tables.UnschedulableCheck {
	switch {
	case !o.Alive || !o.Running || o.Suspended || o.Ended || o.Needed.IsZero():
		return tables.SchedulabilityNeverWaited
	case !l.isAncestorChecked(o):
		return tables.SchedulabilityUnchecked
	case o.MinNeeded.IsZero():
		return tables.SchedulabilityUnsized
	}
	return tables.SchedulabilityChecked
}

// isAncestorChecked reports whether neither the tree nor the operation's spec
// switches the check off.
func (l *Limits) isAncestorChecked(o *core.Operation) bool {
	return l.Core.Config().LimitingAncestorCheck.Or(true) && o.Params.LimitingAncestorCheck.Or(true)
}

// smallerLimit finds the lowest specified limit that the smallest job of an
// operation exceeds, nil if there is none.
func (l *Limits) smallerLimit(o *core.Operation) *tables.UnschedulableEpisode {
	of := func(limits resource.Partial, pool core.Optional[core.PoolID]) *tables.UnschedulableEpisode {
		k, small := pooltree.LimitBelow(limits, o.MinNeeded)
		if !small {
			return nil
		}
		return &tables.UnschedulableEpisode{
			Operation: o.ID, Pool: l.Core.Pool(o.Pool).ID, LimitPool: pool,
			Resource: k, Needed: o.MinNeeded[k], Limit: limits.Amounts[k],
		}
	}
	if found := of(o.Params.ResourceLimits.Value, core.Optional[core.PoolID]{}); found != nil {
		return found
	}
	for p := o.Pool; p > 0; p = l.Core.Pool(p).Parent {
		pool := l.Core.Pool(p)
		if found := of(pool.Config.ResourceLimits, core.Some(pool.ID)); found != nil {
			return found
		}
	}
	return nil
}

// FollowUnschedulable looks at all operations after a change of a pool's limits.
func (l *Limits) FollowUnschedulable(now core.Time) {
	for slot := range l.Core.Operations() {
		if o := l.Core.Operation(int32(slot)); o.Alive {
			l.followUnschedulable(int32(slot), o, now)
		}
	}
}

func (l *Limits) closeUnschedulable(slot int32, now core.Time, clipped bool) {
	episode := l.unschedulable[slot]
	l.unschedulable[slot] = nil
	if episode.ToTime, episode.ClippedTo = now, clipped; l.Begun && episode.FromTime < now {
		l.unschedulableEpisodes.Add(now, episode)
	}
}

// clipUnschedulable cuts the open episodes at the window's start. The parts before it are written
// if the log records them.
func (l *Limits) clipUnschedulable(from core.Time) {
	begins := l.Log.RecordedFrom()
	for _, e := range l.unschedulable {
		if e == nil {
			continue
		}
		if begins < from && e.FromTime < from {
			earlier := *e
			earlier.ClippedFrom = earlier.FromTime < begins
			earlier.FromTime, earlier.ToTime, earlier.ClippedTo = max(earlier.FromTime, begins), from, true
			l.earlierUnschedulable.Add(&tables.EarlierUnschedulableEpisode{UnschedulableEpisode: earlier})
		}
		e.FromTime, e.ClippedFrom = from, true
	}
}

func compareUnschedulable(a, b *tables.UnschedulableEpisode) int {
	return cmp.Compare(a.Operation, b.Operation)
}
