package snapshots

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
)

// A deficit says which of its shares an element is below by its record, whether another admissible
// reading of the record differs, and whether a tick since the previous record may have differed.
type deficit struct {
	env.Below
	doubtful, wavered bool
	otherClock        bool // in Legacy such a tick may have found it below the other share, whose timeout then counted (§7.6)
}

// belowOf reads the record of an element, whose tolerance is the effective one.
func (s *Snapshots) belowOf(v *view, j *judgedElement, tolerance float64) deficit {
	if j.unschedulable {
		return deficit{}
	}
	x := &v.state
	look := func(m env.Entitlement, usage resource.Share) env.Below {
		return s.BelowAt(m, usage, j.operation, tolerance)
	}
	now := env.EntitlementOf(x)
	b := deficit{Below: look(now, x.UsageShare.Plus(scheduling.Equal))}
	b.doubtful = b.Below != look(now, x.UsageShare) // the scheduler compares exactly
	if x.Usage != j.usage {                         // the jobs in the log do not confirm it
		b.doubtful = b.doubtful || look(now, x.UsageShare.Scale(1-s.slacks.OnUsage)) != look(now, x.UsageShare.Scale(1+s.slacks.OnUsage))
	}
	if spare := s.spareShare(j); !scheduling.Covered(now.Fair, now.Demand) {
		b.doubtful = b.doubtful || b.Below != look(now, x.UsageShare.Add(spare))
	}
	before := now
	least, most := s.swungShares(x, j)
	if v.had { // earlier usage may have lasted until the current shares
		before = env.EntitlementOf(&v.previous)
		least, most = least.Min(v.previous.UsageShare), most.Max(v.previous.UsageShare.Plus(scheduling.Equal))
	}
	unmet, waned := j.leastUnmet(x)
	scarce, ample := j.swungFair(now)
	for _, m := range [...]env.Entitlement{now, before, scarce, ample} {
		for _, usage := range [...]resource.Share{least, most} {
			s.waver(&b, look(m, usage))
			if waned {
				s.waver(&b, look(m.UpTo(usage.Add(unmet)), usage))
			}
		}
	}
	return b
}

// spareShare returns how far an operation whose fair share does not cover its demand may be below
// its share in Current: some builds ignore less than the smallest job, which logs do not record
// (core/spec/scheduling.md §15.7).
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

// waver adds what a tick since the previous record may have seen.
func (s *Snapshots) waver(b *deficit, other env.Below) {
	b.wavered = b.wavered || other != b.Below
	b.otherClock = b.otherClock || s.Log.Profile == core.Legacy && other.Fair && other.MinShare != b.MinShare
}

// swungShares returns the least and the most usage of an element since the previous record. If the
// jobs in the log never used the recorded amount of a resource, only their changes count.
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

// swungFair returns the entitlement of an element with the least and the most fair share since the
// previous record.
func (j *judgedElement) swungFair(now env.Entitlement) (least, most env.Entitlement) {
	if least, most = now, now; j.swing.Usage.Set {
		least.Fair = now.Fair.Sub(j.fair.Sub(j.swing.Fair.Least)).Max(resource.Share{})
		most.Fair = now.Fair.Add(j.swing.Fair.Most.Sub(j.fair)).Min(now.Demand)
	}
	return least, most
}

// leastUnmet returns the least demand beyond usage that an element may have had since the previous
// record.
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
