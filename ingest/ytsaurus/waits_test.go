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

// Of an operation whose rows name no tree, in a log in which nothing else shows it, nobody
// knows where it waits.
func TestOperationsWithoutATreeMayWaitAnywhere(t *testing.T) {
	l := sampleLog(t, eventlogtest.Age2023)
	stray := []byte(`{"timestamp":"2025-03-03T08:01:00.000000Z","event_type":"operation_started","operation_id":"1-2-3-4","operation_type":"map","authenticated_user":"u","spec":{}}`)
	got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), append(l.rows, stray))}, Exports: []ytsaurus.Export{{Path: l.export}}})
	if m := got.manifest(t); m.Coverage.Operations != "partial" {
		t.Errorf("operations are %s, want partial", m.Coverage.Operations)
	}
}
