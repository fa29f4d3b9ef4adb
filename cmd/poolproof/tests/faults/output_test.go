package faults

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/parquetlog/parquetlogtest"
	"poolproof/ingest/trace"
)

// TestOutputThatFails: a command whose output cannot be written ends with 74,
// whatever it has to say.
func TestOutputThatFails(t *testing.T) {
	t.Parallel()
	dir := commandtest.CopyOfMade(t, commandtest.StartOverLimit)
	made, run := filepath.Join(dir, "trace"), filepath.Join(dir, "run")
	tree := filepath.Join(dir, "tree.jsonl")
	text := `{"total_resource_limits":{"cpu":100},"nodes":[{"id":"r","kind":"root"},{"id":"a","kind":"operation","parent":"r","resource_demand":{"cpu":100}}]}`
	if err := os.WriteFile(tree, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"help"},
		{"version"},
		{"run", "--help"},
		{"generate", "--list-plants"},
		{"generate", "--show", "small"},
		{"generate", "--preset", "none", "--plant", "start_over_pool_limit", "--replace", "--out", filepath.Join(dir, "again")},
		{"import", "swf", commandtest.DemoFile("cluster.swf"), "--replace", "--out", filepath.Join(dir, "imported")},
		{"validate", made},
		{"validate", made, "--output", "json"},
		{"validate", "--explain", "out_of_order"},
		{"replay", made, "--replace", "--out", filepath.Join(dir, "replayed")},
		{"run", made, "--replace", "--out", filepath.Join(dir, "ran")},
		{"audit", run, "--audit", "node_over_capacity"},
		{"report", run},
		{"report", run, "--output", "csv"},
		{"report", run, "--output", "html"},
		{"explain", run, "plant-start-over-pool-limit"},
		{"query", run, "FROM findings"},
		{"query", run, "FROM findings", "--output", "csv"},
		{"query", run, "FROM findings", "--output", "parquet"},
		{"query", run, "FROM findings", "--output", "arrow"},
		{"fair-share", tree},
		{"fair-share", "--table", tree},
	} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip("there is no /dev/full here")
		}
		r, closed, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		for name, out := range map[string]*os.File{"/dev/full": full, "a closed pipe": closed} {
			if slow := []string{"generate", "import", "replay", "run", "audit"}; out == closed && slices.Contains(slow, args[0]) {
				continue // where it fails makes no difference
			}
			c := exec.Command("poolproof", args...)
			c.Stdout = out
			if code, stderr, _ := commandtest.Process(t, c); code != exit.IO {
				t.Errorf("%v to %s: exit code %d: %s", args, name, code, stderr)
			}
		}
		full.Close()
		closed.Close()
	}
	commandtest.NothingLeft(t, dir, "trace", "run", "tree.jsonl", "trace.planted.json", "again", "again.planted.json", "imported", "replayed", "ran")
}

// TestNothingUsable: a trace of whose log no row can be used is not kept promises but
// bad input, of one tree as of all; so is one without rows.
func TestNothingUsable(t *testing.T) {
	t.Parallel()
	late := func(dir, tree string) { // every job starts in a year that stands for "none"
		table := trace.Jobs
		file := filepath.Join(dir, trace.TreeDir(tree), "jobs-000.parquet")
		rows, err := parquetlogtest.ReadAll(table, file)
		if err != nil {
			t.Fatal(err)
		}
		w, err := parquetlog.Create(table, file, parquetlog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			rows[i].Op = 1 << 30
			if err := w.Add(&rows[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(dir, tree string, but string) {
		files, err := filepath.Glob(filepath.Join(dir, trace.TreeDir(tree), "*-*.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if filepath.Base(file) != but {
				os.Remove(file)
			}
		}
	}
	for name, c := range map[string]struct {
		spoil func(dir string)
		want  string
		args  []string
		code  int
	}{
		"of one tree": {func(dir string) {
			remove(dir, "cpu", "jobs-000.parquet")
			late(dir, "cpu")
		}, "none of the .* rows of its log can be used: .* have the problem id_out_of_range", nil, exit.BadInput},
		"of one tree, the other chosen": {func(dir string) {
			remove(dir, "cpu", "jobs-000.parquet")
			late(dir, "cpu")
		}, "^$", []string{"--tree", "gpu"}, exit.Kept},
		"at all": {func(dir string) {
			remove(dir, "cpu", "")
			remove(dir, "gpu", "")
		}, "there is no row of a log", nil, exit.BadInput},
		"but one tree is empty": {func(dir string) { remove(dir, "cpu", "") }, "^$", nil, exit.Kept},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			made := commandtest.BusyTrace{Heartbeats: 2000}.Make(t)
			c.spoil(made)
			forget(t, made)
			args := append([]string{"run", made, "--out", filepath.Join(dir, "run"), "--quiet", "--output", "csv"}, c.args...)
			code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", args...))
			if code != c.code && !(c.code == exit.Kept && (code == exit.Violated || code == exit.Coverage)) {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			says(t, stderr, c.want)
		})
	}
}

// forget takes the counts of rows out of a trace's manifest, so that tables may be
// missing or shorter.
func forget(t testing.TB, dir string) {
	t.Helper()
	file := filepath.Join(dir, trace.ManifestName)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	m["tables"] = map[string]any{}
	if b, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func says(t testing.TB, text, pattern string) {
	t.Helper()
	if !regexp.MustCompile(pattern).MatchString(text) {
		t.Errorf("it says %q, want %s", text, pattern)
	}
}
