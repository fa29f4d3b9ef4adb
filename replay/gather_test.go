package replay

import (
	"maps"
	"testing"

	"poolproof/replay/tables"
)

// TestUniteProblems unites what two parts say of a trace in which a table of all trees and one
// of each have unusable rows: what both read counts once, and a row that is named twice in one
// part stays twice.
func TestUniteProblems(t *testing.T) {
	row := func(source string, n int64) tables.Problem {
		return tables.Problem{Source: source, Row: n, Code: "null_value", Value: "x"}
	}
	got := uniteProblems([][]tables.Problem{
		{row("global/process_events.parquet", 3), row("global/process_events.parquet", 3), row("tree=b/jobs.parquet", 0)},
		{row("global/process_events.parquet", 3), row("global/process_events.parquet", 3), row("tree=a/jobs.parquet", 7)},
	})
	want := []tables.Problem{
		row("global/process_events.parquet", 3), row("global/process_events.parquet", 3), row("tree=a/jobs.parquet", 7), row("tree=b/jobs.parquet", 0),
	}
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("row %d is %v, not %v", i, got[i], want[i])
		}
	}
	counts := map[string]map[string]int64{}
	addProblems(counts, map[string]map[string]int64{"global": {"null_value": 2000}, "tree=a": {"null_value": 1}})
	addProblems(counts, map[string]map[string]int64{"global": {"null_value": 2000}, "tree=b": {"null_value": 4, "bad_text": 1}})
	m := &Manifest{}
	m.SetProblems(counts)
	if !maps.Equal(m.Problems, map[string]int64{"null_value": 2005, "bad_text": 1}) {
		t.Errorf("counts %v", m.Problems)
	}
}
