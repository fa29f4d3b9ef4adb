package scheduling

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

// caseKinds says how the worked cases of the specification are run. Kinds that
// are not here belong to other packages.
var caseKinds = map[string]func(t *testing.T, p Profile, c object){
	"preemptible_lists": checkLists, "fair_share_status": checkStatus, "satisfaction": checkSatisfaction,
	"composite_satisfaction": checkComposite, "starvation_timeline": checkTimeline, "legacy_status": checkLegacyStatus,
	"legacy_timeline": checkLegacyTimeline, "preemption_priority": checkPriority, "lowest_starving_ancestor": checkLowest,
	"job_level": checkLevel, "stage_level": checkStageLevel, "stage_plan": checkPlan, "preemptive_backoff": checkBackoff,
	"victim_filter": checkFilter, "conditional_discount": checkDiscount, "preemption_batch": checkBatch,
	"properly_starving": checkProper, "overcommit_batch": checkOvercommit, "scheduling_order": checkOrder,
	"guarantee_priority": checkGuarantee, "fifo_schedulable_limit": checkFIFOLimit, "job_start_check": checkStart,
	"interruption": checkInterruption, "waiting_beneficiary": checkWaiting, "graceful_preemption": checkGraceful,
	"graceful_start": checkGracefulStart, "segment": checkSegment, "segment_compatibility": checkCompatibility,
	"end_to_end": checkEndToEnd,
}

// TestConformanceCases works the cases of the specification.
func TestConformanceCases(t *testing.T) {
	testcorpus.Scenarios(t, testcorpus.SchedulingScenarios, "scheduling", func(_ string, data json.RawMessage) {
		var s object
		decode(t, data, &s)
		workScenario(t, s)
	})
	testcorpus.Scenarios(t, testcorpus.FairShareCases, "scheduling", func(_ string, data json.RawMessage) {
		var c object
		decode(t, data, &c)
		in := c.object("input")
		in["effective_tolerance"] = in["tolerance"]
		t.Run(c.text("kind")+"/"+c.text("id"), func(t *testing.T) {
			checkStatus(t, Baseline, object{"given": map[string]any(in), "expect": c["expect"]})
		})
	})
}

// TestOwnScenarios works the scenarios of this package, in the same format.
func TestOwnScenarios(t *testing.T) {
	data, err := os.ReadFile("testdata/scenarios.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Scenarios []object }
	decode(t, data, &file)
	if len(file.Scenarios) == 0 {
		t.Fatal("no scenarios")
	}
	for _, s := range file.Scenarios {
		workScenario(t, s)
	}
}

func workScenario(t *testing.T, s object) {
	check, known := caseKinds[s.text("kind")]
	profile, named := profileNamed[s.text("profile")]
	if !known || !named {
		t.Fatalf("%s: unknown kind %q or profile %q", s.text("id"), s.text("kind"), s.text("profile"))
	}
	t.Run(s.text("kind")+"/"+s.text("id"), func(t *testing.T) {
		for _, c := range variants(s) {
			check(t, profile, c)
		}
	})
}

var profileNamed = map[string]Profile{"baseline": Baseline, "current": Current, "legacy": Legacy, "documented": Documented}

// variants spreads a scenario whose cases stand in for its expect: each replaces
// parts of what is given.
func variants(s object) []object {
	cases := s.list("cases")
	if s.has("expect") || len(cases) == 0 || !s.has("given") || !object(cases[0].(map[string]any)).has("expect") ||
		s.text("profile") != "documented" {
		return []object{s}
	}
	var list []object
	for _, x := range cases {
		c := object(x.(map[string]any))
		given := object{}
		maps.Copy(given, s.object("given"))
		maps.Copy(given, c.object("given"))
		one := maps.Clone(s)
		one["given"], one["expect"] = map[string]any(given), c["expect"]
		list = append(list, one)
	}
	return list
}

func items(list []any) []object {
	var out []object
	for _, x := range list {
		out = append(out, object(x.(map[string]any)))
	}
	return out
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// seconds reads a time of a case, in microseconds.
func seconds(x float64) int64 { return int64(math.Round(x * 1e6)) }

func statusOf(name string) Status { return Status(slices.Index(statusNames[:], name)) }

func listOf(name string) List { return List(slices.Index(listNames[:], name)) }

func priorityOf(name string) Priority { return Priority(slices.Index(priorityNames[:], name)) }

func stageOf(name string) Stage {
	return map[string]Stage{
		"ssd_aggressive": PreemptiveSSDAggressive, "ssd_normal": PreemptiveSSDNormal,
		"aggressive": PreemptiveAggressive, "normal": PreemptiveNormal,
	}[name]
}

// wide is a total in which shares of the cases are whole amounts.
var wide = resource.Vector{1e9, 1e9, 1e9, 1e9, 1e9}

// satisfied gives an element a fair share and a usage of the given local
// satisfaction.
func (c *cluster) satisfied(e Element, ratio float64) {
	n := &c.tree.elements[e]
	c.tree.total = wide
	n.seen.fair, n.seen.demand = resource.Share{0, 0.1}, resource.Share{0, 0.9}
	if ratio >= 1e9 {
		n.seen.fair = resource.Share{}
	} else {
		n.usage = resource.Vector{0, int64(math.Round(ratio * 1e8))}
	}
	n.seen.schedulable = true
}

// link sets the starvation of an element and the lowest starving ancestors of
// it and its parent.
func (c *cluster) starve(e Element, s Status) {
	n := &c.tree.elements[e]
	n.starvation.FairShare.Status = s
	above := &c.tree.elements[n.parent]
	n.lowestStarving, n.lowestAggressive = above.lowestStarving, above.lowestAggressive
	if s != NonStarving {
		n.lowestStarving = e
	}
	if s == AggressivelyStarving {
		n.lowestAggressive = e
	}
}
