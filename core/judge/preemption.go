package judge

import (
	"slices"

	"poolproof/core/scheduling"
)

// A preemptionRule judges one invariant for one victim of a batch. The target
// is the priority that the stage serves.
type preemptionRule struct {
	invariant Invariant
	kinds     kinds
	needs     needs // without these there is nothing to judge
	helps     needs // without these, that a rule is broken proves nothing
	doubts    doubts
	applies   func(b *Batch, k int, target scheduling.Priority) bool // nil: always
	holds     func(b *Batch, k int, target scheduling.Priority, r *hypothesis) finding
	excuse    func(b *Batch, k int, target scheduling.Priority) Excuse // nil: none
}

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
// nobody is named from whom it could be inferred.
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

var preemptionRules = [...]preemptionRule{
	{invariant: PRE01, kinds: byStage, needs: needBeneficiary, doubts: onUsage | onAsked, holds: serves, excuse: beneficiaryGone},
	{invariant: PRE02, kinds: byStage, needs: needBeneficiary | needNode, doubts: onUsage, applies: hasBeneficiary, holds: fitsFreed},
	{invariant: PRE03, kinds: byStage, needs: needLists | needServed | needReason, helps: needClock, doubts: onClock, applies: hasBeneficiary, holds: hasPriority},
	{invariant: PRE04, kinds: byStage, needs: needLists | needServed, helps: needClock, doubts: onClock, applies: hasBeneficiary, holds: wasStarving, excuse: timeoutRaised},
	{invariant: PRE05, kinds: byStage, needs: needLists | needServed, helps: needClock, doubts: onClock, applies: hasBeneficiary, holds: isProper},
	{invariant: PRE06, kinds: byStage | byLimits, needs: needLists | needStage, doubts: onMine | onUsage | onOthers, holds: hasLevel},
	{invariant: PRE07, kinds: byStage | byLimits, needs: needConfiguration, holds: isNotGraceful},
	{invariant: PRE08, kinds: byStage | byLimits, needs: needLists, helps: needServed | needPlace | needOwnClock, doubts: onClock, holds: isNotStarving, excuse: starvationUnchecked},
	{invariant: PRE09, kinds: byStage | byLimits, needs: needLists | needStage, helps: needServed | needPlace, doubts: onMine | onUsage | onOthers | onLag, applies: checksSatisfaction, holds: isSatisfied, excuse: satisfactionUnchecked},
	{invariant: PRE10, kinds: byStage, needs: needLists | needStage, helps: needServed | needPlace | needOwnClock, doubts: onClock | onMine | onUsage | onOthers, applies: mayBeConditional, holds: isInsideBlocker},
	{invariant: PRE11, kinds: byStage, needs: needLists | needStage | needNode, doubts: onClock | onMine | onTheirs | onUsage | onOthers, holds: isFirst},
	{invariant: PRE12, kinds: byStage, needs: needNode, helps: needBeneficiary | needPlace, doubts: onMine | onTheirs | onUsage | onAsked | onOthers, holds: isNeeded, excuse: diskQuota},
	{invariant: PRE13, kinds: byStage, needs: needBeneficiary, holds: startsOne},
	{invariant: PRE14, kinds: byStage, needs: needConfiguration | needNode, helps: needTimes, doubts: onClock, holds: waited},
	{invariant: PRE15, kinds: byStage, needs: needLists | needStage, doubts: onMine | onUsage | onOthers, applies: isAggressive, holds: leavesAggressiveThreshold},
	{invariant: PRE16, kinds: byStage, needs: needLists | needStage, doubts: onMine | onUsage | onOthers, applies: isNormal, holds: leavesThreshold},
	{invariant: PRE17, kinds: byStage, needs: needLists | needStage, doubts: onMine | onUsage | onOthers, applies: forbidsAggressive, holds: isPreemptible},
	{invariant: PRE18, kinds: byStage, needs: needLists | needStage, doubts: onMine | onUsage | onOthers, applies: isProtectedGang, holds: isPreemptible},
	{invariant: PRE19, kinds: byStage, needs: needConfiguration | needStage | needServed | needNode, applies: isSSDStage, holds: servesSSD},
	{invariant: PRE20, kinds: byStage, needs: needLists | needStage | needNode, doubts: onMine | onUsage | onOthers, applies: holdsSSD, holds: isSSDAggressive},
	{invariant: PRE24, kinds: byStage, needs: needBeneficiary | needNode, helps: needSpare, doubts: onUsage | onAsked, applies: hasBeneficiary, holds: hadNoRoom, excuse: spareRule},
	{invariant: PRE25, kinds: byStage, applies: isFound, holds: namesKnownJob},
	{invariant: PRE26, kinds: byStage, needs: needConfiguration | needStage, applies: isNormal, holds: isNormalAllowed},
	{invariant: LST03, kinds: byStage, needs: needLists | needStage, applies: isNormal, holds: isNotEntitled},
	{invariant: LST05, kinds: byStage | byLimits, needs: needConfiguration | needStage, doubts: onMine | onUsage, applies: hasThreshold, holds: reachesThreshold},
	{invariant: GUA07, kinds: byStage, needs: needLists | needStage, helps: needServed | needPlace, doubts: onMine | onUsage | onOthers, applies: hasGuarantee, holds: leavesGuarantee, excuse: thresholdExcuse},
	{invariant: LIM05, kinds: byLimits, needs: needConfiguration, doubts: onMine | onUsage | onLag, holds: violatedLimits},
	{invariant: LIM06, kinds: byLimits, needs: needConfiguration, doubts: onMine | onUsage | onLag, holds: stillViolatedLimits},
	{invariant: GRC01, kinds: byGrace, needs: needLists, doubts: onMine | onUsage | onOthers, holds: isGracefulOnce},
	{invariant: OVC01, kinds: byOvercommit, needs: needConfiguration | needNode, doubts: onClock | onUsage, holds: wasOvercommitted},
	{invariant: OVC02, kinds: byOvercommit, needs: needLists | needNode, doubts: onMine | onTheirs | onUsage | onAsked, holds: isNotKept},
}

// Judge judges every job that was taken, by every invariant that its reason
// touches, and appends the rulings. The best estimate is judged first; only a
// rule that it breaks is tried in the other states.
func (b *Batch) Judge(rulings []Ruling) []Ruling {
	best := b.read()
	var f finding
	for k := range b.Taken {
		target, kind := b.served(k, best), b.Taken[k].kind()
		for i := range preemptionRules {
			rule := &preemptionRules[i]
			if rule.kinds&kind == 0 || rule.applies != nil && !rule.applies(b, k, target) {
				continue
			}
			b.find(&f, rule, k, target)
			rulings = slices.Grow(rulings, 1)[:len(rulings)+1]
			ruling := &rulings[len(rulings)-1]
			b.fill(ruling, rule.invariant, &f)
			ruling.Victim = int32(k)
			if rule.needs&needShares != 0 { // no log states shares and lists as they were at this moment
				ruling.Evidence = max(ruling.Evidence, Recomputed)
			}
		}
	}
	return rulings
}

// find evaluates a rule for a victim.
func (b *Batch) find(f *finding, rule *preemptionRule, k int, target scheduling.Priority) {
	if missing := b.missing(rule.needs, k); missing != NothingMissing {
		*f = finding{missing: missing}
		return
	}
	*f = rule.holds(b, k, target, &b.best)
	switch {
	case f.missing != NothingMissing:
		return
	case f.holds:
		if b.From != scheduling.Never { // who seems to have waited for long enough may not have
			f.missing = b.missing(rule.helps&(needClock|needOwnClock), k)
		}
		return
	}
	if rule.excuse != nil {
		if f.excuse = rule.excuse(b, k, target); f.excuse != NoExcuse {
			return
		}
	}
	helps := rule.helps
	if rule.needs&needStage != 0 && b.Taken[k].Reason == scheduling.NoReason {
		helps |= needClock // the stage is that of the beneficiary's priority
	}
	if f.missing = b.missing(helps, k); f.missing == NothingMissing {
		f.may = f.may || b.mayHold(rule, k)
	}
}

// mayHold reports whether a rule that the best estimate breaks holds in another
// hypothesis. A stage that is inferred is another one where its beneficiary has
// another priority.
func (b *Batch) mayHold(rule *preemptionRule, k int) bool {
	if rule.mayBeForced(b, k) {
		return true
	}
	d := rule.doubts
	if b.Taken[k].Reason == scheduling.NoReason {
		d |= onClock
	}
	if d&(onMine|onTheirs|onUsage) != 0 {
		b.place()
	}
	return b.among(d, func(r *hypothesis) bool {
		f := rule.holds(b, k, b.served(k, r), r)
		return f.holds || f.missing != NothingMissing
	})
}

// mayBeForced reports whether a rule is kept if the victim's segment does not fit
// the node, where the log does not record.
func (rule *preemptionRule) mayBeForced(b *Batch, k int) bool {
	_, job := b.taken(k)
	if !job.ForcedUnknown {
		return false
	}
	job.Forced = true
	target := b.served(k, &b.best)
	kept := rule.applies != nil && !rule.applies(b, k, target) || rule.holds(b, k, target, &b.best).holds
	job.Forced = false
	return kept
}

// missing returns what a rule needs and the log does not hold. A reason that is
// not recorded is inferred from the beneficiary; where none is named, the job
// may have gone for any reason.
func (b *Batch) missing(n needs, k int) Input {
	t := &b.Taken[k]
	switch {
	case t.isUntold(), t.Reason == scheduling.NoReason && b.beneficiary(k) < 0 && n&needStage != 0:
		return ReasonCode
	case n&needBeneficiary != 0 && t.For == ForUnknown, n&needPlace != 0 && (t.For == ForElsewhere || t.For == ForDangling):
		return PreemptedFor
	case n&needOperation != 0 && (t.For == ForGone || t.For >= 0 && b.beneficiary(k) < 0):
		return OperationState
	case n&needNode != 0 && b.NoNode:
		return NodeName
	case n&needTimes != 0 && b.Untimed:
		return LastPreemptive
	case n&needReason != 0 && t.Reason == scheduling.NoReason:
		return ReasonCode
	case n&needClock != 0 && b.isClipped(k), n&needOwnClock != 0 && b.protectsClipped(&b.Jobs[t.Job], k):
		return StarvationSince
	}
	return b.MissingInputs.Missing(MissingInputs(n / needConfiguration))
}

// target is the priority that the stage of a victim served in a hypothesis: that of
// its reason, or else that of its beneficiary.
func (b *Batch) target(k int, r *hypothesis) scheduling.Priority {
	for p := scheduling.Normal; p <= scheduling.SSDAggressive; p++ {
		if b.Taken[k].Reason == p.Reason() {
			return p
		}
	}
	if e := b.beneficiary(k); e >= 0 {
		return max(scheduling.Normal, b.priority(r, e, r.Options.Scope))
	}
	return scheduling.Normal
}

// served is the priority of the stage that took a victim, by which the rules judge: of
// those that may have repaired limits, which no log tells apart, the one that serves no
// requests for SSD and takes most (§10.5).
func (b *Batch) served(k int, r *hypothesis) scheduling.Priority {
	if b.Taken[k].Reason == scheduling.ForViolatedLimits {
		return scheduling.Aggressive
	}
	return b.target(k, r)
}

// unlessForSSD is the finding where it is not told which stage repaired a limit: one that
// serves requests for SSD takes what is protected this much or less (§10.2, §10.3).
func (b *Batch) unlessForSSD(f finding, k int, r *hypothesis, least scheduling.Level) finding {
	t, job := b.taken(k)
	if t.Reason == scheduling.ForViolatedLimits && !f.holds && b.isOnSSD(r) && b.level(r, job, job) >= least {
		f.missing = ReasonCode
	}
	return f
}

func isNormal(b *Batch, k int, target scheduling.Priority) bool {
	_, job := b.taken(k)
	return target == scheduling.Normal && !job.Forced
}

func isAggressive(b *Batch, k int, target scheduling.Priority) bool {
	_, job := b.taken(k)
	return target == scheduling.Aggressive && !job.Forced
}

func isSSDStage(_ *Batch, _ int, target scheduling.Priority) bool { return isForSSD(target) }

// isFound reports whether it is known that the job a preemption names exists, or
// that it does not.
func isFound(b *Batch, k int, _ scheduling.Priority) bool {
	return b.Taken[k].For >= 0 || b.Taken[k].For == ForDangling
}

func hasBeneficiary(b *Batch, k int, _ scheduling.Priority) bool {
	return b.Taken[k].For >= 0 || b.Taken[k].For == ForUnknown
}
