package judge

import (
	"math"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// The rules about whose job is taken. All are about the
// victim whose turn it is, in the hypothesis b.r.

// hasLevel is PRE-06.
func (b *Batch) hasLevel() finding {
	level := b.level(b.victim)
	f := compared(b.r.isForced(b.victim) || level >= b.stage.LeastLevel(), float64(level), float64(b.stage.LeastLevel()))
	return b.unlessForSSD(f, scheduling.SSDAggressive.LeastLevel())
}

// isNotGraceful is PRE-07.
func (b *Batch) isNotGraceful() finding {
	return held(b.r.isForced(b.victim) || !b.r.Element(b.victim.Operation).Graceful)
}

// isNotStarving is PRE-08. Pools that hold the beneficiary, too, do not protect
// the victim by starving; the repair of limits has no beneficiary (§11.3).
func (b *Batch) isNotStarving() finding {
	if b.r.isForced(b.victim) {
		return held(true)
	}
	o := b.r.Options
	for x := b.victim.Operation; x >= 0 && !b.isWithin(b.beneficiary(), x); x = b.r.Elements[x].Above {
		if s := b.status(x); s != scheduling.NonStarving {
			f := compared(o.Profile == scheduling.Current && o.PreemptFromStarving, float64(s), 0)
			return b.unlessForSSD(f, scheduling.LevelNonPreemptible)
		}
		if o.Profile == scheduling.Current {
			break
		}
	}
	return held(true)
}

func (b *Batch) starvationUnchecked() Excuse {
	return b.unchecked(b.States[0].Options.CheckStarvation)
}

func (b *Batch) satisfactionUnchecked() Excuse {
	return b.unchecked(b.States[0].Options.CheckSatisfaction)
}

func (b *Batch) unchecked(checked bool) Excuse {
	switch {
	case !checked:
		return CheckDisabled
	case isForSSD(b.stage) && b.level(b.victim) >= scheduling.LevelNonPreemptible:
		return SSDStage
	}
	return NoExcuse
}

func (b *Batch) checksSatisfaction() bool {
	return b.States[0].Options.Profile != scheduling.Current
}

// isSatisfied is PRE-09: up to a pool that holds the beneficiary, too, where
// that makes the victim a conditional one.
func (b *Batch) isSatisfied() finding {
	if b.r.isForced(b.victim) {
		return held(true)
	}
	least, threshold := 0.0, 0.0
	for x := b.victim.Operation; x >= 0; x = b.r.Elements[x].Above {
		if b.mayPassBlocker(b.victim, x) {
			break
		}
		s, limit := b.satisfaction(x, b.victim), b.threshold(x)
		if x == b.victim.Operation || s-limit < least-threshold {
			least, threshold = s, limit
		}
	}
	return b.unlessForSSD(compared(!slightlyBelow(least, threshold), least, threshold), scheduling.LevelNonPreemptible)
}

func (b *Batch) mayBeConditional() bool {
	return b.checksSatisfaction() && !b.r.isForced(b.victim)
}

// isInsideBlocker is PRE-10. A job that its own operation protects is for the
// other rules to judge.
func (b *Batch) isInsideBlocker() finding {
	x := b.blocker(b.victim)
	return held(x < 0 || x == b.victim.Operation || b.mayPassBlocker(b.victim, x))
}

// leavesAggressiveThreshold is PRE-15: of the fair share, before the batch.
func (b *Batch) leavesAggressiveThreshold() finding {
	return b.covers(resource.Vector{}, b.r.Options.AggressiveThreshold())
}

// leavesThreshold is PRE-16: of the fair share, before the victim that crosses
// it.
func (b *Batch) leavesThreshold() finding {
	return b.covers(b.lostBy(b.victim.Operation, b.turn), b.r.Options.SatisfactionThreshold)
}

// covers reports whether an operation that has lost something still uses a part
// of its fair share.
func (b *Batch) covers(lost resource.Vector, part float64) finding {
	x := b.r.Element(b.victim.Operation)
	u := b.usage(b.victim.Operation, b.r.step(onMine), b.victim.Usage).Sub(lost.ShareOf(b.r.Total))
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

func (b *Batch) forbidsAggressive() bool {
	op := b.States[0].Element(b.victim.Operation)
	return b.takesAggressively() && !op.AggressivePreemption && !b.isProtectedGang()
}

// takesAggressively reports whether the aggressive stage took the victim, by the best estimate. Where the reason is
// not recorded, the normal one may have instead: it takes preemptible jobs only, from whatever pool, and excuses nothing.
func (b *Batch) takesAggressively() bool {
	return b.isAggressive() || b.r != &b.best && b.Taken[b.turn].Reason == scheduling.NoReason && b.isNormal()
}

func (b *Batch) isProtectedGang() bool {
	return b.takesAggressively() && b.States[0].Element(b.victim.Operation).Gang && !b.States[0].Options.AggressiveForGangs
}

// isPreemptible is PRE-17 and PRE-18, which hold wherever aggressive preemption
// is allowed after all.
func (b *Batch) isPreemptible() finding {
	list := b.list(b.victim)
	return compared(list == scheduling.Preemptible || b.r.Element(b.victim.Operation).AggressivePreemption, float64(list), float64(scheduling.Preemptible))
}

func (b *Batch) holdsSSD() bool {
	return b.Node.SSD && (b.victim.SSD || b.victim.SSDUnknown) && !b.r.isForced(b.victim)
}

// isSSDAggressive is PRE-20.
func (b *Batch) isSSDAggressive() finding {
	if b.victim.SSDUnknown {
		return finding{missing: Media}
	}
	if !b.isOnSSD() {
		return held(true)
	}
	level := b.level(b.victim)
	least := scheduling.LevelSSDAggressivelyPreemptible
	if b.stage != scheduling.SSDAggressive {
		least = scheduling.LevelPreemptible
	}
	return compared(level >= least, float64(level), float64(least))
}

// isNormalAllowed is PRE-26.
func (b *Batch) isNormalAllowed() finding {
	return held(!b.r.Element(b.victim.Operation).NormalForbidden).mayIf(!b.isStageKnown())
}

// isNotEntitled is LST-03.
func (b *Batch) isNotEntitled() finding {
	x := b.r.Element(b.victim.Operation)
	return compared(!scheduling.IsPreemptionOff(x.Fair, x.Demand), x.Fair.Dominant(), x.Demand.Dominant())
}

func (b *Batch) hasThreshold() bool {
	return !b.r.isForced(b.victim) && !isForSSD(b.stage) && !b.States[0].Element(b.victim.Operation).Threshold.IsZero()
}

// reachesThreshold is LST-05: the operation's usage before the batch is at its
// threshold in some resource. Stages for SSD take jobs without SSD from whatever list, and
// repair limits, too: no log tells which stage it was.
func (b *Batch) reachesThreshold() finding {
	x := b.r.Element(b.victim.Operation)
	u := b.r.scale(x.Amount)
	for range max(b.r.step(onMine), 0) {
		u = u.Add(b.victim.Usage)
	}
	s := crowded(u, x.Threshold)
	f := s.where(s.left >= s.right)
	if b.Taken[b.turn].Reason == scheduling.ForViolatedLimits && b.Node.SSD && !b.victim.SSD && !f.holds {
		f.missing = ReasonCode
	}
	return f
}
