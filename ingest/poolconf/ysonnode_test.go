package poolconf

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An export tells the same in each form.
func TestExportsOfYSONAreThoseOfJSON(t *testing.T) {
	json := `{"$attributes": {"default_tree": "physical", "count": 12},
 "$value": {"physical": {
   "$attributes": {"id": "1-2-3-4", "config": {"nodes_filter": "a & !b", "fair_share_starvation_timeout": 30000, "fair_share_starvation_tolerance": 0.5}},
   "$value": {"zo\u00c3\u00ab": {
       "$attributes": {"weight": 10.0, "mode": "fifo", "fifo_sort_parameters": ["weight", "start_time"], "allow_aggressive_preemption": false, "abc": null, "big": 18446744073709551615},
       "$value": {"child": {"$attributes": {"max_operation_count": 1}, "$value": {}}, "$$x": {}}}}}, "bare": {}}}`
	text := `<default_tree=physical; count=12u>
 {physical=<id="1-2-3-4";
   config={nodes_filter="a & !b"; "fair_share_starvation_timeout" = 30000; fair_share_starvation_tolerance=0.5}>
   {"zo\xC3\xAB"=
       <weight=10.; mode=fifo; fifo_sort_parameters=[weight; start_time]; allow_aggressive_preemption=%false; abc=#; big=18446744073709551615u>
       {child=<max_operation_count=1>{}; "$x"={}}}; bare=<>{}}`
	want, err := ParseDocument("export", []byte(json))
	if err != nil || !want.Export || want.DefaultTree != "physical" || len(want.Trees) != 2 || want.Trees[0].Pools[0].Name != "zoë" {
		t.Fatalf("%+v, %v", want, err)
	}
	for _, c := range []struct{ name, in string }{
		{"text", text},
		{"binary", strings.NewReplacer("count=12u", "count=\x06\x0c", "10.;", "\x03\x00\x00\x00\x00\x00\x00\x24\x40;", "30000", "\x02\xe0\xd4\x03", "weight=", "\x01\x0cweight=",
			"=%false", "=\x04", `"zo\xC3\xAB"`, "\x01\x08zo\xc3\xab").Replace(text)},
	} {
		got, err := ParseDocument("export", []byte(c.in))
		if err != nil {
			t.Fatal(c.name, err)
		}
		if c.name == "binary" {
			got.eachLine(func(line *int) { *line = 0 })
			want.eachLine(func(line *int) { *line = 0 })
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// eachLine calls f with all lines of a document.
func (d *Document) eachLine(f func(*int)) {
	object := func(o *Object) {
		f(&o.Line)
		for name, line := range o.Lines {
			f(&line)
			o.Lines[name] = line
		}
	}
	for i := range d.Trees {
		object(&d.Trees[i].Object)
		for j := range d.Trees[i].Pools {
			object(&d.Trees[i].Pools[j].Object)
		}
	}
	for i := range d.Refusals {
		f(&d.Refusals[i].Line)
	}
}

func TestBadYSON(t *testing.T) {
	for in, want := range map[string]string{
		"<a=1>":            "f:1: this is not YSON: byte 5: the value is cut off",
		"<a=1>\n{b=\n;}":   "f:3: this is not YSON: byte 10: a value is wanted",
		"<a=1>{};\n<>1":    "f:2: something follows the value: a file holds one",
		"{\n  \"a\"\n=1 x": "f:3: this is not YSON: byte 11: a semicolon or the end is wanted",
	} {
		if _, err := ParseDocument("f", []byte(in)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, not %s", in, err, want)
		}
	}
}

// A file of YAML is none of YSON, whatever it begins with.
func TestYAMLIsNoYSON(t *testing.T) {
	for _, in := range []string{"{a: 1}", "{\"a\": 1}", "{}", "{a, b}", "pools: {}", "<<: *x", ""} {
		if isYSON([]byte(in)) {
			t.Errorf("%q is taken for YSON", in)
		}
	}
}

func TestSampleOfYSON(t *testing.T) {
	b, err := os.ReadFile("../ytsaurus/testdata/samples/pool_trees.2023.yson")
	if err != nil {
		t.Fatal(err)
	}
	d, err := ParseDocument("sample", b)
	if err != nil || len(d.Trees) != 2 || d.DefaultTree != "physical" || len(d.Refusals) != 0 {
		t.Fatalf("%+v, %v", d, err)
	}
}
