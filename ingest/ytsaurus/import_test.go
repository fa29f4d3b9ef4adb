package ytsaurus_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"poolproof/ingest/ytsaurus"
)

// The samples are of one made-up cluster, as three ages write it and in all forms.
const samples = "testdata/samples"

// TestSamples imports the samples of all ages: no row is left out, and every age
// tells the same operations and jobs.
func TestSamples(t *testing.T) {
	for age, rows := range map[string]int64{"2020": 778, "2023": 861, "2025": 861} {
		s, err := ytsaurus.Import(t.Context(), ytsaurus.Options{
			Sources: []string{filepath.Join(samples, age+".jsonl.gz")}, Out: filepath.Join(t.TempDir(), "trace"),
			Exports: []ytsaurus.Export{{Path: filepath.Join(samples, "pool_trees."+age+".json")}},
		})
		if err != nil {
			t.Fatal(age, err)
		}
		if s.Rows != rows || s.QuarantinedRows() != 0 || s.Operations != 31 || s.Jobs != 238 || s.Nodes != 6 {
			t.Errorf("%s: %d rows, %d quarantined, %d operations, %d jobs, %d nodes", age, s.Rows, s.QuarantinedRows(), s.Operations, s.Jobs, s.Nodes)
		}
	}
}

// TestFormsTellTheSame imports one log in all forms: the traces differ in nothing but
// what the manifest says of sources.
func TestFormsTellTheSame(t *testing.T) {
	var want map[string]string
	for _, c := range []struct{ log, export string }{
		{"2023.jsonl.gz", "pool_trees.2023.json"},
		{"2023.text.yson.zst", "pool_trees.2023.json"},
		{"2023.binary.yson.zst", "pool_trees.2023.yson"},
		{"2023.parquet", "pool_trees.2023.json"},
	} {
		out := filepath.Join(t.TempDir(), "trace")
		if _, err := ytsaurus.Import(t.Context(), ytsaurus.Options{
			Sources: []string{filepath.Join(samples, c.log)}, Out: out, Exports: []ytsaurus.Export{{Path: filepath.Join(samples, c.export)}},
		}); err != nil {
			t.Fatal(c.log, err)
		}
		got := traceFiles(t, out)
		if want == nil {
			want = got
		}
		if len(got) != len(want) || len(got) < 10 {
			t.Errorf("%s: %d files, and %d of the first form", c.log, len(got), len(want))
		}
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s: %s is another (%d bytes, not %d)", c.log, name, len(got[name]), len(want[name]))
			}
		}
	}
}

// traceFiles returns the files of a trace, but of sources nothing.
func traceFiles(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		if filepath.Base(path) == "manifest.json" {
			var m map[string]any
			if err := json.NewDecoder(bytes.NewReader(b)).Decode(&m); err != nil {
				return err
			}
			delete(m, "sources")
			if b, err = json.Marshal(m); err != nil {
				return err
			}
		}
		files[path] = string(b)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
