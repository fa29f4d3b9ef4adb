package fairshare

import (
	"testing"

	"poolproof/core/resource"
)

// A pool inside one that stops to compute promised guarantee shares computes its
// own: what lies below it is told even if nothing is left to promise.
func TestInnerPromiseFollowsTheOuter(t *testing.T) {
	tree := hundredCores(Options{Profile: Baseline})
	promising := func(guarantee int64, computes bool) Pool {
		return Pool{
			Settings:                 Settings{StrongGuarantee: resource.Partial{Amounts: cores(guarantee), Set: [resource.Kinds]bool{resource.CPU: true}}},
			ComputePromisedGuarantee: computes,
		}
	}
	outer := tree.AddPool(Root, promising(50, true))
	operation := addDemand(tree, tree.AddPool(outer, promising(0, true)), Operation{}, 100)
	updateNow(t, tree)
	if got := tree.Result(operation).PromisedGuarantee.Total[resource.CPU]; got != 0.5 {
		t.Errorf("the operation is promised %v, want the 0.5 of the outer pool", got)
	}
	tree.SetPool(outer, promising(50, false))
	updateNow(t, tree)
	if got := tree.Result(operation).PromisedGuarantee.Total[resource.CPU]; got != 0 {
		t.Errorf("the operation is promised %v, but its pool has no guarantee", got)
	}
}
