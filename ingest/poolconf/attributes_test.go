package poolconf

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

func TestATreeRowBecomesAttributes(t *testing.T) {
	got, wrong := TreeAttributes(&trace.TreeConfig{
		Source: "export", NodesFilter: core.Some("a & b"), DefaultParentPool: core.Some("research"), MainResource: core.Some("gpu"),
		FairShareStarvationTolerance: core.Some(0.9), FairShareStarvationTimeoutMS: core.Some[int64](30_000),
		AggressiveStarvationTimeoutMS: core.Some[int64](120_000), MinSharePreemptionTimeoutMS: core.Some[int64](15_000),
		PreemptionSatisfaction: core.Some(1.0), AggressiveSatisfaction: core.Some(0.2),
		EnableAggressiveStarvation: core.Some(true), EnablePoolStarvation: core.Some(false),
		PreemptiveSchedulingBackoffMS: core.Some[int64](5000), PreemptTimeoutMS: core.Some[int64](10_000), GracefulPreemptTimeoutMS: core.Some[int64](60_000),
		MaxOperationCount: core.Some[int64](1), MaxOperationCountPerPool: core.Some[int64](2),
		MaxRunningOperationCount: core.Some[int64](3), MaxRunningOperationCountPerPool: core.Some[int64](4),
		MaxEphemeralPoolsPerUser: core.Some[int64](5), ForbidImmediateInRoot: core.Some(true), InferWeightMultiplier: core.Some(1000.0),
		NonPreemptible: trace.PartialResources{CPUMilli: core.Some[int64](1500), GPU: core.Some[int32](0)},
		SmoothPeriodMS: core.Some[int64](60_000), SaturationPeriodMS: core.Some[int64](86_400_000),
		FIFOTruncation: core.Some(true), EnableConditionalPreemption: core.Some(false),
		ConfigJSON: `{"waiting_job_timeout": 20000, "integral_guarantees": {"relaxed_share_multiplier_limit": 3, "smooth_period": 1}, "custom": [1.5, null]}`,
	})
	want := pooltree.Attributes{
		"nodes_filter": "a & b", "default_parent_pool": "research", "main_resource": "gpu",
		"fair_share_starvation_tolerance": 0.9, "fair_share_starvation_timeout": int64(30_000),
		"fair_share_aggressive_starvation_timeout": int64(120_000), "min_share_preemption_timeout": int64(15_000),
		"preemption_satisfaction_threshold": 1.0, "aggressive_preemption_satisfaction_threshold": 0.2,
		"enable_aggressive_starvation": true, "enable_pool_starvation": false,
		"preemptive_scheduling_backoff": int64(5000), "job_interrupt_timeout": int64(10_000), "job_graceful_interrupt_timeout": int64(60_000),
		"max_operation_count": int64(1), "max_operation_count_per_pool": int64(2),
		"max_running_operation_count": int64(3), "max_running_operation_count_per_pool": int64(4),
		"max_ephemeral_pools_per_user": int64(5), "forbid_immediate_operations_in_root": true, "infer_weight_from_guarantees_share_multiplier": 1000.0,
		"non_preemptible_resource_usage_threshold":  map[string]any{"cpu": 1.5, "gpu": int64(0)},
		"integral_guarantees":                       map[string]any{"smooth_period": int64(60_000), "pool_capacity_saturation_period": int64(86_400_000), "relaxed_share_multiplier_limit": int64(3)},
		"enable_fair_share_truncation_in_fifo_pool": true, "enable_conditional_preemption": false,
		"waiting_job_timeout": int64(20_000), "custom": []any{1.5, nil},
	}
	if diff := cmp.Diff(want, got); diff != "" || wrong != nil {
		t.Error(wrong, diff)
	}
	if _, errs := pooltree.ParseTree(pooltree.Documented, got); len(errs) > 0 {
		t.Error(errs)
	}
}

func TestAPoolRowBecomesAttributes(t *testing.T) {
	got, wrong := PoolAttributes(&trace.PoolConfig{
		Pool: 3, Parent: core.Some[core.PoolID](2), Mode: "fifo", Weight: core.Some(2.0), MaxShareRatio: core.Some(0.5),
		Strong: trace.PartialResources{CPUMilli: core.Some[int64](1005), Memory: core.Some[int64](1 << 40)},
		Limit:  trace.PartialResources{UserSlots: core.Some[int64](7), Network: core.Some[int64](8)}, IntegralType: "burst",
		Flow: trace.PartialResources{CPUMilli: core.Some[int64](2000)}, Burst: trace.PartialResources{GPU: core.Some[int32](4)},
		RelaxedShareMultiplierLimit: core.Some(3.0), MaxOperationCount: core.Some[int64](10), MaxRunningOperationCount: core.Some[int64](0),
		FIFOSortParameters: core.Some("weight, start_time"), FIFOPoolSchedulingOrder: core.Some("fifo"), ForbidImmediateOperations: true,
		CreateEphemeralSubpools: core.Some(false), EphemeralSubpoolJSON: core.Some(`{"max_operation_count": 2}`),
		FairShareStarvationTolerance: core.Some(0.7), FairShareStarvationTimeoutMS: core.Some[int64](1000), MinSharePreemptionTimeoutMS: core.Some[int64](2000),
		EnableAggressiveStarvation: core.Some(true), AllowAggressivePreemption: core.Some(false), AllowNormalPreemption: core.Some(true),
		NonPreemptible: trace.PartialResources{UserSlots: core.Some[int64](1)}, EnableLightweightOperations: core.Some(true), FIFOTruncation: core.Some(false),
		SchedulingTagFilter: core.Some("ssd"), Preset: core.Some("fast"), ABC: core.Some("17"),
		ConfigJSON: `{"offloading_settings": {"b": {"pool": "p"}}, "integral_guarantees": {"can_accept_free_volume": true}}`,
	})
	want := pooltree.Attributes{
		"mode": "fifo", "weight": 2.0, "max_share_ratio": 0.5,
		"strong_guarantee_resources": map[string]any{"cpu": 1.01, "memory": int64(1 << 40)}, // halves go away from zero
		"resource_limits":            map[string]any{"user_slots": int64(7), "network": int64(8)},
		"integral_guarantees": map[string]any{"guarantee_type": "burst", "resource_flow": map[string]any{"cpu": 2.0},
			"burst_guarantee_resources": map[string]any{"gpu": int64(4)}, "relaxed_share_multiplier_limit": 3.0, "can_accept_free_volume": true},
		"max_operation_count": int64(10), "max_running_operation_count": int64(0),
		"fifo_sort_parameters": []any{"weight", "start_time"}, "fifo_pool_scheduling_order": "fifo", "forbid_immediate_operations": true,
		"create_ephemeral_subpools": false, "ephemeral_subpool_config": map[string]any{"max_operation_count": int64(2)},
		"fair_share_starvation_tolerance": 0.7, "fair_share_starvation_timeout": int64(1000), "min_share_preemption_timeout": int64(2000),
		"enable_aggressive_starvation": true, "allow_aggressive_preemption": false, "allow_normal_preemption": true,
		"non_preemptible_resource_usage_threshold": map[string]any{"user_slots": int64(1)}, "enable_lightweight_operations": true,
		"enable_fair_share_truncation_in_fifo_pool": false, "scheduling_tag_filter": "ssd", "config_preset": "fast", "abc": "17",
		"offloading_settings": map[string]any{"b": map[string]any{"pool": "p"}},
	}
	if diff := cmp.Diff(want, got); diff != "" || wrong != nil {
		t.Error(wrong, diff)
	}
	c, errs := pooltree.ParsePool(pooltree.Documented, got)
	if len(errs) > 0 || c.StrongGuarantee.Amounts[resource.CPU] != 101 {
		t.Error(errs, c.StrongGuarantee)
	}
}

// TestNoColumnIsForgotten fills the columns one by one: each must show.
func TestNoColumnIsForgotten(t *testing.T) {
	besides := []string{"Stamp", "ValidTo", "Source", "ConfigJSON", "Pool", "Parent", "Deleted", "Ephemeral"}
	attributes := func(row any) pooltree.Attributes {
		if r, ok := row.(*trace.TreeConfig); ok {
			a, _ := TreeAttributes(r)
			return a
		}
		a, _ := PoolAttributes(row.(*trace.PoolConfig))
		return a
	}
	for _, empty := range []func() any{func() any { return new(trace.TreeConfig) }, func() any { return new(trace.PoolConfig) }} {
		v := reflect.ValueOf(empty()).Elem()
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if strings.Contains(strings.Join(besides, " "), name) {
				continue
			}
			row := empty()
			fill(reflect.ValueOf(row).Elem().Field(i))
			if reflect.DeepEqual(attributes(row), attributes(empty())) {
				t.Errorf("%s: the column %s is in no attribute", v.Type(), name)
			}
		}
	}
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("1")
	case reflect.Float64:
		v.SetFloat(1)
	default:
		v.SetInt(10)
	}
}

func TestColumnsGoBeforeConfigJSON(t *testing.T) {
	for _, c := range []struct {
		name string
		row  trace.PoolConfig
		want string
	}{
		{"an alias goes, too", trace.PoolConfig{FairShareStarvationTimeoutMS: core.Some[int64](1), ConfigJSON: `{"fair_share_preemption_timeout": 2}`},
			`{"fair_share_starvation_timeout":1,"forbid_immediate_operations":false}`},
		{"an option under two names stays so", trace.PoolConfig{ConfigJSON: `{"fair_share_preemption_timeout": 2, "fair_share_starvation_timeout": 2}`},
			`{"fair_share_preemption_timeout":2,"fair_share_starvation_timeout":2,"forbid_immediate_operations":false}`},
		{"resources one by one", trace.PoolConfig{Strong: trace.PartialResources{CPUMilli: core.Some[int64](1000)}, ConfigJSON: `{"min_share_resources": {"cpu": 7, "user_memory": 8}}`},
			`{"forbid_immediate_operations":false,"strong_guarantee_resources":{"cpu":1,"user_memory":8}}`},
		{"a resource by its other name", trace.PoolConfig{Strong: trace.PartialResources{Memory: core.Some[int64](1)}, ConfigJSON: `{"strong_guarantee_resources": {"user_memory": 8}}`},
			`{"forbid_immediate_operations":false,"strong_guarantee_resources":{"memory":1}}`},
		{"a threshold of nothing is not the parent's", trace.PoolConfig{ConfigJSON: `{"non_preemptible_resource_usage_threshold": {}}`},
			`{"forbid_immediate_operations":false,"non_preemptible_resource_usage_threshold":{}}`},
		{"no fifo parameter", trace.PoolConfig{FIFOSortParameters: core.Some("")}, `{"fifo_sort_parameters":[],"forbid_immediate_operations":false}`},
		{"whole numbers stay exact", trace.PoolConfig{ConfigJSON: `{"resource_limits": {"memory": 9007199254740993, "network": 18446744073709551615}}`},
			`{"forbid_immediate_operations":false,"resource_limits":{"memory":9007199254740993,"network":18446744073709551615}}`},
	} {
		a, wrong := PoolAttributes(&c.row)
		got, err := json.Marshal(a)
		if err != nil || string(got) != c.want || wrong != nil {
			t.Errorf("%s: got %s, %v, %v; want %s", c.name, got, wrong, err, c.want)
		}
	}
}

func TestBadConfigJSONIsTold(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": `: "config_json is not JSON: unexpected EOF", `[1]`: "config_json is not a map", `{} {}`: "config_json is not JSON: something follows the value",
	} {
		row := trace.PoolConfig{ConfigJSON: text, Weight: core.Some(2.0)}
		a, wrong := PoolAttributes(&row)
		if len(wrong) != 1 || wrong[0] != want || a["weight"] != 2.0 {
			t.Errorf("%s: %q, %v", text, wrong, a)
		}
	}
	row := trace.PoolConfig{EphemeralSubpoolJSON: core.Some("{")}
	if a, wrong := PoolAttributes(&row); len(wrong) != 1 || a["ephemeral_subpool_config"] != nil {
		t.Error(a, wrong)
	}
}

// TestAFilesRowsAreItsOptions: what a file says reaches the rules through rows.
func TestAFilesRowsAreItsOptions(t *testing.T) {
	f, err := Parse("f", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	rows := f.PoolRows("any", numbers)
	a, _ := PoolAttributes(&rows[0])
	prod, errs := pooltree.ParsePool(pooltree.Documented, a)
	if len(errs) > 0 || prod.Weight.Value != 3 || prod.StrongGuarantee.Amounts[resource.CPU] != 10025 || prod.Integral.Type != pooltree.Burst {
		t.Errorf("%+v, %v", prod, errs)
	}
	a, _ = PoolAttributes(&rows[2])
	if batch, _ := pooltree.ParsePool(pooltree.Documented, a); len(batch.Offloading) != 0 {
		t.Error("offloading to 1 is none") // the sample's value is no map
	}
	f, err = Parse("f", []byte("pools: {a: {non_preemptible_resource_usage_threshold: {}}}"))
	if err != nil {
		t.Fatal(err)
	}
	a, _ = PoolAttributes(&f.PoolRows("any", map[string]core.PoolID{"a": 0})[0])
	if c, _ := pooltree.ParsePool(pooltree.Documented, a); !c.NonPreemptibleThreshold.Set {
		t.Error("an empty threshold became none: it would be the parent's")
	}
}
