package fairshare

import (
	"math"
	"testing"

	"poolproof/core/resource"
)

// shareOf is the fair share of cpu that e gets.
func shareOf(t *Tree, e Element) float64 { return t.Result(e).FairShare.Total[resource.CPU] }

// weighing is a configuration of a weight alone.
func weighing(w float64) Settings { return Settings{Weight: Some(w)} }

// capped is a configuration of a max_share_ratio alone.
func capped(ratio float64) Settings { return Settings{MaxShareRatio: Some(ratio)} }

func expectShares(t *testing.T, tree *Tree, want map[Element]float64) {
	t.Helper()
	updateNow(t, tree)
	for e, share := range want {
		if got := shareOf(tree, e); math.Abs(got-share) > 1e-9 {
			t.Errorf("element %d: fair share %v, want %v", e, got, share)
		}
	}
}

func TestMaxShareRatiosMultiply(t *testing.T) {
	for profile, want := range map[Profile]int64{Documented: 2500, Baseline: 5000} {
		tree := hundredCores(Options{Profile: profile})
		outer := tree.AddPool(Root, Pool{Settings: capped(0.5)})
		between := tree.AddPool(outer, Pool{})
		inner := tree.AddPool(between, Pool{Settings: capped(0.5)})
		updateNow(t, tree)
		if got := tree.Result(inner).Limits[resource.CPU]; got != want {
			t.Errorf("profile %d: limit %v, want %v", profile, got, want)
		}
		// A limit above lowers what lies below, but only in one of the two.
		tree.SetPool(outer, Pool{Settings: capped(0.1)})
		updateNow(t, tree)
		if got := tree.Result(inner).Limits[resource.CPU]; profile == Documented && got != 500 || profile == Baseline && got != 5000 {
			t.Errorf("profile %d: limit %v under a lower one", profile, got)
		}
	}
}

func TestWeightZeroGetsTheGuaranteeOnly(t *testing.T) {
	tree := hundredCores(Options{})
	zero := Settings{Weight: Some(0), StrongGuarantee: partialOf(map[string]float64{"cpu": 10})}
	guaranteed := tree.AddPool(Root, Pool{Settings: zero})
	nothing := tree.AddPool(Root, Pool{Settings: weighing(0)})
	addDemand(tree, guaranteed, Operation{}, 100)
	addDemand(tree, nothing, Operation{}, 100)
	expectShares(t, tree, map[Element]float64{guaranteed: 0.1, nothing: 0})
	competitor := tree.AddPool(Root, Pool{})
	addDemand(tree, competitor, Operation{}, 200)
	expectShares(t, tree, map[Element]float64{guaranteed: 0.1, nothing: 0, competitor: 0.9})
	if got := tree.Result(competitor).Promised[resource.CPU]; math.Abs(got-0.9) > 1e-9 {
		t.Errorf("promised %v, want all beyond the guarantee", got)
	}
}

func TestWeightsBelowPrecisionCompete(t *testing.T) {
	tree := hundredCores(Options{})
	a := tree.AddPool(Root, Pool{Settings: weighing(1e-12)})
	b := tree.AddPool(Root, Pool{Settings: weighing(3e-12)})
	addDemand(tree, a, Operation{}, 200)
	addDemand(tree, b, Operation{}, 200)
	expectShares(t, tree, map[Element]float64{a: 0.25, b: 0.75})
}

// Any finite weight is legal, so that two of them together may be none.
func TestLargestWeightsCompete(t *testing.T) {
	tree := hundredCores(Options{})
	a := tree.AddPool(Root, Pool{Settings: weighing(math.MaxFloat64)})
	b := tree.AddPool(Root, Pool{Settings: weighing(1e300)})
	c := tree.AddPool(Root, Pool{Settings: weighing(1)})
	for _, pool := range []Element{a, b, c} {
		addDemand(tree, pool, Operation{}, 40)
	}
	expectShares(t, tree, map[Element]float64{a: 0.4, b: 0.4, c: 0.2})
	if got := tree.Result(a).Promised[resource.CPU]; got != 0.5 {
		t.Errorf("promised %v, want one half", got)
	}
	tree.SetOperation(addDemand(tree, c, Operation{}, 40), Operation{Settings: weighing(math.Inf(1))})
	if err := tree.Update(1, NoUpdate); err == nil {
		t.Error("an infinite weight is no weight")
	}
}

func TestWeightZeroIsLastInAQueue(t *testing.T) {
	tree := hundredCores(Options{})
	queue := tree.AddPool(Root, Pool{Mode: FIFO})
	last := addDemand(tree, queue, Operation{Settings: weighing(0), StartTime: 1}, 80)
	first := addDemand(tree, queue, Operation{Settings: weighing(1), StartTime: 2}, 80)
	expectShares(t, tree, map[Element]float64{first: 0.8, last: 0.2})
	if first, last := tree.Result(first).FIFOIndex, tree.Result(last).FIFOIndex; first != 0 || last != 1 {
		t.Errorf("positions %d and %d", first, last)
	}
}

// TestRefusedUpdateKeepsResults breaks a rule, and mends it.
func TestRefusedUpdateKeepsResults(t *testing.T) {
	tree := hundredCores(Options{Profile: Baseline, Name: func(e Element) string { return string(rune('A' + e)) }})
	pool := tree.AddPool(Root, Pool{})
	op := addDemand(tree, pool, Operation{}, 50)
	updateNow(t, tree)
	for _, c := range []struct {
		rule  string
		spoil func()
	}{
		{"C: usage of cpu exceeds demand", func() { tree.SetUsage(op, cores(60)) }},
		{"C: weight must be a finite number, zero or above", func() { tree.SetOperation(op, Operation{Settings: weighing(math.NaN())}) }},
		{"C: weight 0 in a pool that divides by weight", func() { tree.SetOperation(op, Operation{Settings: weighing(0)}) }},
		{"B: no child has a weight above 1e-9", func() { tree.SetOperation(op, Operation{Settings: weighing(1e-10)}) }},
		{"B: max_share_ratio must lie in [0, 1]", func() { tree.SetPool(pool, Pool{Settings: capped(2)}) }},
		{"D: a FIFO pool may hold operations only", func() {
			tree.SetPool(pool, Pool{Mode: FIFO})
			tree.AddPool(pool, Pool{})
		}},
	} {
		c.spoil()
		for range 2 { // a fault that stays is found again
			if err := tree.Update(1, NoUpdate); err == nil || err.Error() != c.rule {
				t.Errorf("got %v, want %q", err, c.rule)
			}
		}
		if got := shareOf(tree, op); got != 0.5 || len(tree.Changed()) != 0 {
			t.Errorf("%s: share %v, changed %v", c.rule, got, tree.Changed())
		}
		tree.SetUsage(op, cores(0))
		tree.SetOperation(op, Operation{})
		tree.SetPool(pool, Pool{})
		updateNow(t, tree)
	}
}
