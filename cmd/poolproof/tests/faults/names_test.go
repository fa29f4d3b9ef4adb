package faults

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/parquet-go/parquet-go"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/ingest/trace"
)

// TestHostileNames gives a cluster, a tree, a pool and operations names that command a
// terminal: no output holds them raw, and no name begins a line of its own.
func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	made, run := filepath.Join(dir, "trace"), filepath.Join(dir, "run")
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "generate", "--preset", "none", "--plant", "start_over_pool_limit", "--out", made, "--quiet")); code != exit.Kept {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	const evil = "\x1b]0;owned\x07\u009b31m\n\tforged"
	m := &mutator{dir: made}
	tree := ""
	for _, name := range m.files() {
		if of, ok := trace.TreeOfDir(filepath.Dir(name)); ok && tree == "" {
			tree = of
			if err := os.Rename(m.path(trace.TreeDir(tree)), m.path(trace.TreeDir(tree+evil))); err != nil {
				t.Fatal(err)
			}
		}
	}
	for file, column := range map[string]string{"dim/pools.parquet": "pool", "dim/operations.parquet": "operation_id"} {
		err := m.rewrite(file, func(s *parquet.Schema, rows []parquet.Row) []parquet.Row {
			leaf, _ := s.Lookup(column)
			for i := range rows {
				name := rows[i][leaf.ColumnIndex].String() + evil
				rows[i][leaf.ColumnIndex] = parquet.ValueOf(name).Level(0, 0, leaf.ColumnIndex)
			}
			return rows
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := m.rewrite("dim/pools.parquet", func(s *parquet.Schema, rows []parquet.Row) []parquet.Row {
		leaf, _ := s.Lookup("tree")
		for i := range rows {
			if rows[i][leaf.ColumnIndex].String() == tree {
				rows[i][leaf.ColumnIndex] = parquet.ValueOf(tree+evil).Level(0, 0, leaf.ColumnIndex)
			}
		}
		return rows
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.editManifest(func(j map[string]any) { j["cluster"], j["trees"] = "c"+evil, []string{tree + evil} }); err != nil {
		t.Fatal(err)
	}
	defer func() {
		page, err := os.ReadFile(filepath.Join(run, "report.html"))
		if err != nil || bytes.ContainsAny(page, "\x1b\x07\u009b") {
			t.Errorf("report.html holds control characters: %v", err)
		}
	}()
	for _, args := range [][]string{
		{"validate", made}, {"run", made, "--out", run}, {"report", run}, {"report", run, "--output", "markdown"},
		{"report", run, "--output", "csv"}, {"report", run, "--output", "html"}, {"report", run, "--output", "prometheus"}, {"report", run, "--output", "junit"},
		{"query", run, "FROM operations"}, {"query", run, "FROM pools", "--output", "csv"}, {"query", run, "SELECT " + evil},
		{"explain", run, "nothing" + evil}, {"replay", "no" + evil, "--out", "x"},
	} {
		c := exec.Command("poolproof", args...)
		var out bytes.Buffer
		c.Stdout = &out
		_, stderr, _ := commandtest.Process(t, c)
		for name, text := range map[string]string{"output": out.String(), "errors": stderr} {
			if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }); at >= 0 {
				t.Errorf("%v: %s: %q", args, name, text[max(0, at-30):min(len(text), at+10)])
			}
			// CSV quotes line ends, HTML folds them; errors may have several lines.
			folded := slices.Contains(args, "csv") || slices.Contains(args, "html") || name == "errors"
			if at := strings.Index(text, "\n\tforged"); at >= 0 && !folded {
				t.Errorf("%v: %s: %q", args, name, text[max(0, at-60):min(len(text), at+10)])
			}
		}
	}
}
