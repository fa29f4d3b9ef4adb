package judge

import (
	"math"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// The rules about whose job is taken. All have the form of
// preemptionRule.holds.

// hasLevel is PRE-06.
func hasLevel(b *Batch, k int, target scheduling.Priority, r *hypothesis) finding {
	_, job := b.taken(k)
	level := b.level(r, job, job)
	f := compared(r.isForced(job) || level >= target.LeastLevel(), float64(level), float64(target.LeastLevel()))
	return b.unlessForSSD(f, k, r, scheduling.SSDAggressive.LeastLevel())
}

// isNotGraceful is PRE-07.
func isNotGraceful(b *Batch, k int, _ scheduling.Priority, r *hypothesis) finding {
	_, job := b.taken(k)
	return held(r.isForced(job) || !r.Element(job.Operation).Graceful)
}

// isNotStarving is PRE-08. Pools that hold the beneficiary, too, do not protect
// the victim by starving; the repair of limits benefits nobody (§11.3).
func isNotStarving(b *Batch, k int, _ scheduling.Priority, r *hypothesis) finding {
	_, job := b.taken(k)
	if r.isForced(job) {
		return held(true)
	}
	o := r.Options
	for x := job.Operation; x >= 0 && !b.isWithin(b.beneficiary(k), x); x = r.Elements[x].Above {
		if s := b.status(r, x); s != scheduling.NonStarving {
			f := compared(o.Profile == scheduling.Current && o.PreemptFromStarving, float64(s), 0)
			return b.unlessForSSD(f, k, r, scheduling.LevelNonPreemptible)
		}
		if o.Profile == scheduling.Current {
			break
		}
	}
	return held(true)
}

func starvationUnchecked(b *Batch, k int, target scheduling.Priority) Excuse {
	return unchecked(b, k, target, b.States[0].Options.CheckStarvation)
}

func satisfactionUnchecked(b *Batch, k int, target scheduling.Priority) Excuse {
	return unchecked(b, k, target, b.States[0].Options.CheckSatisfaction)
}

func unchecked(b *Batch, k int, target scheduling.Priority, checked bool) Excuse {
	_, job := b.taken(k)
	switch {
	case !checked:
		return CheckDisabled
	case isForSSD(target) && b.level(&b.best, job, job) >= scheduling.LevelNonPreemptible:
		return SSDStage
	}
	return NoExcuse
}

func checksSatisfaction(b *Batch, _ int, _ scheduling.Priority) bool {
	return b.States[0].Options.Profile != scheduling.Current
}

// isSatisfied is PRE-09: up to a pool that holds the beneficiary, too, where
// that makes the victim a conditional one.
func isSatisfied(b *Batch, k int, target scheduling.Priority, r *hypothesis) finding {
	_, job := b.taken(k)
	if r.isForced(job) {
		return held(true)
	}
	least, threshold := 0.0, 0.0
	for x := job.Operation; x >= 0; x = r.Elements[x].Above {
		if b.mayPassBlocker(r, job, job, x, b.beneficiary(k)) {
			break
		}
		s, limit := b.satisfaction(r, x, job, job), b.threshold(r, x, target)
		if x == job.Operation || s-limit < least-threshold {
			least, threshold = s, limit
		}
	}
	return b.unlessForSSD(compared(!slightlyBelow(least, threshold), least, threshold), k, r, scheduling.LevelNonPreemptible)
}

func mayBeConditional(b *Batch, k int, _ scheduling.Priority) bool {
	_, job := b.taken(k)
	return checksSatisfaction(b, k, 0) && !job.Forced
}

// isInsideBlocker is PRE-10. A job that its own operation protects is for the
// other rules to judge.
func isInsideBlocker(b *Batch, k int, target scheduling.Priority, r *hypothesis) finding {
	_, job := b.taken(k)
	x := b.blocker(r, job, job, target)
	return held(x < 0 || x == job.Operation || b.mayPassBlocker(r, job, job, x, b.beneficiary(k)))
}

// leavesAggressiveThreshold is PRE-15: of the fair share, before the batch.
func leavesAggressiveThreshold(b *Batch, k int, _ scheduling.Priority, r *hypothesis) finding {
	_, job := b.taken(k)
	return b.covers(job.Operation, job, resource.Vector{}, r.Options.AggressiveThreshold(), r)
}

// leavesThreshold is PRE-16: of the fair share, before the victim that crosses
// it.
func leavesThreshold(b *Batch, k int, _ scheduling.Priority, r *hypothesis) finding {
	_, job := b.taken(k)
	return b.covers(job.Operation, job, b.lostBy(job.Operation, k), r.Options.SatisfactionThreshold, r)
}

// covers reports whether an operation that has lost something still uses a part
// of its fair share.
func (b *Batch) covers(e int32, job *Job, lost resource.Vector, part float64, r *hypothesis) finding {
	x := r.Element(e)
	u := b.usage(r, e, r.mine, job.Usage).Sub(lost.ShareOf(r.Total))
	return x.reaches(x.Fair.Scale(part), u)
}

// reaches is the finding that a bound does not dominate the usage of an element, by the
// resource in which it exceeds that most.
func (x *Element) reaches(bound, usage resource.Share) finding {
	s := x.widest(bound, usage)
	return sides{left: s.right, right: s.left, kind: s.kind}.where(!scheduling.DominatesClearly(x.Fair, x.Demand, bound, usage))
}

// widest returns two shares of the resource in which left exceeds right most, among those
// that decide whether it dominates right (§1.4).
func (x *Element) widest(left, right resource.Share) (s sides) {
	free := func(k int) bool { return x.Fair[k] < x.Demand[k] }
	blocked := true
	for k := range left {
		blocked = blocked && !free(k)
	}
	gap := math.Inf(-1)
	for k := range left {
		if d := left[k] - right[k]; (blocked || free(k)) && d > gap {
			gap, s = d, sides{left: left[k], right: right[k], kind: resource.Kind(k)}
		}
	}
	return s
}

func forbidsAggressive(b *Batch, k int, target scheduling.Priority) bool {
	_, job := b.taken(k)
	op := b.States[0].Element(job.Operation)
	return isAggressive(b, k, target) && !op.AggressivePreemption && !isProtectedGang(b, k, target)
}

func isProtectedGang(b *Batch, k int, target scheduling.Priority) bool {
	_, job := b.taken(k)
	return isAggressive(b, k, target) && b.States[0].Element(job.Operation).Gang && !b.States[0].Options.AggressiveForGangs
}

// isPreemptible is PRE-17 and PRE-18, which hold wherever aggressive preemption
// is allowed after all.
func isPreemptible(b *Batch, k int, _ scheduling.Priority, r *hypothesis) finding {
	_, job := b.taken(k)
	list := b.list(r, job, job)
	return compared(list == scheduling.Preemptible || r.Element(job.Operation).AggressivePreemption, float64(list), float64(scheduling.Preemptible))
}

func holdsSSD(b *Batch, k int, _ scheduling.Priority) bool {
	_, job := b.taken(k)
	return b.Node.SSD && (job.SSD || job.SSDUnknown) && !job.Forced
}

// isSSDAggressive is PRE-20.
func isSSDAggressive(b *Batch, k int, target scheduling.Priority, r *hypothesis) finding {
	_, job := b.taken(k)
	if job.SSDUnknown {
		return finding{missing: Media}
	}
	if !b.isOnSSD(r) {
		return held(true)
	}
	level := b.level(r, job, job)
	least := scheduling.LevelSSDAggressivelyPreemptible
	if target != scheduling.SSDAggressive {
		least = scheduling.LevelPreemptible
	}
	return compared(level >= least, float64(level), float64(least))
}

// isNormalAllowed is PRE-26.
func isNormalAllowed(b *Batch, k int, _ scheduling.Priority, r *hypothesis) finding {
	_, job := b.taken(k)
	return held(!r.Element(job.Operation).NormalForbidden)
}

// isNotEntitled is LST-03.
func isNotEntitled(b *Batch, k int, _ scheduling.Priority, r *hypothesis) finding {
	_, job := b.taken(k)
	x := r.Element(job.Operation)
	return compared(!scheduling.IsPreemptionOff(x.Fair, x.Demand), x.Fair.Dominant(), x.Demand.Dominant())
}

func hasThreshold(b *Batch, k int, target scheduling.Priority) bool {
	_, job := b.taken(k)
	return !job.Forced && !isForSSD(target) && !b.States[0].Element(job.Operation).Threshold.IsZero()
}

// reachesThreshold is LST-05: the operation's usage before the batch is at its
// threshold in some resource. Stages for SSD take jobs without SSD from whatever list, and
// repair limits, too: no log tells which stage it was.
func reachesThreshold(b *Batch, k int, _ scheduling.Priority, r *hypothesis) finding {
	_, job := b.taken(k)
	x := r.Element(job.Operation)
	u := r.scale(x.Amount)
	for range max(r.mine, 0) {
		u = u.Add(job.Usage)
	}
	s := crowded(u, x.Threshold)
	f := s.where(s.left >= s.right)
	if b.Taken[k].Reason == scheduling.ForViolatedLimits && b.Node.SSD && !job.SSD && !f.holds {
		f.missing = ReasonCode
	}
	return f
}
