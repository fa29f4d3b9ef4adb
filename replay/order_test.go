package replay

import (
	"slices"
	"testing"

	"poolproof/core"
	"poolproof/replay/env"
)

// TestTheLargestTreeIsReplayedFirst: trees begin by the size of their logs, equal ones as they
// were given, and the tables of each stand where they stood.
func TestTheLargestTreeIsReplayedFirst(t *testing.T) {
	var begun []string
	var trees, cluster []env.Tree
	for _, tree := range []env.Tree{{Name: "cloud", Rows: 2}, {Name: "devices"}, {Name: "physical", Rows: 70}, {Name: "spare", Rows: 2}} {
		tree.Events = func(func(*core.Event, error) bool) {}
		cluster = append(cluster, tree)
		tree.Events = func(func(*core.Event, error) bool) { begun = append(begun, tree.Name) }
		trees = append(trees, tree)
	}
	opts := Options{Workers: 1, Cluster: cluster, Log: env.Log{Window: core.Span{From: 0, To: core.Second}}}
	summary, err := Run(t.Context(), t.TempDir(), &core.Dimensions{}, trees, opts)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"physical", "cloud", "spare", "devices"}; !slices.Equal(begun, want) {
		t.Errorf("begun in the order %v, want %v", begun, want)
	}
	if want := []string{"cloud", "devices", "physical", "spare"}; !slices.Equal(summary.Names, want) {
		t.Errorf("told in the order %v, want %v", summary.Names, want)
	}
}
