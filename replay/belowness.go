package replay

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A belowness says below which of its shares an element is by its record, whether
// another admissible reading of the record says otherwise, and whether a tick since
// the record before may have seen it otherwise.
type belowness struct {
	bounds
	doubtful, wavered bool
	otherClock        bool // in Legacy such a tick may have been below the other share, whose timeout then counted (§7.6)
}

// bounds are the shares that an element is below.
type bounds struct{ fair, minShare bool }

// belowOf reads the record of an element, whose tolerance is the effective one.
func (r *recorder) belowOf(v *view, j *judgedElement, tolerance float64) belowness {
	if j.unschedulable {
		return belowness{}
	}
	x := &v.state
	look := func(x *core.RecordedState, usage resource.Share) bounds {
		return r.boundsAbove(x, usage, j.operation, tolerance)
	}
	b := belowness{bounds: look(x, x.UsageShare.Plus(scheduling.Equal))}
	b.doubtful = b.bounds != look(x, x.UsageShare) // the scheduler compares exactly
	if x.Usage != j.usage {                        // the jobs of the log do not confirm it
		b.doubtful = b.doubtful || look(x, x.UsageShare.Scale(1-r.snapshots.slacks.OnUsage)) != look(x, x.UsageShare.Scale(1+r.snapshots.slacks.OnUsage))
	}
	previous := x
	if v.had {
		previous = &v.previous
	}
	least, most := r.swungShares(x, j)
	for _, other := range [...]bounds{look(x, least), look(x, most), look(previous, least), look(previous, most)} {
		b.wavered = b.wavered || other != b.bounds
		b.otherClock = b.otherClock || r.opts.Profile == core.Legacy && other.fair && other.minShare != b.minShare
	}
	return b
}

// boundsAbove are the shares of a record that some usage is below (spec/scheduling.md
// §7.1, §7.6, §17.2).
func (r *recorder) boundsAbove(x *core.RecordedState, usage resource.Share, operation bool, tolerance float64) bounds {
	if operation && scheduling.Covered(x.FairShare, x.DemandShare) {
		tolerance = 1
	}
	if r.opts.Profile == core.Legacy {
		kind := scheduling.LegacyStatus(usage.Dominant(), x.FairShare.Dominant(), x.DemandShare.Dominant(), x.StrongShare.Dominant(), tolerance)
		return bounds{fair: kind != scheduling.Nothing, minShare: kind == scheduling.MinShare}
	}
	return bounds{
		fair:     scheduling.BelowShare(x.FairShare, x.DemandShare, usage, x.FairShare.Scale(tolerance)),
		minShare: scheduling.BelowShare(x.FairShare, x.DemandShare, usage, x.StrongShare),
	}
}

// A swing keeps between which amounts the usage of an element moved since the
// record before, of which ticks between the records may have seen any.
type swing struct{ extremes }

func (s *swing) note(usage resource.Vector) {
	if !s.set {
		s.extremes = extremes{true, usage, usage}
		return
	}
	s.least, s.most = s.least.Min(usage), s.most.Max(usage)
}

// since returns the extremes and begins anew.
func (s *swing) since() extremes {
	e := s.extremes
	*s = swing{}
	return e
}

// swungShares are the least and the most that an element may have used since the
// record before. Where the jobs of the log do not confirm what is recorded, only how
// far they moved counts.
func (r *recorder) swungShares(x *core.RecordedState, j *judgedElement) (least, most resource.Share) {
	if least, most = x.UsageShare, x.UsageShare; j.swing.set {
		total := r.snapshots.total
		low, high := j.swing.least.ShareOf(total), j.swing.most.ShareOf(total)
		if x.Usage != j.usage {
			off := x.UsageShare.Sub(j.usage.ShareOf(total))
			low, high = low.Add(off), high.Add(off)
		}
		least, most = least.Min(low), most.Max(high)
	}
	return least, most.Plus(scheduling.Equal)
}
