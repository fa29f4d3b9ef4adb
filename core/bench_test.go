package core_test

import (
	"fmt"
	"testing"

	"poolproof/core"
)

// BenchmarkAdmission registers, runs and ends an operation in a tree of 1,000
// pools that holds live operations.
func BenchmarkAdmission(b *testing.B) {
	const pools = 1000
	for _, live := range []int{5_000, 50_000} {
		b.Run(fmt.Sprintf("live=%d", live), func(b *testing.B) {
			dims := &core.Dimensions{Pools: make([]core.PoolInfo, pools), Operations: make([]core.OperationInfo, live+1)}
			for i := range dims.Pools {
				dims.Pools[i] = core.PoolInfo{Tree: "t", Name: fmt.Sprintf("pool%d", i)}
			}
			for i := range dims.Operations {
				dims.Operations[i] = core.OperationInfo{ID: fmt.Sprint(i), Type: "map", User: fmt.Sprintf("user%d", i%100)}
			}
			tree := core.New(dims, core.Documented)
			step := func(e core.Event) {
				e.Time, e.Node, e.Job, e.Preemptor = 1, core.Unknown, core.Unknown, core.Unknown
				tree.Step(&e)
			}
			for i := range pools {
				config := &core.PoolConfig{Parent: core.RootPool}
				if i >= 10 {
					config.Parent = core.PoolID(i % 10)
				}
				config.MaxOperationCount, config.MaxRunningOperationCount = core.Some[int64](1_000_000), core.Some[int64](1_000_000)
				step(core.Event{Kind: core.PoolConfigured, Pool: core.PoolID(i), Config: config, Operation: core.Unknown})
			}
			admit := func(o int, s core.Step) {
				pool := core.PoolID(core.Unknown)
				if s == core.StepStarted {
					pool = core.PoolID(10 + o%(pools-10))
				}
				step(core.Event{Kind: core.OperationChanged, Operation: core.OperationID(o), Step: s, Pool: pool})
			}
			for o := range live {
				admit(o, core.StepStarted)
				admit(o, core.StepRunning)
			}
			tree.ClearChanges()
			b.ReportAllocs()
			for b.Loop() {
				admit(live, core.StepStarted)
				admit(live, core.StepRunning)
				admit(live, core.StepCompleted)
				tree.ClearChanges()
			}
		})
	}
}
