package ytsaurus_test

import (
	"path/filepath"
	"testing"

	"poolproof/ingest/ytsaurus"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// Whether an operation waits in a tree that it asks for and where nothing shows it, an old
// log does not record; a newer one tells its trees at its start.
func TestOldLogsLoseWhoWaits(t *testing.T) {
	for age, want := range map[string]string{"2020": "partial", "2023": "recorded"} {
		l := sampleLog(t, eventlogtest.Age(age))
		asking := edit(t, l.rows, "operation_started", func(f fields) bool {
			f["spec"].(map[string]any)["pool_trees"] = []any{"physical", "devices"}
			return f["pool"] != nil
		})
		for name, c := range map[string]struct {
			rows [][]byte
			want string
		}{"one tree": {l.rows, "recorded"}, "two trees": {asking, want}} {
			got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), c.rows)}, Exports: []ytsaurus.Export{{Path: l.export}}})
			if m := got.manifest(t); m.Coverage.Operations != c.want {
				t.Errorf("%s, %s: %s, want %s", age, name, m.Coverage.Operations, c.want)
			}
		}
	}
}
