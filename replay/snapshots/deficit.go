package snapshots

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
)

// A deficit says below which of its shares an element is by its record, whether
// another admissible reading of the record says otherwise, and whether a tick since
// the record before may have seen it otherwise.
type deficit struct {
	env.Bounds
	doubtful, wavered bool
	otherClock        bool // in Legacy such a tick may have been below the other share, whose timeout then counted (§7.6)
}

// belowOf reads the record of an element, whose tolerance is the effective one.
func (s *Snapshots) belowOf(v *view, j *judgedElement, tolerance float64) deficit {
	if j.unschedulable {
		return deficit{}
	}
	x := &v.state
	look := func(m env.Measures, usage resource.Share) env.Bounds {
		return s.BoundsAbove(m, usage, j.operation, tolerance)
	}
	now := env.MeasuresOf(x)
	b := deficit{Bounds: look(now, x.UsageShare.Plus(scheduling.Equal))}
	b.doubtful = b.Bounds != look(now, x.UsageShare) // the scheduler compares exactly
	if x.Usage != j.usage {                          // the jobs of the log do not confirm it
		b.doubtful = b.doubtful || look(now, x.UsageShare.Scale(1-s.slacks.OnUsage)) != look(now, x.UsageShare.Scale(1+s.slacks.OnUsage))
	}
	if spare := s.spareShare(j); !scheduling.Covered(now.Fair, now.Demand) {
		b.doubtful = b.doubtful || b.Bounds != look(now, x.UsageShare.Add(spare))
	}
	before := now
	least, most := s.swungShares(x, j)
	if v.had { // what was used then may have been so until the shares were those of now
		before = env.MeasuresOf(&v.previous)
		least, most = least.Min(v.previous.UsageShare), most.Max(v.previous.UsageShare.Plus(scheduling.Equal))
	}
	unmet, waned := j.leastUnmet(x)
	scarce, ample := j.swungFair(now)
	for _, m := range [...]env.Measures{now, before, scarce, ample} {
		for _, usage := range [...]resource.Share{least, most} {
			s.waver(&b, look(m, usage))
			if waned {
				s.waver(&b, look(m.UpTo(usage.Add(unmet)), usage))
			}
		}
	}
	return b
}

// spareShare is how far an operation that is not entitled to all it wants may fall short of its
// share in Current: builds of it may leave aside less than the smallest job takes, which no log
// records (core/spec/scheduling.md §15.7).
func (s *Snapshots) spareShare(j *judgedElement) resource.Share {
	if s.Log.Profile != core.Current || !j.operation {
		return resource.Share{}
	}
	_, id := s.Core.Owner(j.element)
	slot, ok := s.Core.OperationOf(id)
	if !ok {
		return resource.Share{}
	}
	return s.Core.SmallestJob(slot).ShareOf(s.total)
}

// waver takes in what a tick since the record before may have seen.
func (s *Snapshots) waver(b *deficit, other env.Bounds) {
	b.wavered = b.wavered || other != b.Bounds
	b.otherClock = b.otherClock || s.Log.Profile == core.Legacy && other.Fair && other.MinShare != b.MinShare
}

// swungShares are the least and the most that an element may have used since the record before.
// Where the jobs of the log never used what is recorded of a resource, only how far they moved
// counts.
func (s *Snapshots) swungShares(x *core.RecordedState, j *judgedElement) (least, most resource.Share) {
	if least, most = x.UsageShare, x.UsageShare; j.swing.Usage.Set {
		total, usage := s.total, &j.swing.Usage
		off := x.UsageShare.Sub(j.usage.ShareOf(total))
		for k, recorded := range x.Usage {
			if usage.Least[k] <= recorded && recorded <= usage.Most[k] {
				off[k] = 0
			}
		}
		least, most = least.Min(usage.Least.ShareOf(total).Add(off)), most.Max(usage.Most.ShareOf(total).Add(off))
	}
	return least, most.Plus(scheduling.Equal)
}

// swungFair are the measures of an element that was due as much less or more as its fair
// share has been since the record before.
func (j *judgedElement) swungFair(now env.Measures) (least, most env.Measures) {
	if least, most = now, now; j.swing.Usage.Set {
		least.Fair = now.Fair.Sub(j.fair.Sub(j.swing.Fair.Least)).Max(resource.Share{})
		most.Fair = now.Fair.Add(j.swing.Fair.Most.Sub(j.fair)).Min(now.Demand)
	}
	return least, most
}

// leastUnmet is the least of its recorded demand beyond usage that an element may have
// had since the record before: the part of it that the log says was left.
func (j *judgedElement) leastUnmet(x *core.RecordedState) (unmet resource.Share, waned bool) {
	unmet = x.DemandShare.Sub(x.UsageShare)
	if !j.swing.Usage.Set {
		return unmet, false
	}
	for k, now := range j.demand.Sub(j.usage) {
		if least := j.swing.Unmet[k]; least < now {
			unmet[k] *= float64(least) / float64(now)
			waned = true
		}
	}
	return unmet, waned
}
