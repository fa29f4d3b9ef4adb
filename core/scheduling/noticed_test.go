package scheduling

import (
	"maps"
	"path"
	"slices"
	"testing"

	"poolproof/core/coretest/testcorpus"
)

// TestCorpusFaultsAreNoticed falsifies what the corpus expects, one value of each
// kind at a time, in every way that has no other meaning: no line passes then.
func TestCorpusFaultsAreNoticed(t *testing.T) {
	kinds := map[string]bool{}
	faults := testcorpus.Faults{
		Wrong:   falsified,
		Needed:  func(string, any) bool { return true },
		Indexed: []string{"allocations", "controller_calls", "conditional_discounts"}, // by jobs or operations
		Kinds:   kinds,
	}
	for _, file := range testcorpus.Corpus(t, "scheduling") {
		testcorpus.Lines(t, file, func(data []byte) {
			var line corpusLine
			decode(t, data, &line)
			if line.Fragile || len(line.Alternatives) > 0 {
				return
			}
			want := &line.Expected
			passes := func() bool { return len(line.run(t, want, attempt{})) == 0 }
			for _, status := range []string{"abort", ""} {
				if want.Status = status; !kinds["status"] && passes() {
					t.Errorf("%s passes with the status %q", line.ID, status)
				}
			}
			want.Status, kinds["status"] = "ok", true
			for i, step := range want.Steps {
				faults.Plant(t, line.ID, line.Input.Steps[i].text("type"), map[string]any(step), passes)
			}
		})
	}
	if len(kinds) < 100 {
		t.Errorf("%d kinds of values: %v", len(kinds), slices.Sorted(maps.Keys(kinds)))
	}
}

// falsified lists values that are not what is expected: of a number one that
// differs by ten times the tolerance, too.
func falsified(kind string, was any) (list []any) {
	if path.Base(kind) != "scheduling_index" { // null says there that none is expected
		list = append(list, nil)
	}
	switch v := was.(type) {
	case bool:
		list = append(list, !v)
	case float64:
		list = append(list, v+10*shareTolerance*max(1, v), v+1, -v-1)
	case string:
		list = append(list, v+"x")
	case []any:
		list = append(list, append(slices.Clone(v), "x"))
		if len(v) > 0 {
			list = append(list, v[1:], v[:len(v)-1])
		}
	case map[string]any:
		more := maps.Clone(v)
		more["cpu"] = -1.0
		list = append(list, more)
	}
	if was == nil {
		list = []any{"x", 1.0}
	}
	return list
}
