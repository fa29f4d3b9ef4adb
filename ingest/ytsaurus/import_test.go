package ytsaurus_test

import (
	"path/filepath"
	"testing"

	"poolproof/ingest/ytsaurus"
)

// TestSamples imports the samples of all ages: no row is left out, and every age
// tells the same operations and jobs.
func TestSamples(t *testing.T) {
	dir := "testdata/samples"
	for age, rows := range map[string]int64{"2020": 778, "2023": 861, "2025": 861} {
		s, err := ytsaurus.Import(t.Context(), ytsaurus.Options{
			Sources: []string{filepath.Join(dir, age+".jsonl.gz")}, Out: filepath.Join(t.TempDir(), "trace"),
			Exports: []ytsaurus.Export{{Path: filepath.Join(dir, "pool_trees."+age+".json")}},
		})
		if err != nil {
			t.Fatal(age, err)
		}
		if s.Rows != rows || s.QuarantinedRows() != 0 || s.Operations != 31 || s.Jobs != 238 || s.Nodes != 6 {
			t.Errorf("%s: %d rows, %d quarantined, %d operations, %d jobs, %d nodes", age, s.Rows, s.QuarantinedRows(), s.Operations, s.Jobs, s.Nodes)
		}
	}
}
