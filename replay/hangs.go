package replay

import (
	"cmp"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// followHang opens, carries on or closes the hang of an operation (LIM-10,
// core/spec/scheduling.md §5.9).
func (r *recorder) followHang(slot int32, o *core.Operation, now core.Time) {
	track := &r.operations[slot]
	var found *tables.Hang
	check := r.hangCheck(o)
	if r.hangChecks == nil {
		r.hangChecks = make([]tables.HangCheck, len(r.dims.Operations))
	}
	r.hangChecks[o.ID] = max(r.hangChecks[o.ID], check)
	if check == tables.HangChecked {
		found = r.smallerLimit(o)
	}
	if old := track.hang; old != nil && (found == nil || old.Operation != o.ID || old.LimitPool != found.LimitPool || old.Resource != found.Resource) {
		r.closeHang(slot, now, false)
	}
	if found == nil {
		return
	}
	if track.hang == nil {
		found.FromTime, found.ClippedFrom = now, !r.begun
		track.hang = found
	}
}

// hangCheck is whether such a limit is looked for now.
func (r *recorder) hangCheck(o *core.Operation) tables.HangCheck {
	switch {
	case !o.Alive || !o.Running || o.Suspended || o.Ended || o.Needed.IsZero():
		return tables.HangNeverWaited
	case !r.isAncestorChecked(o):
		return tables.HangUnchecked
	case o.MinNeeded.IsZero():
		return tables.HangUnsized
	}
	return tables.HangChecked
}

// isAncestorChecked reports whether neither the tree nor the operation's spec
// switches the check off.
func (r *recorder) isAncestorChecked(o *core.Operation) bool {
	return r.core.Config().LimitingAncestorCheck.Or(true) && o.Params.LimitingAncestorCheck.Or(true)
}

// smallerLimit finds the lowest specified limit that the smallest job of an
// operation exceeds, nil if there is none.
func (r *recorder) smallerLimit(o *core.Operation) *tables.Hang {
	of := func(limits resource.Partial, pool core.Optional[core.PoolID]) *tables.Hang {
		for k, set := range limits.Set {
			if set && o.MinNeeded[k] > limits.Amounts[k] {
				return &tables.Hang{
					Operation: o.ID, Pool: r.core.Pool(o.Pool).ID, LimitPool: pool,
					Resource: resource.Kind(k), Needed: o.MinNeeded[k], Limit: limits.Amounts[k],
				}
			}
		}
		return nil
	}
	if found := of(o.Params.ResourceLimits.Value, core.Optional[core.PoolID]{}); found != nil {
		return found
	}
	for p := o.Pool; p > 0; p = r.core.Pool(p).Parent {
		pool := r.core.Pool(p)
		if found := of(pool.Config.ResourceLimits, core.Some(pool.ID)); found != nil {
			return found
		}
	}
	return nil
}

// followHangs looks at all operations after a change of a pool's limits.
func (r *recorder) followHangs(now core.Time) {
	for slot := range r.operations {
		if o := r.core.Operation(int32(slot)); o.Alive {
			r.followHang(int32(slot), o, now)
		}
	}
}

func (r *recorder) closeHang(slot int32, now core.Time, clipped bool) {
	hang := r.operations[slot].hang
	r.operations[slot].hang = nil
	if hang.ToTime, hang.ClippedTo = now, clipped; r.begun && hang.FromTime < now {
		hang.FromTime = max(hang.FromTime, r.from)
		r.hangRows.add(now, hang)
	}
}

func compareHangs(a, b *tables.Hang) int { return cmp.Compare(a.Operation, b.Operation) }
