package core

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/scheduling"
)

func attributesOf(t *testing.T, text string) (a pooltree.Attributes) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return a
}

// difference tells in which fields two values differ, and what stands there.
func difference(a, b any) string {
	var fields []string
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if f := x.Type().Field(i); f.Type.Kind() != reflect.Func && !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			fields = append(fields, fmt.Sprintf("%s=%+v", f.Name, y.Field(i).Interface()))
		}
	}
	return strings.Join(fields, " ")
}

// differences tells the same of the settings of scheduling, those in force at the root one by one.
func differences(a, b scheduling.Options) string {
	root := difference(a.Root, b.Root)
	b.Root = a.Root
	return root + difference(a, b)
}

// Every option of a tree, and every setting above all trees that heartbeats go by,
// reaches those who go by it, and nobody else.
func TestOptionsReachTheirUsers(t *testing.T) {
	for _, c := range []struct{ tree, scheduling, shares string }{
		{`{"fair_share_starvation_timeout": 1}`, "Timeout=1000", ""},
		{`{"fair_share_aggressive_starvation_timeout": 30001}`, "AggressiveStarvationTimeout=30001000", ""},
		{`{"min_share_preemption_timeout": 0}`, "MinShareTimeout=0", ""},
		{`{"fair_share_starvation_tolerance": 0}`, "Tolerance=0", ""},
		{`{"enable_aggressive_starvation": true}`, "AggressiveStarvation=true", ""},
		{`{"enable_pool_starvation": false}`, "PoolStarvation=false", ""},
		{`{"job_count_preemption_timeout_coefficient": 2}`, "JobCountCoefficient=2", ""},
		{`{"preemption_satisfaction_threshold": 2}`, "SatisfactionThreshold=2", ""},
		{`{"aggressive_preemption_satisfaction_threshold": 0}`, "AggressiveSatisfactionThreshold={Value:0 Set:true}", ""},
		{`{"non_preemptible_resource_usage_threshold": {"cpu": 1}}`, "NonPreemptible={Amounts:[0 100 0 0 0] Set:[false true false false false]}", ""},
		{`{"max_unpreemptible_running_job_count": 0}`, "NonPreemptible={Amounts:[0 0 0 0 0] Set:[true false false false false]}", ""},
		{`{"preemption_check_starvation": false}`, "CheckStarvation=false", ""},
		{`{"preemption_check_satisfaction": false}`, "CheckSatisfaction=false", ""},
		{`{"enable_conditional_preemption": false}`, "ConditionalPreemption=false", ""},
		{`{"allow_preemption_from_starving_operations": true}`, "PreemptFromStarving=true", ""},
		{`{"allow_aggressive_preemption_for_gang_operations": false}`, "AggressiveForGangs=false", ""},
		{`{"scheduling_preemption_priority_scope": "operation_only"}`, "Scope=1", ""},
		{`{"preemptive_scheduling_backoff": 0}`, "PreemptiveBackoff=0", ""},
		{`{"job_interrupt_timeout": 0}`, "InterruptTimeout=0 LeastInterruptTimeout=0", ""},
		{`{"job_graceful_interrupt_timeout": 1}`, "GracefulTimeout=1000", ""},
		{`{"min_child_heap_size": 0}`, "MinChildHeapSize=0", ""},
		{`{"fifo_pool_scheduling_order": "fifo"}`, "FIFOOrder=true", "ScheduleFIFOPoolsInFIFOOrder=true"},
		{`{"use_pool_satisfaction_for_scheduling": true}`, "PoolSatisfaction=true", "UsePoolSatisfaction=true"},
		{`{"enable_guarantee_priority_scheduling": true}`, "GuaranteePriority=true", ""},
		{`{"batch_operation_scheduling": {}}`, "BatchSize=1000", ""},
		{`{"batch_operation_scheduling": {"batch_size": 2, "fallback_min_spare_job_resources": {"cpu": 0}}}`, "BatchSize=2 BatchMinSpare=[0 0 0 0 0]", ""},
		{`{"scheduling_segments": {"mode": "large_gpu"}}`, "Segments=true", ""},
		{`{"packing": {"enable": true, "metric": "angle", "min_window_size_for_schedule": 3, "max_better_past_snapshots": 4, "max_heartbeat_window_size": 5, "max_heartbeat_age": 6, "absolute_metric_value_tolerance": 0.7, "relative_metric_value_tolerance": 8}}`,
			"Packing={Enable:true Metric:1 MinWindow:3 MaxBetterPast:4 WindowSize:5 MaxAge:6000 AbsoluteTolerance:0.7 RelativeTolerance:8}", ""},
		{`{"main_resource": "user_slots"}`, "", "MainResource=user_slots"},
		{`{"integral_guarantees": {"smooth_period": 1}}`, "", "SmoothPeriod=1000"},
		{`{"integral_guarantees": {"pool_capacity_saturation_period": 2}}`, "", "PoolCapacitySaturationPeriod=2000"},
		{`{"integral_guarantees": {"relaxed_share_multiplier_limit": 4}}`, "", "RelaxedShareMultiplierLimit=4"},
		{`{"infer_weight_from_guarantees_share_multiplier": 1}`, "", "InferWeightMultiplier=1"},
		{`{"should_distribute_free_volume_among_children": true}`, "", "DistributeFreeVolume=true"},
		{`{"enable_fair_share_truncation_in_fifo_pool": true}`, "", "TruncateFIFO=true"},
		{`{"max_schedulable_element_count_in_fifo_pool": 1}`, "", "MaxSchedulableInFIFOPool=1"},
	} {
		config, errs := pooltree.ParseTree(Baseline, attributesOf(t, c.tree))
		if len(errs) > 0 {
			t.Errorf("%s: %v", c.tree, errs)
		}
		none := &ClusterConfig{}
		if got := differences(scheduling.OptionsOf(Baseline, &TreeConfig{}, none), scheduling.OptionsOf(Baseline, &config, none)); got != c.scheduling {
			t.Errorf("%s: scheduling goes by %q, want %q", c.tree, got, c.scheduling)
		}
		shares := func(config *TreeConfig) fairshare.Options {
			tree := New(&Dimensions{}, Baseline)
			tree.config = *config
			return fairshare.New(tree.shareOptions()).Options()
		}
		if got := difference(shares(&TreeConfig{}), shares(&config)); got != c.shares {
			t.Errorf("%s: shares go by %q, want %q", c.tree, got, c.shares)
		}
	}
	for above, want := range map[string]string{
		`{"min_spare_job_resources_on_node": {"cpu": 0.5}}`:       "MinSpare=[0 50 0 0 0]",
		`{"max_started_jobs_per_heartbeat": 1}`:                   "MaxStartedPerHeartbeat=1",
		`{"allowed_node_resources_overcommit_duration": 0}`:       "OvercommitDuration=0",
		`{"schedule_job_fail_backoff_time": 0}`:                   "FailBackoff=0",
		`{"max_operation_count": 1, "watchers_update_period": 1}`: "",
	} {
		config, errs := pooltree.ParseCluster(Baseline, attributesOf(t, above))
		got := differences(scheduling.OptionsOf(Baseline, &TreeConfig{}, &ClusterConfig{}), scheduling.OptionsOf(Baseline, &TreeConfig{}, &config))
		if len(errs) > 0 || got != want {
			t.Errorf("%s: scheduling goes by %q, want %q (%v)", above, got, want, errs)
		}
	}
}

// So does every option of a pool.
func TestPoolOptionsReachTheirUsers(t *testing.T) {
	for _, c := range []struct{ pool, scheduling, shares string }{
		{`{"fair_share_starvation_timeout": 1}`, "Timeout=1000", ""},
		{`{"min_share_preemption_timeout": 2}`, "MinShareTimeout=2000", ""},
		{`{"fair_share_starvation_tolerance": 0.3}`, "Tolerance=0.3", ""},
		{`{"enable_aggressive_starvation": true}`, "AggressiveStarvation=true", ""},
		{`{"mode": "fifo"}`, "", "Mode=1"},
		{`{"use_pool_satisfaction_for_scheduling": true}`, "PoolSatisfaction=true", "UsePoolSatisfaction=2"},
		{`{"fifo_pool_scheduling_order": "fifo"}`, "FIFOOrder=true", "ScheduleInFIFOOrder=2"},
		{`{"resource_limits": {"gpu": 0}}`, "",
			"Settings={Weight:{Value:0 Set:false} MaxShareRatio:{Value:0 Set:false} ResourceLimits:{Amounts:[0 0 0 0 0] Set:[false false true false false]} TagLimits:{Amounts:[0 0 0 0 0] Set:[false false false false false]} StrongGuarantee:{Amounts:[0 0 0 0 0] Set:[false false false false false]}}"},
		{`{"weight": 3, "max_share_ratio": 0.5, "strong_guarantee_resources": {"cpu": 1}}`, "",
			"Settings={Weight:{Value:3 Set:true} MaxShareRatio:{Value:0.5 Set:true} ResourceLimits:{Amounts:[0 0 0 0 0] Set:[false false false false false]} TagLimits:{Amounts:[0 0 0 0 0] Set:[false false false false false]} StrongGuarantee:{Amounts:[0 100 0 0 0] Set:[false true false false false]}}"},
		{`{"allow_aggressive_preemption": false}`, "AllowsAggressivePreemption=false", ""},
		{`{"allow_normal_preemption": false}`, "NormalForbidden=true", ""},
		{`{"allow_regular_jobs_on_ssd_nodes": false}`, "SSDForbidden=true", ""},
		{`{"non_preemptible_resource_usage_threshold": {}}`, "", ""},
		{`{"non_preemptible_resource_usage_threshold": {"user_slots": 2}}`, "NonPreemptible={Amounts:[2 0 0 0 0] Set:[true false false false false]}", ""},
		{`{"fifo_sort_parameters": ["pending_job_count", "start_time", "weight"]}`, "", "FIFOSort=[3 2 1]"},
		{`{"enable_fair_share_truncation_in_fifo_pool": false}`, "", "TruncateFIFO=1"},
		{`{"compute_promised_guarantee_fair_share": true}`, "", "ComputePromisedGuarantee=true"},
		{`{"infer_children_weights_from_historic_usage": true}`, "", "InferWeightsFromHistory=true"},
		{`{"historic_usage_config": {"aggregation_mode": "exponential_moving_average", "ema_alpha": 0.5}}`, "", "HistoryAlpha={Value:0.5 Set:true}"},
		{`{"integral_guarantees": {"guarantee_type": "burst", "burst_guarantee_resources": {"cpu": 2}}}`, "",
			"Integral={Type:1 ResourceFlow:{Amounts:[0 0 0 0 0] Set:[false false false false false]} BurstGuarantee:{Amounts:[0 200 0 0 0] Set:[false true false false false]} RelaxedShareMultiplierLimit:{Value:0 Set:false} RefuseFreeVolume:false DistributeFreeVolume:0}"},
		{`{"integral_guarantees": {"guarantee_type": "relaxed", "resource_flow": {"cpu": 3}, "relaxed_share_multiplier_limit": 2, "can_accept_free_volume": false, "should_distribute_free_volume_among_children": true}}`, "",
			"Integral={Type:2 ResourceFlow:{Amounts:[0 300 0 0 0] Set:[false true false false false]} BurstGuarantee:{Amounts:[0 0 0 0 0] Set:[false false false false false]} RelaxedShareMultiplierLimit:{Value:2 Set:true} RefuseFreeVolume:true DistributeFreeVolume:2}"},
	} {
		config, errs := pooltree.ParsePool(Baseline, attributesOf(t, c.pool))
		if len(errs) > 0 {
			t.Errorf("%s: %v", c.pool, errs)
		}
		own := pooltree.EffectiveRoot(Baseline, &TreeConfig{})
		if own.SetPool(&config); difference(pooltree.EffectiveRoot(Baseline, &TreeConfig{}), own) != c.scheduling {
			t.Errorf("%s: in force is %+v, want %q", c.pool, own, c.scheduling)
		}
		tree := New(&Dimensions{}, Baseline)
		if got := difference(tree.sharePool(&Pool{Config: &noOptions}), tree.sharePool(&Pool{Config: &config})); got != c.shares {
			t.Errorf("%s: shares go by %q, want %q", c.pool, got, c.shares)
		}
	}
}
