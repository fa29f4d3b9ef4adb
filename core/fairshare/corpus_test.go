package fairshare

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"poolproof/core/coretest/testcorpus"
	"poolproof/core/resource"
)

// A corpusLine is one tree of the corpus with what an update must give.
type corpusLine struct {
	ID              string        `json:"id"`
	Input           corpusInput   `json:"input"`
	Expected        corpusOutput  `json:"expected"`
	ExpectedClamped *corpusOutput `json:"expected_clamped"`
	Asserts         []struct {
		Node, Attribute string
		Expected        any
		Tolerance       float64
	} `json:"asserts"`
}

type corpusInput struct {
	ID           string             `json:"id"`
	Total        map[string]float64 `json:"total_resource_limits"`
	MainResource string             `json:"main_resource"`
	Saturation   int64              `json:"pool_capacity_saturation_period_us"`
	Smooth       int64              `json:"smooth_period_us"`
	Now          int64              `json:"now_us"`
	Previous     *int64             `json:"previous_update_time_us"`
	Nodes        []corpusNode       `json:"nodes"`
}

type corpusNode struct {
	ID       string             `json:"id"`
	Kind     string             `json:"kind"`
	Parent   string             `json:"parent"`
	Weight   *float64           `json:"weight"`
	Strong   map[string]float64 `json:"strong_guarantee_resources"`
	Limits   map[string]float64 `json:"resource_limits"`
	MaxShare *float64           `json:"max_share"`
	Mode     string             `json:"mode"`
	Truncate bool               `json:"enable_fair_share_truncation_in_fifo_pool"`
	Promised bool               `json:"compute_promised_guarantee_fair_share"`
	Integral struct {
		Type       string             `json:"guarantee_type"`
		Flow       map[string]float64 `json:"resource_flow"`
		Burst      map[string]float64 `json:"burst_guarantee_resources"`
		Multiplier *float64           `json:"relaxed_share_multiplier_limit"`
		Accept     *bool              `json:"can_accept_free_volume"`
		Distribute bool               `json:"should_distribute_free_volume_among_children"`
	} `json:"integral_guarantees"`
	State struct {
		Volume map[string]float64 `json:"accumulated_volume"`
		Last   float64            `json:"last_share_ratio"`
	} `json:"integral_resources_state"`
	Demand map[string]float64 `json:"resource_demand"`
	Usage  map[string]float64 `json:"resource_usage"`
	Gang   bool               `json:"gang"`
	Start  int64              `json:"start_time"`
	Best   map[string]float64 `json:"best_allocation_share"`
}

type corpusOutput struct {
	Status string           `json:"status"`
	Errors []map[string]any `json:"errors"`
	Nodes  []map[string]any `json:"nodes"`
}

// readCorpus calls each with every line of a published file of the corpus.
func readCorpus(t testing.TB, name string, each func(corpusLine)) {
	readFile(t, testcorpus.File(t, testcorpus.Conformance, "fair-share", name), each)
}

func readFile(t testing.TB, path string, each func(corpusLine)) {
	testcorpus.Lines(t, path, func(data []byte) {
		var line corpusLine
		if err := json.Unmarshal(data, &line); err != nil {
			t.Fatal(err)
		}
		if line.ID == "" {
			line.ID = line.Input.ID
		}
		each(line)
	})
}

// vectorOf reads amounts; partialOf keeps which are named.
func vectorOf(amounts map[string]float64) resource.Vector { return partialOf(amounts).Amounts }

func partialOf(amounts map[string]float64) (p resource.Partial) {
	for name, amount := range amounts {
		k, ok := resource.ParseKind(name)
		if !ok {
			panic("unknown resource " + name)
		}
		p.Set[k] = true
		p.Amounts[k] = int64(amount)
		if k == resource.CPU {
			p.Amounts[k] = resource.ParseCPU(amount)
		}
	}
	return p
}

func realsOf(numbers map[string]float64, absent float64) (s [resource.Kinds]float64) {
	for k := range s {
		s[k] = absent
	}
	for name, x := range numbers {
		k, _ := resource.ParseKind(name)
		s[k] = x
	}
	return s
}

func optionalOf(x *float64) Optional {
	if x == nil {
		return Optional{}
	}
	return Some(*x)
}

// build makes the tree of an input, and returns its elements in input order.
func (in *corpusInput) build() (*Tree, []Element) {
	names := map[Element]string{}
	main, _ := resource.ParseKind(in.MainResource)
	tree := New(Options{
		Profile: Baseline, MainResource: main, SmoothPeriod: in.Smooth,
		PoolCapacitySaturationPeriod: in.Saturation,
		Name:                         func(e Element) string { return names[e] },
	})
	tree.SetTotal(vectorOf(in.Total))
	byName := map[string]Element{}
	var elements []Element
	for i := range in.Nodes {
		e := in.Nodes[i].add(tree, byName)
		byName[in.Nodes[i].ID], names[e] = e, in.Nodes[i].ID
		elements = append(elements, e)
	}
	return tree, elements
}

// previous is the instant of the update before.
func (in *corpusInput) previous() int64 {
	if in.Previous == nil {
		return NoUpdate
	}
	return *in.Previous
}

func (n *corpusNode) add(tree *Tree, byName map[string]Element) Element {
	weight := n.Weight
	if weight == nil {
		one := 1.0
		weight = &one
	}
	settings := Settings{
		Weight: optionalOf(weight), MaxShareRatio: optionalOf(n.MaxShare),
		ResourceLimits: partialOf(n.Limits), StrongGuarantee: partialOf(n.Strong),
	}
	if n.Kind == "operation" {
		o := Operation{Settings: settings, Gang: n.Gang, StartTime: n.Start}
		if n.Best != nil {
			o.BestAllocationShare, o.HasBestAllocation = realsOf(n.Best, 1), true
		}
		e := tree.AddOperation(byName[n.Parent], o)
		tree.SetDemand(e, vectorOf(n.Demand))
		tree.SetUsage(e, vectorOf(n.Usage))
		return e
	}
	p := n.pool()
	p.Settings = settings
	e := Root
	if n.Kind == "root" {
		tree.SetPool(Root, p)
	} else {
		e = tree.AddPool(byName[n.Parent], p)
	}
	tree.SetIntegralState(e, resource.VolumeOf(realsOf(n.State.Volume, 0)), n.State.Last)
	return e
}

func (n *corpusNode) pool() Pool {
	p := Pool{TruncateFIFO: SwitchOf(n.Truncate), ComputePromisedGuarantee: n.Promised}
	if n.Mode == "fifo" {
		p.Mode = FIFO
	}
	p.Integral = Integral{
		Type:                        map[string]GuaranteeType{"burst": Burst, "relaxed": Relaxed}[n.Integral.Type],
		ResourceFlow:                partialOf(n.Integral.Flow),
		BurstGuarantee:              partialOf(n.Integral.Burst),
		RelaxedShareMultiplierLimit: optionalOf(n.Integral.Multiplier),
		RefuseFreeVolume:            n.Integral.Accept != nil && !*n.Integral.Accept,
		DistributeFreeVolume:        SwitchOf(n.Integral.Distribute),
	}
	return p
}

// attributes returns a result as the corpus writes it, zeros included.
func attributes(tree *Tree, e Element) map[string]any {
	r := tree.Result(e)
	split := func(s Shares) any {
		return map[string]any{
			"strong_guarantee": s.Strong, "integral_guarantee": s.Integral,
			"weight_proportional": s.Weight, "total": s.Total,
		}
	}
	a := map[string]any{
		"dominant_resource": r.Dominant.String(), "demand_share": r.DemandShare, "usage_share": r.UsageShare,
		"limits_share": r.LimitsShare, "effective_strong_guarantee_resources": reals(r.EffectiveGuarantee),
		"strong_guarantee_share": r.StrongShare, "proposed_integral_share": r.Proposed,
		"promised_fair_share": r.Promised, "estimated_guarantee_share": r.Estimated,
		"fair_share": split(r.FairShare), "promised_guarantee_fair_share": split(r.PromisedGuarantee),
	}
	if r.FIFOIndex >= 0 {
		a["fifo_index"] = float64(r.FIFOIndex)
	}
	if i := r.Integral; i != nil {
		for name, x := range map[string]float64{
			"burst_ratio": i.Burst, "total_burst_ratio": i.TotalBurst,
			"resource_flow_ratio": i.Flow, "total_resource_flow_ratio": i.TotalFlow,
			"last_share_ratio": i.LastShareRatio,
		} {
			a[name] = x
		}
		for name, v := range map[string]resource.Volume{
			"accumulated_volume": i.Volume, "volume_overflow": i.Overflow, "acceptable_volume": i.Acceptable,
			"accepted_free_volume": i.Accepted, "children_volume_overflow": i.ChildrenOverflow,
		} {
			a[name] = v.Natural()
		}
	}
	return a
}

func reals(v resource.Vector) (r [resource.Kinds]float64) {
	for k := range r {
		r[k] = v.Real(resource.Kind(k))
	}
	return r
}

// differences compares what an update gave with what is expected, where
// absent is zero, and describes each difference.
func differences(got map[string]any, want map[string]any, tolerance float64) (found []string) {
	data, _ := json.Marshal(got)
	var plain map[string]any
	_ = json.Unmarshal(data, &plain)
	for name := range want {
		if _, ok := plain[name]; !ok && name != "id" && name != "functions" {
			found = append(found, fmt.Sprintf("%s is missing, want %v", name, want[name]))
		}
	}
	for name, g := range plain {
		if !alike(name, g, want[name], tolerance) {
			found = append(found, fmt.Sprintf("%s = %v, want %v", name, g, want[name]))
		}
	}
	return found
}

// exact are the attributes that must match to the last digit.
var exact = map[string]bool{"effective_strong_guarantee_resources": true, "fifo_index": true}

func alike(name string, got, want any, tolerance float64) bool {
	switch g := got.(type) {
	case string:
		return want == any(g)
	case float64:
		w, ok := want.(float64)
		if !ok && want != nil {
			return false
		}
		if exact[name] {
			return g == w
		}
		return math.Abs(g-w) <= tolerance*max(1, math.Abs(w))
	case []any:
		w, ok := want.([]any)
		if want != nil && (!ok || len(w) != len(g)) {
			return false
		}
		for i := range g {
			var x any
			if ok {
				x = w[i]
			}
			if !alike(name, g[i], x, tolerance) {
				return false
			}
		}
		return true
	case map[string]any:
		w, ok := want.(map[string]any)
		if want != nil && !ok {
			return false
		}
		for key := range w {
			if _, known := g[key]; !known {
				return false
			}
		}
		for key := range g {
			if !alike(name, g[key], w[key], tolerance) {
				return false
			}
		}
		return true
	}
	return false
}
