package command

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
)

// TestShards lists the units of a folder of traces, replays each as its flags say, and gathers
// them. Beside the traces stands a run, which is none.
func TestShards(t *testing.T) {
	dir := t.TempDir()
	for i, length := range []string{"12m", "12m"} {
		day := filepath.Join(dir, []string{"one", "two"}[i])
		commandtest.Succeed(t, "generate", "--length", length, "--plant", "start_over_pool_limit", "--out", day, "--quiet")
	}
	edit := func(file, from, to string) {
		b, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(b), from) {
			t.Fatalf("%s has no %s: %v", file, from, err)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(b), from, to)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	manifest := filepath.Join(dir, "two", "manifest.json")
	list := func(args ...string) (l shardList) {
		t.Helper()
		out, err := exec.Command("poolproof", append([]string{"shards", "--json"}, args...)...).Output()
		if err != nil {
			t.Fatalf("shards %v: %v", args, err)
		}
		if err := json.Unmarshal(out, &l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "shards", dir))
	if code != exit.BadInput || !strings.Contains(stderr, "two are both of cluster=small/day=2025-03-03: give one of them, or import that day as one trace") {
		t.Errorf("two traces of a day: exit code %d: %s", code, stderr)
	}
	edit(manifest, `"cluster": "small"`, `"cluster": "a/b c"`)
	commandtest.Succeed(t, "replay", filepath.Join(dir, "one"), "--out", filepath.Join(dir, "whole"), "--quiet")
	l := list("--least", "0", dir)
	if len(l.Units) != 6 || !slices.IsSortedFunc(l.Units, func(a, b shard) int { return int(b.Rows - a.Rows) }) {
		t.Errorf("units %+v", l.Units)
	}
	var parts []string
	runs := map[string]int{}
	for i, u := range l.Units {
		runs[u.Run]++
		if u.Trace != filepath.Join(dir, "one") {
			continue
		}
		part := filepath.Join(dir, "parts", string(rune('a'+i)))
		if err := os.MkdirAll(filepath.Dir(part), 0o755); err != nil {
			t.Fatal(err)
		}
		commandtest.Succeed(t, slices.Concat([]string{"replay", u.Trace, "--out", part, "--quiet"}, u.Flags)...)
		parts = append(parts, part)
	}
	if runs["cluster=small/day=2025-03-03"] != 3 || runs["cluster=a%2Fb%20c/day=2025-03-03"] != 3 {
		t.Errorf("units by run: %v", runs)
	}
	gathered := filepath.Join(dir, "parts", "gathered")
	commandtest.Succeed(t, slices.Concat([]string{"gather", "--out", gathered, "--quiet"}, parts)...)
	if a, b := manifestOf(t, gathered), manifestOf(t, filepath.Join(dir, "whole")); a.ResultDigest != b.ResultDigest {
		t.Error("the gathered units differ from one replay")
	}
	if l := list(filepath.Join(dir, "one")); len(l.Units) != 1 || len(l.Units[0].Trees) != 3 {
		t.Errorf("small trees share no unit: %+v", l.Units)
	}
}

// TestBundle puts small trees together, none beyond the least, and what has no row with the
// largest.
func TestBundle(t *testing.T) {
	var trees []shard
	for name, seconds := range map[string]float64{"large": 60, "a": 6, "b": 5, "c,d": 4, "empty": 0} {
		trees = append(trees, shard{Trees: []string{name}, Rows: int64(seconds * 1e6), Estimated: seconds})
	}
	var got []string
	for _, u := range bundle(trees, 10) {
		got = append(got, strings.Join(u.Flags, " "))
	}
	want := []string{"--tree empty --tree large", `--tree a --tree "c,d"`, "--tree b"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
