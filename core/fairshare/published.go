package fairshare

import "poolproof/core/resource"

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

// Steps of a satisfaction histogram: from 0 to 2, in thousandths.
const satisfactionSteps = 2001

// A SatisfactionHistogram counts operations by satisfaction, those above 2 as
// 2 (§9.2).
type SatisfactionHistogram struct {
	counts [satisfactionSteps]int
	total  int
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
