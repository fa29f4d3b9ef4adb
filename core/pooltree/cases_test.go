package pooltree

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"poolproof/core/coretest/testcorpus"
)

// A scenario is a conformance scenario of the specification.
type scenario struct {
	ID, Kind, Title, Profile string
	Given, Expect            map[string]json.RawMessage
	Steps, Cases, Ticks      []json.RawMessage
}

// kinds are the kinds of scenario that concern this package.
var kinds = map[string]func(*testing.T, *scenario){
	"nodes_filter":         checkNodesFilter,
	"config_actions":       checkConfigActions,
	"node_assignment":      checkNodeAssignment,
	"tree_selection":       checkTreeSelection,
	"single_tree_choice":   checkSingleTree,
	"offloading":           checkOffloading,
	"tree_removal":         checkTreeRemoval,
	"placement":            checkPlacement,
	"pool_set_change":      checkPoolSetChange,
	"admission":            checkAdmission,
	"multi_tree_admission": checkMultiTree,
	"tag_totals":           checkTagTotals,
	"demand_with_limits":   checkDemand,
	"hung_check":           checkHang,
}

// TestConformanceScenarios runs every scenario of this package in the directory of
// the case files: POOLPROOF_CASES, by default core/spec/cases.
func TestConformanceScenarios(t *testing.T) {
	testcorpus.Scenarios(t, testcorpus.SchedulingScenarios, "pooltree", func(_ string, data json.RawMessage) {
		var s scenario
		decode(t, data, &s)
		runScenario(t, &s)
	})
}

// TestOwnScenarios runs the scenarios of this package, in the same format.
func TestOwnScenarios(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios in testdata (%v)", err)
	}
	for _, path := range paths {
		for _, s := range readScenarios(t, path) {
			runScenario(t, &s)
		}
	}
}

func runScenario(t *testing.T, s *scenario) {
	check, known := kinds[s.Kind]
	if !known {
		t.Fatalf("%s: unknown kind %s", s.ID, s.Kind)
	}
	t.Run(s.ID, func(t *testing.T) { check(t, s) })
}

// readScenarios returns the scenarios of a file, none if it holds another
// format.
func readScenarios(t *testing.T, path string) []scenario {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Format    string
		Scenarios json.RawMessage
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if file.Format != "scheduling-scenarios" {
		return nil
	}
	var scenarios []scenario
	if err := json.Unmarshal(file.Scenarios, &scenarios); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return scenarios
}

func (s *scenario) profile(t *testing.T) Profile {
	p := slices.Index([]string{"documented", "baseline", "current", "legacy"}, s.Profile)
	if p < 0 {
		t.Fatalf("unknown profile %q", s.Profile)
	}
	return Profile(p)
}

// variants calls do with the scenario, or with each of its cases in turn: what
// a case gives replaces what the scenario gives.
func (s *scenario) variants(t *testing.T, do func(given, expect map[string]json.RawMessage)) {
	if len(s.Cases) == 0 {
		do(s.Given, s.Expect)
	}
	for _, c := range s.Cases {
		var v struct{ Given, Expect map[string]json.RawMessage }
		decode(t, c, &v)
		given := maps.Clone(s.Given)
		maps.Copy(given, v.Given)
		do(given, v.Expect)
	}
}

// decode reads JSON that must be there and fit.
func decode(t *testing.T, data json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
}

// decodeOptional reads JSON that may be absent.
func decodeOptional(t *testing.T, data json.RawMessage, into any) {
	t.Helper()
	if data != nil {
		decode(t, data, into)
	}
}

func checkNodesFilter(t *testing.T, s *scenario) {
	for _, data := range s.Cases {
		var c struct {
			Formula string
			Tags    []string
			Expect  any
		}
		decode(t, data, &c)
		f, err := ParseFormula(c.Formula)
		var got any = f.Match(NewTags(c.Tags...))
		if err != nil {
			got = "error"
		}
		if got != c.Expect {
			t.Errorf("%q on %v: %v (%v), want %v", c.Formula, c.Tags, got, err, c.Expect)
		}
	}
}
