package pooltree

import (
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzAttributes reads any JSON as the options of every object. What is wrong
// is named by a rule, and what is right is read the same again.
func FuzzAttributes(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"weight": 2, "mode": "fifo", "fifo_sort_parameters": ["weight"]}`, `{"weight": null, "resource_limits": {"cpu": null}}`,
		`{"integral_guarantees": {"guarantee_type": "burst", "resource_flow": {"cpu": 1e300}}}`, `{"offloading_settings": {"t": {"pool": "p"}}}`,
		`{"pool_config_presets": {"a": {"fair_share_preemption_timeout": 1}}}`, `{"nodes_filter": "a & b", "ssd_priority_preemption": {"enable": true}}`,
		`{"scheduling_options_per_pool_tree": {"t": {"weight": 1e308, "is_gang": 1}}, "tentative_pool_trees": ["a", 1]}`,
		`{"ephemeral_subpool_config": {"mode": "lifo", "max_operation_count": 9223372036854775808}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var a Attributes
		if json.Unmarshal(data, &a) != nil {
			return
		}
		for p := Documented; p <= Legacy; p++ {
			tree, wrong := ParseTree(p, a)
			pool, more := ParsePool(p, a)
			operation, others := ParseOperation(p, a, "t")
			spec, rest := ParseTreeSpec(p, "map", a)
			for _, errs := range [][]*RuleError{wrong, more, others, rest} {
				for _, e := range errs {
					if e.Rule.Meaning() == "" || e.Error() == "" {
						t.Fatalf("%s: broken rule %q has no meaning", data, e.Rule)
					}
				}
			}
			tree2, _ := ParseTree(p, a)
			pool2, _ := ParsePool(p, a)
			operation2, _ := ParseOperation(p, a, "t")
			spec2, _ := ParseTreeSpec(p, "map", a)
			if !reflect.DeepEqual([]any{tree, pool, operation, spec}, []any{tree2, pool2, operation2, spec2}) {
				t.Fatalf("%s: read in two ways", data)
			}
			if low, high := p.weightRange(); pool.Weight.Set && (pool.Weight.Value < low || pool.Weight.Value > high) {
				t.Fatalf("%s: weight %g", data, pool.Weight.Value)
			}
		}
	})
}
