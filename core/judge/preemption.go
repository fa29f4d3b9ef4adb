package judge

import (
	"slices"

	"poolproof/core/scheduling"
)

// kinds is a set of kinds of reasons for a preemption.
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
	case scheduling.ForOther:
		return 0
	case scheduling.NoReason:
		if t.isUnrecorded() {
			return byStage | byGrace | byOvercommit | byLimits
		}
	}
	return byStage
}

// isTakenFor reports whether the batch took a job for one of the given kinds of reasons, as far as
// known.
func (b *Batch) isTakenFor(job int32, of kinds) bool {
	for k := range b.Taken {
		if t := &b.Taken[k]; t.Job == job && t.kind()&of != 0 {
			return true
		}
	}
	return false
}

// isUnrecorded reports whether neither a reason nor a preemptor, from which it could be inferred,
// is recorded.
func (t *Taken) isUnrecorded() bool {
	return t.Reason == scheduling.NoReason && (t.Preemptor == NoPreemptor || t.Preemptor == PreemptorUnknown)
}

// needs is a set of inputs that not every log has; the last ones are MissingInputs, in their order.
type needs uint16

const (
	needPreemptor needs = 1 << iota // the preemptor, or that there is none
	needNode
	needReason
	needStage     // the stage that took the job, recorded or inferred
	needClock     // clocks of the preemptor and its pools
	needOwnClock  // clocks of the elements that protect the victim by starving
	needTimes     // the exact time when preemptive stages last ran
	needOperation // the preemptor's operation in the tree, if there is a preemptor
	needPlace     // that the preemptor's job started in place of the victim
	needConfiguration
	needShares
	needSpare

	needServed = needPreemptor | needOperation
	needLists  = needConfiguration | needShares // starvation and lists
)

var preemptionRules = touched(func(r *rule) preemptionCheck { return r.preemption })

// Judge judges every victim by every invariant that its reason touches, and appends the rulings.
func (b *Batch) Judge(rulings []Ruling) []Ruling {
	if b.States[0].Options.GPUPolicy { // no rule of its own judges preemptions
		return rulings
	}
	b.readBatch()
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
			b.withholdStage(ruling)
			if c.needs&needShares != 0 { // logs do not record shares and lists at this instant
				ruling.Evidence = max(ruling.Evidence, Recomputed)
			}
		}
	}
	return rulings
}

// turnTo selects the victim to judge, in the best estimate.
func (b *Batch) turnTo(k int) {
	b.turn, b.victim = k, &b.Jobs[b.Taken[k].Job]
	b.under(&b.best)
}

func (b *Batch) under(r *hypothesis) {
	r.measure(b.Slacks)
	b.r = r
	b.stage = b.served()
}

// unproven returns the missing input without which a finding is not certain.
func (b *Batch) unproven(needed, helps needs, holds bool) Input {
	switch {
	case holds && b.From == scheduling.Never:
		return NothingMissing
	case holds: // an operation that seems to have waited long enough may not have
		helps &= needClock | needOwnClock
	case needed&needStage != 0 && !b.isStageKnown():
		helps |= needClock // the stage follows from the preemptor's priority
	}
	return b.missing(helps)
}

// missing returns the input that a rule needs and the log lacks. An unrecorded reason is inferred
// from the preemptor; without a preemptor any reason is possible.
func (b *Batch) missing(n needs) Input {
	t := &b.Taken[b.turn]
	switch {
	case t.isUnrecorded(), t.Reason == scheduling.NoReason && b.preemptor() < 0 && n&needStage != 0:
		return ReasonCode
	case n&needPreemptor != 0 && t.Preemptor == PreemptorUnknown, n&needPlace != 0 && (t.Preemptor == PreemptorElsewhere || t.Preemptor == PreemptorDangling):
		return PreemptedFor
	case n&needOperation != 0 && (t.Preemptor == PreemptorEnded || t.Preemptor >= 0 && b.preemptor() < 0):
		return OperationState
	case n&needNode != 0 && b.NoNode:
		return NodeName
	case n&needTimes != 0 && b.LastRunIsUpperBound:
		return LastPreemptive
	case n&needReason != 0 && !b.isStageKnown():
		return ReasonCode
	case n&needClock != 0 && b.isClipped(), n&needOwnClock != 0 && b.protectsClipped(&b.Jobs[t.Job]):
		return StarvationSince
	}
	return b.MissingInputs.Missing(MissingInputs(n / needConfiguration))
}

// target returns the priority that the stage of a victim served in a hypothesis: that of its
// reason, or else that of its preemptor.
func (b *Batch) target() scheduling.Priority {
	for p := scheduling.Normal; p <= scheduling.SSDAggressive; p++ {
		if b.Taken[b.turn].Reason == p.Reason() {
			return p
		}
	}
	if e := b.preemptor(); e >= 0 {
		return max(scheduling.Normal, b.priority(e, b.r.Options.Scope))
	}
	return scheduling.Normal
}

// served returns the priority of the stage that took a victim. Logs do not record which stage
// repaired limits; the stage without SSD that takes most is used (§10.5).
func (b *Batch) served() scheduling.Priority {
	if b.Taken[b.turn].Reason == scheduling.ForViolatedLimits {
		return scheduling.Aggressive
	}
	return b.target()
}

// unlessForSSD weakens a finding if the stage that repaired a limit is unknown: one that serves
// requests for SSD may take jobs of this level (§10.2, §10.3).
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

// isFound reports whether it is known that the preemptor's job exists or does not.
func (b *Batch) isFound() bool {
	return b.Taken[b.turn].Preemptor >= 0 || b.Taken[b.turn].Preemptor == PreemptorDangling
}

func (b *Batch) hasPreemptor() bool {
	return b.Taken[b.turn].Preemptor >= 0 || b.Taken[b.turn].Preemptor == PreemptorUnknown
}
