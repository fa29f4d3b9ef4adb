package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"poolproof/core/coretest/testcorpus"
	"poolproof/core/pooltree"
	"poolproof/core/spec"
	"poolproof/ingest/poolconf"
)

// A planted configuration breaks one rule; its look-alike is legal.
type planted struct {
	rule       pooltree.Rule
	line       int
	bad, legal string
}

// describedFaults are written as an import's configuration.
var describedFaults = []planted{
	{pooltree.FIFOEphemeral, 1, "pools: {a: {mode: fifo, create_ephemeral_subpools: true}}", "pools: {a: {mode: fifo, create_ephemeral_subpools: false}}"},
	{pooltree.FIFOWithChildren, 3, "pools:\n  a: {mode: fifo,\n    pools: {b: {}}}", "pools:\n  a: {mode: fifo,\n    pools: {}}"},
	{pooltree.RunningAboveTotal, 2, "pools:\n  a: {max_running_operation_count: 2, max_operation_count: 1}", "pools:\n  a: {max_running_operation_count: 1000}\nmax_operation_count: 1"},
	{pooltree.GuaranteeWithoutParent, 3, "pools:\n  a: {pools: {b: {\n    strong_guarantee_resources: {cpu: 0}}}}", "pools:\n  a: {strong_guarantee_resources: {cpu: 0}, pools: {b: {\n    strong_guarantee_resources: {cpu: 0}}}}"},
	{pooltree.GuaranteeSum, 3, "pools:\n  a:\n    min_share_resources: {cpu: 1}\n    pools: {b: {strong_guarantee_resources: {cpu: 1}}, c: {strong_guarantee_resources: {cpu: 0.01}}}",
		"pools:\n  a:\n    min_share_resources: {cpu: 1}\n    pools: {b: {strong_guarantee_resources: {cpu: 1}}, c: {strong_guarantee_resources: {cpu: 0}}}"},
	{pooltree.MainResource, 1, "pools: {a: {strong_guarantee_resources: {gpu: 1}}}", "main_resource: gpu\npools: {a: {strong_guarantee_resources: {gpu: 1}}}"},
	{pooltree.IntegralUnderIntegral, 4, "pools:\n  a: {integral_guarantees: {guarantee_type: relaxed, resource_flow: {cpu: 2}},\n    pools: {b: {\n    integral_guarantees: {resource_flow: {cpu: 1}}}}}",
		"pools:\n  a: {integral_guarantees: {guarantee_type: none, resource_flow: {cpu: 2}},\n    pools: {b: {\n    integral_guarantees: {resource_flow: {cpu: 1}}}}}"},
	{pooltree.BurstOnRelaxed, 1, "pools: {a: {integral_guarantees: {guarantee_type: relaxed, resource_flow: {cpu: 1}, burst_guarantee_resources: {cpu: 1}}}}",
		"pools: {a: {integral_guarantees: {guarantee_type: burst, resource_flow: {cpu: 1}, burst_guarantee_resources: {cpu: 1}}}}"},
	{pooltree.OutOfRange, 2, "pools: {a:\n {max_share_ratio: 1.01}}", "pools: {a:\n {max_share_ratio: 1}}"},
	{pooltree.WrongType, 2, "pools: {a:\n {weight: heavy}}", "pools: {a:\n {weight: 0}}"},
	{pooltree.ThresholdOrder, 1, "aggressive_preemption_satisfaction_threshold: 1.1", "aggressive_preemption_satisfaction_threshold: 1"},
	{pooltree.TimeoutOrder, 1, "fair_share_aggressive_starvation_timeout: 29999", "fair_share_aggressive_starvation_timeout: 30000"},
	{pooltree.AliasConflict, 2, "fair_share_starvation_timeout: 1\nfair_share_preemption_timeout: 1", "fair_share_preemption_timeout: 1"},
	{pooltree.BadFormula, 1, "pools: {a: {scheduling_tag_filter: 'a b'}}", "pools: {a: {scheduling_tag_filter: 'a & !b'}}"},
	{pooltree.MeteringWithoutOwner, 1, "pools: {a: {metering_tags: {x: y}}}", "pools: {a: {metering_tags: {x: y}, abc: 3}}"},
	{pooltree.SSDFilterRequired, 1, "ssd_priority_preemption: {enable: true}", "ssd_priority_preemption: {enable: true, node_tag_filter: ssd}"},
	{pooltree.UnknownPreset, 1, "pools: {a: {config_preset: x}}", "pools: {a: {config_preset: x}}\npool_config_presets: {x: {}}"},
	{pooltree.PresetOption, 1, "pool_config_presets: {x: {weight: 2}}", "pool_config_presets: {x: {enable_aggressive_starvation: true}}"},
	{pooltree.IncompleteIntegral, 1, "pools: {a: {integral_guarantees: {guarantee_type: relaxed}}}", "pools: {a: {integral_guarantees: {guarantee_type: none}}}"},
	{pooltree.NameReserved, 1, "pools: {<Root>: {}}", "pools: {Root: {}}"},
	{pooltree.NameEmpty, 1, "pools: {'': {}}", "pools: {' ': {}}"},
	{pooltree.NameTooLong, 1, "pools: {" + strings.Repeat("a", 101) + ": {}}", "pools: {" + strings.Repeat("a", 100) + ": {}}"},
	{pooltree.DuplicateName, 3, "pools:\n  a: {}\n  b: {pools: {a: {}}}", "trees: {a: {pools: {a: }}, b: {pools: {a: }}}"},
	{pooltree.Depth, 1, nest(31), nest(30)},
	{pooltree.SubtreeSize, 1, many(1000), many(999)},
	{pooltree.NotATreeAttribute, 1, "weight: 2", "pools: {a: {weight: 2}}"},
	{pooltree.OverlappingFilters, 2, "nodes: {n: {tags: [x, y]}}\ntrees: {a: {nodes_filter: x}, b: {nodes_filter: y}}", "nodes: {n: {tags: [x, y], state: offline}, m: {tags: [x]}}\ntrees: {a: {nodes_filter: x}, b: {nodes_filter: y}, c: {}}"},
	{pooltree.NotImportable, 1, "pools: {a: {wieght: 2}}", "pools: {a: {weight: 2}}"},
	{pooltree.NotImportable, 1, "pools: {a: {fifo_sort_parameters: [weight, weight]}}", "pools: {a: {fifo_sort_parameters: [weight, start_time]}}"},
	{pooltree.NotImportable, 1, "pools: {a: {min_share_resources: {cpu: 1}, strong_guarantee_resources: {cpu: 1}}}", "pools: {a: {min_share_resources: {cpu: 1}}}"},
}

// exportedFaults are written as a cluster's export.
var exportedFaults = []planted{
	{pooltree.DuplicateName, 2, exported("", `"a": {}, "b": {"a": {}}`), exported("", `"a": {}, "b": {"t": {}}`)},
	{pooltree.DuplicateName, 2, exported("", `"a": {}, "a": {}`), exported("", `"a": {}`)},
	{pooltree.DuplicateTree, 1, `{"$value": {"t": {}, "t": {}}}`, `{"$value": {"t": {}, "u": {}}}`},
	{pooltree.NullThreshold, 1, exported(`"non_preemptible_resource_usage_threshold": null`, ""), exported(`"non_preemptible_resource_usage_threshold": {}`, "")},
	{pooltree.NotATreeAttribute, 1, exported(`"create_ephemeral_subpools": true`, ""), exported(`"owner": "root", "max_operation_count": 3`, "")},
	{pooltree.NoDefaultTree, 1, `{"$attributes": {"default_tree": "u"}, "$value": {"t": {}}}`, `{"$attributes": {"default_tree": "t"}, "$value": {"t": {}}}`},
	{pooltree.WrongType, 2, exported("", `"a": {"$attributes": {}, "$value": 3}`), exported("", `"a": {"$attributes": {}, "$value": null}`)},
	{pooltree.AliasConflict, 2, exported("", `"a": {"$attributes": {"scheduling_tag": "x", "scheduling_tag_filter": "x"}, "$value": {}}`),
		exported("", `"a": {"$attributes": {"min_share_resources": {"cpu": 1}, "strong_guarantee_resources": {"cpu": 1}, "wieght": 1}, "$value": {}}`)},
}

func exported(options, pools string) string {
	return fmt.Sprintf("{\"$value\": {\"t\": {\"$attributes\": {%s},\n \"$value\": {%s}}}}", options, pools)
}

func nest(depth int) string {
	text := "pools: {p0: "
	for i := 1; i < depth; i++ {
		text += fmt.Sprintf("{pools: {p%d: ", i)
	}
	return text + "{}" + strings.Repeat("}}", depth-1) + "}"
}

func many(below int) string {
	var pools []string
	for i := range below {
		pools = append(pools, fmt.Sprintf("p%d: {}", i))
	}
	return "pools: {top: {pools: {" + strings.Join(pools, ", ") + "}}}"
}

func judged(t *testing.T, text string) *Spots {
	t.Helper()
	d, err := poolconf.ParseDocument("f", []byte(text))
	if err != nil {
		t.Fatalf("%v in\n%.300s", err, text)
	}
	return Document(d, []byte(text), pooltree.Documented)
}

func TestEveryRuleIsFoundAndItsLookAlikeIsNot(t *testing.T) {
	faults := slices.Concat(describedFaults, exportedFaults)
	for _, c := range faults {
		found := judged(t, c.bad)
		if found.Illegal() != 1 {
			t.Errorf("%s: %d illegal spots in\n%.300s\n%+v", c.rule, found.Illegal(), c.bad, found.List)
			continue
		}
		s := found.List[slices.IndexFunc(found.List, func(s Spot) bool { return s.Severity != spec.Info })]
		if s.Rule != c.rule || s.Line != c.line || s.Do == "" || s.Meaning == "" {
			t.Errorf("%s on line %d: got %+v", c.rule, c.line, s)
		}
		if legal := judged(t, c.legal); legal.Illegal() != 0 {
			t.Errorf("%s: the look-alike is told of: %+v", c.rule, legal.List)
		}
	}
	// What a file cannot hold: its pools are nested, and in one tree.
	impossible := []pooltree.Rule{pooltree.NoSuchTree, pooltree.NoSuchPool, pooltree.NoSuchParent, pooltree.MoveIntoDescendant, pooltree.MoveBetweenTrees}
	for _, r := range pooltree.Rules() {
		isPlanted := slices.ContainsFunc(faults, func(c planted) bool { return c.rule == r })
		if !isPlanted && r.Severity() != spec.Info && !slices.Contains(impossible, r) {
			t.Errorf("no configuration breaks %s", r)
		}
	}
}

// TestLegalMeansImportable: what validate calls legal, import takes.
func TestLegalMeansImportable(t *testing.T) {
	for _, c := range describedFaults {
		if _, err := poolconf.Parse("f", []byte(c.legal)); err != nil {
			t.Errorf("%s: %v", c.legal, err)
		}
	}
}

func TestTotalsAreOfTheTreesOwnNodes(t *testing.T) {
	const pools = "pools: {a: {strong_guarantee_resources: {cpu: 10, memory: 5}}}"
	for text, want := range map[string]string{
		"nodes: {n: {resource_limits: {cpu: 9}}}\n" + pools:                                 "cpu: 10 of 9", // memory is not known
		"nodes: {n: {resource_limits: {cpu: 9}}, m: {resource_limits: {cpu: 1}}}\n" + pools: "",
		"nodes: {n: {resource_limits: {cpu: 99}, state: offline}}\n" + pools:                "cpu: 10 of 0",
		"nodes: {n: {}}\n" + pools: "", // nothing is known of it
		"nodes: {n: {tags: [x], resource_limits: {cpu: 9}}, m: {resource_limits: {cpu: 9}}}\ntrees: {t: {nodes_filter: x, " + pools + "}, u: {}}": "cpu: 10 of 9",
		"nodes: {n: {resource_limits: {cpu: 9}}}\ntrees: {t: {" + pools + "}, u: {}}":                                                             "",
	} {
		got := ""
		for _, s := range judged(t, text).List {
			got += s.Found
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestARealTreeIsLegal writes the pools of a production tree as an export.
func TestARealTreeIsLegal(t *testing.T) {
	b, err := os.ReadFile(testcorpus.File(t, testcorpus.Data, "ytsaurus-gpu-tree-excerpt", "root_and_pool542.json"))
	if err != nil {
		t.Fatal(err)
	}
	var elements []struct {
		Type, Name, Parent, Mode string
		Weight                   float64
		Strong                   map[string]float64 `json:"strong_guarantee_resources"`
	}
	if err := json.Unmarshal(b, &elements); err != nil {
		t.Fatal(err)
	}
	var below func(parent string) string
	pools := 0
	below = func(parent string) string {
		var list []string
		for _, e := range elements {
			if e.Type == "pool" && e.Parent == parent {
				pools++
				attributes, _ := json.Marshal(map[string]any{"mode": e.Mode, "weight": e.Weight, "strong_guarantee_resources": e.Strong})
				list = append(list, fmt.Sprintf("%q: {\"$attributes\": %s, \"$value\": {%s}}", e.Name, attributes, below(e.Name)))
			}
		}
		return strings.Join(list, ",\n")
	}
	text := fmt.Sprintf("{\"$attributes\": {\"default_tree\": \"gpu\"}, \"$value\": {\"gpu\": {\"$attributes\": {\"config\": {\"main_resource\": \"gpu\"}}, \"$value\": {%s}}}}", below("<Root>"))
	found := judged(t, text)
	if len(found.List) != 0 || found.Pools != pools || pools < 10 {
		t.Errorf("%d of %d pools, %+v", found.Pools, pools, found.List)
	}
	// Where every pool is guaranteed as much as its parent, siblings have too much.
	broken := bytes.ReplaceAll([]byte(text), []byte(`"gpu":0`), []byte(`"gpu":7`))
	if found := judged(t, string(broken)); found.Illegal() == 0 {
		t.Error("a planted guarantee goes unnoticed")
	}
}
