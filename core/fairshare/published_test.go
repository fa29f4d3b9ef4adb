package fairshare

import (
	"math"
	"testing"

	"poolproof/core/resource"
)

// A Distribution says how much of a tree its first level is guaranteed, in
// amounts (§6.7).
type Distribution struct {
	Strong    resource.Vector // distributed_strong_guarantee_resources: explicit ones
	Flow      resource.Vector // distributed_resource_flow
	Burst     resource.Vector // distributed_burst_guarantee_resources
	Resources resource.Vector // distributed_resources: strong, and the larger of the two

	Undistributed      resource.Vector // undistributed_resources; negative in an overcommitted tree
	UndistributedFlow  resource.Vector // undistributed_resource_flow
	UndistributedBurst resource.Vector // undistributed_burst_guarantee_resources
}

// Steps of a satisfaction histogram: from 0 to 2, in thousandths.
const satisfactionSteps = 2001

// A SatisfactionHistogram counts operations by satisfaction, those above 2 as
// 2 (§9.2).
type SatisfactionHistogram struct {
	counts [satisfactionSteps]int
	total  int
}

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

// PromisedResources is promised_fair_share_resources: what the element is
// promised, in amounts of a tree of the given total.
func (r *Result) PromisedResources(total resource.Vector) resource.Vector {
	return total.TimesShare(r.Promised)
}

// SpecifiedBurstResources is specified_burst_guarantee_resources: the burst
// guarantee in all kinds.
func (r *IntegralResult) SpecifiedBurstResources(total resource.Vector) resource.Vector {
	return total.Times(r.SpecifiedBurst)
}

// SpecifiedFlow is specified_resource_flow: what flows in per second, in all
// kinds.
func (r *IntegralResult) SpecifiedFlow(total resource.Vector) resource.Vector {
	return total.Times(r.Flow)
}

// Distribution returns how the tree was distributed at the last update.
func (t *Tree) Distribution() (d Distribution) {
	for _, e := range t.nodes[Root].children {
		d.Strong = d.Strong.Add(t.settings(e).StrongGuarantee.Amounts)
	}
	flow, burst := 0.0, 0.0
	if r := t.results[Root].Integral; r != nil {
		flow, burst = r.TotalFlow, r.TotalBurst
	}
	d.Flow, d.Burst = t.total.Times(flow), t.total.Times(burst)
	d.Resources = d.Strong.Add(t.total.Times(max(flow, burst)))
	d.Undistributed = t.total.Sub(d.Resources)
	d.UndistributedFlow = t.total.Times(max(burst-flow, 0))
	d.UndistributedBurst = t.total.Times(max(flow-burst, 0))
	return d
}

// SatisfactionHistogram counts all operations below e.
func (t *Tree) SatisfactionHistogram(e Element) *SatisfactionHistogram {
	h := new(SatisfactionHistogram)
	t.countSatisfaction(e, h)
	return h
}

func (t *Tree) countSatisfaction(e Element, h *SatisfactionHistogram) {
	if t.nodes[e].pool == nil {
		step := int(min(t.results[e].Satisfaction, 2)*(satisfactionSteps-1)/2 + 0.5)
		h.counts[step]++
		h.total++
	}
	for _, c := range t.nodes[e].children {
		t.countSatisfaction(c, h)
	}
}

// Quantile returns the satisfaction that a part of the operations does not
// exceed; 0 without operations.
func (h *SatisfactionHistogram) Quantile(part float64) float64 {
	left := part * float64(h.total)
	for step, count := range h.counts {
		if left -= float64(count); left <= 0 && h.total > 0 {
			return float64(step) * 2 / (satisfactionSteps - 1)
		}
	}
	return 0
}

// BurstDuration is estimated_burst_usage_duration_seconds: how long the volume
// lasts at full burst. It is absent unless the burst exceeds the flow.
func (r *IntegralResult) BurstDuration(total resource.Vector) (seconds float64, ok bool) {
	if r.SpecifiedBurst <= r.Flow+comparisonPrecision {
		return 0, false
	}
	return r.RatioVolume(total) / (r.SpecifiedBurst - r.Flow), true
}
