package judge

import (
	"cmp"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// blocker returns the element that protects a job from a stage in a hypothesis, -1
// if none does (core/spec/scheduling.md §10.3, §15.3).
func (b *Batch) blocker(r *hypothesis, j, victim *Job, target scheduling.Priority) int32 {
	own, o := r.standing(j.Operation), r.Options
	switch {
	case own.Graceful:
		return j.Operation
	case isForSSD(target) && b.level(r, j, victim) >= scheduling.LevelNonPreemptible:
		return -1
	case target == scheduling.Normal && own.NormalForbidden:
		return j.Operation
	case o.Profile == scheduling.Current:
		if b.status(r, j.Operation) != scheduling.NonStarving && !o.PreemptFromStarving {
			return j.Operation
		}
		return -1
	}
	for x := j.Operation; x >= 0; x = r.Elements[x].Above {
		if b.protects(r, x, j, victim, target) {
			return x
		}
	}
	return -1
}

// protects reports whether an element above a job protects it by how it fares.
// By the best estimate that is the same for all jobs below.
func (b *Batch) protects(r *hypothesis, e int32, j, victim *Job, target scheduling.Priority) bool {
	if !b.followed || r != &b.best {
		return b.isProtective(r, e, j, victim, target)
	}
	for int(e) >= len(b.protective) {
		b.protective = append(b.protective, [2]answer{})
	}
	known := &b.protective[e][0]
	if target >= scheduling.Aggressive {
		known = &b.protective[e][1]
	}
	if *known == notAsked {
		*known = no
		if b.isProtective(r, e, j, victim, target) {
			*known = yes
		}
	}
	return *known == yes
}

// An answer is kept once it is found.
type answer uint8

const (
	notAsked answer = iota
	no
	yes
)

func (b *Batch) isProtective(r *hypothesis, e int32, j, victim *Job, target scheduling.Priority) bool {
	o := r.Options
	return o.CheckStarvation && b.status(r, e) != scheduling.NonStarving ||
		o.CheckSatisfaction && slightlyBelow(b.satisfaction(r, e, j, victim), b.threshold(r, e, target))
}

func isForSSD(p scheduling.Priority) bool { return p >= scheduling.SSDNormal }

// mayPassBlocker reports whether a job that a pool protects may go to a
// beneficiary all the same: one inside the pool (§10.4).
func (b *Batch) mayPassBlocker(r *hypothesis, j, victim *Job, blocker, beneficiary int32) bool {
	return blocker != j.Operation && r.Options.ConditionalPreemption &&
		b.list(r, j, victim) == scheduling.Preemptible && b.isWithin(beneficiary, blocker)
}

// isCandidate reports whether a stage could take a job for a beneficiary.
func (b *Batch) isCandidate(r *hypothesis, j, victim *Job, target scheduling.Priority, beneficiary int32) bool {
	if j.Gone {
		return false
	}
	if r.isForced(j) {
		return true
	}
	if b.level(r, j, victim) < target.LeastLevel() {
		return false
	}
	blocker := b.blocker(r, j, victim, target)
	return blocker < 0 || b.mayPassBlocker(r, j, victim, blocker, beneficiary)
}

// compare orders two jobs as they are taken: below zero if a goes before b
// (§10.5, §17.3).
func (b *Batch) compare(r *hypothesis, a, other, victim *Job) int {
	list := b.list(r, a, victim)
	if c := cmp.Compare(b.list(r, other, victim), list); c != 0 {
		return c
	}
	if list != scheduling.Preemptible && r.Options.Profile != scheduling.Documented {
		if x, y := a.hasUnusedCPU(), other.hasUnusedCPU(); x != y {
			if x {
				return -1
			}
			return 1
		}
	}
	return cmp.Compare(other.Start, a.Start)
}

func (j *Job) hasUnusedCPU() bool { return j.Usage[resource.CPU] < j.Granted[resource.CPU] }
