package fairshare

import (
	"math"
	"testing"

	"poolproof/core/resource"
)

// Historic usage is kept as long as its aggregation mode says so: a pool whose
// children's weights come to follow it later finds it there. Another decay, and
// none, forget it (§2.6).
func TestHistoryIsKeptBeforeWeightsFollowIt(t *testing.T) {
	tree := New(Options{Profile: Baseline, MainResource: resource.CPU})
	tree.SetTotal(resource.Vector{resource.CPU: 1000})
	hub := Pool{HistoryAlpha: Some(0.5)}
	pool := tree.AddPool(Root, hub)
	heavy, light := tree.AddPool(pool, Pool{Settings: Settings{Weight: Some(3)}}), tree.AddPool(pool, Pool{})
	for i, child := range []Element{heavy, light} {
		o := tree.AddOperation(child, Operation{})
		amounts := resource.Vector{resource.CPU: int64(500 * (1 - i))}
		tree.SetDemand(o, amounts)
		tree.SetUsage(o, amounts)
	}
	at, previous := int64(0), NoUpdate
	weights := func(what string, wantHeavy, wantLight float64) {
		t.Helper()
		if err := tree.Update(at, previous); err != nil {
			t.Fatal(err)
		}
		for e, want := range map[Element]float64{heavy: wantHeavy, light: wantLight} {
			if got := tree.Result(e).Weight; math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: weight of %d is %v, want %v", what, e, got, want)
			}
		}
		at, previous = at+2_000_000, at
	}
	weights("first sample", 3, 1)
	weights("as specified", 3, 1)
	hub.InferWeightsFromHistory = true
	tree.SetPool(pool, hub)
	// Two samples of 0.5 later by 2 s each, which keep half of what there was.
	weights("by history", 3*math.Exp2(-0.375), 1)
	hub.InferWeightsFromHistory = false
	tree.SetPool(pool, hub)
	weights("as specified again", 3, 1)
	hub.HistoryAlpha, hub.InferWeightsFromHistory = Some(0.25), true
	tree.SetPool(pool, hub)
	weights("another decay", 3, 1)
	hub.HistoryAlpha = Optional{}
	tree.SetPool(pool, hub)
	weights("no history", 3, 1)
}
