package faults

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
)

// TestBadFiles gives commands files that block, have no end, unpack to gigabytes or nest
// without end: 65 and a reason, in seconds and little memory.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	fifo, loop := filepath.Join(dir, "fifo"), filepath.Join(dir, "loop")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	huge := write("x.yaml.gz", strings.Repeat(gzipped(t, strings.Repeat(" ", 10<<20)), 60)) // 600 MB of blanks
	nested := write("nested.yaml", strings.Repeat("[", 200_000))
	indented := write("indented.yaml", func() string {
		var b strings.Builder
		for i := range 4000 {
			fmt.Fprintf(&b, "%s- a:\n", strings.Repeat(" ", i))
		}
		return b.String()
	}())
	named := write("named.yaml", "pools:\n  "+strings.Repeat("n", 10<<20)+": {weight: 2}\n")
	long := write("long.yaml", strings.Repeat("a: 1\n", 100_000))
	tree := write("tree.jsonl", `{"nodes":[{"id":"`+strings.Repeat("n", 50<<20)+`","kind":"root"}]}`)
	windows := map[string]string{"absent": ``, "reversed": `"window":{"from":"2025-03-03T09:00:00Z","to":"2025-03-03T08:00:00Z"},`, "of millennia": `"window":{"from":"0001-01-01T00:00:00Z","to":"9999-12-31T00:00:00Z"},`}
	var traces []string
	for name, window := range windows {
		path := filepath.Join(dir, "trace "+name)
		if err := os.MkdirAll(filepath.Join(path, "tree=t"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "manifest.json"), []byte(`{"format_version":1,`+window+`"trees":["t"]}`), 0o644); err != nil {
			t.Fatal(err)
		}
		traces = append(traces, path)
	}
	var cases [][]string
	for _, file := range []string{fifo, loop, "/dev/zero", nested, indented, long, named} {
		cases = append(cases, []string{"replay", traces[0], "--out", filepath.Join(dir, "run"), "--policy", file},
			[]string{"generate", "--spec", file, "--out", filepath.Join(dir, "made")},
			[]string{"import", "swf", commandtest.DemoFile("cluster.swf"), "--config", file, "--out", filepath.Join(dir, "made")})
	}
	for _, file := range []string{fifo, loop, "/dev/zero"} {
		cases = append(cases, []string{"fair-share", file}, []string{"validate", file}, []string{"import", "swf", file, "--out", filepath.Join(dir, "made")},
			[]string{"import", "ytsaurus", file, "--out", filepath.Join(dir, "made")})
	}
	cases = append(cases, []string{"validate", huge}, []string{"validate", nested}, []string{"validate", named}, []string{"fair-share", tree})
	for _, trace := range traces {
		cases = append(cases, []string{"replay", trace, "--out", filepath.Join(dir, "run")}, []string{"validate", trace})
	}
	for _, args := range cases {
		start := time.Now()
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		code, stderr, peak := commandtest.Process(t, exec.CommandContext(ctx, "poolproof", args...))
		stop()
		what := strings.Join(args, " ")
		if code != exit.BadInput || strings.TrimSpace(stderr) == "" || len(stderr) > 8000 {
			t.Errorf("%s: exit code %d: %.300s", what, code, stderr)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s: it took %v", what, took)
		}
		if peak > 500<<10 {
			t.Errorf("%s: it took %d MiB", what, peak>>10)
		}
	}
	commandtest.NothingLeft(t, dir, "fifo", "loop", "x.yaml.gz", "nested.yaml", "indented.yaml", "named.yaml", "long.yaml", "tree.jsonl", "trace absent", "trace reversed", "trace of millennia")
}

// gzipped packs a text. One pack after the other is a pack of both texts.
func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
