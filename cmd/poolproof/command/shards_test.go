package command

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/exit"
)

// TestShards lists the units of a folder of traces, replays each as its flags say, and gathers
// them. Beside the traces stands a run, which is none.
func TestShards(t *testing.T) {
	dir := t.TempDir()
	for i, length := range []string{"12m", "12m"} {
		day := filepath.Join(dir, []string{"one", "two"}[i])
		succeed(t, "generate", "--length", length, "--plant", "start_over_pool_limit", "--out", day, "--quiet")
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
	code, stderr, _ := process(t, exec.Command("poolproof", "shards", dir))
	if code != exit.BadInput || !strings.Contains(stderr, "two are both of cluster=small/day=2025-03-03: give one of them, or import that day as one trace") {
		t.Errorf("two traces of a day: exit code %d: %s", code, stderr)
	}
	edit(manifest, `"cluster": "small"`, `"cluster": "a/b c"`)
	succeed(t, "replay", filepath.Join(dir, "one"), "--out", filepath.Join(dir, "whole"), "--quiet")
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
		succeed(t, slices.Concat([]string{"replay", u.Trace, "--out", part, "--quiet"}, u.Flags)...)
		parts = append(parts, part)
	}
	if runs["cluster=small/day=2025-03-03"] != 3 || runs["cluster=a%2Fb%20c/day=2025-03-03"] != 3 {
		t.Errorf("units by run: %v", runs)
	}
	gathered := filepath.Join(dir, "parts", "gathered")
	succeed(t, slices.Concat([]string{"gather", "--out", gathered, "--quiet"}, parts)...)
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

// TestShardsOfAGrid tries a grid whole and in the parts that shards lists: the rows are the same.
func TestShardsOfAGrid(t *testing.T) {
	dir := limitedTrace(t, limited, map[string]string{"grid.yaml": "vary: {pools.a.resource_limits.cpu: [1, 3, 6]}\nmeasure: [completed of a, wait of a]\n"})
	trace, grid := filepath.Join(dir, "trace"), filepath.Join(dir, "grid.yaml")
	rows := func(flags ...string) (all []string) {
		t.Helper()
		out, err := exec.Command("poolproof", slices.Concat([]string{"what-if", trace, "--quiet", "--output", "json"}, flags)...).Output()
		var told struct {
			Explanations []struct {
				Sections []struct {
					Section string
					Rows    []json.RawMessage
				}
			}
		}
		if err := errors.Join(err, json.Unmarshal(out, &told)); err != nil {
			t.Fatal(err)
		}
		for _, row := range told.Explanations[0].Sections[0].Rows {
			all = append(all, string(row))
		}
		return all
	}
	var list shardList
	out, err := exec.Command("poolproof", "shards", "--json", "--grid", grid, "--edits", "2", trace).Output()
	if err := errors.Join(err, json.Unmarshal(out, &list)); err != nil {
		t.Fatal(err)
	}
	if len(list.Units) != 2 || list.Units[0].Estimated <= list.Units[1].Estimated {
		t.Fatalf("units %+v", list.Units)
	}
	slices.SortFunc(list.Units, func(a, b shard) int { return strings.Compare(a.Unit, b.Unit) })
	whole := rows("--grid", grid)
	var parts []string
	for i, u := range list.Units {
		part := rows(u.Flags...)
		if i > 0 {
			if part[0] != whole[0] {
				t.Errorf("the control of part %d is %s", i+1, part[0])
			}
			part = part[1:]
		}
		parts = append(parts, part...)
	}
	if len(whole) != 4 || !slices.Equal(whole, parts) {
		t.Errorf("whole\n%s\nin parts\n%s", strings.Join(whole, "\n"), strings.Join(parts, "\n"))
	}
	for flags, want := range map[string]string{
		"--part 1/2":                 "--part is of a grid",
		"--part 5/4 --grid " + grid:  "is no part: write 1/4",
		"--part 1/9 --grid " + grid:  "the grid has no more than 3 edits",
		"--part 1/2x --grid " + grid: "is no part",
	} {
		args := append([]string{"what-if", trace}, strings.Fields(flags)...)
		if !strings.Contains(flags, "--grid") {
			args = append(args, "--edit", grid)
		}
		if code, stderr, _ := process(t, exec.Command("poolproof", args...)); code != exit.Usage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d: %s", flags, code, stderr)
		}
	}
}
