package decisions

import (
	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A stage takes jobs after it has started one, and what it started had to fit the specified
// limits with them (core/spec/scheduling.md §10.5, §11.2). The core has the victims of a heartbeat
// gone before its start is judged; here is what they used.

// A freed is what a victim used of an element above it.
type freed struct {
	element fairshare.Element
	victim  int32 // in the instant
	used    resource.Vector
}

// noteFreed notes what a victim uses that is about to go.
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

// lookAtFreed judges a start in place of others with what its stage took only then. Where that
// moment is not recorded, the jobs may have been gone.
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

// stageOf is the stage that started a job in place of others: it says so itself, or those
// that were taken for it do.
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

// isTakenFor reports whether a victim names a job, or its operation and none.
func isTakenFor(victim, start *core.Event) bool {
	if victim.ForJob != "" {
		return victim.ForJob == string(start.Name)
	}
	return victim.For >= 0 && victim.For == start.Operation
}

// isTakenAfter reports whether a job that the same heartbeat started was there before a victim
// was gone, and whether that is sure. Stages before its own have taken theirs (§9.3), and no log
// records which of them repaired limits.
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
