package simulate

import (
	"poolproof/core"
	"poolproof/core/scheduling"
)

// announce records which operations of a tree began or ceased to starve at the update of this
// instant. A change of the status is recorded as another beginning.
func (s *simulation) announce(tree int) {
	t := &s.trees[tree]
	for slot := range t.core.Operations() {
		o := t.core.Operation(int32(slot))
		if !o.Alive {
			continue
		}
		status := s.statusOf(tree, o)
		before := t.starving[o.ID]
		if status == before {
			continue
		}
		e := event(core.OperationChanged)
		e.Operation, e.Step, e.Status = o.ID, core.StepStarvationStarted, status.String()
		if status == scheduling.NonStarving {
			e.Step = core.StepStarvationFinished
			delete(t.starving, o.ID)
		} else {
			t.starving[o.ID] = status
		}
		s.emit(tree, &e)
	}
}

// statusOf returns the starvation status of an operation, as the scheduler records it.
func (s *simulation) statusOf(tree int, o *core.Operation) scheduling.Status {
	status := scheduling.NonStarving
	if o.Enabled() && !o.Ended {
		status = s.trees[tree].core.Scheduling().Starvation(o.Element).Status()
	}
	if m := s.plan.FaultInjector.Status; m != nil {
		status = m(s.now, tree, o.ID, status)
	}
	return status
}
