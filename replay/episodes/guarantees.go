package episodes

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// guarantees holds the guarantees that are currently unmet.
type guarantees struct {
	open []*unmet // in slot order, the strong guarantee of a pool before its integral one

	above   int    // pools that use more than their fair share
	version uint64 // counts the changes of that set

	look  core.Time // the earliest look that is due
	wants []want    // reused
	node  int32     // last node that couldTake visited
}

// An unmet is an open episode with the inputs of its sums.
type unmet struct {
	slot   int32
	row    tables.GuaranteeEpisode
	summed core.Time // until when the sums are complete

	owed, delivered float64 // at present
	others, limited bool    // at present
	version         uint64  // of the set for which others was determined

	look   core.Time // next check whether preemption could make room
	may    stretch   // of room for a job of the least recorded size
	surely stretch   // of room for a job of a recorded size
}

// A debt is the share that one guarantee promises a pool at an instant: from one share up to
// another, in the resources that it names.
type debt struct {
	kind     tables.GuaranteeKind
	named    *[resource.Kinds]bool
	from, to resource.Share
	job      resource.Share // the smallest job; less is not a deficit
}

// strongDebt returns the debt of a pool's strong guarantee, capped at its demand.
func strongDebt(p *core.Pool, s *sample) debt {
	return debt{kind: tables.StrongGuarantee, named: &p.Config.StrongGuarantee.Set, to: s.StrongShare.Min(s.DemandShare)}
}

// integralDebt returns the additional debt of a pool's integral guarantee. The integral part of the
// fair share already respects volume, flow, limits and demand.
func integralDebt(p *core.Pool, shares *fairshare.Shares) debt {
	i := &p.Config.Integral
	d := debt{kind: tables.BurstGuarantee, named: &i.Burst.Set, from: shares.Strong, to: shares.Strong.Add(shares.Integral)}
	if i.Type == core.Relaxed {
		d.kind, d.named = tables.RelaxedGuarantee, &i.Flow.Set
	}
	return d
}

// isUnmet reports whether usage is below the debt.
func (d *debt) isUnmet(s *sample) bool {
	return d.to != d.from && dominates(d.named, s.FairShare, s.DemandShare, d.to, s.UsageShare.Add(d.job))
}

// aboveMargin is the tolerance for usage above the fair share: eps of core/spec/invariants.md §1.
const aboveMargin = 1e-4

// watch updates the guarantees of a pool at an instant.
func (g *guarantees) watch(r *Recorder, slot int32, p *core.Pool, s *sample) {
	if p.Parent < 0 {
		return
	}
	above := false
	for k := range s.UsageShare {
		above = above || s.UsageShare[k] > s.FairShare[k]+aboveMargin
	}
	g.setAbove(r, slot, above)
	if len(g.open) > 0 || !p.Config.StrongGuarantee.IsEmpty() {
		d := strongDebt(p, s)
		unmet := !p.Config.StrongGuarantee.IsEmpty() && d.isUnmet(s)
		if r.Log.Profile == core.Legacy { // which uses only the dominant resource (core/spec/scheduling.md §7.6)
			unmet = unmet && s.UsageRatio < min(s.MinShareRatio, s.DemandRatio)
		}
		g.updateEpisode(r, slot, &d, unmet, s)
	}
	if integral := p.Config.Integral.Type != core.NoIntegral; integral || len(g.open) > 0 {
		d := integralDebt(p, &r.Core.Shares(p.Element).FairShare)
		below := integral && d.isUnmet(s)
		if below { // the part need not be a whole number of jobs
			d.job = r.Core.LeastJob(slot).ShareOf(r.Core.ShareTotal())
			below = d.isUnmet(s)
		}
		g.updateEpisode(r, slot, &d, below, s)
	}
}

// updateEpisode opens, extends or closes the episode of one guarantee.
func (g *guarantees) updateEpisode(r *Recorder, slot int32, d *debt, below bool, s *sample) {
	at, open := g.find(slot, d.kind != tables.StrongGuarantee)
	if open && g.open[at].row.Kind != d.kind { // its type was changed
		g.close(r, at, r.Now, false)
		open = false
	}
	switch {
	case below && !open:
		g.open = append(g.open, nil)
		copy(g.open[at+1:], g.open[at:])
		g.open[at] = &unmet{
			slot: slot, summed: r.Now, look: r.Now + oldEnoughToLook, may: stretch{first: true}, surely: stretch{first: true},
			row: tables.GuaranteeEpisode{
				Kind: d.kind, Pool: r.Core.Pool(slot).ID, FromTime: r.Now, ClippedFrom: r.Now == r.Log.Window.From && !r.Begun, Gap: -1,
			},
		}
		if look := g.open[at].look; len(g.open) == 1 || look < g.look {
			g.look = look
		}
		fallthrough
	case below:
		g.open[at].setState(r.Now, d, s)
	case open:
		g.close(r, at, r.Now, false)
	}
}

// setAbove updates, for every pool, the number of pools at or below it that use more than their
// fair share. Moves were applied before.
func (g *guarantees) setAbove(r *Recorder, slot int32, above bool) {
	track := &r.pools[slot]
	if track.above == above {
		return
	}
	track.above = above
	g.version++
	n := 1
	if !above {
		n = -1
	}
	g.above += n
	g.countAbove(r, slot, n)
}

// countAbove adds to the count of a pool and its ancestors.
func (g *guarantees) countAbove(r *Recorder, slot int32, n int) {
	for p := slot; p >= 0; p = r.Core.Pool(p).Parent {
		r.pools[p].aboveHere += n
	}
}

// followMoves recounts if a pool was moved, because it was counted at its former parent.
func (g *guarantees) followMoves(r *Recorder) {
	moved := false
	for _, slot := range r.Core.Changes().Pools {
		parent := r.Core.Pool(slot).Parent
		moved = moved || r.pools[slot].under != parent
		r.pools[slot].under = parent
	}
	if !moved {
		return
	}
	g.version++
	for slot := range r.pools {
		r.pools[slot].aboveHere = 0
	}
	for slot := range r.pools {
		if r.pools[slot].above {
			g.countAbove(r, int32(slot), 1)
		}
	}
}

// forget ends the episodes of a removed pool.
func (g *guarantees) forget(r *Recorder, slot int32, now core.Time) {
	g.setAbove(r, slot, false)
	for _, integral := range [...]bool{false, true} {
		if at, open := g.find(slot, integral); open {
			g.close(r, at, now, false)
		}
	}
}

// dominates reports whether left exceeds right in what an element can still use
// (core/spec/scheduling.md §1.4), in the resources that the guarantee names: those of others are
// inferred, not promised.
func dominates(named *[resource.Kinds]bool, fairShare, demand, left, right resource.Share) bool {
	for k := range named {
		if !named[k] { // not wanted, so it does not decide
			demand[k], left[k], right[k] = 0, 0, 0
		}
	}
	return scheduling.Dominates(fairShare, demand, left, right)
}

// setState adds the previous state to the sums and sets the current one.
func (u *unmet) setState(now core.Time, d *debt, s *sample) {
	u.sumTo(now)
	worst, most := -1, 0.0
	for k, named := range d.named {
		if less := d.to[k] - max(s.UsageShare[k], d.from[k]); named && (worst < 0 || less > most) {
			worst, most = k, less
		}
	}
	u.owed = d.to[worst] - d.from[worst]
	u.delivered = min(max(s.UsageShare[worst]-d.from[worst], 0), u.owed)
	if gap := u.owed - u.delivered; gap > u.row.Gap {
		u.row.Gap, u.row.GapTime, u.row.Resource = gap, now, resource.Kind(worst)
		u.row.Guarantee, u.row.Demand, u.row.Usage = s.StrongShare[worst], s.DemandShare[worst], s.UsageShare[worst]
		if d.kind != tables.StrongGuarantee {
			u.row.Guarantee = d.to[worst]
		}
	}
}

func (u *unmet) sumTo(now core.Time) {
	length := now - u.summed
	addShare(&u.row.Owed, u.owed, float64(length))
	addShare(&u.row.Delivered, u.delivered, float64(length))
	if u.others {
		u.row.Others += int64(length)
	}
	if u.limited {
		u.row.Limited += int64(length)
	}
	u.summed = now
	if u.others && !u.limited {
		u.row.Withheld += int64(length)
		u.lengthen(int64(length))
	} else if length > 0 {
		u.may, u.surely = stretch{}, stretch{}
	}
}

// find returns the index of the episode of a pool's strong or integral guarantee, or where it would
// be inserted.
func (g *guarantees) find(slot int32, integral bool) (at int, open bool) {
	return slices.BinarySearchFunc(g.open, slot, func(u *unmet, slot int32) int {
		isIntegral := u.row.Kind != tables.StrongGuarantee
		switch {
		case u.slot != slot || isIntegral == integral:
			return cmp.Compare(u.slot, slot)
		case integral:
			return -1
		}
		return 1
	})
}

// findOthers determines, at the end of an instant, whether others had the missing share.
func (g *guarantees) findOthers(r *Recorder, now core.Time) {
	g.followService(r, now)
	for _, u := range g.open {
		limited := atLimit(r.Core, u.slot)
		if u.version == g.version && u.limited == limited && u.summed != u.row.FromTime {
			continue
		}
		u.sumTo(now)
		u.version, u.limited = g.version, limited
		u.others = g.above > 0 && g.othersAbove(r, u.slot)
	}
}

// followService ends the stretch of a pool that preemption serves at this instant: preempting job
// by job, as fast as stages run, is not neglect, even if jobs of the pool end as fast. The
// preemptor is recorded, or is the operation that got a job on the node at the same time.
func (g *guarantees) followService(r *Recorder, now core.Time) {
	if len(g.open) == 0 {
		return
	}
	c := r.Core.Changes()
	for i := range c.Ended {
		e := &c.Ended[i]
		if e.End != core.EndPreempted {
			continue
		}
		if e.Preemptor != core.Unknown {
			if slot, alive := r.Core.OperationOf(e.Preemptor); alive {
				g.served(r, r.Core.Operation(slot).Pool, now)
			}
			continue
		}
		for _, job := range c.Started {
			if j := r.Core.Job(job); j.Node >= 0 && j.Node == r.Core.Job(e.Slot).Node {
				g.served(r, r.Core.Operation(j.Operation).Pool, now)
			}
		}
	}
}

func (g *guarantees) served(r *Recorder, pool int32, now core.Time) {
	for _, u := range g.open {
		if r.Core.IsWithin(pool, u.slot) {
			u.sumTo(now)
			u.may, u.surely = stretch{}, stretch{}
		}
	}
}

// othersAbove reports whether a pool that is neither above nor below the given
// one uses more than its fair share.
func (g *guarantees) othersAbove(r *Recorder, slot int32) bool {
	off := g.above - r.pools[slot].aboveHere
	for p := r.Core.Pool(slot).Parent; p >= 0; p = r.Core.Pool(p).Parent {
		if r.pools[p].above {
			off--
		}
	}
	return off > 0
}

// atLimit reports whether a pool or an ancestor has reached a specified limit of a resource that
// the pool still wants: then its jobs wait for its own to finish (core/spec/scheduling.md §11.2).
func atLimit(t *core.Tree, slot int32) bool {
	owed := t.Pool(slot)
	for p := slot; p >= 0; p = t.Pool(p).Parent {
		pool := t.Pool(p)
		for k, set := range pool.Config.ResourceLimits.Set {
			if set && owed.Demand[k] > owed.Usage[k] && pool.Usage[k] >= pool.Config.ResourceLimits.Amounts[k] {
				return true
			}
		}
	}
	return false
}

func (g *guarantees) close(r *Recorder, at int, now core.Time, clipped bool) {
	u := g.open[at]
	g.open = append(g.open[:at], g.open[at+1:]...)
	u.end(now, clipped)
	if r.Begun && u.row.FromTime < now {
		r.guaranteeEpisodes.Add(now, &u.row)
	}
}

// end completes the row at an instant.
func (u *unmet) end(now core.Time, clipped bool) {
	u.sumTo(now)
	u.row.ToTime, u.row.ClippedTo = now, clipped
	if u.others && !u.limited {
		u.row.PreemptibleSince, u.row.SurelyPreemptibleSince = u.may.since(now), u.surely.since(now)
	}
}

// cut splits all open episodes at an instant. The parts that end are written if the log records all
// of them.
func (g *guarantees) cut(r *Recorder, at core.Time, recorded bool) {
	for _, u := range g.open {
		u.end(at, true)
		if recorded && u.row.FromTime < at {
			r.earlierGuarantees.Add(at, &tables.EarlierGuaranteeEpisode{GuaranteeEpisode: u.row})
		}
		u.row = tables.GuaranteeEpisode{Kind: u.row.Kind, Pool: u.row.Pool, FromTime: at, ClippedFrom: true, Gap: -1}
		u.may.cut()
		u.surely.cut()
	}
}

func (g *guarantees) finish(r *Recorder, to core.Time) {
	for len(g.open) > 0 {
		g.close(r, 0, to, true)
	}
}

func compareGuarantees(a, b *tables.GuaranteeEpisode) int {
	return cmp.Or(cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Kind, b.Kind))
}
