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

// guarantees are the guarantees that go unmet at present.
type guarantees struct {
	open []*unmet // in slot order, the strong guarantee of a pool before its integral one

	above   int    // pools that use more than their fair share
	version uint64 // counts the changes of that set

	look  core.Time // the first look of those that are due
	wants []want    // reused
	node  int32     // where couldTake looked last
}

// An unmet is an open episode with the state that its sums are made of.
type unmet struct {
	slot   int32
	row    tables.GuaranteeEpisode
	summed core.Time // until when the sums are complete

	owed, delivered float64 // at present
	others, limited bool    // at present
	version         uint64  // of the set that others was found in

	look   core.Time // when it is next looked at whether preemption could make room
	may    stretch   // of room for a job as small as the log has it at least
	surely stretch   // of room for a job whose size the log records
}

// A debt is what one guarantee owes a pool at an instant: usage from one share up
// to another, of the resources that it names.
type debt struct {
	kind     tables.GuaranteeKind
	named    *[resource.Kinds]bool
	from, to resource.Share
	job      resource.Share // the least that may be missing; less is no job's
}

// strongDebt is what the strong guarantee of a pool owes it, as far as it demands
// that.
func strongDebt(p *core.Pool, s *sample) debt {
	return debt{kind: tables.StrongGuarantee, named: &p.Config.StrongGuarantee.Set, to: s.StrongShare.Min(s.DemandShare)}
}

// integralDebt is what the integral guarantee of a pool adds to that. The integral part of the
// fair share already respects volume, flow, limits and demand.
func integralDebt(p *core.Pool, shares *fairshare.Shares) debt {
	i := &p.Config.Integral
	d := debt{kind: tables.BurstGuarantee, named: &i.Burst.Set, from: shares.Strong, to: shares.Strong.Add(shares.Integral)}
	if i.Type == core.Relaxed {
		d.kind, d.named = tables.RelaxedGuarantee, &i.Flow.Set
	}
	return d
}

// isUnmet reports whether usage is below what is owed.
func (d *debt) isUnmet(s *sample) bool {
	return d.to != d.from && dominates(d.named, s.FairShare, s.DemandShare, d.to, s.UsageShare.Add(d.job))
}

// aboveMargin is how far usage must exceed fair share to count as more than it:
// eps of core/spec/invariants.md §1.
const aboveMargin = 1e-4

// watch notes a pool's state at an instant.
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
		if r.Log.Profile == core.Legacy { // which goes by the dominant resource alone (core/spec/scheduling.md §7.6)
			unmet = unmet && s.UsageRatio < min(s.MinShareRatio, s.DemandRatio)
		}
		g.follow(r, slot, &d, unmet, s)
	}
	if integral := p.Config.Integral.Type != core.NoIntegral; integral || len(g.open) > 0 {
		d := integralDebt(p, &r.Core.Shares(p.Element).FairShare)
		below := integral && d.isUnmet(s)
		if below { // the part is no round number of jobs
			d.job = r.Core.LeastJob(slot).ShareOf(r.Core.ShareTotal())
			below = d.isUnmet(s)
		}
		g.follow(r, slot, &d, below, s)
	}
}

// follow opens, carries on or closes the episode of one guarantee.
func (g *guarantees) follow(r *Recorder, slot int32, d *debt, below bool, s *sample) {
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
		g.open[at].take(r.Now, d, s)
	case open:
		g.close(r, at, r.Now, false)
	}
}

// setAbove keeps, for every pool, how many of the pools below it and itself use
// more than their fair share. Moves were followed before.
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

// countAbove adds to the count of a pool and of all it stands in.
func (g *guarantees) countAbove(r *Recorder, slot int32, n int) {
	for p := slot; p >= 0; p = r.Core.Pool(p).Parent {
		r.pools[p].aboveHere += n
	}
}

// followMoves counts anew if a pool stands elsewhere than before: what is above
// below it was counted where it stood.
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

// forget ends what concerns a pool that is gone.
func (g *guarantees) forget(r *Recorder, slot int32, now core.Time) {
	g.setAbove(r, slot, false)
	for _, integral := range [...]bool{false, true} {
		if at, open := g.find(slot, integral); open {
			g.close(r, at, now, false)
		}
	}
}

// dominates reports whether left exceeds right in what an element can still use
// (core/spec/scheduling.md §1.4), of the resources that the guarantee names: the others' parts of
// it are inferred, not promised.
func dominates(named *[resource.Kinds]bool, fairShare, demand, left, right resource.Share) bool {
	for k := range named {
		if !named[k] { // wants none of it, so that it decides nothing
			demand[k], left[k], right[k] = 0, 0, 0
		}
	}
	return scheduling.Dominates(fairShare, demand, left, right)
}

// take completes the sums with the state that held until now and takes over
// the present one.
func (u *unmet) take(now core.Time, d *debt, s *sample) {
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

// find returns where the episode of a pool's strong or integral guarantee stands,
// or would stand.
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

// settle looks, at the end of an instant, for others that had the missing share.
func (g *guarantees) settle(r *Recorder, now core.Time) {
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

// followService breaks the stretch of a pool that preemption serves at this instant: taking job
// by job, as fast as stages run, is no neglect, even if jobs of the pool end as fast. The log
// names the beneficiary, or it is the operation that got a job on the node with it.
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
		if e.For != core.Unknown {
			if slot, alive := r.Core.OperationOf(e.For); alive {
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

// atLimit reports whether a pool or an ancestor has used up a specified limit of
// a resource that the pool still wants: then its jobs wait for its own to finish
// (core/spec/scheduling.md §11.2).
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

// cut ends the rows of all open episodes at an instant, and begins others. Those that end are
// written where the log records everything of them.
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
