package core_test

import (
	"testing"

	"poolproof/core"
	"poolproof/core/pooltree"
)

// An operation that fills its pool by itself does not wait behind itself once it
// is ready for jobs.
func TestAnOperationThatRunsIsNotDueAgain(t *testing.T) {
	dims := &core.Dimensions{
		Operations: []core.OperationInfo{{ID: "o", Type: "map", User: "u"}},
		Pools:      []core.PoolInfo{{Tree: "t", Name: "p"}},
	}
	tree := core.New(dims, core.Documented)
	event := func(kind core.Kind) *core.Event {
		return &core.Event{Kind: kind, Pool: core.Unknown, Operation: core.Unknown, Node: core.Unknown, Job: core.Unknown, Preemptor: core.Unknown}
	}
	limit := func(n int64) {
		e := event(core.PoolConfigured)
		e.Pool, e.Config = 0, &core.PoolConfig{
			Parent:     core.RootPool,
			PoolConfig: pooltree.PoolConfig{MaxRunningOperationCount: core.Some(n)},
		}
		tree.Step(e)
	}
	limit(1)
	for _, step := range []core.Step{core.StepStarted, core.StepRunning, core.StepMaterialized} {
		e := event(core.OperationChanged)
		e.Operation, e.Step = 0, step
		if step == core.StepStarted {
			e.Pool = 0
		}
		tree.Step(e)
	}
	limit(2)
	if o, ok := tree.Due(); ok {
		t.Errorf("operation %d is due and runs", o)
	}
}
