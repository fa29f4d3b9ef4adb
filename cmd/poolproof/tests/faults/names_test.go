package faults

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/spelling"
	"poolproof/ingest/trace"
)

// evil commands a terminal, forges a line, turns the direction of writing, and is not seen.
const evil = "\x1b]0;owned\x07\u009b31m\n\tforged\u202e\u2066\u200f\u061c\u200b\u200d\ufeff\u2028\U000e0041"

// TestHostileNames gives a cluster, a tree, a pool and operations names that command a
// terminal: no output of any command holds them raw, and no name begins a line of its own.
func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	made, run := filepath.Join(dir, "trace"), filepath.Join(dir, "run")
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "generate", "--preset", "none", "--plant", "start_over_pool_limit", "--out", made, "--quiet")); code != exit.Kept {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
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
	commandtest.Run(t, "run", made, "--out", run, "--quiet")
	evilTree := tree + evil
	edit, log, export := filepath.Join(dir, "edit.yaml"), filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "export.json")
	for file, text := range map[string]string{edit: "weight" + jsonText(evil) + ": 3\n", log: evilSample(t, "2023.jsonl.gz"), export: evilSample(t, "pool_trees.2023.json")} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	id := findingOf(t, run)
	lines := [][]string{
		{"validate", made}, {"validate", edit}, {"validate", export}, {"run", made, "--out", run, "--replace"}, {"replay", made, "--out", in("part")},
		{"shards", made}, {"gather", in("part"), "--out", in("gathered")}, {"gather", in("no" + evil), "--out", in("none")},
		{"import", "ytsaurus", log, "--pool-trees", export, "--cluster", "c" + evil, "--out", in("imported")}, {"import", "ytsaurus", log + evil, "--out", in("none")},
		{"audit", run}, {"audit", run, "--only", "no" + evil}, {"report", run},
		{"query", run, "FROM operations"}, {"query", run, "SELECT " + evil}, {"query", run, "SELECT pool AS \"" + evil + "\" FROM pools"},
		{"explain", run}, {"explain", run, id}, {"explain", run, id, "--prove", made}, {"explain", run, evilTree}, {"explain", run, "nothing" + evil},
		{"shrink", made, id, "--run", run, "--out", in("small")}, {"shrink", made, "no" + evil, "--run", run, "--out", in("none")},
		{"compare", run, run}, {"compare", run, in("no" + evil)}, {"what-if", made, "--edit", edit}, {"what-if", made, "--edit", in("no" + evil)},
		{"export", run, "--out", in("lake")}, {"query", in("lake"), "FROM pools"}, {"query", in("lake"), "FROM nothing" + evil}, {"fair-share", in("no" + evil)},
		{"replay", "no" + evil, "--out", "x"}, {"completion", evil}, {evil}, {"run", "--no" + evil},
	}
	for _, format := range []string{"markdown", "csv", "html", "prometheus", "junit", "json"} {
		lines = append(lines, []string{"report", run, "--output", format})
	}
	for _, format := range []string{"markdown", "csv", "json", "jsonl"} {
		lines = append(lines, []string{"query", run, "FROM pools", "--output", format})
	}
	for _, format := range []string{"markdown", "html", "json"} {
		lines = append(lines, []string{"explain", run, evilTree, "--output", format})
	}
	for _, args := range lines {
		c := exec.Command("poolproof", args...)
		var out bytes.Buffer
		c.Stdout = &out
		_, stderr, _ := commandtest.Process(t, c)
		showsNothingHidden(t, strings.Join(args, " ")+": output", out.String(), slices.Contains(args, "csv") || slices.Contains(args, "html"))
		showsNothingHidden(t, strings.Join(args, " ")+": errors", stderr, false)
	}
	for _, file := range []string{in("run/report.html"), in("small/README.md")} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
		}
		showsNothingHidden(t, file, string(text), true)
	}
}

// showsNothingHidden fails for text with a hidden character, or with a line that a name forged. CSV
// quotes line ends, HTML folds them.
func showsNothingHidden(t *testing.T, what, text string, folded bool) {
	t.Helper()
	if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && spelling.Hidden(r) }); at >= 0 {
		t.Errorf("%q: %q", what, text[max(0, at-60):min(len(text), at+20)])
	}
	if at := strings.Index(text, "\n\tforged"); at >= 0 && !folded {
		t.Errorf("%q: %q", what, text[max(0, at-80):min(len(text), at+20)])
	}
}

// findingOf is the id of the finding that was planted.
func findingOf(t *testing.T, run string) string {
	t.Helper()
	v, err := audit.ReadVerdict(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range v.Findings {
		if strings.Contains(f.Audit, "limit") {
			return f.ID
		}
	}
	t.Fatalf("no finding about a limit among %d", len(v.Findings))
	return ""
}

// evilSample is a sample of ingest/ytsaurus in which a pool, a user and a node have evil names.
func evilSample(t *testing.T, name string) string {
	t.Helper()
	file, err := os.Open(commandtest.InProject("ingest/ytsaurus/testdata/samples/" + name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`"(vision|speech|physical|gpu-1[^"]*|n1[^"]*|anna|carl)"`).ReplaceAllString(string(text), `"$1`+strings.Trim(jsonText(evil), `"`)+`"`)
}

// jsonText is a text as JSON and YAML quote it.
func jsonText(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}
