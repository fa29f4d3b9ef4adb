package poolconf

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/ingest/input"
)

// export is what `yt get //sys/pool_trees --format json` writes, with what a
// reader must survive: bare values, escaped keys, null, unknown attributes.
const export = `{
  "$attributes": {"default_tree": "physical"},
  "$value": {
    "physical": {
      "$attributes": {
        "id": "1-2-3-4",
        "config": {"nodes_filter": "internal & !cloud", "fair_share_starvation_timeout": 30000}
      },
      "$value": {
        "research": {
          "$attributes": {"id": "1-1", "weight": 10.0, "strong_guarantee_resources": {"cpu": 1000.0},
            "config_preset": null, "acl": [{"action": "allow"}]},
          "$value": {
            "research-sub": {"$attributes": {"mode": "fifo"}, "$value": {}},
            "$$odd": {}
          }
        },
        "bare": {}
      }
    },
    "old": {"$attributes": {"nodes_filter": "cloud", "max_operation_count": 9007199254740993}, "$value": {}},
    "none": {}
  }
}
`

func TestAnExportIsRead(t *testing.T) {
	d, err := ParseDocument("trees.json", []byte(export))
	if err != nil {
		t.Fatal(err)
	}
	want := &Document{
		File: "trees.json", Export: true, DefaultTree: "physical",
		Trees: []DocumentTree{{
			Object: Object{"physical", 4, pooltree.Attributes{"nodes_filter": "internal & !cloud", "fair_share_starvation_timeout": int64(30_000)},
				map[string]int{"nodes_filter": 7, "fair_share_starvation_timeout": 7}, false},
			Pools: []DocumentPool{
				{Object{"research", 10, pooltree.Attributes{"id": "1-1", "weight": 10.0, "strong_guarantee_resources": map[string]any{"cpu": 1000.0}, "config_preset": nil,
					"acl": []any{map[string]any{"action": "allow"}}}, map[string]int{"id": 11, "weight": 11, "strong_guarantee_resources": 11, "config_preset": 12, "acl": 12}, false}, ""},
				{Object{"research-sub", 14, pooltree.Attributes{"mode": "fifo"}, map[string]int{"mode": 14}, true}, "research"},
				{Object{"$odd", 15, pooltree.Attributes{}, map[string]int{}, true}, "research"},
				{Object{"bare", 18, pooltree.Attributes{}, map[string]int{}, true}, ""},
			},
		}, {
			Object: Object{"old", 21, pooltree.Attributes{"nodes_filter": "cloud", "max_operation_count": int64(9007199254740993)}, map[string]int{"nodes_filter": 21, "max_operation_count": 21}, false}, OldLayout: true,
		}, {
			Object: Object{"none", 22, pooltree.Attributes{}, map[string]int{}, true}, OldLayout: true,
		}},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
}

func TestOneTreeAloneIsAnExport(t *testing.T) {
	for _, text := range []string{
		`{"$attributes": {"name": "gpu", "config": {}}, "$value": {"a": {"$attributes": {"weight": 2}, "$value": {}}}}`,
		`{"$attributes": {"name": "gpu", "type": "scheduler_pool_tree"}, "$value": {"a": {}}}`,
	} {
		d, err := ParseDocument("f", []byte(text))
		if err != nil || !d.Export || len(d.Trees) != 1 || d.Trees[0].Name != "gpu" || len(d.Trees[0].Pools) != 1 || d.Trees[0].Pools[0].Name != "a" {
			t.Errorf("%s: %+v, %v", text, d, err)
		}
	}
}

func TestAnExportsPoolThatIsNone(t *testing.T) {
	d, err := ParseDocument("f", []byte(`{"$value": {"t": {"$attributes": {}, "$value": {"a": {"$attributes": {}, "$value": 3}, "b": null}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := []Refusal{{"t", "a", "", 1, "the pools below must be a map"}}; !cmp.Equal(d.Refusals, want) || len(d.Trees[0].Pools) != 2 {
		t.Errorf("%+v", d)
	}
}

func TestAWrongDescriptionIsReadAllTheSame(t *testing.T) {
	d, err := ParseDocument("f", []byte(`nodes:
  n1: {tags: [b, a], resource_limits: {cpu: 1.5}}
  n2: {tags: "x,y", state: offline}
  n3:
trees:
  t:
    main_resource: cores
    pools:
      a:
        wieght: 2
        weight: -1
        resource_limits: {cores: 2}
        pools: {b: }
      c: 3
`))
	if err != nil {
		t.Fatal(err)
	}
	if d.Export || len(d.Trees) != 1 || len(d.Trees[0].Pools) != 2 || d.Trees[0].Pools[1].Parent != "a" || d.Trees[0].Pools[1].Line != 13 {
		t.Errorf("%+v", d)
	}
	want := []Refusal{
		{"t", "", "main_resource", 7, "main_resource must be user_slots, cpu, gpu, memory or network"},
		{"t", "a", "wieght", 10, `a pool has no option "wieght"; did you mean weight?`},
		{"t", "a", "weight", 11, "weight must be a number of at least 0"},
		{"t", "a", "resource_limits", 12, `resource_limits has no resource "cores"; it may name user_slots, cpu, gpu, memory and network`},
		{"t", "c", "c", 14, "a pool must be a map of its options"},
	}
	if diff := cmp.Diff(want, d.Refusals); diff != "" {
		t.Error(diff)
	}
	limits := resource.Partial{Amounts: resource.Vector{resource.CPU: 150}}
	limits.Set[resource.CPU] = true
	nodes := []Node{{"n1", 2, true, pooltree.Tags{"a", "b"}, limits}, {"n2", 3, false, pooltree.Tags{"x", "y"}, resource.Partial{}}, {"n3", 4, true, nil, resource.Partial{}}}
	if diff := cmp.Diff(nodes, d.Nodes); diff != "" {
		t.Error(diff)
	}
}

func TestNodesOfAnExport(t *testing.T) {
	nodes, err := ParseNodes("f", []byte(`{"$attributes": {"count": 2}, "$value": {
		"a:9012": {"$attributes": {"state": "online", "tags": ["gpu"], "resource_limits": {"gpu": 8, "user_memory": 10, "tpu": 1}}, "$value": null},
		"b:9012": {"$attributes": {"state": "offline"}, "$value": null}}}`))
	if err != nil || len(nodes) != 2 || nodes[0].Name != "a:9012" || nodes[0].Limits.Amounts[resource.Memory] != 10 || !nodes[0].Online || nodes[1].Online {
		t.Errorf("%+v, %v", nodes, err)
	}
	for text, want := range map[string]string{
		`[]`: "f:1: nodes must be a map", `{"a": 3}`: "f:1: node a must be a map", `{"a": {"tags": {}}}`: "f:1: the tags of node a must be a list",
		"{\"a\":\n {\"resource_limits\": {\"cpu\": -1}}}": "f:2: node a: resource_limits: the value is out of range",
	} {
		if _, err := ParseNodes("f", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestAnImportChecksTheNodesOfItsFile: it has no use for them.
func TestAnImportChecksTheNodesOfItsFile(t *testing.T) {
	f, err := Parse("f", []byte("nodes: {n: {tags: [a]}}\npools: {p: {weight: 2}}"))
	if err != nil {
		t.Fatal(err)
	}
	if row, _ := f.TreeRow("t"); row.Source != "assumed" || len(f.Pools("t")) != 1 {
		t.Errorf("nodes became an option of the tree: %+v", row)
	}
	if _, err := Parse("f", []byte("nodes: {n: {}}\ntrees: {t: {}}")); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"nodes: 3", "trees: {t: {nodes: {}}}"} {
		if _, err := Parse("f", []byte(text)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

func TestWhatIsNoDocument(t *testing.T) {
	for text, want := range map[string]string{
		"- a": "f:1: the file must be a map", "pools: 3": "f:1: pools must be a map", "trees: []": "f:1: trees must be a map", "trees: {t: 3}": "f:1: tree t must be a map",
		"{\"a\": {\"$attributes\": {},\n}}": "f:2: this is not JSON", `{"$attributes": {}} {}`: "f:1: { follows the value", `{"$attributes": `: "f:1: this is not JSON: unexpected EOF",
		`{"a":` + strings.Repeat("[", 300): "f:1: values nest deeper than 200 levels",
		"pools: {a: ":                      "f:1: ",
	} {
		_, err := ParseDocument("f", []byte(text))
		var bad *input.PlaceError
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"", "null", "{}", "{pools: {a: {weight: 2}}}", "\ufeff{}"} {
		if _, err := ParseDocument("f", []byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestBothReadersAgree: JSON is YAML, and an import reads it as such.
func TestBothReadersAgree(t *testing.T) {
	for _, text := range []string{export, `{"a": [1, -2.5, 1e9, true, null, "x\n\u00e9", {"b": {}}], "c": ""}`} {
		a, err := parseJSON("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		b, err := parseYAML("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a.json(), b.json()); diff != "" {
			t.Error(diff)
		}
	}
}

func FuzzParseDocument(f *testing.F) {
	for _, s := range []string{export, sample, "", "{", `{"$value": {"t": {"$value": {"a": 3}}}}`, "nodes: {a: {tags: [x]}}\ntrees: {t: {pools: {p: }}}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := ParseDocument("f", b)
		if err != nil {
			var bad *input.PlaceError
			if !errors.As(err, &bad) || bad.Line < 1 {
				t.Fatalf("error without a line: %v", err)
			}
			return
		}
		for i := range d.Trees {
			for _, p := range d.Trees[i].Pools {
				if p.Line < 1 {
					t.Fatalf("pool %q without a line", p.Name)
				}
			}
		}
		// A description without a refusal may still be refused as a whole, never
		// the other way round.
		if _, err := Parse("f", b); err == nil && !d.Export && len(d.Refusals) > 0 {
			t.Fatalf("refused and taken: %+v", d.Refusals)
		}
	})
}

func FuzzParseNodes(f *testing.F) {
	for _, s := range []string{`{"$value": {"n": {"$attributes": {"tags": ["x"], "state": "online", "resource_limits": {"cpu": 1.5, "user_slots": 2}}}}}`,
		"n: {tags: 'a, b', resource_limits: {cpu: -1}}\nm:", `{n = <tags = [x]; resource_limits = {cpu = 1e308; gpu = 18446744073709551615u}> #}`, "{", "[]", "n: {tags: {}}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		nodes, err := ParseNodes("f", b)
		var bad *input.PlaceError
		if err != nil && (!errors.As(err, &bad) || bad.Line < 1) {
			t.Fatalf("error without a line: %v", err)
		}
		for _, n := range nodes {
			if n.Line < 1 {
				t.Fatalf("node %q without a line", n.Name)
			}
		}
	})
}
