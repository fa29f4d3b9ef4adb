package fairshare

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"poolproof/core/resource"
)

// check compares the results of a step with what the case expects.
func (tree *caseTree) check(t *testing.T, c *specCase, step *specStep, where string) {
	for name, want := range step.Expect.Elements {
		got := tree.published(tree.elements[name])
		for key, value := range want {
			g, known := got[key]
			if !known {
				t.Fatalf("%s: %s: %s is not known", where, name, key)
			}
			if !matches(c, key, g, value) {
				t.Errorf("%s: %s: %s = %v, want %v", where, name, key, g, value)
			}
		}
	}
	if want := step.Expect.Errors; want != nil {
		got := []string{}
		for _, e := range tree.Errors() {
			got = append(got, map[int]string{
				CodeOvercommit: "pool_tree_guarantees_overcommit", CodeNestedPromised: "nested_promised_guarantee_fair_share_pools",
			}[e.Code])
		}
		if !sameSet(got, *want) {
			t.Errorf("%s: errors %v, want %v", where, got, *want)
		}
	}
	for name, invariants := range step.Expect.Invariants {
		for _, invariant := range invariants {
			if !tree.holds(t, tree.elements[name], invariant) {
				t.Errorf("%s: %s: %s does not hold", where, name, invariant)
			}
		}
	}
}

// holds reports whether an invariant holds for an element.
func (tree *caseTree) holds(t *testing.T, e Element, invariant string) bool {
	r := tree.Result(e)
	switch invariant {
	case "limits_dominate_guarantees":
		return r.StrongShare.Add(r.Proposed).FitsIn(r.LimitsShare)
	case "total_at_most_one_plus_epsilon":
		return r.FairShare.Total.Dominant() <= 1+1e-9
	}
	t.Fatalf("invariant %s is not known", invariant)
	return false
}

func sameSet(a, b []string) bool {
	set := func(list []string) map[string]bool {
		m := map[string]bool{}
		for _, x := range list {
			m[x] = true
		}
		return m
	}
	x, y := set(a), set(b)
	for k := range x {
		if !y[k] {
			return false
		}
	}
	return len(x) == len(y)
}

// published returns everything a case may expect of an element.
func (tree *caseTree) published(e Element) map[string]any {
	r := tree.Result(e)
	m := attributes(tree.Tree, e)
	m["weight"], m["fifo_index"] = r.Weight, float64(r.FIFOIndex)
	m["fair_share_ratio"], m["usage_ratio"] = r.FairShare.Total.Dominant(), r.UsageShare.Dominant()
	m["demand_ratio"], m["min_share_ratio"] = r.DemandShare.Dominant(), r.StrongShare.Dominant()
	m["guaranteed_ratio"], m["local_satisfaction_ratio"] = r.Promised.Dominant(), r.LocalSatisfaction
	if i := r.Integral; i != nil {
		m["accumulated_resource_volume"], m["integral_pool_capacity"] = i.Volume.Natural(), i.Capacity.Natural()
		m["accumulated_resource_ratio_volume"] = i.RatioVolume(tree.Total())
		m["specified_burst_ratio"], m["specified_resource_flow_ratio"] = i.SpecifiedBurst, i.Flow
		m["estimated_burst_usage_duration_seconds"] = nil
		if seconds, ok := i.BurstDuration(tree.Total()); ok {
			m["estimated_burst_usage_duration_seconds"] = seconds
		}
	}
	return m
}

// matches compares one value, where vectors are written as maps in which a
// missing key is zero.
func matches(c *specCase, key string, got, want any) bool {
	volume := key == "accumulated_resource_volume" || key == "integral_pool_capacity"
	switch g := plain(got).(type) {
	case nil:
		return want == nil
	case string:
		return g == want
	case float64:
		w, ok := want.(float64)
		return ok && math.Abs(g-w) <= c.tolerance()*max(1, math.Abs(w))
	case map[string]any:
		for part, value := range want.(map[string]any) {
			if !matches(c, key, g[part], value) {
				return false
			}
		}
		return true
	case []any:
		w := realsOf(numbers(want), 0)
		for k := range w {
			tolerance := c.tolerance()
			if key == "effective_strong_guarantee_resources" {
				tolerance = 0
			}
			if volume {
				tolerance = max(1e-6, 1e-12*math.Abs(w[k]), c.VolumeTolerance[resource.Kind(k).String()])
			}
			if math.Abs(g[k].(float64)-w[k]) > tolerance {
				return false
			}
		}
		return true
	}
	return false
}

// decode reads the input and what is expected of a case.
func decode(t *testing.T, c *specCase, input, expect any) {
	if err := json.Unmarshal(c.Input, input); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(c.Expect, expect); err != nil {
		t.Fatal(err)
	}
}

func checkScale(t *testing.T, c *specCase) {
	var in struct {
		Amounts map[string]float64
		Factor  float64
	}
	var want map[string]float64
	decode(t, c, &in, &want)
	if got := vectorOf(in.Amounts).Times(in.Factor); got != vectorOf(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func checkParse(t *testing.T, c *specCase) {
	var in, want struct{ CPU float64 }
	decode(t, c, &in, &want)
	if got := float64(resource.ParseCPU(in.CPU)) / resource.CentsPerCore; got != want.CPU {
		t.Errorf("got %v, want %v", got, want.CPU)
	}
}

func checkVolume(t *testing.T, c *specCase) {
	var in struct {
		Amounts map[string]float64
		Seconds float64
	}
	var want map[string]float64
	decode(t, c, &in, &want)
	if got := vectorOf(in.Amounts).Over(in.Seconds).Natural(); !near(got, realsOf(want, 0)) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// near compares vectors within 1e-9.
func near(a, b resource.Share) bool {
	for k := range a {
		if math.Abs(a[k]-b[k]) > 1e-9 {
			return false
		}
	}
	return true
}

func checkRatios(t *testing.T, c *specCase) {
	var in struct{ Numerator, Denominator map[string]float64 }
	var want struct {
		Min      float64 `json:"min_ratio"`
		Max      float64 `json:"max_ratio"`
		Dominant string  `json:"dominant_resource"`
	}
	decode(t, c, &in, &want)
	a, total := vectorOf(in.Numerator), vectorOf(in.Denominator)
	if a.MinRatio(total) != want.Min || a.MaxRatio(total) != want.Max || want.Dominant != "" && a.DominantKind(total).String() != want.Dominant {
		t.Errorf("got %v %v %v, want %v", a.MinRatio(total), a.MaxRatio(total), a.DominantKind(total), want)
	}
}

// A caseNode is a node of a resource_limits case.
type caseNode struct {
	Tags      []string
	Resources map[string]float64
}

func checkLimits(t *testing.T, c *specCase) {
	var in struct {
		Nodes    []caseNode
		Elements []struct {
			Name, Parent string
			Limits       map[string]float64 `json:"resource_limits"`
			MaxShare     *float64           `json:"max_share_ratio"`
			Filter       string             `json:"scheduling_tag_filter"`
		}
	}
	var want map[string]map[string]float64
	decode(t, c, &in, &want)
	tree := New(Options{Profile: Baseline, MainResource: resource.CPU})
	tree.SetTotal(matching(in.Nodes, ""))
	byName := map[string]Element{"<Root>": Root}
	for _, e := range in.Elements {
		p := Pool{Settings: Settings{ResourceLimits: partialOf(e.Limits), MaxShareRatio: optionalOf(e.MaxShare)}}
		if e.Filter != "" {
			p.TagLimits = resource.Partial{Amounts: matching(in.Nodes, e.Filter), Set: [resource.Kinds]bool{true, true, true, true, true}}
		}
		byName[e.Name] = tree.AddPool(byName[e.Parent], p)
	}
	if err := tree.Update(0, NoUpdate); err != nil {
		t.Fatal(err)
	}
	for name, limits := range want {
		if got := tree.Result(byName[name]).Limits; got != vectorOf(limits) {
			t.Errorf("%s: got %v, want %v", name, got, limits)
		}
	}
}

// matching sums the resources of the nodes that a filter of the form
// "a | (b & c)" matches.
func matching(nodes []caseNode, filter string) (sum resource.Vector) {
	for _, n := range nodes {
		some := filter == ""
		for _, alternative := range strings.Split(filter, "|") {
			all := filter != ""
			for _, tag := range strings.Split(alternative, "&") {
				has := false
				for _, own := range n.Tags {
					has = has || own == strings.Trim(tag, " ()")
				}
				all = all && has
			}
			some = some || all
		}
		if some {
			sum = sum.Add(vectorOf(n.Resources))
		}
	}
	return sum
}

func checkBest(t *testing.T, c *specCase) {
	var in struct {
		Demand, Total map[string]float64
		Memory        map[string]int64 `json:"memory_distribution"`
	}
	var want map[string]float64
	decode(t, c, &in, &want)
	var nodes []resource.NodeMemory
	for size, count := range in.Memory {
		memory, err := strconv.ParseInt(size, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, resource.NodeMemory{Memory: memory, Count: count})
	}
	if got := BestAllocation(vectorOf(in.Demand), vectorOf(in.Total), nodes); !near(got, realsOf(want, 0)) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func checkHistoric(t *testing.T, c *specCase) {
	var in struct {
		Weight  *float64 `json:"specified_weight"`
		Mode    string
		Alpha   float64
		Samples [][2]float64
	}
	var want struct {
		Usage  float64 `json:"historic_usage"`
		Weight float64
	}
	decode(t, c, &in, &want)
	tree := New(Options{Profile: Baseline, MainResource: resource.CPU})
	tree.SetTotal(vectorOf(map[string]float64{"cpu": 1000}))
	hub := Pool{InferWeightsFromHistory: true}
	if in.Mode != "none" {
		hub.HistoryAlpha = Some(in.Alpha)
	}
	pool := tree.AddPool(Root, hub)
	child := tree.AddPool(pool, Pool{Settings: Settings{Weight: optionalOf(in.Weight)}})
	o := tree.AddOperation(child, Operation{})
	for _, s := range in.Samples {
		amounts := vectorOf(map[string]float64{"cpu": 1000 * s[1]})
		tree.SetDemand(o, amounts)
		tree.SetUsage(o, amounts)
		if err := tree.Update(int64(s[0]*1e6), NoUpdate); err != nil {
			t.Fatal(err)
		}
	}
	if got := tree.nodes[child].history; math.Abs(got-want.Usage) > 1e-9 {
		t.Errorf("historic usage is %v, want %v", got, want.Usage)
	}
	if got := tree.Result(child).Weight; math.Abs(got-want.Weight) > 1e-9 {
		t.Errorf("weight is %v, want %v", got, want.Weight)
	}
}

// A judgedCase is the input of the kinds of section 9.
type judgedCase struct {
	Element   string
	Fair      map[string]float64 `json:"fair_share"`
	Demand    map[string]float64 `json:"demand_share"`
	Usage     map[string]float64 `json:"usage_share"`
	Tolerance float64
}

func checkSatisfaction(t *testing.T, c *specCase) {
	var in judgedCase
	var want struct {
		Ratio float64 `json:"local_satisfaction_ratio"`
	}
	decode(t, c, &in, &want)
	got := LocalSatisfaction(realsOf(in.Fair, 0), realsOf(in.Demand, 0), realsOf(in.Usage, 0))
	if math.Abs(got-want.Ratio) > 1e-9 {
		t.Errorf("got %v, want %v", got, want.Ratio)
	}
}
