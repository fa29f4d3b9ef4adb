package testcorpus

import (
	"maps"
	"path"
	"slices"
	"testing"
)

// Faults are wrong values put in the place of expected ones, one value of each kind at
// a time, and expectations left out, to see that a test notices.
type Faults struct {
	Wrong   func(kind string, was any) []any // values that are not what is expected; none where nothing is
	Needed  func(kind string, was any) bool  // whether it is another expectation if the key is left out
	Indexed []string                         // objects whose keys are names, so that their values are of one kind
	Kinds   map[string]bool                  // those tried so far
}

// Plant falsifies everything that a JSON value of a kind holds. The kind of a value is
// the path to it, without the places in lists. Where a line passes still, the test fails.
func (f *Faults) Plant(t testing.TB, line, kind string, expected any, passes func() bool) {
	t.Helper()
	switch v := expected.(type) {
	case []any:
		for i := range v {
			f.plant(t, line, kind+"/", v[i], func(x any) { v[i] = x }, passes)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			one := kind + "/" + key
			if _, name := path.Split(kind); slices.Contains(f.Indexed, name) {
				one = kind + "/"
			}
			f.drop(t, line, one, v, key, passes)
			f.plant(t, line, one, v[key], func(x any) { v[key] = x }, passes)
		}
	}
}

// plant falsifies a value, then what it holds.
func (f *Faults) plant(t testing.TB, line, kind string, was any, set func(any), passes func() bool) {
	t.Helper()
	if all := f.Wrong(kind, was); len(all) > 0 && !f.Kinds[kind] {
		f.Kinds[kind] = true
		for _, wrong := range all {
			if set(wrong); passes() {
				t.Errorf("%s passes with %s = %v for %v", line, kind, wrong, was)
			}
		}
		set(was)
	}
	f.Plant(t, line, kind, was, passes)
}

// drop leaves a key out.
func (f *Faults) drop(t testing.TB, line, kind string, of map[string]any, key string, passes func() bool) {
	t.Helper()
	was, without := of[key], "no "+kind
	if f.Kinds[without] || !f.Needed(kind, was) {
		return
	}
	f.Kinds[without] = true
	delete(of, key)
	if passes() {
		t.Errorf("%s passes without %s, which is %v", line, kind, was)
	}
	of[key] = was
}
