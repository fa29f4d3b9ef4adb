package replay

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A deficit says below which of its shares an element is by its record, whether
// another admissible reading of the record says otherwise, and whether a tick since
// the record before may have seen it otherwise.
type deficit struct {
	bounds
	doubtful, wavered bool
	otherClock        bool // in Legacy such a tick may have been below the other share, whose timeout then counted (§7.6)
}

// bounds are the shares that an element is below.
type bounds struct{ fair, minShare bool }

// belowOf reads the record of an element, whose tolerance is the effective one.
func (r *recorder) belowOf(v *view, j *judgedElement, tolerance float64) deficit {
	if j.unschedulable {
		return deficit{}
	}
	x := &v.state
	look := func(m measures, usage resource.Share) bounds {
		return r.boundsAbove(m, usage, j.operation, tolerance)
	}
	now := measuresOf(x)
	b := deficit{bounds: look(now, x.UsageShare.Plus(scheduling.Equal))}
	b.doubtful = b.bounds != look(now, x.UsageShare) // the scheduler compares exactly
	if x.Usage != j.usage {                          // the jobs of the log do not confirm it
		b.doubtful = b.doubtful || look(now, x.UsageShare.Scale(1-r.snapshots.slacks.OnUsage)) != look(now, x.UsageShare.Scale(1+r.snapshots.slacks.OnUsage))
	}
	if spare := r.spareShare(j); !scheduling.Covered(now.fair, now.demand) {
		b.doubtful = b.doubtful || b.bounds != look(now, x.UsageShare.Add(spare))
	}
	before := now
	least, most := r.swungShares(x, j)
	if v.had { // what was used then may have been so until the shares were those of now
		before = measuresOf(&v.previous)
		least, most = least.Min(v.previous.UsageShare), most.Max(v.previous.UsageShare.Plus(scheduling.Equal))
	}
	unmet, waned := j.leastUnmet(x)
	scarce, ample := j.swungFair(now)
	for _, m := range [...]measures{now, before, scarce, ample} {
		for _, usage := range [...]resource.Share{least, most} {
			r.waver(&b, look(m, usage))
			if waned {
				r.waver(&b, look(m.upTo(usage.Add(unmet)), usage))
			}
		}
	}
	return b
}

// spareShare is how far an operation that is not entitled to all it wants may fall short
// of its share in Current: builds of it may leave aside less than the smallest job takes,
// of which no log tells (core/spec/scheduling.md §15.7).
func (r *recorder) spareShare(j *judgedElement) resource.Share {
	if r.opts.Profile != core.Current || !j.operation {
		return resource.Share{}
	}
	_, id := r.core.Owner(j.element)
	slot, ok := r.core.OperationOf(id)
	if !ok {
		return resource.Share{}
	}
	return r.core.SmallestJob(slot).ShareOf(r.snapshots.total)
}

// waver takes in what a tick since the record before may have seen.
func (r *recorder) waver(b *deficit, other bounds) {
	b.wavered = b.wavered || other != b.bounds
	b.otherClock = b.otherClock || r.opts.Profile == core.Legacy && other.fair && other.minShare != b.minShare
}

// Measures are the shares that say what an element is below.
type measures struct{ fair, demand, strong resource.Share }

func measuresOf(x *core.RecordedState) measures {
	return measures{x.FairShare, x.DemandShare, x.StrongShare}
}

// upTo are the measures of an element that demands no more than that, and is then due
// no more either (GUA-09).
func (m measures) upTo(demand resource.Share) measures {
	m.demand = m.demand.Min(demand)
	m.fair = m.fair.Min(m.demand)
	return m
}

// boundsAbove are those of the shares that some usage is below (core/spec/scheduling.md
// §7.1, §7.6, §17.2).
func (r *recorder) boundsAbove(m measures, usage resource.Share, operation bool, tolerance float64) bounds {
	if operation && scheduling.Covered(m.fair, m.demand) {
		tolerance = 1
	}
	if r.opts.Profile == core.Legacy {
		kind := scheduling.LegacyStatus(usage.Dominant(), m.fair.Dominant(), m.demand.Dominant(), m.strong.Dominant(), tolerance)
		return bounds{fair: kind != scheduling.Nothing, minShare: kind == scheduling.MinShare}
	}
	return bounds{
		fair:     scheduling.BelowShare(m.fair, m.demand, usage, m.fair.Scale(tolerance)),
		minShare: scheduling.BelowShare(m.fair, m.demand, usage, m.strong),
	}
}

// A swing keeps between which amounts the usage of an element and its fair share moved since
// the record before, and the least that it waited for beyond that, of which ticks between the
// records may have seen any. What takes no part waits for nothing, and is due nothing.
type swing struct {
	usage extremes
	unmet resource.Vector
	fair  shareRange
}

func (s *swing) note(usage, demand resource.Vector, fair resource.Share) {
	unmet, due := demand.Sub(usage), only(fair)
	if s.usage.set {
		unmet, due = s.unmet.Min(unmet), s.fair.with(due)
	}
	s.unmet, s.fair = unmet, due
	s.usage.take(usage)
}

// since returns what was kept and begins anew.
func (s *swing) since() swing {
	was := *s
	*s = swing{}
	return was
}

// take takes another amount in.
func (e *extremes) take(amount resource.Vector) {
	if !e.set {
		*e = extremes{true, amount, amount}
		return
	}
	e.least, e.most = e.least.Min(amount), e.most.Max(amount)
}

// swungShares are the least and the most that an element may have used since the
// record before. Of a resource of which the jobs of the log never used what is recorded
// only how far they moved counts.
func (r *recorder) swungShares(x *core.RecordedState, j *judgedElement) (least, most resource.Share) {
	if least, most = x.UsageShare, x.UsageShare; j.swing.usage.set {
		total, usage := r.snapshots.total, &j.swing.usage
		off := x.UsageShare.Sub(j.usage.ShareOf(total))
		for k, recorded := range x.Usage {
			if usage.least[k] <= recorded && recorded <= usage.most[k] {
				off[k] = 0
			}
		}
		least, most = least.Min(usage.least.ShareOf(total).Add(off)), most.Max(usage.most.ShareOf(total).Add(off))
	}
	return least, most.Plus(scheduling.Equal)
}

// swungFair are the measures of an element that was due as much less or more as its fair
// share has been since the record before.
func (j *judgedElement) swungFair(now measures) (least, most measures) {
	if least, most = now, now; j.swing.usage.set {
		least.fair = now.fair.Sub(j.fair.Sub(j.swing.fair.least)).Max(resource.Share{})
		most.fair = now.fair.Add(j.swing.fair.most.Sub(j.fair)).Min(now.demand)
	}
	return least, most
}

// leastUnmet is the least of its recorded demand beyond usage that an element may have
// had since the record before: the part of it that the log says was left.
func (j *judgedElement) leastUnmet(x *core.RecordedState) (unmet resource.Share, waned bool) {
	unmet = x.DemandShare.Sub(x.UsageShare)
	if !j.swing.usage.set {
		return unmet, false
	}
	for k, now := range j.demand.Sub(j.usage) {
		if least := j.swing.unmet[k]; least < now {
			unmet[k] *= float64(least) / float64(now)
			waned = true
		}
	}
	return unmet, waned
}
