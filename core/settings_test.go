package core

import (
	"testing"

	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// Only the current profile goes by a threshold that stands in an operation's spec
// (spec/scheduling.md §15); an empty one takes the tree's away.
func TestAnOperationsOwnThreshold(t *testing.T) {
	two := resource.Partial{Amounts: resource.Vector{2}, Set: [resource.Kinds]bool{true}}
	own := resource.Partial{Amounts: resource.Vector{5}, Set: [resource.Kinds]bool{true}}
	for _, c := range []struct {
		profile Profile
		own     Optional[resource.Partial]
		want    resource.Partial
	}{
		{Current, Optional[resource.Partial]{}, two}, {Current, Some(own), own}, {Current, Some(resource.Partial{}), resource.Partial{}},
		{Baseline, Some(own), two}, {Documented, Some(own), two},
	} {
		dims := Dimensions{Operations: []OperationInfo{{ID: "o", Type: "vanilla", User: "u"}}, Pools: []PoolInfo{{Name: "a"}}}
		tree := New(&dims, c.profile)
		tree.Step(&Event{Time: 1, Kind: TreeConfigured, Tree: &TreeConfig{NonPreemptibleThreshold: two}})
		tree.Step(&Event{Time: 1, Kind: PoolConfigured, Pool: 0, Config: &PoolConfig{Parent: RootPool}})
		for _, step := range []Step{StepStarted, StepRunning} {
			e := Event{Time: 2, Kind: OperationChanged, Step: step, Pool: 0}
			if step == StepStarted {
				e.Params = &OperationParams{NonPreemptibleThreshold: c.own}
			}
			tree.Step(&e)
		}
		if err := tree.Update(Second); err != nil {
			t.Fatal(err)
		}
		slot, _ := tree.OperationOf(0)
		if got := tree.Scheduling().Entitlement(tree.Operation(slot).Element).NonPreemptible; got != c.want {
			t.Errorf("%v with %+v has %+v, want %+v", c.profile, c.own, got, c.want)
		}
	}
}

// The configurations of one instant are one: the first replaces none, and versions
// that come with it neither.
func TestOnlyLaterConfigurationsReplace(t *testing.T) {
	tree := New(&Dimensions{Pools: []PoolInfo{{Name: "a"}}}, Documented)
	configure := func(at Time) {
		tree.Step(&Event{Time: at, Kind: TreeConfigured, Tree: &TreeConfig{}})
		tree.Step(&Event{Time: at, Kind: PoolConfigured, Pool: 0, Config: &PoolConfig{Parent: RootPool}})
		tree.Changes()
	}
	configure(5)
	if at, n := tree.Reconfigured(), tree.Configurations(); at != 0 || n < 2 {
		t.Errorf("at first: replaced at %d, %d versions", at, n)
	}
	configure(7)
	if at := tree.Reconfigured(); at != 7 {
		t.Errorf("then: replaced at %d", at)
	}
}

// The tree says whether jobs of those that starve may be taken.
func TestPreemptionFromStarvingOperationsIsAnOption(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		c, errs := pooltree.ParseTree(Current, pooltree.Attributes{"allow_preemption_from_starving_operations": allowed})
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		tree := New(&Dimensions{}, Current)
		tree.Step(&Event{Time: 1, Kind: TreeConfigured, Tree: &c})
		tree.Changes()
		o := tree.Scheduling().Options()
		if o.PreemptFromStarving != allowed {
			t.Errorf("stated to be %v, and is %v", allowed, o.PreemptFromStarving)
		}
	}
}
