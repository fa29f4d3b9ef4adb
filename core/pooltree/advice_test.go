package pooltree

import (
	"slices"
	"strings"
	"testing"

	"poolproof/core/resource"
)

// advised reads the options of a tree and its pools, legal by themselves, and
// returns the advice.
func advised(t *testing.T, p Profile, tree Attributes, of Cluster, pools ...StoredPool) []string {
	t.Helper()
	config, errs := ParseTree(p, tree)
	var set []Definition
	for _, pool := range pools {
		c, wrong := ParsePool(p, pool.Attributes)
		errs = append(errs, wrong...)
		set = append(set, Definition{pool.Name, pool.Parent, c})
	}
	if errs = append(errs, Validate(p, &config, set, DefaultMaxSubtreeSize)...); len(errs) > 0 {
		t.Fatalf("the configuration is illegal: %v", errs)
	}
	var got []string
	for _, e := range Advise(p, &config, set, of) {
		if e.Rule.StopsUpdate() || e.Rule.Invariant() == "" {
			t.Errorf("%v is no advice", e)
		}
		got = append(got, strings.TrimSpace(e.Rule.Invariant()+" "+e.Pool+" "+e.Option+": "+e.Detail))
	}
	return got
}

func TestAdvice(t *testing.T) {
	cores := func(n float64) map[string]any { return map[string]any{"cpu": n} }
	ten := &resource.Vector{resource.CPU: 1000}
	for _, c := range []struct {
		name    string
		profile Profile
		tree    Attributes
		pools   []StoredPool
		total   *resource.Vector
		period  Milliseconds
		want    []string
	}{
		{name: "guarantees above the total", total: ten,
			pools: []StoredPool{{"a", "", Attributes{strongName: cores(6)}}, {"b", "", Attributes{strongName: cores(5)}}},
			want:  []string{"CFG-09  strong_guarantee_resources: cpu: 11 of 10"}},
		{name: "2 % above the total are a node's absence", total: ten,
			pools: []StoredPool{{"a", "", Attributes{strongName: cores(10.2)}}, {"b", "a", Attributes{strongName: cores(10)}}}},
		{name: "without a total nothing is above it", pools: []StoredPool{{"a", "", Attributes{strongName: cores(1e6)}}}},
		{name: "waiting ends before an interrupt", tree: Attributes{"waiting_job_timeout": 9999}, want: []string{"CFG-10  waiting_job_timeout: 9999 ms below 10000 ms"}},
		{name: "waiting ends with an interrupt", tree: Attributes{"waiting_job_timeout": 5000, "job_interrupt_timeout": 5000}},
		{name: "no default parent", tree: Attributes{"default_parent_pool": "research"}, want: []string{"CFG-11  default_parent_pool: research"}},
		{name: "a default parent", tree: Attributes{"default_parent_pool": "research"}, pools: []StoredPool{{"top", "", nil}, {"research", "top", nil}}},
		{name: "the root as default parent", tree: Attributes{"default_parent_pool": RootName}},
		{name: "children with more operations",
			pools: []StoredPool{{"a", "", Attributes{"max_running_operation_count": 5, "max_operation_count": 9}}, {"b", "a", Attributes{"max_running_operation_count": 3}}, {"c", "a", Attributes{"max_running_operation_count": 3}}, {"d", "a", Attributes{"max_operation_count": 9}}},
			want:  []string{"CFG-13 a max_running_operation_count: 6 of 5"}},
		{name: "children with as many operations, grandchildren with more",
			pools: []StoredPool{{"a", "", Attributes{"max_running_operation_count": 5}}, {"b", "a", Attributes{"max_running_operation_count": 5}}, {"c", "b", Attributes{"max_running_operation_count": 5}}}},
		{name: "a limit below the guarantee",
			pools: []StoredPool{{"a", "", Attributes{strongName: cores(5), "resource_limits": map[string]any{"cpu": 4.5, "gpu": 0}}}},
			want:  []string{"CFG-14 a resource_limits: cpu: 4.5 below 5"}},
		{name: "a limit of the guarantee", pools: []StoredPool{{"a", "", Attributes{strongName: cores(5), "resource_limits": cores(5)}}}},
		{name: "a timeout that baseline ignores", profile: Baseline,
			tree:  Attributes{"min_share_preemption_timeout": 1, "pool_config_presets": map[string]any{"p": map[string]any{"min_share_preemption_timeout": 2}}},
			pools: []StoredPool{{"a", "", Attributes{"min_share_preemption_timeout": 3}}},
			want:  []string{"CFG-16  min_share_preemption_timeout:", "CFG-16  pool_config_presets: min_share_preemption_timeout in preset p", "CFG-16 a min_share_preemption_timeout:"}},
		{name: "options that current ignores", profile: Current,
			tree:  Attributes{"min_share_preemption_timeout": 1, "enable_conditional_preemption": true, "max_unpreemptible_running_allocation_count": 3},
			pools: []StoredPool{{"a", "", Attributes{"max_share_ratio": 0.5, "weight": 2.0}}},
			want:  []string{"CFG-16  min_share_preemption_timeout:", "CFG-16  enable_conditional_preemption:", "CFG-16  max_unpreemptible_running_job_count:", "CFG-16 a max_share_ratio:"}},
		{name: "a timeout that documented has", tree: Attributes{"min_share_preemption_timeout": 1}},
		{name: "a timeout that legacy has", profile: Legacy, tree: Attributes{"min_share_preemption_timeout": 1}},
		{name: "integral guarantees of nothing",
			pools: []StoredPool{{"a", "", Attributes{integralName: map[string]any{"guarantee_type": "burst"}}},
				{"b", "", Attributes{integralName: map[string]any{"guarantee_type": "relaxed"}}},
				{"c", "", Attributes{integralName: map[string]any{"guarantee_type": "burst", "resource_flow": cores(1)}}}},
			want: []string{"CFG-17 a integral_guarantees: burst without resource_flow", "CFG-17 a integral_guarantees: burst without burst_guarantee_resources",
				"CFG-17 b integral_guarantees: relaxed without resource_flow", "CFG-17 c integral_guarantees: burst without burst_guarantee_resources"}},
		{name: "whole integral guarantees",
			pools: []StoredPool{{"a", "", Attributes{integralName: map[string]any{"guarantee_type": "burst", "resource_flow": cores(1), "burst_guarantee_resources": cores(0)}}},
				{"b", "", Attributes{integralName: map[string]any{"guarantee_type": "relaxed", "resource_flow": cores(1)}}}}},
		{name: "a flow that rounds to nothing at each update", total: ten, period: 200, pools: []StoredPool{flowing("a", cores(0.02))},
			want: []string{"CFG-18 a integral_guarantees: cpu: 0.02 below 0.025"}},
		{name: "a flow that rounds up", total: ten, period: 200, pools: []StoredPool{flowing("a", cores(0.03))}},
		{name: "longer periods add more", total: ten, period: 1000, pools: []StoredPool{flowing("a", cores(0.01))}},
		{name: "a period that is not known", total: ten, pools: []StoredPool{flowing("a", cores(0.01))}},
		{name: "volume that other pools leave", total: ten, period: 200, tree: Attributes{"should_distribute_free_volume_among_children": true},
			pools: []StoredPool{flowing("a", cores(0.01))}},
		{name: "a total that is not known", total: &resource.Vector{resource.CPU: resource.Unlimited[resource.CPU]}, period: 200, pools: []StoredPool{flowing("a", cores(0.01))}},
		{name: "a capacity of a scarce resource", total: &resource.Vector{resource.CPU: 1000, resource.GPU: 8}, pools: []StoredPool{flowing("a", cores(0.1))},
			want: []string{"CFG-18 a integral_guarantees: gpu: 0.08 of 8"}},
		{name: "of memory alone, and too little of cpu", total: &resource.Vector{resource.CPU: 1000, resource.Memory: 1 << 40}, period: 200,
			pools: []StoredPool{flowing("a", map[string]any{"memory": 1 << 30})}, want: []string{"CFG-18 a integral_guarantees: cpu: 0.009766 below 0.025"}},
	} {
		if got := advised(t, c.profile, c.tree, Cluster{Total: c.total, UpdatePeriod: c.period}, c.pools...); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// flowing is a relaxed pool.
func flowing(name string, flow map[string]any) StoredPool {
	return StoredPool{name, "", Attributes{integralName: map[string]any{"guarantee_type": "relaxed", "resource_flow": flow}}}
}

func TestEveryRuleIsExplained(t *testing.T) {
	for _, r := range Rules() {
		if r.Severity() == "" || r.Why() == "" || r.WhatToDo() == "" {
			t.Errorf("%s: %+v", r, statements[r])
		}
	}
}

// TestWhatWasFound: a broken rule names the option, and what it holds.
func TestWhatWasFound(t *testing.T) {
	cores := func(n float64) map[string]any { return map[string]any{"cpu": n} }
	s := NewStore(Documented)
	for _, err := range []error{
		s.CreateTree("t", nil),
		s.CreatePool("t", "a", "", Attributes{strongName: cores(1.5)}, User),
		s.CreatePool("t", "b", "a", Attributes{strongName: cores(1)}, User),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for want, err := range map[string]error{
		"strong_guarantee_resources: the children's guarantees exceed the parent's (cpu: 2 of 1.5)":          s.CreatePool("t", "c", "a", Attributes{strongName: cores(1)}, User),
		"strong_guarantee_resources: the parent has no guarantee of this resource (gpu)":                     s.Set("t", "b", strongName, map[string]any{"cpu": 1, "gpu": 1}),
		"max_running_operation_count: max_running_operation_count exceeds max_operation_count (2 above 1)":   s.CreatePool("t", "c", "", Attributes{"max_operation_count": 1, "max_running_operation_count": 2}, User),
		"strong_guarantee_resources: a strong guarantee must name the tree's main resource (no cpu)":         s.CreatePool("t", "c", "", Attributes{strongName: map[string]any{"gpu": 1}}, User),
		"fair_share_aggressive_starvation_timeout is less than fair_share_starvation_timeout (1 ms below 30": s.SetTreeOption("t", "fair_share_aggressive_starvation_timeout", 1),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	// Sums that no integer holds are above any guarantee.
	most := map[string]any{"cpu": 0, "memory": int64(1) << 61}
	set := []Definition{{Name: "top"}}
	set[0].Config, _ = ParsePool(Documented, Attributes{strongName: most})
	for _, name := range []string{"a", "b", "c", "d"} {
		set = append(set, Definition{name, "top", set[0].Config})
	}
	if errs := Validate(Documented, &TreeConfig{}, set, 10); len(errs) != 1 || errs[0].Rule != GuaranteeSum || errs[0].Pool != "top" {
		t.Error(errs)
	}
}
