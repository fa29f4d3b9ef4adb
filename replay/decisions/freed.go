package decisions

import (
	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A stage preempts after it has started a job, so the started job must fit the specified limits
// together with the victims (core/spec/scheduling.md §10.5, §11.2). In the core the victims of a
// heartbeat are gone before its start is judged; this file keeps their usage.

// A freed is the usage of a victim, for an element above it.
type freed struct {
	element fairshare.Element
	victim  int32 // index in the instant
	used    resource.Vector
}

// noteFreed records the usage of a victim before it is removed.
func (r *Referee) noteFreed(victim int32) {
	slot, ok := r.Core.JobOf(r.instant.Events[victim].Job)
	used := r.usageOf(victim)
	if !ok || used.IsZero() {
		return
	}
	r.eachAbove(r.Core.Job(slot), func(element fairshare.Element) {
		r.freed = append(r.freed, freed{element, victim, used})
	})
}

// lookAtFreed adds to a preemptive start the usage of victims that its stage took after it. If the
// time of their preemption is not recorded, they may have been gone.
func (r *Referee) lookAtFreed(s *judge.Start, e *core.Event) {
	stage, known := r.stageOf(e)
	for i := range r.freed {
		f := &r.freed[i]
		after, sure := r.isTakenAfter(&r.instant.Events[f.victim], e, stage, known)
		if !after {
			continue
		}
		for k := range s.States[0].Elements {
			if own := s.States[0].Element(int32(k)); own.Handle == f.element {
				own.Amount = own.Amount.Add(f.used)
				if !sure {
					own.Doubt, s.Doubtful = own.Doubt.Add(f.used), true
				}
			}
		}
	}
}

// stageOf returns the stage of a preemptive start, from its own record or from its victims.
func (r *Referee) stageOf(start *core.Event) (stage scheduling.Stage, known bool) {
	for stage = scheduling.PreemptiveSSDAggressive; stage <= scheduling.PreemptiveNormal; stage++ {
		if stage.String() == start.Stage {
			return stage, true
		}
	}
	for i := range r.freed {
		if v := &r.instant.Events[r.freed[i].victim]; isTakenFor(v, start) {
			return v.PreemptionReason().Stage()
		}
	}
	return 0, false
}

// isTakenFor reports whether a victim names a job as preemptor, or only its operation.
func isTakenFor(victim, start *core.Event) bool {
	if victim.PreemptorJob != "" {
		return victim.PreemptorJob == string(start.Name)
	}
	return victim.Preemptor >= 0 && victim.Preemptor == start.Operation
}

// isTakenAfter reports whether a victim was still there when the same heartbeat started a job, and
// whether that is certain. Earlier stages have already taken their victims (§9.3); logs do not
// record which stage repaired limits.
func (r *Referee) isTakenAfter(victim, start *core.Event, stage scheduling.Stage, known bool) (after, sure bool) {
	reason := victim.PreemptionReason()
	own, inStage := reason.Stage()
	switch {
	case isTakenFor(victim, start), reason == scheduling.ForOvercommit, known && inStage && own == stage:
		return true, !victim.Untimed
	case known && inStage && own < stage:
		return false, true
	}
	return true, false
}
