package audit

import (
	"fmt"
	"runtime"
	"testing"
)

// TestGradesOfWholeTreesTakeMemoryInProportion grades a promise of a whole tree with many pools:
// twice the pools take about twice the memory.
func TestGradesOfWholeTreesTakeMemoryInProportion(t *testing.T) {
	allocated := func(pools int) uint64 {
		g := &grader{
			judges: map[string][]string{"pool_limits": {"limit_exceeded"}}, outcomes: map[place]*Outcome{}, tested: map[sight][]testedSpan{},
		}
		subjects := make([]string, pools)
		for i := range subjects {
			subjects[i] = fmt.Sprintf("pool-%d", i)
			of := sight{"limit_exceeded", "physical", "pool_limits", subjects[i]}
			g.tested[of] = []testedSpan{{tree: of.tree, subject: of.subject, kind: of.kind}}
		}
		promise := &promiseTerm{Promise: Promise{Tree: "physical", Kind: "pool_limits"}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		looks := g.looks(promise, subjects)
		runtime.ReadMemStats(&after)
		if len(looks) != 1 || len(looks[0].spans) != pools {
			t.Fatalf("%d pools: %d looks", pools, len(looks))
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	some, twice := allocated(4000), allocated(8000)
	if twice > some*5/2 {
		t.Errorf("4000 pools take %d bytes, 8000 take %d: not in proportion", some, twice)
	}
}
