package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/ingest/whatif"
	"poolproof/replay"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// fiveTrees is a cluster of five trees, of which only the first two have to do with each other.
func fiveTrees() string {
	var trees, nodes, workloads []string
	for _, tree := range []string{"a", "b", "c", "d", "e"} {
		trees = append(trees, fmt.Sprintf("  %s: {nodes_filter: %s, pools: {p: {strong_guarantee_resources: {cpu: 4}}, q: {}}}", tree, tree))
		nodes = append(nodes, fmt.Sprintf("  - {name: %s, count: 2, tags: [%s], resources: {user_slots: 8, cpu: 8, memory: 64GiB}}", tree, tree))
		with := ""
		if tree == "a" {
			with = ", b"
		}
		for k, pool := range []string{"p", "q"} {
			workloads = append(workloads, fmt.Sprintf("  - {name: %s%s, trees: [%s%s], pool: %s, users: [u*2], arrivals: {per_hour: 60}, tasks: [{jobs: [2, 20], resources: {cpu: %d, memory: 2GiB}, seconds: [30, 0.5]}]}", tree, pool, tree, with, pool, 1+k))
		}
	}
	return "cluster: parted\nstart: 2025-03-03T08:00:00Z\nlength: 5m\ndefault_tree: a\ntrees:\n" + strings.Join(trees, "\n") + "\nnodes:\n" + strings.Join(nodes, "\n") + "\nworkloads:\n" + strings.Join(workloads, "\n") + "\n"
}

func traceOfFiveTrees(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	trace, spec := filepath.Join(dir, "trace"), filepath.Join(dir, "spec.yaml")
	if err := os.WriteFile(spec, []byte(fiveTrees()), 0o644); err != nil {
		t.Fatal(err)
	}
	commandtest.Succeed(t, "generate", "--spec", spec, "--out", trace, "--quiet")
	return trace
}

// TestWhatIfSharesTrees: the run of an edit is whole and the same, byte for byte, whether trees that
// the edit does not touch are taken from the control or decided anew; with a tree wanted alone, too.
// Where the survey of all trees finds something else for such a tree, it is not taken.
func TestWhatIfSharesTrees(t *testing.T) {
	t.Parallel()
	trace := traceOfFiveTrees(t)
	for _, c := range []struct {
		edit   string
		trees  []string
		shared int // trees
	}{
		{"", nil, 5},
		{"trees: {c: {pools: {q: {weight: 5}}}}", nil, 4},
		{"trees: {b: {pools: {q: {weight: 5}}}}", nil, 3},
		{"pools: {q: {weight: 5}}", nil, 0},
		{"trees: {c: {pools: {q: {weight: 5}}}}", []string{"a", "d"}, 2},
		// Until everybody has a new filter, all trees are excused.
		{"{at: 2025-03-03T08:02:00Z, trees: {c: {nodes_filter: c & !z}}}", nil, 0},
	} {
		t.Run(c.edit, func(t *testing.T) {
			t.Parallel()
			edits, err := whatif.Parse("edit.yaml", []byte(c.edit))
			if err != nil {
				t.Fatal(err)
			}
			tabulated := func(workers int, shares bool) (m [2]*replay.Manifest, dirs [2]string) {
				q := replayRequest{resolution: env.DefaultResolution}
				q.trees, q.workers = c.trees, workers
				x, err := newExperiment(t.Context(), trace, &q, audit.NewPolicy(), false)
				if err != nil {
					t.Fatal(err)
				}
				both := []*scenario{newScenario(nil, ""), newScenario(edits, "")}
				for i, s := range both {
					s.dir = filepath.Join(t.TempDir(), "run")
					s.judge = func(context.Context) error { return nil }
					dirs[i] = s.dir
				}
				if shares {
					x.control = both[0]
				}
				if err := x.run(t.Context(), workers, both); err != nil {
					t.Fatal(err)
				}
				return [2]*replay.Manifest{both[0].manifest, both[1].manifest}, dirs
			}
			want, _ := tabulated(1, false)
			for _, workers := range []int{1, 3} {
				got, dirs := tabulated(workers, true)
				for i := range got {
					if got[i].ResultDigest != want[i].ResultDigest || len(got[i].Tables) != len(want[i].Tables) {
						t.Errorf("%d workers: run %d is another than apart", workers, i)
					}
					for _, f := range got[i].Tables {
						if digest, err := tables.DigestOf(filepath.Join(dirs[i], filepath.FromSlash(f.Path))); err != nil || digest != f.SHA256 {
							t.Fatalf("%s: %s, %v", f.Path, digest, err)
						}
					}
				}
				shared := 0
				for _, tree := range got[1].Trees {
					if sameFile(t, dirs, filepath.Join(tables.Directory, tables.FileName("jobs", tree))) {
						shared++
					}
				}
				if shared != c.shared {
					t.Errorf("%d trees are the control's, want %d", shared, c.shared)
				}
			}
		})
	}
}

// TestScenariosThatAreJudgedWhole: starts are judged where a run is kept, and where the edits take
// decisions from the policy; where it is thrown away the core's own are not.
func TestScenariosThatAreJudgedWhole(t *testing.T) {
	t.Parallel()
	trace := traceOfFiveTrees(t)
	counts := func(edit string, kept bool) (rows int64) {
		q := replayRequest{resolution: env.DefaultResolution}
		q.workers = 1
		x, err := newExperiment(t.Context(), trace, &q, audit.NewPolicy(), false)
		if err != nil {
			t.Fatal(err)
		}
		if !kept {
			if err := x.pose(audit.Judging, 1, nil, audit.AskedByCompare()...); err != nil {
				t.Fatal(err)
			}
		}
		edits, err := whatif.Parse("edit.yaml", []byte(edit))
		if err != nil {
			t.Fatal(err)
		}
		s := newScenario(edits, filepath.Join(t.TempDir(), "run"))
		s.judge = func(context.Context) error { return nil }
		if err := x.run(t.Context(), 1, []*scenario{s}); err != nil {
			t.Fatal(err)
		}
		for _, f := range s.manifest.Tables {
			if strings.Contains(f.Path, "/decision_counts/") {
				rows += f.Rows
			}
		}
		return rows
	}
	own, kept, decided := counts("", false), counts("", true), counts("preemptions: [{victim: q}]", false)
	if own >= kept || own >= decided {
		t.Errorf("%d judgements of own starts are counted, %d where they are kept and %d where the edits decide", own, kept, decided)
	}
}

func sameFile(t *testing.T, dirs [2]string, name string) bool {
	t.Helper()
	var infos [2]os.FileInfo
	for i := range dirs {
		var err error
		if infos[i], err = os.Stat(filepath.Join(dirs[i], name)); err != nil {
			t.Fatal(err)
		}
	}
	return os.SameFile(infos[0], infos[1])
}
