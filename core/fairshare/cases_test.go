package fairshare

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"poolproof/core/coretest/testcorpus"
	"poolproof/core/resource"
)

// A specCase is a worked case of the specification (core/spec/fair-share.md §14).
type specCase struct {
	ID, Kind   string
	Profile    string // of a scheduling scenario; empty: baseline
	Tolerance  *float64
	Optional   bool
	Total      map[string]float64
	TreeConfig struct {
		MainResource string  `json:"main_resource"`
		Smooth       float64 `json:"smooth_period_s"`
		Saturation   float64 `json:"pool_capacity_saturation_period_s"`
		Multiplier   float64 `json:"relaxed_share_multiplier_limit"`
		InferWeight  float64 `json:"infer_weight_from_guarantees_share_multiplier"`
		Distribute   bool    `json:"should_distribute_free_volume_among_children"`
		Truncate     bool    `json:"enable_fair_share_truncation_in_fifo_pool"`
	} `json:"tree_config"`
	Elements        []map[string]any
	Steps           []specStep
	VolumeTolerance map[string]float64 `json:"volume_tolerance"`
	Input, Expect   json.RawMessage
}

type specStep struct {
	Now      float64  `json:"now_s"`
	Previous *float64 `json:"previous_s"`
	Total    map[string]float64
	Set      []map[string]any
	Add      []map[string]any
	Remove   []string
	Expect   struct {
		Elements   map[string]map[string]any
		Errors     *[]string
		Invariants map[string][]string
	}
}

func (c *specCase) profile() Profile {
	if c.Profile == "documented" {
		return Documented
	}
	return Baseline
}

func (c *specCase) tolerance() float64 {
	if c.Tolerance != nil {
		return *c.Tolerance
	}
	return 1e-9
}

// readCases returns the cases of this package in all case files.
func readCases(t *testing.T) (cases []specCase) {
	testcorpus.Scenarios(t, testcorpus.FairShareCases, "fairshare", func(_ string, data json.RawMessage) {
		var c specCase
		unmarshal(t, data, &c)
		cases = append(cases, c)
	})
	testcorpus.Scenarios(t, testcorpus.SchedulingScenarios, "fairshare", func(kind string, data json.RawMessage) {
		if kind != "update" { // of TestScenarios
			return
		}
		var s specScenario
		unmarshal(t, data, &s)
		cases = append(cases, s.asCase())
	})
	return cases
}

func unmarshal(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
}

// A specScenario is an update in the format of the scheduling scenarios, which
// names the profile and what is set by element.
type specScenario struct {
	ID, Kind, Profile string
	Given             specCase
	Steps             []struct {
		specStep
		Set map[string]map[string]any
	}
}

// asCase returns the scenario in the format of this package's cases.
func (s *specScenario) asCase() specCase {
	c := s.Given
	c.ID, c.Kind, c.Profile = s.ID, s.Kind, s.Profile
	for i, step := range s.Steps {
		one := step.specStep
		one.Now = float64(i)
		for _, name := range slices.Sorted(maps.Keys(step.Set)) {
			patch := maps.Clone(step.Set[name])
			patch["name"] = name
			one.Set = append(one.Set, patch)
		}
		c.Steps = append(c.Steps, one)
	}
	return c
}

// TestConformanceCases works every case of the specification.
func TestConformanceCases(t *testing.T) {
	kinds := map[string]func(*testing.T, *specCase){
		"update": checkUpdateCase, "scale_amounts": checkScale, "parse_cpu": checkParse,
		"volume_from_amounts": checkVolume, "ratios": checkRatios, "resource_limits": checkLimits,
		"best_allocation": checkBest, "historic_weight": checkHistoric,
		"local_satisfaction": checkSatisfaction,
	}
	for _, c := range readCases(t) {
		check, known := kinds[c.Kind]
		if !known {
			t.Fatalf("%s: unknown kind %s", c.ID, c.Kind)
		}
		t.Run(c.ID, func(t *testing.T) { check(t, &c) })
	}
}

// A caseTree is the tree of an update case while its steps run.
type caseTree struct {
	*Tree
	elements map[string]Element
	written  map[string]map[string]any
}

func checkUpdateCase(t *testing.T, c *specCase) {
	main, ok := resource.ParseKind(c.TreeConfig.MainResource)
	if !ok {
		main = resource.CPU
	}
	tree := caseTree{New(Options{
		Profile: c.profile(), MainResource: main, SmoothPeriod: int64(c.TreeConfig.Smooth * 1e6),
		PoolCapacitySaturationPeriod: int64(c.TreeConfig.Saturation * 1e6),
		RelaxedShareMultiplierLimit:  c.TreeConfig.Multiplier, InferWeightMultiplier: c.TreeConfig.InferWeight,
		DistributeFreeVolume: c.TreeConfig.Distribute, TruncateFIFO: c.TreeConfig.Truncate,
	}), map[string]Element{"<Root>": Root}, map[string]map[string]any{}}
	tree.SetTotal(vectorOf(c.Total))
	for _, e := range c.Elements {
		tree.add(e)
	}
	for i, step := range c.Steps {
		tree.prepare(&step)
		previous := NoUpdate
		if step.Previous != nil {
			previous = int64(math.Round(*step.Previous * 1e6))
		}
		if err := tree.Update(int64(math.Round(step.Now*1e6)), previous); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		tree.check(t, c, &step, fmt.Sprintf("step %d", i))
	}
}

// prepare makes the changes that precede the update of a step.
func (tree *caseTree) prepare(step *specStep) {
	if step.Total != nil {
		tree.SetTotal(vectorOf(step.Total))
	}
	for _, patch := range step.Set {
		name := patch["name"].(string)
		for key, value := range patch {
			tree.written[name][key] = value
		}
		tree.configure(tree.elements[name], tree.written[name])
	}
	for _, e := range step.Add {
		tree.add(e)
	}
	for _, name := range step.Remove {
		tree.Remove(tree.elements[name])
	}
}

func (tree *caseTree) add(written map[string]any) {
	name, parent := written["name"].(string), tree.elements[written["parent"].(string)]
	var e Element
	if written["type"] == "operation" {
		e = tree.AddOperation(parent, Operation{})
	} else {
		e = tree.AddPool(parent, Pool{})
		last, _ := written["last_share_ratio"].(float64)
		tree.SetIntegralState(e, resource.VolumeOf(realsOf(numbers(written["accumulated_volume"]), 0)), last)
	}
	tree.elements[name], tree.written[name] = e, written
	tree.configure(e, written)
}

// configure sets everything that a case writes of an element.
func (tree *caseTree) configure(e Element, w map[string]any) {
	settings := Settings{
		Weight: number(w["weight"]), MaxShareRatio: number(w["max_share_ratio"]),
		ResourceLimits: partialOf(numbers(w["resource_limits"])), StrongGuarantee: partialOf(numbers(w["strong_guarantee_resources"])),
	}
	if w["type"] == "operation" {
		o := Operation{
			Settings: settings, Gang: w["is_gang"] == true, StartTime: int64(number(w["start_time"]).Value),
			PendingJobs: int64(number(w["pending_job_count"]).Value),
		}
		if best := w["best_allocation_share"]; best != nil {
			o.BestAllocationShare, o.HasBestAllocation = realsOf(numbers(best), 1), true
		}
		tree.SetOperation(e, o)
		tree.SetUsage(e, vectorOf(numbers(w["usage"])))
		tree.SetDemand(e, vectorOf(numbers(w["demand"])))
		return
	}
	p := Pool{Settings: settings, ComputePromisedGuarantee: w["compute_promised_guarantee_fair_share"] == true}
	if w["mode"] == "fifo" {
		p.Mode = FIFO
	}
	if on, ok := w["enable_fair_share_truncation_in_fifo_pool"].(bool); ok {
		p.TruncateFIFO = SwitchOf(on)
	}
	keys, _ := w["fifo_sort_parameters"].([]any)
	for i, key := range keys {
		p.FIFOSort[i] = map[string]FIFOKey{"weight": ByWeight, "start_time": ByStartTime, "pending_job_count": ByPendingJobs}[key.(string)]
	}
	if g, ok := w["integral_guarantees"].(map[string]any); ok {
		p.Integral = Integral{
			ResourceFlow: partialOf(numbers(g["resource_flow"])), BurstGuarantee: partialOf(numbers(g["burst_guarantee_resources"])),
			RelaxedShareMultiplierLimit: number(g["relaxed_share_multiplier_limit"]),
			RefuseFreeVolume:            g["can_accept_free_volume"] == false,
		}
		kind, _ := g["guarantee_type"].(string)
		p.Integral.Type = map[string]GuaranteeType{"burst": Burst, "relaxed": Relaxed}[kind]
		if on, ok := g["should_distribute_free_volume_among_children"].(bool); ok {
			p.Integral.DistributeFreeVolume = SwitchOf(on)
		}
	}
	tree.SetPool(e, p)
}

func number(x any) Optional {
	n, ok := x.(float64)
	return Optional{n, ok}
}

func numbers(x any) map[string]float64 {
	m, _ := x.(map[string]any)
	all := map[string]float64{}
	for key, value := range m {
		all[key] = value.(float64)
	}
	return all
}
