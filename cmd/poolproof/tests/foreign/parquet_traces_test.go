package foreign

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/ingest/parquetlog/foreigntest"
)

// rewritten is a copy of a trace in which every file of another folder stands in the
// place of the trace's own, with the number of those files.
func rewritten(t *testing.T, trace, folder string) (dir string, files int) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "trace")
	if err := os.CopyFS(dir, os.DirFS(trace)); err != nil {
		t.Fatal(err)
	}
	for name := range commandtest.Digests(t, folder) {
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Fatalf("the trace itself has no such file: %v", err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
		files++
	}
	return dir, files
}

// refusals are the tables of which a writer changed the type of a column, with the file
// and column that are named and words of the reason.
var refusals = map[string][3]string{
	"pyarrow-int96":        {"tree=m/node_state.parquet", "time", "INT96"},
	"pyarrow-milliseconds": {"global/process_events.parquet", "time", "unit=MILLIS"},
	"pyarrow-double":       {"tree=m/demand-000.parquet", "min_needed_cpu_milli", "DOUBLE"},
	"duckdb-hugeint":       {"tree=m/demand-000.parquet", "seq", "DOUBLE"},
	"polars-unsigned":      {"dim/nodes.parquet", "node_ix", "INT(32,false)"},
	"polars-nanoseconds":   {"tree=m/node_state.parquet", "time", "unit=NANOS"},
}

// TestForeignTraces replays one trace as testdata/foreign/trace.py lets pyarrow, DuckDB
// and polars write it: the result tables are those of the trace itself, byte for byte,
// or the replay names the file, the column and the type that it refuses.
func TestForeignTraces(t *testing.T) {
	dir := t.TempDir()
	foreigntest.Unpack(t, "testdata/foreign/trace.tar.zst", dir)
	native := filepath.Join(dir, "native")
	want := commandtest.Replayed(t, native)
	tables, err := filepath.Glob(filepath.Join(native, "*", "*.parquet"))
	if err != nil || len(tables) < 16 {
		t.Fatalf("the trace has the tables %q: %v", tables, err)
	}
	writers, err := os.ReadDir(filepath.Join(dir, "read"))
	if err != nil || len(writers) < 6 {
		t.Fatalf("the writers are %v: %v", writers, err)
	}
	for _, w := range writers {
		t.Run(w.Name(), func(t *testing.T) {
			theirs, files := rewritten(t, native, filepath.Join(dir, "read", w.Name()))
			if files != len(tables) {
				t.Errorf("it wrote %d of %d tables", files, len(tables))
			}
			got := commandtest.Replayed(t, theirs)
			for _, path := range slices.Sorted(maps.Keys(want)) {
				if got[path] != want[path] {
					t.Errorf("%s differs", path)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d result tables, want %d", len(got), len(want))
			}
		})
	}
	for name, says := range refusals {
		t.Run("refused/"+name, func(t *testing.T) {
			theirs, _ := rewritten(t, native, filepath.Join(dir, "refused", name))
			scratch := t.TempDir()
			code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "replay", theirs, "--out", filepath.Join(scratch, "run"), "--quiet"))
			if code != exit.BadInput || !strings.Contains(stderr, says[0]+": column "+says[1]+": ") || !strings.Contains(stderr, says[2]) {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			commandtest.NothingLeft(t, scratch)
		})
	}
}
