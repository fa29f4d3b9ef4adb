package faults

import (
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
)

// TestOneExtremeCell: a number in one cell that nothing can mean costs that row, or
// that value, and not the verdict.
func TestOneExtremeCell(t *testing.T) {
	sound := filepath.Join(t.TempDir(), "trace")
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "generate", "--preset", "none", "--plant", "start_over_pool_limit", "--out", sound, "--quiet")); code != exit.Kept {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	const tree = "tree=plant-start-over-pool-limit/"
	dir := t.TempDir()
	hostile := filepath.Join(dir, "trace")
	if code, stderr, _ := commandtest.Process(t, exec.Command("cp", "-r", sound, hostile)); code != 0 {
		t.Fatal(stderr)
	}
	m := &mutator{dir: hostile}
	cells := map[string][]string{ // one each of what is read from a log
		"snap_ops-000.parquet":    {"fair_total_cpu", "demand_share_memory", "usage_memory", "satisfaction", "demand_network"},
		"snap_pools-000.parquet":  {"fair_total_cpu", "weight", "accumulated_ratio_volume", "limits_cpu_milli"},
		"snap_tree-000.parquet":   {"total_limits_memory"},
		"heartbeats-000.parquet":  {"usage_memory", "limit_cpu_milli"},
		"demand-000.parquet":      {"needed_memory", "min_needed_cpu_milli"},
		"jobs-000.parquet":        {"limits_memory"},
		"allocations-000.parquet": {"usage_network"},
	}
	wanted := 0
	for file, columns := range cells {
		wanted += len(columns)
		err := m.rewrite(tree+file, func(s *parquet.Schema, rows []parquet.Row) []parquet.Row {
			for i, name := range columns {
				leaf, ok := s.Lookup(name)
				if !ok {
					t.Fatalf("%s has no column %s", file, name)
				}
				v := parquet.ValueOf(1e308)
				if leaf.Node.Type().Kind() == parquet.Int64 {
					v = parquet.ValueOf(int64(math.MaxInt64))
				}
				level := 0
				if leaf.Node.Optional() {
					level = 1
				}
				rows[i%len(rows)][leaf.ColumnIndex] = v.Level(0, level, leaf.ColumnIndex)
			}
			return rows
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	run := filepath.Join(dir, "run")
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "run", hostile, "--out", run, "--quiet")); code != exit.Kept && code != exit.Violated {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	out, err := exec.Command("poolproof", "query", run, "SELECT source, column_name, code FROM problems ORDER BY ALL", "--output", "csv").Output()
	if err != nil {
		t.Fatal(err)
	}
	for file, columns := range cells {
		for _, column := range columns {
			if want := tree + file + "," + column + ",bad_number"; !strings.Contains(string(out), want) {
				t.Errorf("no problem %s in\n%s", want, out)
			}
		}
	}
}
