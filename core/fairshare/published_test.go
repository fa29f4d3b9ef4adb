package fairshare

import (
	"math"
	"testing"

	"poolproof/core/resource"
)

func TestDistributionOfTheTree(t *testing.T) {
	tree := hundredCores(Options{})
	tree.AddPool(Root, Pool{Settings: Settings{StrongGuarantee: partialOf(map[string]float64{"cpu": 30})}})
	flow, burst := partialOf(map[string]float64{"cpu": 10}), partialOf(map[string]float64{"cpu": 25})
	pool := tree.AddPool(Root, Pool{Integral: Integral{Type: Burst, ResourceFlow: flow, BurstGuarantee: burst}})
	updateNow(t, tree)
	want := Distribution{
		Strong: cores(30), Flow: cores(10), Burst: cores(25), Resources: cores(55),
		Undistributed: cores(45), UndistributedFlow: cores(15),
	}
	if got := tree.Distribution(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	r := tree.Result(pool)
	if got := r.Integral.SpecifiedBurstResources(tree.Total()); got != cores(25) {
		t.Errorf("specified burst %v", got)
	}
	if got := r.Integral.SpecifiedFlow(tree.Total()); got != cores(10) {
		t.Errorf("specified flow %v", got)
	}
	if got := r.PromisedResources(tree.Total())[resource.CPU]; got != 4000 {
		t.Errorf("promised %v hundredths, want 10 cores of flow and half of the other 60", got)
	}
}

func TestQuantilesOfSatisfaction(t *testing.T) {
	tree := hundredCores(Options{})
	pool := tree.AddPool(Root, Pool{})
	for i := range int64(10) {
		e := addDemand(tree, pool, Operation{}, 10)
		tree.SetUsage(e, cores(i+1))
	}
	updateNow(t, tree)
	h := tree.SatisfactionHistogram(Root)
	for part, want := range map[float64]float64{0.1: 0.1, 0.5: 0.5, 1: 1} {
		if got := h.Quantile(part); math.Abs(got-want) > 1e-9 {
			t.Errorf("quantile %v is %v, want %v", part, got, want)
		}
	}
	if got := tree.SatisfactionHistogram(tree.AddPool(Root, Pool{})).Quantile(0.5); got != 0 {
		t.Errorf("quantile of nothing is %v", got)
	}
}
