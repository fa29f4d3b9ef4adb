package replay

import (
	"cmp"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// followUnschedulable opens, carries on or closes the episode of an operation (LIM-10,
// core/spec/scheduling.md §5.9).
func (r *recorder) followUnschedulable(slot int32, o *core.Operation, now core.Time) {
	track := &r.operations[slot]
	var found *tables.UnschedulableEpisode
	check := r.unschedulableCheck(o)
	if r.unschedulableChecks == nil {
		r.unschedulableChecks = make([]tables.UnschedulableCheck, len(r.Dims.Operations))
	}
	r.unschedulableChecks[o.ID] = max(r.unschedulableChecks[o.ID], check)
	if check == tables.SchedulabilityChecked {
		found = r.smallerLimit(o)
	}
	if old := track.unschedulable; old != nil && (found == nil || old.Operation != o.ID || old.LimitPool != found.LimitPool || old.Resource != found.Resource) {
		r.closeUnschedulable(slot, now, false)
	}
	if found == nil {
		return
	}
	if track.unschedulable == nil {
		found.FromTime, found.ClippedFrom = now, !r.Begun
		track.unschedulable = found
	}
}

// unschedulableCheck is whether such a limit is looked for now.
func (r *recorder) unschedulableCheck(o *core.Operation) tables.UnschedulableCheck {
	switch {
	case !o.Alive || !o.Running || o.Suspended || o.Ended || o.Needed.IsZero():
		return tables.SchedulabilityNeverWaited
	case !r.isAncestorChecked(o):
		return tables.SchedulabilityUnchecked
	case o.MinNeeded.IsZero():
		return tables.SchedulabilityUnsized
	}
	return tables.SchedulabilityChecked
}

// isAncestorChecked reports whether neither the tree nor the operation's spec
// switches the check off.
func (r *recorder) isAncestorChecked(o *core.Operation) bool {
	return r.Core.Config().LimitingAncestorCheck.Or(true) && o.Params.LimitingAncestorCheck.Or(true)
}

// smallerLimit finds the lowest specified limit that the smallest job of an
// operation exceeds, nil if there is none.
func (r *recorder) smallerLimit(o *core.Operation) *tables.UnschedulableEpisode {
	of := func(limits resource.Partial, pool core.Optional[core.PoolID]) *tables.UnschedulableEpisode {
		k, small := pooltree.LimitBelow(limits, o.MinNeeded)
		if !small {
			return nil
		}
		return &tables.UnschedulableEpisode{
			Operation: o.ID, Pool: r.Core.Pool(o.Pool).ID, LimitPool: pool,
			Resource: k, Needed: o.MinNeeded[k], Limit: limits.Amounts[k],
		}
	}
	if found := of(o.Params.ResourceLimits.Value, core.Optional[core.PoolID]{}); found != nil {
		return found
	}
	for p := o.Pool; p > 0; p = r.Core.Pool(p).Parent {
		pool := r.Core.Pool(p)
		if found := of(pool.Config.ResourceLimits, core.Some(pool.ID)); found != nil {
			return found
		}
	}
	return nil
}

// followAllUnschedulable looks at all operations after a change of a pool's limits.
func (r *recorder) followAllUnschedulable(now core.Time) {
	for slot := range r.operations {
		if o := r.Core.Operation(int32(slot)); o.Alive {
			r.followUnschedulable(int32(slot), o, now)
		}
	}
}

func (r *recorder) closeUnschedulable(slot int32, now core.Time, clipped bool) {
	episode := r.operations[slot].unschedulable
	r.operations[slot].unschedulable = nil
	if episode.ToTime, episode.ClippedTo = now, clipped; r.Begun && episode.FromTime < now {
		episode.FromTime = max(episode.FromTime, r.from)
		r.unschedulableRows.Add(now, episode)
	}
}

func compareUnschedulable(a, b *tables.UnschedulableEpisode) int {
	return cmp.Compare(a.Operation, b.Operation)
}
