package command

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/marcboeker/go-duckdb"

	"poolproof/cmd/poolproof/exit"
)

// duck runs SQL in a DuckDB of its own.
func duck(t testing.TB, statements ...string) {
	t.Helper()
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// rewrite copies a trace and lets DuckDB write its Parquet files anew: every
// column optional, other encodings, pages and row groups. Its query may change
// the rows of one file.
func rewrite(t testing.TB, trace string, query func(file, scan string) string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "trace")
	if err := os.CopyFS(to, os.DirFS(trace)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		name, _ := filepath.Rel(to, path)
		from := filepath.Join(trace, name)
		q := query(filepath.ToSlash(name), fmt.Sprintf("read_parquet('%s')", from))
		duck(t, "SET threads = 1", fmt.Sprintf("COPY (%s) TO '%s' (FORMAT parquet, ROW_GROUP_SIZE 3000, COMPRESSION snappy)", q, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func everything(_, scan string) string { return "FROM " + scan }

// TestForeignWriter replays a trace whose files another program wrote: the
// tables are the same, byte for byte.
func TestForeignWriter(t *testing.T) {
	ours := busyTrace{heartbeats: 50_000}.make(t)
	theirs := rewrite(t, ours, everything)
	var sums []map[string]string
	for _, trace := range []string{ours, theirs} {
		out := filepath.Join(t.TempDir(), "run")
		if code, stderr, _ := process(t, exec.Command("poolproof", "replay", trace, "--out", out, "--quiet")); code != exit.Kept {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		all := digests(t, filepath.Join(out, "tables"))
		sums = append(sums, all)
	}
	for path, sum := range sums[0] {
		if sums[1][path] != sum {
			t.Errorf("%s differs", path)
		}
	}
}

// TestForeignColumns replays traces whose columns are not what they should be.
func TestForeignColumns(t *testing.T) {
	ours := busyTrace{heartbeats: 4_000}.make(t)
	for _, c := range []struct {
		name, file, query string
		code              int
		says              []string
	}{
		{"a required column is missing", "tree=cpu/jobs-000.parquet", "SELECT * EXCLUDE (op_ix) FROM %s", exit.BadInput, []string{"jobs-000.parquet", "op_ix"}},
		{"a column has another type", "tree=cpu/heartbeats-000.parquet", "SELECT * REPLACE (node_ix::VARCHAR AS node_ix) FROM %s", exit.BadInput, []string{"heartbeats-000.parquet", "node_ix"}},
		{"a time is no time", "tree=cpu/demand-000.parquet", "SELECT * REPLACE (epoch_us(time) / 1e6 AS time) FROM %s", exit.BadInput, []string{"demand-000.parquet", "time"}},
		{"a nullable column is missing", "tree=cpu/jobs-000.parquet", "SELECT * EXCLUDE (abort_reason, finish_time) FROM %s", exit.Kept, nil},
		{"a column is unknown", "tree=cpu/jobs-000.parquet", "SELECT *, 'x' AS mood FROM %s", exit.Kept, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := false
			trace := rewrite(t, ours, func(file, scan string) string {
				if file != c.file {
					return "FROM " + scan
				}
				changed = true
				return fmt.Sprintf(c.query, scan)
			})
			if !changed {
				t.Fatalf("the trace has no %s", c.file)
			}
			dir := t.TempDir()
			code, stderr, _ := process(t, exec.Command("poolproof", "replay", trace, "--out", filepath.Join(dir, "run"), "--quiet"))
			if code != c.code {
				t.Errorf("exit code %d, want %d: %s", code, c.code, stderr)
			}
			for _, word := range c.says {
				if !strings.Contains(stderr, word) {
					t.Errorf("it does not say %q: %s", word, stderr)
				}
			}
			if c.code != exit.Kept {
				nothingLeft(t, dir)
			}
		})
	}
}
