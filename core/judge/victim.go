package judge

import (
	"math"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// The rules about the protection of the victim. All judge the victim whose turn it is, in the
// hypothesis b.r.

// hasLevel judges PRE-06.
func (b *Batch) hasLevel() finding {
	level := b.level(b.victim)
	f := compared(b.r.isForced(b.victim) || level >= b.stage.LeastLevel(), float64(level), float64(b.stage.LeastLevel()))
	return b.unlessForSSD(f, scheduling.SSDAggressive.LeastLevel())
}

// isNotGraceful judges PRE-07.
func (b *Batch) isNotGraceful() finding {
	return held(b.r.isForced(b.victim) || !b.r.Element(b.victim.Operation).Graceful)
}

// isNotStarving judges PRE-08. Pools that also contain the preemptor do not protect the victim by
// starving; the repair of limits has no preemptor (§11.3).
func (b *Batch) isNotStarving() finding {
	if b.r.isForced(b.victim) {
		return held(true)
	}
	o := b.r.Options
	for x := b.victim.Operation; x >= 0 && !b.isWithin(b.preemptor(), x); x = b.r.Elements[x].Above {
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
	case isForSSD(b.stage) && b.level(b.victim) >= scheduling.LevelNonPreemptible && b.States[0].Options.Profile != scheduling.Current:
		return SSDStage
	}
	return NoExcuse
}

func (b *Batch) checksSatisfaction() bool {
	return b.States[0].Options.Profile != scheduling.Current
}

// isSatisfied judges PRE-09: up to a pool that also contains the preemptor, if that makes the
// victim a conditional candidate.
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

// isInsideBlocker judges PRE-10. Other rules judge a job that its own operation protects.
func (b *Batch) isInsideBlocker() finding {
	x := b.blocker(b.victim)
	return held(x < 0 || x == b.victim.Operation || b.mayPassBlocker(b.victim, x))
}

// leavesAggressiveThreshold judges PRE-15: the part of the fair share before the batch.
func (b *Batch) leavesAggressiveThreshold() finding {
	return b.covers(resource.Vector{}, b.r.Options.AggressiveThreshold())
}

// leavesThreshold judges PRE-16: the part of the fair share before the victim that crosses it.
func (b *Batch) leavesThreshold() finding {
	return b.covers(b.lostBy(b.victim.Operation, b.turn), b.r.Options.SatisfactionThreshold)
}

// covers reports whether an operation that has lost resources still uses the given part of its fair
// share.
func (b *Batch) covers(lost resource.Vector, part float64) finding {
	x := b.r.Element(b.victim.Operation)
	u := b.usage(b.victim.Operation, b.r.step(onMine), b.victim.Usage).Sub(lost.ShareOf(b.r.Total))
	return x.reaches(x.Fair.Scale(part), u)
}

// reaches returns the finding that a bound does not dominate the usage of an element, with the
// resource in which it exceeds the usage most.
func (x *Element) reaches(bound, usage resource.Share) finding {
	s := x.widest(bound, usage)
	return sides{left: s.right, right: s.left, kind: s.kind}.where(!scheduling.DominatesClearly(x.Fair, x.Demand, bound, usage))
}

// widest returns the two shares in the resource in which left exceeds right most, among those that
// decide dominance (§1.4).
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

// takesAggressively reports whether the aggressive stage took the victim in the best estimate. If
// the reason is not recorded, the normal stage may have: it takes only preemptible jobs, from any
// pool, and excuses nothing.
func (b *Batch) takesAggressively() bool {
	return b.isAggressive() || b.r != &b.best && b.Taken[b.turn].Reason == scheduling.NoReason && b.isNormal()
}

func (b *Batch) isProtectedGang() bool {
	return b.takesAggressively() && b.States[0].Element(b.victim.Operation).Gang && !b.States[0].Options.AggressiveForGangs
}

// isPreemptible judges PRE-17 and PRE-18, which hold if aggressive preemption may have been
// allowed.
func (b *Batch) isPreemptible() finding {
	list := b.list(b.victim)
	return compared(list == scheduling.Preemptible || b.r.Element(b.victim.Operation).AggressivePreemption, float64(list), float64(scheduling.Preemptible))
}

func (b *Batch) holdsSSD() bool {
	return b.Node.SSD && (b.victim.SSD || b.victim.SSDUnknown) && !b.r.isForced(b.victim)
}

// isSSDAggressive judges PRE-20.
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

// isNormalAllowed judges PRE-26.
func (b *Batch) isNormalAllowed() finding {
	return held(!b.r.Element(b.victim.Operation).NormalForbidden).mayIf(!b.isStageKnown())
}

// isNotEntitled judges LST-03.
func (b *Batch) isNotEntitled() finding {
	x := b.r.Element(b.victim.Operation)
	return compared(!scheduling.IsPreemptionOff(x.Fair, x.Demand), x.Fair.Dominant(), x.Demand.Dominant())
}

func (b *Batch) hasThreshold() bool {
	return !b.r.isForced(b.victim) && !isForSSD(b.stage) && !b.States[0].Element(b.victim.Operation).Threshold.IsZero()
}

// reachesThreshold judges LST-05: before the batch the operation's usage is at its threshold in
// some resource. Stages for SSD take jobs without SSD from any list, and repair limits, too; logs
// do not record the stage.
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
