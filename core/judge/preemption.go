package judge

import (
	"slices"

	"poolproof/core/scheduling"
)

// kinds are reasons for which a job was taken.
type kinds uint8

const (
	byStage kinds = 1 << iota
	byGrace
	byOvercommit
	byLimits
)

func (t *Taken) kind() kinds {
	switch t.Reason {
	case scheduling.ForGracefulPreemption:
		return byGrace
	case scheduling.ForOvercommit:
		return byOvercommit
	case scheduling.ForViolatedLimits:
		return byLimits
	case scheduling.NoReason:
		if t.isUntold() {
			return byStage | byGrace | byOvercommit | byLimits
		}
	}
	return byStage
}

// isTakenFor reports whether the batch took a job, as far as is known for one of some kinds
// of reasons.
func (b *Batch) isTakenFor(job int32, of kinds) bool {
	for k := range b.Taken {
		if t := &b.Taken[k]; t.Job == job && t.kind()&of != 0 {
			return true
		}
	}
	return false
}

// isUntold reports whether the job may have gone for any reason: none is recorded, and
// no beneficiary from which it could be inferred.
func (t *Taken) isUntold() bool {
	return t.Reason == scheduling.NoReason && (t.For == ForNobody || t.For == ForUnknown)
}

// needs are inputs that not every log has; the last are MissingInputs in their order.
type needs uint16

const (
	needBeneficiary needs = 1 << iota // whether there is one, and who
	needNode
	needReason
	needStage     // which stage took the job, recorded or inferred
	needClock     // since when those in scope of the beneficiary have been below their share
	needOwnClock  // likewise those that protect the victim by starving
	needTimes     // when preemptive stages ran last, and not only at the latest when
	needOperation // that of the beneficiary, if there is one: as the tree has it
	needPlace     // that its job started in the victim's place, and not elsewhere
	needConfiguration
	needShares
	needSpare

	needServed = needBeneficiary | needOperation
	needLists  = needConfiguration | needShares // who starves, and whose jobs are in which list
)

var preemptionRules = touched(func(r *rule) preemptionCheck { return r.preemption })

// Judge judges every job that was taken, by every invariant that its reason
// touches, and appends the rulings.
func (b *Batch) Judge(rulings []Ruling) []Ruling {
	b.read()
	var f finding
	for k := range b.Taken {
		b.turnTo(k)
		kind := b.Taken[k].kind()
		for i := range preemptionRules {
			c := &preemptionRules[i]
			if c.kinds&kind == 0 || c.applies != nil && !c.applies(b) {
				continue
			}
			evaluate(&f, &c.check, b)
			rulings = slices.Grow(rulings, 1)[:len(rulings)+1]
			ruling := &rulings[len(rulings)-1]
			b.fill(ruling, c.invariant, &f)
			ruling.Victim = int32(k)
			if c.needs&needShares != 0 { // no log states shares and lists as they were at this moment
				ruling.Evidence = max(ruling.Evidence, Recomputed)
			}
		}
	}
	return rulings
}

// turnTo has the rules judge of a victim, by the best estimate.
func (b *Batch) turnTo(k int) {
	b.turn, b.victim = k, &b.Jobs[b.Taken[k].Job]
	b.under(&b.best)
}

func (b *Batch) under(r *hypothesis) {
	r.measure(b.Slacks)
	b.r = r
	b.stage = b.served()
}

// unproven returns what a finding would be certain by and the log does not hold.
func (b *Batch) unproven(needed, helps needs, holds bool) Input {
	switch {
	case holds && b.From == scheduling.Never:
		return NothingMissing
	case holds: // who seems to have waited for long enough may not have
		helps &= needClock | needOwnClock
	case needed&needStage != 0 && !b.isStageKnown():
		helps |= needClock // the stage is that of the beneficiary's priority
	}
	return b.missing(helps)
}

// missing returns what a rule needs and the log does not hold. A reason that is
// not recorded is inferred from the beneficiary; where none is named, the job
// may have gone for any reason.
func (b *Batch) missing(n needs) Input {
	t := &b.Taken[b.turn]
	switch {
	case t.isUntold(), t.Reason == scheduling.NoReason && b.beneficiary() < 0 && n&needStage != 0:
		return ReasonCode
	case n&needBeneficiary != 0 && t.For == ForUnknown, n&needPlace != 0 && (t.For == ForElsewhere || t.For == ForDangling):
		return PreemptedFor
	case n&needOperation != 0 && (t.For == ForGone || t.For >= 0 && b.beneficiary() < 0):
		return OperationState
	case n&needNode != 0 && b.NoNode:
		return NodeName
	case n&needTimes != 0 && b.Untimed:
		return LastPreemptive
	case n&needReason != 0 && !b.isStageKnown():
		return ReasonCode
	case n&needClock != 0 && b.isClipped(), n&needOwnClock != 0 && b.protectsClipped(&b.Jobs[t.Job]):
		return StarvationSince
	}
	return b.MissingInputs.Missing(MissingInputs(n / needConfiguration))
}

// target is the priority that the stage of a victim served in a hypothesis: that of
// its reason, or else that of its beneficiary.
func (b *Batch) target() scheduling.Priority {
	for p := scheduling.Normal; p <= scheduling.SSDAggressive; p++ {
		if b.Taken[b.turn].Reason == p.Reason() {
			return p
		}
	}
	if e := b.beneficiary(); e >= 0 {
		return max(scheduling.Normal, b.priority(e, b.r.Options.Scope))
	}
	return scheduling.Normal
}

// served is the priority of the stage that took a victim, by which the rules judge: of
// those that may have repaired limits, which no log tells apart, the one that serves no
// requests for SSD and takes most (§10.5).
func (b *Batch) served() scheduling.Priority {
	if b.Taken[b.turn].Reason == scheduling.ForViolatedLimits {
		return scheduling.Aggressive
	}
	return b.target()
}

// unlessForSSD is the finding where it is not told which stage repaired a limit: one that
// serves requests for SSD takes what is protected this much or less (§10.2, §10.3).
func (b *Batch) unlessForSSD(f finding, least scheduling.Level) finding {
	if b.Taken[b.turn].Reason == scheduling.ForViolatedLimits && !f.holds && b.isOnSSD() && b.level(b.victim) >= least {
		f.missing = ReasonCode
	}
	return f
}

func (b *Batch) isNormal() bool {
	return b.stage == scheduling.Normal && !b.r.isForced(b.victim)
}

func (b *Batch) isAggressive() bool {
	return b.stage == scheduling.Aggressive && !b.r.isForced(b.victim)
}

func (b *Batch) isSSDStage() bool { return isForSSD(b.stage) }

// isFound reports whether it is known that the job a preemption names exists, or
// that it does not.
func (b *Batch) isFound() bool {
	return b.Taken[b.turn].For >= 0 || b.Taken[b.turn].For == ForDangling
}

func (b *Batch) hasBeneficiary() bool {
	return b.Taken[b.turn].For >= 0 || b.Taken[b.turn].For == ForUnknown
}
