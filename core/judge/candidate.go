package judge

import (
	"cmp"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// blocker returns the element that protects a job from a stage in a hypothesis, or -1
// (core/spec/scheduling.md §10.3, §15.3).
func (b *Batch) blocker(j *Job) int32 {
	own, o := b.r.standing(j.Operation), b.r.Options
	switch {
	case own.Graceful:
		return j.Operation
	case isForSSD(b.stage) && b.level(j) >= scheduling.LevelNonPreemptible && o.Profile != scheduling.Current:
		return -1
	case b.stage == scheduling.Normal && own.NormalForbidden:
		return j.Operation
	case o.Profile == scheduling.Current:
		if b.status(j.Operation) != scheduling.NonStarving && !o.PreemptFromStarving {
			return j.Operation
		}
		return -1
	}
	for x := j.Operation; x >= 0; x = b.r.Elements[x].Above {
		if b.protects(x, j) {
			return x
		}
	}
	return -1
}

// protects reports whether an element above a job protects it by starvation or satisfaction. In the
// best estimate that is equal for all jobs below the element.
func (b *Batch) protects(e int32, j *Job) bool {
	if !b.followed || b.r != &b.best {
		return b.isProtective(e, j)
	}
	for int(e) >= len(b.protective) {
		b.protective = append(b.protective, [2]answer{})
	}
	known := &b.protective[e][0]
	if b.stage >= scheduling.Aggressive {
		known = &b.protective[e][1]
	}
	if *known == notAsked {
		*known = no
		if b.isProtective(e, j) {
			*known = yes
		}
	}
	return *known == yes
}

// An answer is a cached yes or no.
type answer uint8

const (
	notAsked answer = iota
	no
	yes
)

func (b *Batch) isProtective(e int32, j *Job) bool {
	o := b.r.Options
	return o.CheckStarvation && b.status(e) != scheduling.NonStarving ||
		o.CheckSatisfaction && slightlyBelow(b.satisfaction(e, j), b.threshold(e))
}

func isForSSD(p scheduling.Priority) bool { return p >= scheduling.SSDNormal }

// mayPassBlocker reports whether a job that a pool protects may be taken for a preemptor inside
// that pool (§10.4).
func (b *Batch) mayPassBlocker(j *Job, blocker int32) bool {
	return blocker != j.Operation && b.r.Options.ConditionalPreemption &&
		b.list(j) == scheduling.Preemptible && b.isWithin(b.preemptor(), blocker)
}

// isCandidate reports whether a stage could take a job for a preemptor.
func (b *Batch) isCandidate(j *Job) bool {
	if j.Gone {
		return false
	}
	if b.r.isForced(j) {
		return true
	}
	if b.level(j) < b.stage.LeastLevel() {
		return false
	}
	blocker := b.blocker(j)
	return blocker < 0 || b.mayPassBlocker(j, blocker)
}

// compare orders two jobs in preemption order: below zero if a goes before b (§10.5, §17.3).
func (b *Batch) compare(a, other *Job) int {
	list := b.list(a)
	if c := cmp.Compare(b.list(other), list); c != 0 {
		return c
	}
	if list != scheduling.Preemptible && b.r.Options.Profile != scheduling.Documented {
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
