package foreign

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
)

// TestForeignWriter replays a trace whose files another program wrote: the
// tables are the same, byte for byte.
func TestForeignWriter(t *testing.T) {
	ours := commandtest.BusyTrace{Heartbeats: 50_000}.Make(t)
	theirs := commandtest.Rewrite(t, ours, commandtest.Unchanged)
	var sums []map[string]string
	for _, trace := range []string{ours, theirs} {
		out := filepath.Join(t.TempDir(), "run")
		if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "replay", trace, "--out", out, "--quiet")); code != exit.Kept {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		all := commandtest.Digests(t, filepath.Join(out, "tables"))
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
	ours := commandtest.BusyTrace{Heartbeats: 4_000}.Make(t)
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
			trace := commandtest.Rewrite(t, ours, func(file, scan string) string {
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
			code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "replay", trace, "--out", filepath.Join(dir, "run"), "--quiet"))
			if code != c.code {
				t.Errorf("exit code %d, want %d: %s", code, c.code, stderr)
			}
			for _, word := range c.says {
				if !strings.Contains(stderr, word) {
					t.Errorf("it does not say %q: %s", word, stderr)
				}
			}
			if c.code != exit.Kept {
				commandtest.NothingLeft(t, dir)
			}
		})
	}
}
