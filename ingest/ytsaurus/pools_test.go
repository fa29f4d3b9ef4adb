package ytsaurus_test

import (
	"path/filepath"
	"slices"
	"testing"

	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/ytsaurus"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// TestThePoolAtTheEndIsNotThatAtTheStart moves operations into another pool before they
// end: they began where their start, or else the first snapshot, puts them.
func TestThePoolAtTheEndIsNotThatAtTheStart(t *testing.T) {
	for _, age := range []eventlogtest.Age{eventlogtest.Age2020, eventlogtest.Age2023} {
		l := sampleLog(t, age)
		exports := []ytsaurus.Export{{Path: l.export}}
		pools := func(rows [][]byte) map[string]string {
			got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), rows)}, Exports: exports})
			tr, all := joblogtest.Read(t, got.dir), map[string]string{}
			for _, tree := range tr.Trees {
				for _, e := range tree.OpEvents {
					if e.Event == "started" && e.Pool.Set {
						all[tree.Name+" "+tr.Operations[e.Op].ID] = tr.Pools[e.Pool.Value].Name
					}
				}
			}
			return all
		}
		moved := slices.Clone(l.rows)
		for i, row := range moved {
			f := fieldsOf(t, row)
			if f["event_type"] != "operation_completed" {
				continue
			}
			f["pool"] = "zebra"
			if trees, ok := f["scheduling_info_per_tree"].(map[string]any); ok {
				for _, in := range trees {
					in.(map[string]any)["pool"] = "zebra"
				}
			}
			moved[i] = lineOf(t, f)
		}
		want := pools(l.rows)
		for name, rows := range map[string][][]byte{"whole": moved, "without starts": without(moved, "operation_started")} {
			got, unseen := pools(rows), 0
			for operation, pool := range want {
				if got[operation] != pool {
					if name == "without starts" && (got[operation] == "zebra" || got[operation] == "") {
						unseen++ // no snapshot shows it
						continue
					}
					t.Errorf("%s, %s: operation %s began in %q, not in %q", age, name, operation, got[operation], pool)
				}
			}
			if len(want) < 20 || unseen > len(want)/4 {
				t.Errorf("%s, %s: of %d operations %d are in no snapshot", age, name, len(want), unseen)
			}
		}
	}
}
