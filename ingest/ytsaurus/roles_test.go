package ytsaurus_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/ytsaurus"
)

// What a tree is to an operation that did not end stands in its snapshots; of one that
// ended its last row says it.
func TestSnapshotsTellTheRoleOfATree(t *testing.T) {
	l := sampleLog(t, "2023")
	rows := slices.Clone(l.rows)
	for i, row := range rows {
		if bytes.Contains(row, []byte(`"fair_share_info"`)) {
			rows[i] = bytes.ReplaceAll(row, []byte(`"offloading":false`), []byte(`"offloading":true`))
		}
	}
	ends := []string{"operation_completed", "operation_failed", "operation_aborted", "runtime_parameters_info"}
	for name, rows := range map[string][][]byte{"whole": rows, "without ends": without(rows, ends...)} {
		got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), rows)}, Exports: []ytsaurus.Export{{Path: l.export}}})
		told, offloaded := 0, 0
		for _, tree := range joblogtest.Read(t, got.dir).Trees {
			for _, e := range tree.OpEvents {
				if e.Event == "started" && e.Offloading.Set {
					told++
					if e.Offloading.Value {
						offloaded++
					}
				}
			}
		}
		if name == "whole" && (told == 0 || offloaded == told) || name != "whole" && (offloaded < 20 || offloaded != told) {
			t.Errorf("%s: of %d operations %d are offloaded", name, told, offloaded)
		}
	}
}
