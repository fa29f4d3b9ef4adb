package fairshare

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"poolproof/core/coretest/testcorpus"
	"poolproof/core/resource"
)

// A scenario is a scheduling scenario of a kind that this package decides.
type scenario struct {
	ID, Kind, Profile string
	Given             map[string]json.RawMessage
	Expect            json.RawMessage
	Cases             []struct {
		Given  map[string]json.RawMessage
		Expect json.RawMessage
	}
}

func (s *scenario) profile() Profile {
	if s.Profile == "documented" {
		return Documented
	}
	return Baseline
}

// scenarioKinds are the kinds of scheduling scenarios whose outcome is an update's; of
// those of kind update see TestConformanceCases.
var scenarioKinds = map[string]func(t *testing.T, p Profile, given map[string]json.RawMessage, expect json.RawMessage){
	"resource_limits": checkCombinedLimits, "fifo_order": checkFIFOOrder,
}

// TestScenarios works the scheduling scenarios of the specification and of this
// package, in the same format.
func TestScenarios(t *testing.T) {
	testcorpus.Scenarios(t, testcorpus.SchedulingScenarios, "fairshare", func(kind string, data json.RawMessage) {
		if kind != "update" {
			workScenario(t, data)
		}
	})
	data, err := os.ReadFile("testdata/scenarios.json")
	if err != nil {
		t.Fatal(err)
	}
	var own struct{ Scenarios []json.RawMessage }
	if unmarshal(t, data, &own); len(own.Scenarios) == 0 {
		t.Fatal("no scenarios of this package")
	}
	for _, s := range own.Scenarios {
		workScenario(t, s)
	}
}

func workScenario(t *testing.T, data json.RawMessage) {
	var s scenario
	unmarshal(t, data, &s)
	check, known := scenarioKinds[s.Kind]
	if !known {
		t.Fatalf("%s: unknown kind %s", s.ID, s.Kind)
	}
	t.Run(s.ID, func(t *testing.T) {
		if len(s.Cases) == 0 {
			check(t, s.profile(), s.Given, s.Expect)
		}
		for _, c := range s.Cases { // what a case gives replaces what the scenario gives
			given := maps.Clone(s.Given)
			maps.Copy(given, c.Given)
			check(t, s.profile(), given, c.Expect)
		}
	})
}

func checkCombinedLimits(t *testing.T, p Profile, given map[string]json.RawMessage, expect json.RawMessage) {
	var total map[string]float64
	var elements []struct {
		ID       string
		Parent   *string
		Limits   map[string]float64 `json:"resource_limits"`
		MaxShare *float64           `json:"max_share_ratio"`
	}
	var want map[string]map[string]float64
	unmarshal(t, given["tree_total"], &total)
	unmarshal(t, given["elements"], &elements)
	unmarshal(t, expect, &want)
	tree := New(Options{Profile: p, MainResource: resource.CPU})
	tree.SetTotal(vectorOf(total))
	byName := map[string]Element{"<Root>": Root}
	for _, e := range elements {
		above := Root
		if e.Parent != nil {
			above = byName[*e.Parent]
		}
		byName[e.ID] = tree.AddPool(above, Pool{Settings: Settings{ResourceLimits: partialOf(e.Limits), MaxShareRatio: optionalOf(e.MaxShare)}})
	}
	if err := tree.Update(0, NoUpdate); err != nil {
		t.Fatal(err)
	}
	for name, amounts := range want {
		e, known := byName[name]
		if !known {
			t.Fatalf("no element %s", name)
		}
		got, limits := tree.Result(e).Limits, partialOf(amounts)
		for k, set := range limits.Set {
			if set && got[k] != limits.Amounts[k] {
				t.Errorf("%s: got %v, want %v", name, got, amounts)
				break
			}
		}
	}
}

func checkFIFOOrder(t *testing.T, p Profile, given map[string]json.RawMessage, expect json.RawMessage) {
	var sort []string
	var operations []struct {
		ID      string
		Start   float64 `json:"start_time"`
		Weight  *float64
		Pending int64 `json:"pending_job_count"`
	}
	var want struct{ Order []string }
	if given["fifo_sort_parameters"] != nil {
		unmarshal(t, given["fifo_sort_parameters"], &sort)
	}
	unmarshal(t, given["operations"], &operations)
	unmarshal(t, expect, &want)
	pool := Pool{Mode: FIFO}
	for i, name := range sort {
		pool.FIFOSort[i] = map[string]FIFOKey{"weight": ByWeight, "start_time": ByStartTime, "pending_job_count": ByPendingJobs}[name]
	}
	ids := make([]string, len(operations))
	for i, o := range operations {
		ids[i] = o.ID
	}
	slices.Sort(ids) // what is equal otherwise stands by id
	tree := New(Options{Profile: p, MainResource: resource.CPU})
	tree.SetTotal(resource.Vector{100, 100, 100, 100, 100})
	fifo := tree.AddPool(Root, pool)
	got := make([]string, len(operations))
	byID := map[string]Element{}
	for _, o := range operations {
		byID[o.ID] = tree.AddOperation(fifo, Operation{
			Settings: Settings{Weight: optionalOf(o.Weight)}, ID: int64(slices.Index(ids, o.ID)),
			StartTime: int64(math.Round(o.Start * 1e6)), PendingJobs: o.Pending,
		})
	}
	if err := tree.Update(0, NoUpdate); err != nil {
		t.Fatal(err)
	}
	for id, e := range byID {
		got[tree.Result(e).FIFOIndex] = id
	}
	if !slices.Equal(got, want.Order) {
		t.Errorf("they stand as %v, want %v", got, want.Order)
	}
}
