package testcorpus

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestFaults: each kind is falsified once and put back, and what passes then is told.
func TestFaults(t *testing.T) {
	expected := func() map[string]any {
		return map[string]any{"n": []any{1.0, 2.0}, "by": map[string]any{"a": map[string]any{"x": 1.0}, "b": map[string]any{"x": 2.0}}, "debug": 1.0}
	}
	wrong := func(kind string, was any) []any {
		if kind == "k/debug" {
			return nil
		}
		return []any{"wrong"}
	}
	needed := func(kind string, _ any) bool { return kind != "k/debug" }
	f := Faults{Wrong: wrong, Needed: needed, Indexed: []string{"by"}, Kinds: map[string]bool{}}
	x := expected()
	compared := func() bool { return reflect.DeepEqual(x, expected()) }
	if fails(t, func(t testing.TB) { f.Plant(t, "line", "k", x, compared) }) || !compared() {
		t.Errorf("a line passes that is compared, or is left as %v", x)
	}
	if got := strings.Join(slices.Sorted(maps.Keys(f.Kinds)), " "); got != "k/by k/by/ k/by//x k/n k/n/ no k/by no k/by/ no k/by//x no k/n" {
		t.Errorf("falsified are %s", got)
	}
	f.Kinds = map[string]bool{}
	if !fails(t, func(t testing.TB) {
		f.Plant(t, "line", "k", x, func() bool { return x["debug"] != "wrong" && x["n"] != "wrong" })
	}) {
		t.Error("nobody is told of a line that passes with another value")
	}
	f.Kinds = map[string]bool{}
	if !fails(t, func(t testing.TB) {
		f.Plant(t, "line", "k", x, func() bool { _, told := x["n"]; return !told })
	}) {
		t.Error("nobody is told of a line that passes with less")
	}
}
