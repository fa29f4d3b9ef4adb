package command

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/replay"
)

// parted is a trace with the run of one replay of it, and a run of each of its trees.
type parted struct {
	trace, whole string
	parts        []string
}

func partOf(t *testing.T, trace string) *parted {
	t.Helper()
	dir := t.TempDir()
	p := &parted{trace: trace, whole: filepath.Join(dir, "whole")}
	commandtest.Succeed(t, "replay", trace, "--out", p.whole, "--quiet")
	for _, tree := range manifestOf(t, p.whole).Trees {
		part := filepath.Join(dir, "part-"+tree)
		commandtest.Succeed(t, "replay", trace, "--out", part, "--tree", tree, "--quiet")
		p.parts = append(p.parts, part)
	}
	return p
}

func manifestOf(t *testing.T, run string) *replay.Manifest {
	t.Helper()
	m, err := replay.ReadManifest(run)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// generatedTrace makes a trace of the first minutes of a preset.
func generatedTrace(t *testing.T, args ...string) string {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	commandtest.Succeed(t, slices.Concat([]string{"generate", "--out", trace, "--quiet"}, args)...)
	return trace
}

// TestGather replays the trees of traces apart, in any order gathers them, and gets every file
// of the run that one replay makes.
func TestGather(t *testing.T) {
	dirty := generatedTrace(t, "--length", "12m")
	for _, table := range []string{"jobs-000.parquet", "snap_pools-000.parquet"} { // pools of another tree, thousands of rows
		b, err := os.ReadFile(filepath.Join(dirty, "tree=physical", table))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dirty, "tree=devices", table), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, trace := range map[string]string{
		"small":             generatedTrace(t, "--length", "9m"),
		"plants":            generatedTrace(t, "--length", "12m", "--plant", "start_over_pool_limit,guarantee_ignored,job_on_shared_node,legal_tentative_tree"),
		"a restart":         generatedTrace(t, "--preset", "none", "--plant", "legal_fifo_order_after_restart,kept_two_trees"),
		"an incident":       generatedTrace(t, "--preset", "incident-neighbour"),
		"unusable rows":     dirty,
		"an imported trace": importedTrace(t),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := partOf(t, trace)
			slices.Reverse(p.parts)
			gathered := filepath.Join(t.TempDir(), "gathered")
			commandtest.Succeed(t, slices.Concat([]string{"gather", "--out", gathered, "--quiet"}, p.parts)...)
			if want, got := commandtest.Digests(t, p.whole), commandtest.Digests(t, gathered); !maps.Equal(want, got) {
				for path := range want {
					if want[path] != got[path] {
						t.Errorf("%s differs", path)
					}
				}
				t.Errorf("%d files of one replay, %d gathered", len(want), len(got))
			}
			if trace == dirty && manifestOf(t, gathered).Problems["pool_of_other_tree"] < 2000 {
				t.Error("the trace was to have more unusable rows than are kept")
			}
		})
	}
}

// importedTrace is the event log of a cluster of which some lines cannot be used.
func importedTrace(t *testing.T) string {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	samples := commandtest.InProject("ingest/ytsaurus/testdata/samples") + "/"
	commandtest.Succeed(t, "import", "ytsaurus", samples+"2023.jsonl.gz", "--pool-trees", samples+"pool_trees.2023.json", "--cluster", "demo", "--out", trace, "--quiet")
	return trace
}

// TestGatherRefuses gives parts that are no whole: the error says what to do, and nothing is
// written.
func TestGatherRefuses(t *testing.T) {
	trace := generatedTrace(t, "--length", "12m", "--plant", "start_over_pool_limit")
	p := partOf(t, trace)
	dir := t.TempDir()
	other := func(name string, args ...string) string {
		part := filepath.Join(dir, name)
		commandtest.Succeed(t, slices.Concat([]string{"replay", trace, "--out", part, "--tree", "devices", "--quiet"}, args)...)
		return part
	}
	changed := func(name string, change func(part string)) string {
		part := filepath.Join(dir, name)
		if err := os.CopyFS(part, os.DirFS(p.parts[0])); err != nil {
			t.Fatal(err)
		}
		change(part)
		return part
	}
	foreign := filepath.Join(dir, "foreign")
	commandtest.Succeed(t, "replay", generatedTrace(t, "--length", "13m", "--plant", "start_over_pool_limit"), "--out", foreign, "--tree", "devices", "--quiet")
	for name, c := range map[string]struct {
		first string
		want  string
	}{
		"a missing tree":    {p.parts[1], "the trace has trees that no part holds: replay them with --tree devices"},
		"a tree twice":      {p.whole, "both hold tree physical: give one of them"},
		"another trace":     {foreign, "they differ in the window"},
		"another profile":   {other("baseline", "--profile", "baseline"), "they differ in --profile: baseline and documented"},
		"another window":    {other("late", "--from", "2025-03-03T08:02:00Z"), "they differ in the window"},
		"no run":            {trace, "is not a run that can be read"},
		"a changed table":   {changed("damaged", func(part string) { truncate(t, filepath.Join(part, "tables/jobs/tree=devices.arrow")) }), "is not what the replay wrote: its digest differs from the manifest's; replay that part again"},
		"changed problems":  {changed("problems", func(part string) { truncate(t, filepath.Join(part, "tables/problems/tree=.arrow")) }), "is not what the replay wrote"},
		"a missing table":   {changed("short", func(part string) { os.Remove(filepath.Join(part, "tables/jobs/tree=devices.arrow")) }), "is missing, though the manifest lists it"},
		"a path out of it":  {changed("hostile", func(part string) { rewriteManifest(t, part, "tables/jobs/tree=devices.arrow", "../stolen") }), "its manifest lists other tables"},
		"another version's": {changed("older", func(part string) { rewriteManifest(t, part, `"trace_trees"`, `"others"`) }), "is not a part of a run"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			parts := append([]string{c.first}, p.parts[1:]...)
			if name == "a missing tree" {
				parts = p.parts[1:]
			}
			code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", slices.Concat([]string{"gather", "--out", out, "--quiet"}, parts)...))
			if code != exit.BadInput || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("a run was written")
			}
		})
	}
}

func truncate(t *testing.T, file string) {
	t.Helper()
	if err := os.Truncate(file, 100); err != nil {
		t.Fatal(err)
	}
}

// rewriteManifest replaces a text of a run's manifest, and gives it the digest of what it lists.
func rewriteManifest(t *testing.T, run, from, to string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(run, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	m := &replay.Manifest{}
	if err := json.Unmarshal([]byte(strings.Replace(string(b), from, to, 1)), m); err != nil {
		t.Fatal(err)
	}
	if err := m.Write(run); err != nil {
		t.Fatal(err)
	}
}
