package replay

import (
	"cmp"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// A hunger is the open starvation episode of a pool or an operation, if it
// starves, with the state that its sums are made of.
type hunger struct {
	open   bool
	row    tables.StarvationEpisode
	summed core.Time // until when the sums are complete

	owed, delivered float64 // at present
	limited         bool    // at present
}

// A starver is an element that starves at present.
type starver struct {
	element   tables.ElementKind
	pool      core.PoolID
	operation core.Optional[core.OperationID]

	status    scheduling.Status
	kind      scheduling.Kind
	since     core.Time
	timeout   int64
	tolerance float64

	bound, usage resource.Share // what it is entitled to and demands, and what it has
	limited      bool
}

// starve opens, carries on or closes the episode of an element, given how it
// starves now, nil if it does not, and the cause of the end in that case.
func (h *hunger) starve(r *recorder, now core.Time, s *starver, end tables.StarvationEnd) {
	if h.open && s != nil && s.kind != h.row.For {
		h.close(r, now, tables.StarvationChanged)
	}
	switch {
	case s == nil && h.open && end == tables.StarvationRecovered && r.core.Restarted() == now:
		h.close(r, now, tables.StarvationForgotten)
	case s == nil && h.open:
		h.close(r, now, end)
	case s == nil:
	case !h.open:
		h.open, h.summed = true, now
		h.row = tables.StarvationEpisode{
			Element: s.element, Pool: s.pool, Operation: s.operation, For: s.kind,
			Since: s.since, FromTime: now, ClippedFrom: now == r.from && !r.begun, Gap: -1,
			Timeout: s.timeout, Tolerance: s.tolerance,
		}
		fallthrough
	default:
		h.take(now, s)
	}
}

// take completes the sums with the state that held until now and takes over the
// present one.
func (h *hunger) take(now core.Time, s *starver) {
	h.sumTo(now)
	if s.status > h.row.Status && s.status == scheduling.AggressivelyStarving {
		h.row.Aggressive = core.Some(now)
	}
	h.row.Status = max(h.row.Status, s.status)
	worst := 0
	for k := range s.bound {
		if s.bound[k]-s.usage[k] > s.bound[worst]-s.usage[worst] {
			worst = k
		}
	}
	h.owed, h.delivered = s.bound[worst], min(s.usage[worst], s.bound[worst])
	if gap := h.owed - h.delivered; gap > h.row.Gap {
		h.row.Gap, h.row.GapTime, h.row.Resource = gap, now, resource.Kind(worst)
	}
	h.limited = s.limited
}

func (h *hunger) sumTo(now core.Time) {
	length := now - h.summed
	h.row.Owed += shareSeconds(h.owed, float64(length))
	h.row.Delivered += shareSeconds(h.delivered, float64(length))
	if h.limited {
		h.row.Limited += int64(length)
	}
	h.summed = now
}

func (h *hunger) close(r *recorder, now core.Time, end tables.StarvationEnd) {
	h.sumTo(now)
	h.open = false
	h.row.ToTime, h.row.End, h.row.ClippedTo = now, end, end == tables.StarvationGoesOn
	if h.row.FromTime < now {
		r.starvingRows.add(now, &h.row)
	}
}

func compareStarving(a, b *tables.StarvationEpisode) int {
	return cmp.Or(
		cmp.Compare(a.Element, b.Element), cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Operation.Value, b.Operation.Value),
		cmp.Compare(a.FromTime, b.FromTime), cmp.Compare(a.For, b.For),
	)
}

// statusOf returns how an operation starves; one that takes no part does not.
func (r *recorder) statusOf(o *core.Operation) (scheduling.Status, scheduling.Kind) {
	if !o.Enabled() {
		return scheduling.NonStarving, scheduling.Nothing
	}
	h := r.core.Scheduling().Starvation(o.Element)
	return h.Status(), h.For()
}

// starvingPool returns how a pool starves, nil if it does not.
func (r *recorder) starvingPool(slot int32, p *core.Pool, s *sample) *starver {
	if slot == 0 || r.core.Scheduling().Starvation(p.Element).Status() == scheduling.NonStarving {
		return nil
	}
	x := r.starver(p.Element, s)
	x.element, x.pool = tables.ElementPool, p.ID
	x.limited = atLimit(r.core, slot)
	return x
}

// starvingOperation returns how an operation starves, nil if it does not.
func (r *recorder) starvingOperation(slot int32, o *core.Operation, s *sample) *starver {
	if status, _ := r.statusOf(o); status == scheduling.NonStarving {
		return nil
	}
	x := r.starver(o.Element, s)
	x.element, x.operation, x.pool = tables.ElementOperation, core.Some(o.ID), r.core.Pool(o.Pool).ID
	x.limited = r.operationAtLimit(o)
	return x
}

// starver fills what pools and operations have in common.
func (r *recorder) starver(e fairshare.Element, s *sample) *starver {
	tree := r.core.Scheduling()
	h, own := tree.Starvation(e), tree.Entitlement(e)
	x := &r.starving
	*x = starver{status: h.Status(), kind: h.For(), usage: s.UsageShare, tolerance: own.Tolerance, timeout: own.Timeout}
	clock, bound := &h.FairShare, s.FairShare
	if x.kind == scheduling.MinShare {
		bound, x.tolerance, x.timeout = s.StrongShare, 1, own.MinShareTimeout
		if r.opts.Profile != core.Legacy { // which has one clock
			clock = &h.MinShare
		}
	}
	x.since, x.bound = core.Time(clock.Since), bound.Min(s.DemandShare)
	if tree.IsOperation(e) {
		fair, minShare := tree.OperationTimeouts(e)
		x.timeout = fair.Starving
		if x.kind == scheduling.MinShare {
			x.timeout = minShare
		}
	}
	return x
}

// operationAtLimit reports whether an operation or one of its pools has used up
// a specified limit of a resource that the operation still wants.
func (r *recorder) operationAtLimit(o *core.Operation) bool {
	wanted := o.Demand().Sub(o.Usage)
	limits := &o.Params.ResourceLimits.Value
	for k, set := range limits.Set {
		if set && wanted[k] > 0 && o.Usage[k] >= limits.Amounts[k] {
			return true
		}
	}
	for p := o.Pool; p >= 0; p = r.core.Pool(p).Parent {
		pool := r.core.Pool(p)
		for k, set := range pool.Config.ResourceLimits.Set {
			if set && wanted[k] > 0 && pool.Usage[k] >= pool.Config.ResourceLimits.Amounts[k] {
				return true
			}
		}
	}
	return false
}

// endOfStarvation says why an operation that starved until the update before does not
// any more. One that waits for no job since the last of them started was served.
func (r *recorder) endOfStarvation(o *core.Operation, now core.Time) tables.StarvationEnd {
	switch {
	case o.Ended:
		return tables.StarvationFinished
	case !o.Running:
		return tables.StarvationNotRunning
	case o.Suspended:
		return tables.StarvationSuspended
	case o.Needed.IsZero() && now-o.LastStart > core.UpdatePeriod(r.core.Cluster()):
		return tables.StarvationNoDemand
	}
	return tables.StarvationRecovered
}
