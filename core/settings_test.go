package core

import (
	"testing"

	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// Only the current profile goes by a threshold that stands in an operation's spec
// (core/spec/scheduling.md §15); an empty one takes the tree's away.
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
				e.Params = &OperationParams{OperationSettings: pooltree.OperationSettings{NonPreemptibleThreshold: c.own}}
			}
			tree.Step(&e)
		}
		if err := tree.Update(Second); err != nil {
			t.Fatal(err)
		}
		slot, _ := tree.OperationOf(0)
		if got := tree.Scheduling().Effective(tree.Operation(slot).Element).NonPreemptible; got != c.want {
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
	if at, n := tree.Reconfigured(), tree.Configurations(); at != Never || n < 2 {
		t.Errorf("at first: replaced at %d, %d versions", at, n)
	}
	configure(7)
	if at := tree.Reconfigured(); at != 7 {
		t.Errorf("then: replaced at %d", at)
	}
}

// Options of the tree that its pools do not go with wait for the pools of the same
// instant; taken over together, nothing is stored any more that did not take effect.
func TestOptionsAndPoolsThatGoTogether(t *testing.T) {
	preset := func(name string) *TreeConfig {
		c, errs := pooltree.ParseTree(Documented, pooltree.Attributes{"pool_config_presets": map[string]any{name: map[string]any{}}})
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		return &c
	}
	tree := New(&Dimensions{Pools: []PoolInfo{{Name: "a"}}}, Documented)
	both := func(at Time, defined, pool string) {
		tree.Step(&Event{Time: at, Kind: TreeConfigured, Tree: preset(defined)})
		c := PoolConfig{Parent: RootPool}
		c.Presets = []string{pool}
		tree.Step(&Event{Time: at, Kind: PoolConfigured, Pool: 0, Config: &c})
	}
	both(1, "x", "x")
	both(2, "y", "y")
	if refused := tree.Changes().Refused; len(refused) > 0 || tree.IsConfigurationRefused() {
		t.Errorf("what goes together is refused: %v", refused)
	}
	both(3, "z", "gone")
	if refused := tree.Changes().Refused; len(refused) == 0 || !tree.IsConfigurationRefused() {
		t.Errorf("what does not is not: %v", refused)
	}
}

// After a restart shares are due though nothing else has changed: weights may have
// followed what is forgotten.
func TestRestartMakesSharesDue(t *testing.T) {
	tree := New(&Dimensions{}, Documented)
	if err := tree.Update(1); err != nil || tree.Stale() {
		t.Fatalf("an empty tree: %v, stale %v", err, tree.Stale())
	}
	tree.Step(&Event{Time: 2, Kind: ProcessChanged, Process: "alert_raised"})
	if tree.Stale() {
		t.Error("an alert changes shares")
	}
	tree.Step(&Event{Time: 3, Kind: ProcessChanged, Process: "scheduler_started"})
	if !tree.Stale() {
		t.Error("a restart changes none")
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
