package core

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"poolproof/core/coretest/testcorpus"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// A valueCase is a worked case of the values in force, or one of its variants.
type valueCase struct {
	Profile string
	Given   valuesGiven
	Expect  map[string]map[string]any
	Cases   []json.RawMessage
}

type valuesGiven struct {
	Tree       string
	Config     pooltree.Attributes `json:"tree_config"`
	Pools      []valuePool
	Operations []struct {
		ID, Pool string
		Spec     pooltree.Attributes
	}
}

type valuePool struct {
	Name   string
	Parent *string
	Config pooltree.Attributes
}

// TestValuesInForce runs the worked cases of the values in force through a tree of the log: the versions of its
// configuration, operations that run, and an update.
func TestValuesInForce(t *testing.T) {
	check := map[string]func(*testing.T, json.RawMessage){"effective_values": checkEffectiveValues, "threshold_config": checkThresholdConfig}
	testcorpus.Scenarios(t, testcorpus.SchedulingScenarios, "core", func(kind string, data json.RawMessage) {
		var s struct{ ID string }
		decodeCase(t, data, &s)
		t.Run(s.ID, func(t *testing.T) { check[kind](t, data) })
	})
}

func decodeCase(t *testing.T, data json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
}

func checkEffectiveValues(t *testing.T, data json.RawMessage) {
	var s valueCase
	decodeCase(t, data, &s)
	if len(s.Cases) == 0 {
		compareValues(t, &s)
	}
	for _, c := range s.Cases {
		variant := valueCase{Profile: s.Profile, Given: s.Given}
		variant.Given.Config = nil
		decodeCase(t, c, &variant)
		if variant.Given.Config == nil {
			variant.Given.Config = s.Given.Config
		}
		compareValues(t, &variant)
	}
}

func compareValues(t *testing.T, s *valueCase) {
	tree, errs := valueTree(t, s.Profile, &s.Given)
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	options := tree.Scheduling().Options()
	for element, want := range s.Expect {
		e := tree.Pool(0).Element
		limits := tree.Pool(0)
		if i := slices.IndexFunc(s.Given.Pools, func(p valuePool) bool { return p.Name == element }); i >= 0 {
			slot, _ := tree.PoolOf(PoolID(i))
			limits = tree.Pool(slot)
			e = limits.Element
		}
		for id := range s.Given.Operations {
			if s.Given.Operations[id].ID == element {
				slot, _ := tree.OperationOf(OperationID(id))
				e = tree.Operation(slot).Element
			}
		}
		in := tree.Scheduling().Effective(e)
		order := OrderSatisfaction
		if in.FIFOOrder {
			order = OrderFIFO
		}
		got := map[string]any{
			"tolerance": in.Tolerance, "timeout_ms": float64(in.Timeout) / 1000, "min_share_timeout_ms": float64(in.MinShareTimeout) / 1000,
			"aggressive_timeout_ms": float64(options.AggressiveStarvationTimeout) / 1000,
			"aggressive_starvation": in.AggressiveStarvation, "aggressive_preemption_allowed": in.AllowsAggressivePreemption,
			"fifo_pool_scheduling_order":  order.String(),
			"max_running_operation_count": float64(limits.MaxRunning.Value), "max_operation_count": float64(limits.MaxOperations.Value),
			"preemption_satisfaction_threshold": options.SatisfactionThreshold, "aggressive_preemption_satisfaction_threshold": options.AggressiveThreshold(),
			"use_pool_satisfaction_for_scheduling": in.PoolSatisfaction,
		}
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if got[key] != want[key] {
				t.Errorf("%s of %s: %v, want %v", key, element, got[key], want[key])
			}
		}
	}
}

// valueTree is a tree after the first update, or what its configuration is refused for.
func valueTree(t *testing.T, profile string, given *valuesGiven) (*Tree, []*pooltree.RuleError) {
	t.Helper()
	p, err := ParseProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	dims := &Dimensions{}
	ids := map[string]PoolID{pooltree.RootName: RootPool}
	for i, pool := range given.Pools {
		ids[pool.Name] = PoolID(i)
		dims.Pools = append(dims.Pools, PoolInfo{Tree: given.Tree, Name: pool.Name})
	}
	for _, o := range given.Operations {
		dims.Operations = append(dims.Operations, OperationInfo{ID: o.ID, Type: "vanilla", User: "u"})
	}
	tree := New(dims, p)
	config, refused := pooltree.ParseTree(p, given.Config)
	tree.Step(&Event{Time: 1, Kind: TreeConfigured, Tree: &config})
	for i, pool := range given.Pools {
		c, errs := pooltree.ParsePool(p, pool.Config)
		refused = append(refused, errs...)
		parent := RootPool
		if pool.Parent != nil {
			parent = ids[*pool.Parent]
		}
		tree.Step(&Event{Time: 1, Kind: PoolConfigured, Pool: PoolID(i), Config: &PoolConfig{PoolConfig: c, Parent: parent}})
	}
	for id, o := range given.Operations {
		c, errs := pooltree.ParseOperation(p, o.Spec, given.Tree)
		refused = append(refused, errs...)
		started := OperationParams{OperationSettings: c.OperationSettings, Gang: Some(c.Gang)}
		for _, step := range []Step{StepStarted, StepRunning} {
			tree.Step(&Event{Time: 2, Kind: OperationChanged, Operation: OperationID(id), Step: step, Pool: ids[o.Pool], Params: &started})
		}
	}
	if err := tree.Update(Second); err != nil {
		t.Fatal(err)
	}
	return tree, append(refused, tree.Changes().Refused...)
}

func checkThresholdConfig(t *testing.T, data json.RawMessage) {
	var s valueCase
	decodeCase(t, data, &s)
	for _, data := range s.Cases {
		var c struct {
			Config, Pool pooltree.Attributes
			Threshold    pooltree.Attributes `json:"pool_threshold"`
			Operation    *int64              `json:"operation_max_unpreemptible_job_count"`
			Expect       any
		}
		decodeCase(t, data, &c)
		given := valuesGiven{Config: c.Config, Pools: []valuePool{{Name: "a"}}}
		if c.Threshold != nil {
			given.Pools[0].Config = pooltree.Attributes{"non_preemptible_resource_usage_threshold": c.Threshold}
		}
		given.Operations = append(given.Operations, struct {
			ID, Pool string
			Spec     pooltree.Attributes
		}{ID: "o", Pool: "a"})
		if c.Operation != nil {
			given.Operations[0].Spec = pooltree.Attributes{"max_unpreemptible_job_count": *c.Operation}
		}
		tree, errs := valueTree(t, s.Profile, &given)
		if (len(errs) > 0) != (c.Expect == "error") {
			t.Errorf("%s: %v", data, errs)
		}
		if len(errs) > 0 {
			continue
		}
		slot, _ := tree.OperationOf(0)
		got := map[string]any{}
		threshold := tree.Scheduling().Effective(tree.Operation(slot).Element).NonPreemptible
		for k, set := range threshold.Set {
			if set {
				got[resource.Kind(k).String()] = threshold.Amounts.Real(resource.Kind(k))
			}
		}
		if want := c.Expect; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v", data, got)
		}
	}
}
