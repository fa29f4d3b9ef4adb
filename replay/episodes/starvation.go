package episodes

import (
	"cmp"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// starvations holds the episodes of a pool or an operation: one of each kind, because each has its
// own clock; they may overlap (core/spec/scheduling.md §17.2). In the profile Legacy both kinds
// share a clock, and one ends when the other begins (§7.6).
type starvations struct {
	of          [2]starvation // of the min share and of the fair share
	opportunity opportunity   // of an operation
	begun       int64         // serial of the start of the clocks to which they belong

	// Before the window: episodes that ended while the element continued to starve for the other
	// share. Starved time counts once, so they belong to the open episode.
	before []tables.StarvationEpisode
}

// A starvation is the open starvation episode of one kind, if any, with the inputs of its sums.
type starvation struct {
	open   bool
	row    tables.StarvationEpisode
	summed core.Time // until when the sums are complete

	owed, delivered float64 // at present
	limited         bool    // at present
}

// A starver is a starving element.
type starver struct {
	row     tables.StarvationEpisode // columns common to its episodes
	element fairshare.Element
	sample  *sample
	limited bool
}

// starve opens, extends or closes the episodes of an element, given its current starvation, nil if
// it does not starve, and the cause of the end.
func (x *starvations) starve(r *Recorder, now core.Time, s *starver, end tables.StarvationEnd) {
	if s == nil && !x.of[0].open && !x.of[1].open {
		return
	}
	if s != nil && r.Log.Profile == core.Legacy {
		end = tables.StarvationChanged // only the kind changed: the clock is the same
	}
	for i, kind := range [...]scheduling.Kind{scheduling.MinShare, scheduling.FairShare} {
		h := &x.of[i]
		var clock scheduling.Clock
		if s != nil {
			clock = r.Core.Scheduling().Starvation(s.element).OfKind(kind)
		}
		switch {
		case clock.Status == scheduling.NonStarving && h.open:
			x.close(r, h, now, end)
		case clock.Status == scheduling.NonStarving:
		case !h.open:
			h.openEpisode(r, now, s, kind, clock)
			fallthrough
		default:
			h.setState(r, now, s, clock.Status)
		}
	}
	if !x.of[0].open && !x.of[1].open {
		x.before = x.before[:0]
	}
}

// endOf returns the cause of an end, which changes if the element's clocks restarted.
func (x *starvations) endOf(r *Recorder, now core.Time, e fairshare.Element, end tables.StarvationEnd) tables.StarvationEnd {
	begun := r.Core.Scheduling().Begun(e)
	if end == tables.StarvationRecovered && (r.Core.Restarted() == now || x.begun != begun) {
		end = tables.StarvationForgotten
	}
	x.begun = begun
	return end
}

// openEpisode opens the episode of one kind.
func (h *starvation) openEpisode(r *Recorder, now core.Time, s *starver, kind scheduling.Kind, clock scheduling.Clock) {
	h.open, h.summed, h.row = true, now, s.row
	h.row.For, h.row.Gap = kind, -1
	h.row.Since, h.row.FromTime, h.row.ClippedFrom = core.Time(clock.Since), now, now == r.Log.Window.From && !r.Begun
	tree := r.Core.Scheduling()
	own := tree.Effective(s.element)
	fair, minShare := scheduling.Timeouts{Starving: own.Timeout}, own.MinShareTimeout
	if tree.IsOperation(s.element) {
		fair, minShare = tree.OperationTimeouts(s.element)
	}
	h.row.Timeout, h.row.Tolerance = fair.Starving, own.Tolerance
	if kind == scheduling.MinShare {
		h.row.Timeout, h.row.Tolerance = minShare, 1
	}
}

// setState adds the previous state to the sums and sets the current one.
func (h *starvation) setState(r *Recorder, now core.Time, s *starver, status scheduling.Status) {
	h.sumTo(now)
	if status > h.row.Status && status == scheduling.AggressivelyStarving {
		h.row.Aggressive = core.Some(now)
	}
	h.row.Status = max(h.row.Status, status)
	bound, usage := s.sample.FairShare, s.sample.UsageShare
	if h.row.For == scheduling.MinShare {
		bound = s.sample.StrongShare
	}
	bound = bound.Min(s.sample.DemandShare)
	worst := 0
	for k := range bound {
		if bound[k]-usage[k] > bound[worst]-usage[worst] {
			worst = k
		}
	}
	h.owed, h.delivered = bound[worst], min(usage[worst], bound[worst])
	if gap := h.owed - h.delivered; gap > h.row.Gap {
		h.row.Gap, h.row.GapTime, h.row.Resource = gap, now, resource.Kind(worst)
	}
	h.limited = s.limited
}

func (h *starvation) sumTo(now core.Time) {
	length := now - h.summed
	addShare(&h.row.Owed, h.owed, float64(length))
	addShare(&h.row.Delivered, h.delivered, float64(length))
	if h.limited {
		h.row.Limited += int64(length)
	}
	h.summed = now
}

func (x *starvations) close(r *Recorder, h *starvation, now core.Time, end tables.StarvationEnd) {
	h.sumTo(now)
	h.open = false
	h.row.ToTime, h.row.End, h.row.ClippedTo = now, end, end == tables.StarvationGoesOn
	x.opportunity.fill(&h.row)
	switch {
	case h.row.FromTime >= now:
	case r.Begun:
		r.starvationEpisodes.Add(now, &h.row)
	default:
		x.before = append(x.before, h.row)
	}
}

// cut splits the open episodes at an instant. The parts that end are written if the log records all
// of them.
func (x *starvations) cut(r *Recorder, at core.Time, recorded bool) {
	for i := range x.of {
		h := &x.of[i]
		if !h.open {
			continue
		}
		h.sumTo(at)
		h.row.ToTime, h.row.End, h.row.ClippedTo = at, tables.StarvationGoesOn, true
		x.opportunity.fill(&h.row)
		if recorded && h.row.FromTime < at {
			r.earlierStarvations.Add(at, &tables.EarlierStarvationEpisode{StarvationEpisode: h.row})
		}
		h.row = tables.StarvationEpisode{
			Element: h.row.Element, Pool: h.row.Pool, Operation: h.row.Operation, For: h.row.For, Since: h.row.Since,
			FromTime: at, ClippedFrom: true, Timeout: h.row.Timeout, Tolerance: h.row.Tolerance, Gap: -1,
		}
	}
	for i := range x.before {
		if recorded {
			r.earlierStarvations.Add(at, &tables.EarlierStarvationEpisode{StarvationEpisode: x.before[i]})
		}
	}
	x.before = nil
	if x.opportunity.starving {
		x.opportunity.cut(at)
	}
}

// until returns when an operation last ceased to starve with a status or a stronger one,
// scheduling.Never if it still does or never did.
func (x *starvations) until(operation core.OperationID, status scheduling.Status) int64 {
	at := scheduling.Never
	for i := range x.of {
		if row := &x.of[i].row; !x.of[i].open && row.Operation == core.Some(operation) && row.Status >= status {
			at = max(at, int64(row.ToTime))
		}
	}
	return at
}

func compareStarving(a, b *tables.StarvationEpisode) int {
	return cmp.Or(
		cmp.Compare(a.Element, b.Element), cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Operation.Value, b.Operation.Value),
		cmp.Compare(a.FromTime, b.FromTime), cmp.Compare(a.For, b.For),
	)
}

// statusOf returns the status of an operation; one that does not take part does not starve.
func (r *Recorder) statusOf(o *core.Operation) (scheduling.Status, scheduling.Kind) {
	if !o.Enabled() {
		return scheduling.NonStarving, scheduling.Nothing
	}
	h := r.Core.Scheduling().Starvation(o.Element)
	return h.Status(), h.For()
}

// followStarvation updates the episodes of the operation in a slot, given its sample.
func (r *Recorder) followStarvation(slot int32, o *core.Operation, now core.Time, s *sample) {
	if own := &r.operations[slot].starvations; own.of[0].isOfAnother(o.ID) || own.of[1].isOfAnother(o.ID) {
		r.starveOperation(slot, now, nil, tables.StarvationFinished) // the slot was reused for this operation
	}
	end := r.endOfStarvation(o, now)
	if o.Enabled() {
		end = r.operations[slot].starvations.endOf(r, now, o.Element, end)
	}
	r.starveOperation(slot, now, r.starvingOperation(o, s), end)
}

// isOfAnother reports whether the open episode belongs to another operation.
func (h *starvation) isOfAnother(id core.OperationID) bool {
	return h.open && h.row.Operation != core.Some(id)
}

// starveOperation calls starve for the operation in a slot.
func (r *Recorder) starveOperation(slot int32, now core.Time, s *starver, end tables.StarvationEnd) {
	r.operations[slot].starvations.starve(r, now, s, end)
	r.preemptionOpportunities.updateStarving(r, slot, now)
}

// starvingPool returns the starvation of a pool, nil if it does not starve.
func (r *Recorder) starvingPool(slot int32, p *core.Pool, s *sample) *starver {
	if slot == 0 || r.Core.Scheduling().Starvation(p.Element).Status() == scheduling.NonStarving {
		return nil
	}
	x := &r.starving
	*x = starver{element: p.Element, sample: s, limited: atLimit(r.Core, slot)}
	x.row.Element, x.row.Pool = tables.ElementPool, p.ID
	return x
}

// starvingOperation returns the starvation of an operation, nil if it does not starve.
func (r *Recorder) starvingOperation(o *core.Operation, s *sample) *starver {
	if status, _ := r.statusOf(o); status == scheduling.NonStarving {
		return nil
	}
	x := &r.starving
	*x = starver{element: o.Element, sample: s, limited: r.operationAtLimit(o)}
	x.row.Element, x.row.Operation, x.row.Pool = tables.ElementOperation, core.Some(o.ID), r.Core.Pool(o.Pool).ID
	return x
}

// operationAtLimit reports whether an operation or one of its pools has reached a specified limit
// of a resource that the operation still wants.
func (r *Recorder) operationAtLimit(o *core.Operation) bool {
	wanted := o.Demand().Sub(o.Usage)
	limits := &o.Params.ResourceLimits.Value
	for k, set := range limits.Set {
		if set && wanted[k] > 0 && o.Usage[k] >= limits.Amounts[k] {
			return true
		}
	}
	for p := o.Pool; p >= 0; p = r.Core.Pool(p).Parent {
		pool := r.Core.Pool(p)
		for k, set := range pool.Config.ResourceLimits.Set {
			if set && wanted[k] > 0 && pool.Usage[k] >= pool.Config.ResourceLimits.Amounts[k] {
				return true
			}
		}
	}
	return false
}

// endOfStarvation returns why an operation no longer starves. One without pending jobs since its
// last job started was served.
func (r *Recorder) endOfStarvation(o *core.Operation, now core.Time) tables.StarvationEnd {
	switch {
	case o.Ended:
		return tables.StarvationFinished
	case !o.Running:
		return tables.StarvationNotRunning
	case o.Suspended:
		return tables.StarvationSuspended
	case o.Needed.IsZero() && now-o.LastStart > core.UpdatePeriod(r.Core.Cluster()):
		return tables.StarvationNoDemand
	}
	return tables.StarvationRecovered
}
