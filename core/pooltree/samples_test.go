package pooltree

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"poolproof/core/resource"
)

// samples hold a legal value of the options whose type does not make one, none its default: of trees, pools and
// operations.
var samples = map[string][3]string{
	"non_preemptible_resource_usage_threshold": {`{"cpu": 1}`, `{}`, `{"memory": 1}`},
	"ssd_priority_preemption":                  {`{"enable": true, "node_tag_filter": "ssd", "medium_names": ["m"]}`},
	"integral_guarantees":                      {`{"smooth_period": 1, "pool_capacity_saturation_period": 2, "relaxed_share_multiplier_limit": 10}`, `{"guarantee_type": "relaxed", "resource_flow": {"cpu": 1}, "relaxed_share_multiplier_limit": 1, "can_accept_free_volume": false, "should_distribute_free_volume_among_children": false}`},
	"packing":                                  {`{"enable": true, "metric": "angle"}`},
	"batch_operation_scheduling":               {`{}`},
	"non_tentative_operation_types":            {`[]`},
	"pool_config_presets":                      {`{"a": {"allow_normal_preemption": false}}`},
	"scheduling_segments":                      {`{"mode": "large_gpu"}`},
	"gpu_scheduling_policy":                    {`{"mode": "allocating"}`},
	"metering_tags":                            {`{}`, `{"a": "b"}`},
	"fifo_sort_parameters":                     {``, `["pending_job_count"]`},
	"ephemeral_subpool_config":                 {``, `{}`},
	"config_presets":                           {``, `["a"]`},
	"offloading_settings":                      {``, `{"t": {}}`},
	"historic_usage_config":                    {``, `{"aggregation_mode": "exponential_moving_average"}`},
	"default_gpu_full_host_preemption":         {`{"enable": true}`},
	"abc":                                      {``, `{"id": 1}`},
	"allowed_profiling_tags":                   {``, `["a"]`},
	"tasks":                                    {``, ``, `{"t": {"disk_request": {"medium_name": "m"}}}`},
	"mapper":                                   {``, ``, `{}`},
	"reduce_combiner":                          {``, ``, `{}`},
	"reducer":                                  {``, ``, `{"disk_request": {"medium": "m"}}`},
	"scheduling_segment_modules":               {``, ``, `["m"]`},
}

// sampleOf is the value of an option in the list, or one that its type makes.
func sampleOf(name string, v Value, kind int) string {
	if listed := samples[name][kind]; listed != "" {
		return listed
	}
	switch v.Type {
	case Boolean:
		return "true"
	case Count:
		return fmt.Sprint(int64(v.Least))
	case Duration:
		return "0"
	case Number:
		return "1"
	case Text:
		return `"a"`
	case Word:
		return fmt.Sprintf("%q", v.Words[len(v.Words)-1])
	case Amounts:
		return `{"gpu": 0}`
	}
	return ""
}

// Every option has a field of its own, which it changes alone under all its names, and every field an option but for
// those that no configuration holds. Null is as if an option were not there, and a value of the wrong type is refused
// and changes nothing.
func TestEveryOptionHasItsField(t *testing.T) {
	sampleOptions(t, 0, treeOptions, "non_preemptible_resource_usage_threshold", "Assumed PoolsAssumed Dated Learned ThresholdExplicitlyNull")
	sampleOptions(t, 1, poolOptions, "abc", "Listed")
	sampleOptions(t, 2, operationOptions, "", "MaxUnpreemptibleJobs") // current ignores zero
}

// sampleOptions checks the options of one kind of object, but for one whose null or
// type is special.
func sampleOptions[C any](t *testing.T, kind int, options []option[C], special, without string) {
	of := map[string]string{}
	for i := range options {
		o := &options[i]
		var v any
		if err := json.Unmarshal([]byte(sampleOf(o.name, o.value, kind)), &v); err != nil {
			t.Errorf("%s has no sample of kind %d: %v", o.name, kind, err)
			continue
		}
		var first, none C
		parseAttributes(&first, options, Attributes{o.name: v}, Current)
		field := changedFields(first, none)
		if other := of[field]; field != "" && other != "" && field != "Presets" && field != "Media" {
			t.Errorf("%s and %s both change %s", o.name, other, field)
		}
		of[field] = o.name
		for _, name := range append([]string{o.name}, o.aliases...) {
			var c C
			for _, e := range parseAttributes(&c, options, Attributes{name: v}, Current) {
				t.Errorf("%s: %v", name, e)
			}
			if !reflect.DeepEqual(c, first) {
				t.Errorf("%s is not %s", name, o.name)
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
	for _, field := range reflect.VisibleFields(reflect.TypeFor[C]()) {
		if of[field.Name] == "" && !field.Anonymous && !slices.Contains(strings.Fields(without), field.Name) {
			t.Errorf("no option changes %s", field.Name)
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
