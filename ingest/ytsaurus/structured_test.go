package ytsaurus_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"poolproof/ingest/trace"
	"poolproof/ingest/ytsaurus"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// ofCluster is a trace but for its problems: those of one form of a log tell of lines
// that the other does not have.
func (i imported) ofCluster(t testing.TB) map[string]string {
	t.Helper()
	files := i.bundle(t)
	delete(files, "global/problems.parquet")
	var m map[string]any
	if err := json.Unmarshal([]byte(files[trace.ManifestName]), &m); err != nil {
		t.Fatal(err)
	}
	delete(m, "quarantined")
	delete(m["tables"].(map[string]any), "global/problems")
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	files[trace.ManifestName] = string(b)
	return files
}

// The log files of the processes tell what the table tells, and both together tell
// it once.
func TestStructuredLogs(t *testing.T) {
	for _, age := range []eventlogtest.Age{eventlogtest.Age2020, eventlogtest.Age2023} {
		write := func(structured bool, form eventlogtest.Form, compression string) eventlogtest.Result {
			r := eventlogtest.Write(t, small(t), filepath.Join(t.TempDir(), "log"), eventlogtest.Options{Age: age, Form: form, Compression: compression, Seed: 1, Structured: structured})
			return r
		}
		table := write(false, eventlogtest.JSONL, "")
		exports := []ytsaurus.Export{{Path: table.PoolTrees}}
		want := importLog(t, ytsaurus.Options{Sources: table.Logs, Exports: exports})
		rows := want.manifest(t).Log.Rows
		for _, c := range []struct {
			form        eventlogtest.Form
			compression string
		}{{eventlogtest.JSONL, "zst"}, {eventlogtest.TextYSON, "gz"}} {
			files := write(true, c.form, c.compression)
			got := importLog(t, ytsaurus.Options{Sources: files.Logs, Exports: exports})
			if d := difference(want.ofCluster(t), got.ofCluster(t)); d != "" {
				t.Errorf("%s %s: %s", age, c.form, d)
			}
			if l := got.manifest(t).Log; l.Foreign == 0 || l.Rows != rows+l.Foreign || l.Duplicates != 0 {
				t.Errorf("%s %s: counts %+v of %d rows", age, c.form, l, rows)
			}
			both := importLog(t, ytsaurus.Options{Sources: append(files.Logs, table.Logs...), Exports: exports})
			if d := difference(want.ofCluster(t), both.ofCluster(t)); d != "" {
				t.Errorf("%s %s beside the table: %s", age, c.form, d)
			}
			if l := both.manifest(t).Log; l.Duplicates != rows {
				t.Errorf("%s %s beside the table: %d of %d rows came twice", age, c.form, l.Duplicates, rows)
			}
		}
	}
}
