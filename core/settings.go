package core

import (
	"poolproof/core/scheduling"
)

// schedulingOperation are the settings of an operation that starvation and
// preemption depend on.
func (t *Tree) schedulingOperation(o *Operation) scheduling.Operation {
	p := &o.Params
	return scheduling.Operation{
		OperationSettings: p.OperationSettings,
		ResourceLimits:    p.ResourceLimits.Value,
		Graceful:          p.Graceful.Value,
		Gang:              p.Gang.Value,
		RequestsSSD:       t.requestsSSD(o),
		Segment:           o.Segment,
		Module:            o.Module,
	}
}

// unschedulable says why an operation takes no part in scheduling
// (core/spec/scheduling.md §6.2).
func (o *Operation) unschedulable() scheduling.Obstacle {
	switch {
	case !o.Running || o.Ended:
		return scheduling.NotRunning
	case o.Suspended:
		return scheduling.Suspended
	case o.Needed.IsZero(): // whatever its own limits leave of it
		return scheduling.NoPendingJobs
	}
	return scheduling.NoObstacle
}
