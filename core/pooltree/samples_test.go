package pooltree

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"poolproof/core/resource"
)

// samples hold a legal value of every option, none its default, and what alone it
// changes, as Go prints it: "" for an option of which only the type is looked at.
var samples = map[string][3]string{ // tree, pool, operation: "value => change"
	"nodes_filter":                                    {`"a&b" => NodesFilter`},
	"default_parent_pool":                             {`"p" => DefaultParentPool`},
	"use_user_default_parent_pool_map":                {`true => UseUserParents`},
	"main_resource":                                   {`"gpu" => MainResource`},
	"forbid_immediate_operations_in_root":             {`false => ForbidOperationsInRoot`},
	"max_operation_count":                             {`0 => MaxOperationCount`, `0 => MaxOperationCount`},
	"max_running_operation_count":                     {`1 => MaxRunningOperationCount`, `0 => MaxRunningOperationCount`},
	"max_operation_count_per_pool":                    {`0 => MaxOperationCountPerPool`},
	"max_running_operation_count_per_pool":            {`0 => MaxRunningOperationCountPerPool`},
	"max_ephemeral_pools_per_user":                    {`1 => MaxEphemeralPoolsPerUser`},
	"enable_pool_starvation":                          {`false => EnablePoolStarvation`},
	"fair_share_starvation_timeout":                   {`0 => FairShareStarvationTimeout`, `0 => FairShareStarvationTimeout`, `0 => FairShareStarvationTimeout`},
	"fair_share_aggressive_starvation_timeout":        {`30000 => AggressiveStarvationTimeout`},
	"min_share_preemption_timeout":                    {`0 => MinSharePreemptionTimeout`, `0 => MinSharePreemptionTimeout`, `0 => MinSharePreemptionTimeout`},
	"fair_share_starvation_tolerance":                 {`0 => FairShareStarvationTolerance`, `1 => FairShareStarvationTolerance`, `1.0 => FairShareStarvationTolerance`},
	"enable_aggressive_starvation":                    {`false => EnableAggressiveStarvation`, `false => EnableAggressiveStarvation`, `false => EnableAggressiveStarvation`},
	"preemption_satisfaction_threshold":               {`0.5 => PreemptionSatisfaction`},
	"aggressive_preemption_satisfaction_threshold":    {`0 => AggressiveSatisfaction`},
	"non_preemptible_resource_usage_threshold":        {`{"cpu": 1} => NonPreemptibleThreshold`, `{} => NonPreemptibleThreshold`, `{"memory": 1} => NonPreemptibleThreshold`},
	"max_unpreemptible_running_job_count":             {`0 => MaxUnpreemptibleJobs`},
	"job_count_preemption_timeout_coefficient":        {`1 => JobCountCoefficient`},
	"preemption_check_starvation":                     {`false => CheckStarvation`},
	"preemption_check_satisfaction":                   {`false => CheckSatisfaction`},
	"allow_preemption_from_starving_operations":       {`false => PreemptFromStarving`},
	"enable_conditional_preemption":                   {`false => ConditionalPreemption`},
	"allow_aggressive_preemption_for_gang_operations": {`false => AggressivePreemptionForGangs`},
	"allow_gang_operations_only_in_fifo_pools":        {`false => GangsInFIFOOnly`},
	"scheduling_preemption_priority_scope":            {`"operation_only" => PriorityScope`},
	"preemptive_scheduling_backoff":                   {`0 => PreemptiveBackoff`},
	"job_interrupt_timeout":                           {`0 => JobInterruptTimeout`},
	"job_graceful_interrupt_timeout":                  {`0 => GracefulInterruptTimeout`},
	"waiting_job_timeout":                             {`0 => WaitingJobTimeout`},
	"ssd_priority_preemption":                         {`{"enable": true, "node_tag_filter": "ssd", "medium_names": ["m"]} => SSD`},
	"enable_scheduling_tags":                          {`false => EnableSchedulingTags`},
	"total_resource_limits_consider_delay":            {`0 => TagTotalsDelay`},
	"infer_weight_from_guarantees_share_multiplier":   {`1 => InferWeightMultiplier`},
	"integral_guarantees":                             {`{"smooth_period": 1, "pool_capacity_saturation_period": 2, "relaxed_share_multiplier_limit": 10} => Integral`, `{"guarantee_type": "relaxed", "resource_flow": {"cpu": 1}, "relaxed_share_multiplier_limit": 1, "can_accept_free_volume": false, "should_distribute_free_volume_among_children": false} => Integral`},
	"enable_fair_share_truncation_in_fifo_pool":       {`false => FIFOTruncation`, `false => FIFOTruncation`},
	"fifo_pool_scheduling_order":                      {`"satisfaction" => FIFOOrder`, `"fifo" => FIFOOrder`},
	"max_schedulable_element_count_in_fifo_pool":      {`1 => MaxSchedulableInFIFOPool`},
	"use_pool_satisfaction_for_scheduling":            {`false => PoolSatisfaction`, `false => PoolSatisfaction`},
	"enable_guarantee_priority_scheduling":            {`false => GuaranteePriority`},
	"min_child_heap_size":                             {`0 => MinChildHeapSize`},
	"packing":                                         {`{"enable": true, "metric": "angle"} => Packing`},
	"batch_operation_scheduling":                      {`{} => Batch`},
	"enable_resource_usage_snapshot":                  {`false => `},
	"allowed_resource_usage_staleness":                {`0 => `},
	"use_resource_usage_with_precommit":               {`false => `},
	"cached_job_preemption_statuses_update_period":    {`0 => `},
	"check_operation_for_liveness_in_preschedule":     {`false => `},
	"enable_limiting_ancestor_check":                  {`false => LimitingAncestorCheck`, ``, `false => LimitingAncestorCheck`},
	"tentative_tree_saturation_deactivation_period":   {`0 => SaturationDeactivation`},
	"non_tentative_operation_types":                   {`[] => NonTentativeTypes`},
	"pool_config_presets":                             {`{"a": {"allow_normal_preemption": false}} => Presets`},
	"scheduling_segments":                             {`{"mode": "large_gpu"} => Segments`},
	"fail_remote_copy_on_missing_resource_limits":     {`true => `},
	"required_resource_limits_for_remote_copy":        {`{"user_slots": 1} => `},
	"best_allocation_ratio_update_period":             {`0 => BestAllocationPeriod`},
	"running_job_statistics_update_period":            {`0 => `},
	"accumulated_resource_usage_update_period":        {`0 => `},
	"should_distribute_free_volume_among_children":    {`false => DistributeFreeVolume`},
	"metering_tags":                                   {`{} => `, `{"a": "b"} => Metering`},

	"weight":                                     {``, `2 => Weight`, `2 => Weight`},
	"mode":                                       {``, `"fair_share" => Mode`},
	"fifo_sort_parameters":                       {``, `["pending_job_count"] => FIFOSort`},
	"forbid_immediate_operations":                {``, `true => ForbidImmediate`},
	"create_ephemeral_subpools":                  {``, `true => CreateSubpools`},
	"ephemeral_subpool_config":                   {``, `{} => Subpools`},
	"always_allow_gang_operations":               {``, `true => AlwaysAllowGangs`},
	"enable_lightweight_operations":              {``, `false => LightweightOps`},
	"resource_limits":                            {``, `{"gpu": 0} => ResourceLimits`, `{"gpu": 0} => ResourceLimits`},
	"max_share_ratio":                            {``, `0 => MaxShareRatio`, `1 => MaxShareRatio`},
	"strong_guarantee_resources":                 {``, `{"cpu": 0} => StrongGuarantee`, `{"network": 1} => StrongGuarantee`},
	"scheduling_tag_filter":                      {``, `"!a" => TagFilter`, `"a|b" => TagFilter`},
	"allow_aggressive_preemption":                {``, `true => AllowAggressivePreemption`},
	"allow_normal_preemption":                    {``, `true => AllowNormalPreemption`},
	"allow_regular_jobs_on_ssd_nodes":            {``, `true => AllowRegularJobsOnSSD`},
	"compute_promised_guarantee_fair_share":      {``, `true => PromisedGuarantee`},
	"config_preset":                              {``, `"a" => Presets`},
	"config_presets":                             {``, `["a"] => Presets`},
	"offloading_settings":                        {``, `{"t": {}} => Offloading`},
	"infer_children_weights_from_historic_usage": {``, `true => InferFromHistory`},
	"historic_usage_config":                      {``, `{"aggregation_mode": "exponential_moving_average"} => HistoryAlpha`},
	"abc":                                        {``, `{"id": 1} => Owner`},
	"allowed_profiling_tags":                     {``, `["a"] => `},

	"tasks":                       {``, ``, `{"t": {"disk_request": {"medium_name": "m"}}} => Media`},
	"mapper":                      {``, ``, `{} => Media`},
	"reduce_combiner":             {``, ``, `{} => Media`},
	"reducer":                     {``, ``, `{"disk_request": {"medium": "m"}} => Media`},
	"pool":                        {``, ``, `"p" => Pool`},
	"max_unpreemptible_job_count": {``, ``, `0 => MaxUnpreemptibleJobs`},
	"is_gang":                     {``, ``, `true => Gang`},
	"preemption_mode":             {``, ``, `"graceful" => Graceful`},
	"apply_specified_resource_limits_to_demand": {``, ``, `true => ApplyLimitsToDemand`},
	"erase_trees_with_pool_limit_violations":    {``, ``, `true => EraseViolatedTrees`},
	"consider_guarantees_for_single_tree":       {``, ``, `true => ConsiderGuarantees`},
	"scheduling_segment":                        {``, ``, `"default" => Segment`},
	"scheduling_segment_modules":                {``, ``, `["m"] => Modules`},
}

// Every option changes its own field under all its names. Null is as if it were not
// there, and a value of the wrong type is refused and changes nothing.
func TestEveryOptionHasItsField(t *testing.T) {
	sampleOptions(t, 0, treeOptions, "non_preemptible_resource_usage_threshold")
	sampleOptions(t, 1, poolOptions, "abc")
	sampleOptions(t, 2, operationOptions, "")
}

// sampleOptions checks the options of one kind of object, but for one whose null or
// type is special.
func sampleOptions[C any](t *testing.T, kind int, options []option[C], special string) {
	for i := range options {
		o := &options[i]
		value, field, found := strings.Cut(samples[o.name][kind], " => ")
		if !found {
			t.Errorf("%s has no sample of kind %d", o.name, kind)
			continue
		}
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			t.Fatalf("%s: %v", o.name, err)
		}
		var first C
		for n, name := range append([]string{o.name}, o.aliases...) {
			var c, none C
			for _, e := range parseAttributes(&c, options, Attributes{name: v}, Current) {
				t.Errorf("%s: %v", name, e)
			}
			if n == 0 {
				first = c
			}
			if !reflect.DeepEqual(c, first) {
				t.Errorf("%s is not %s", name, o.name)
			}
			if got := changedFields(c, none); got != field && !(o.name == "max_unpreemptible_job_count" && got == "") { // current ignores zero
				t.Errorf("%s changes %q", name, got)
			}
			if o.name == special {
				continue
			}
			c = none
			if errs := parseAttributes(&c, options, Attributes{name: nil}, Current); len(errs) > 0 || !reflect.DeepEqual(c, none) {
				t.Errorf("%s of null: %v %+v", name, errs, c)
			}
			wrong := any(struct{}{})
			if o.name == "metering_tags" && kind == 1 || strings.Contains("mapper reduce_combiner reducer", o.name) {
				continue // any value will do
			}
			if errs := parseAttributes(&c, options, Attributes{name: wrong}, Current); len(errs) != 1 || errs[0].Rule != WrongType || errs[0].Option != name || !reflect.DeepEqual(c, none) {
				t.Errorf("%s of the wrong type: %v %+v", name, errs, c)
			}
		}
	}
}

// changedFields names the fields in which two values differ, those of embedded ones
// included.
func changedFields(a, b any) string {
	var names []string
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for _, field := range reflect.VisibleFields(x.Type()) {
		if !field.Anonymous && !reflect.DeepEqual(x.FieldByIndex(field.Index).Interface(), y.FieldByIndex(field.Index).Interface()) {
			names = append(names, field.Name)
		}
	}
	return strings.Join(names, ",")
}

// Maps of options of their own take over what they name, at their bounds, and no
// null; what is at fault keeps the whole map out.
func TestOptionsWithinOptions(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        TreeConfig
		rule        Rule
	}{
		{"batch_operation_scheduling", `{"batch_size": 1, "fallback_min_spare_job_resources": {"cpu": 2}}`,
			TreeConfig{Batch: Batch{Size: 1, MinSpare: cpus(2)}}, ""},
		{"prioritized_regular_scheduling", `{"batch_size": null, "fallback_min_spare_job_resources": null}`, TreeConfig{Batch: Batch{Size: 1000}}, ""},
		{"batch_operation_scheduling", `{"batch_size": 0}`, TreeConfig{}, OutOfRange},
		{"batch_operation_scheduling", `{"fallback_min_spare_job_resources": 1}`, TreeConfig{}, WrongType},
		{"ssd_priority_preemption", `{"enable": null, "node_tag_filter": null, "medium_names": null}`, TreeConfig{}, ""},
		{"ssd_priority_preemption", `{"node_tag_filter": "a &"}`, TreeConfig{}, BadFormula},
		{"ssd_priority_preemption", `{"medium_names": ["a", 1]}`, TreeConfig{}, WrongType},
		{"integral_guarantees", `{"relaxed_share_multiplier_limit": 0.9}`, TreeConfig{}, OutOfRange},
		{"integral_guarantees", `{"relaxed_share_multiplier_limit": 1, "smooth_period": null}`, TreeConfig{Integral: TreeIntegral{RelaxedLimit: Some(1.0)}}, ""},
		{"packing", `{"relative_metric_value_tolerance": 0.9}`, TreeConfig{}, OutOfRange},
		{"packing", `{"max_heartbeat_age": 1, "max_better_past_snapshots": 0}`, TreeConfig{Packing: Packing{MaxAge: Some(Milliseconds(1)), MaxBetterPast: Some(int64(0))}}, ""},
		{"scheduling_segments", `{"mode": "disabled", "module_type": "infiniband_cluster", "module_assignment_heuristic": "min_remaining_feasible_capacity"}`,
			TreeConfig{Segments: Segments{ByInfiniband: true, LeastRest: true}}, ""},
		{"scheduling_segments", `{"mode": "huge_gpu"}`, TreeConfig{}, WrongType},
		{"job_count_preemption_timeout_coefficient", `0.99`, TreeConfig{}, OutOfRange},
		{"max_running_operation_count", `0`, TreeConfig{}, OutOfRange},
		{"max_ephemeral_pool_per_user", `0`, TreeConfig{}, OutOfRange},
		{"preemption_satisfaction_threshold", `0`, TreeConfig{}, OutOfRange},
		{"max_schedulable_element_count_in_fifo_pool", `0`, TreeConfig{}, OutOfRange},
		{"preemptive_scheduling_backoff", `-1`, TreeConfig{}, OutOfRange},
		{"waiting_job_timeout", `9223372036854776`, TreeConfig{}, OutOfRange},
		{"waiting_job_timeout", `1.5`, TreeConfig{}, WrongType},
		{"infer_weight_from_min_share_ratio_multiplier", `0.5`, TreeConfig{}, OutOfRange},
		{"infer_weight_from_strong_guarantee_share_multiplier", `1`, TreeConfig{InferWeightMultiplier: Some(1.0)}, ""},
	} {
		var v any
		if err := json.Unmarshal([]byte(c.value), &v); err != nil {
			t.Fatal(err)
		}
		var got TreeConfig
		errs := parseAttributes(&got, treeOptions, Attributes{c.name: v}, Baseline)
		if (c.rule == "") != (len(errs) == 0) || c.rule != "" && errs[0].Rule != c.rule {
			t.Errorf("%s of %s: %v, want %q", c.name, c.value, errs, c.rule)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s of %s: %+v", c.name, c.value, got)
		}
	}
}

func cpus(cores int64) (p resource.Partial) {
	p.Amounts[resource.CPU], p.Set[resource.CPU] = cores*resource.CentsPerCore, true
	return p
}
