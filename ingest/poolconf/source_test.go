package poolconf

import "testing"

// TestTreeSource: a file of pools alone says nothing of the tree, so that the
// defaults of its options are no promise.
func TestTreeSource(t *testing.T) {
	for text, want := range map[string]string{
		"pools: {prod: {weight: 2}}": "assumed",
		"{}":                         "assumed",
		"max_running_operation_count_per_pool: 8\npools: {prod: {weight: 2}}":   "export",
		"trees: {a: {pools: {prod: {}}, fair_share_starvation_tolerance: 0.9}}": "export",
	} {
		f, err := Parse("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if row, ok := f.TreeRow("a"); !ok || row.Source != want {
			t.Errorf("%s: source %q, want %s", text, row.Source, want)
		}
	}
}
