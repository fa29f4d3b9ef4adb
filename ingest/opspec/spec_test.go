package opspec

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

const whole = `{
	"mapper": {"command": "cat", "weight": "heavy", "pool": 3},
	"pool": "prod", "weight": 2, "is_gang": true,
	"resource_limits": {"cpu": 10.5, "user_slots": 4},
	"pool_trees": ["a", "b"], "schedule_in_single_tree": true,
	"erase_trees_with_pool_limit_violations": true,
	"scheduling_options_per_pool_tree": {"b": {"pool": "gpu", "weight": 5, "resource_limits": {"gpu": 1}}}
}`

func TestASpecSaysWhatIsAskedOfEachTree(t *testing.T) {
	s, err := new(Set).Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	for tree, want := range map[string]pooltree.OperationConfig{
		"a": {Pool: "prod", OperationSettings: pooltree.OperationSettings{Weight: pooltree.Some(2.0)}, Gang: true, EraseViolatedTrees: true, ResourceLimits: resource.Partial{
			Amounts: resource.Vector{resource.CPU: 1050, resource.UserSlots: 4}, Set: [5]bool{resource.CPU: true, resource.UserSlots: true}}},
		"b": {Pool: "gpu", OperationSettings: pooltree.OperationSettings{Weight: pooltree.Some(5.0)}, Gang: true, EraseViolatedTrees: true, ResourceLimits: resource.Partial{
			Amounts: resource.Vector{resource.GPU: 1}, Set: [5]bool{resource.GPU: true}}},
	} {
		got, faults := s.In(pooltree.Documented, tree)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(pooltree.Formula{})); diff != "" || len(faults) > 0 {
			t.Errorf("in %s: %s %v", tree, diff, faults)
		}
	}
	trees, _ := s.Trees(pooltree.Documented, "map")
	want := pooltree.TreeSpec{Type: "map", PoolTrees: pooltree.Some([]string{"a", "b"}), SingleTree: true}
	if diff := cmp.Diff(want, trees, cmp.AllowUnexported(pooltree.Formula{})); diff != "" {
		t.Error(diff)
	}
	if faults := s.Faults(pooltree.Documented); len(faults) > 0 {
		t.Error(faults)
	}
}

// TestATitleMayLoseBytes: what scheduling does not go by may be anything.
func TestATitleMayLoseBytes(t *testing.T) {
	if _, err := new(Set).Parse([]byte("{\"title\":\"\xff\",\"weight\":2}")); err != nil {
		t.Error(err)
	}
}

func TestWhatIsNoSpec(t *testing.T) {
	for text, want := range map[string]string{
		"":          "it is not JSON: unexpected end of JSON input",
		"[]":        "it is not a map",
		"null":      "it is not a map",
		"3":         "it is not a map",
		`{"pool":}`: "it is not JSON: invalid character '}' looking for beginning of value",
		`{} {}`:     "it is not JSON: invalid character '{' after top-level value",

		"{\"pool\":\"\ufffd\ufffdetl\"}":                               "an option that scheduling goes by lost bytes",
		`{"pool_trees":["a","\ufffd"]}`:                                "an option that scheduling goes by lost bytes",
		"{\"pool\":\"\xffetl\"}":                                       "an option that scheduling goes by lost bytes",
		`{"scheduling_options_per_pool_tree":{"\ufffd":{"weight":2}}}`: "an option that scheduling goes by lost bytes",
	} {
		if _, err := new(Set).Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// A value that cannot be is told once, wherever it stands, and is absent.
func TestAWrongValueCountsAsAbsent(t *testing.T) {
	s, err := new(Set).Parse([]byte(`{"pool": 3, "weight": 2, "pool_trees": "a", "scheduling_options_per_pool_tree": {"a": {"weight": -1}, "b": {"weight": -1}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"pool_trees: the value has the wrong type (want a list, got \"a\")",
		"pool: the value has the wrong type (want a string, got 3)",
		"weight: the value is out of range (want a number of 0 or above, got -1)",
	}
	if diff := cmp.Diff(want, s.Faults(pooltree.Documented)); diff != "" {
		t.Error(diff)
	}
	if c, _ := s.In(pooltree.Documented, "a"); c.Pool != "" || c.Weight != pooltree.Some(2.0) {
		t.Error(c)
	}
}

// Specs that differ in what scheduling does not read are one.
func TestASetHoldsEqualSpecsOnce(t *testing.T) {
	var set Set
	one, err := set.Parse([]byte(`{"weight": 2, "pool": "p", "title": "monday"}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, same := range map[string]bool{
		`{"pool":"p","weight":2}`:                  true,
		`{"pool":"p","weight":2,"title":"sunday"}`: true,
		`{"pool":"p","weight":3}`:                  false,
		`{}`:                                       false,
	} {
		other, err := set.Parse([]byte(text))
		if err != nil || (one == other) != same {
			t.Errorf("%s: same %v, want %v (%v)", text, one == other, same, err)
		}
	}
	if set.Len() != 3 {
		t.Error(set.Len())
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(`{"pool":"\ud800","pool":null,"weight":1e999,"pool_trees":[[]]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var set Set
		s, err := set.Parse(text)
		if err != nil {
			return
		}
		s.Faults(pooltree.Current)
		if again, err := set.Parse(text); err != nil || again != s {
			t.Fatalf("the same text is another spec: %v", err)
		}
	})
}
