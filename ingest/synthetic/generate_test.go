package synthetic

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"poolproof/core"
	"poolproof/ingest"
)

// generate makes a trace of a description and returns its directory.
func generate(t *testing.T, o Options) (string, *Summary) {
	t.Helper()
	o.Out = filepath.Join(t.TempDir(), "trace")
	s, err := Generate(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return o.Out, s
}

func preset(t *testing.T, name string, length Duration) *Spec {
	t.Helper()
	s, err := Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	s.Length = length
	return s
}

const minute = Duration(60 * core.Second)

func TestTheSameSeedGivesTheSameBytesOnAnyNumberOfWorkers(t *testing.T) {
	one, _ := generate(t, Options{Spec: preset(t, "small", 10*minute), Seed: 7, Workers: 1})
	two, _ := generate(t, Options{Spec: preset(t, "small", 10*minute), Seed: 7, Workers: 2})
	other, _ := generate(t, Options{Spec: preset(t, "small", 10*minute), Seed: 8, Workers: 1})
	if n := differing(t, one, two); n > 0 {
		t.Errorf("%d files differ between one worker and two", n)
	}
	if differing(t, one, other) == 0 {
		t.Error("another seed gives the same bytes")
	}
}

// differing counts the files of a trace whose bytes are not those of the same file in
// another.
func differing(t *testing.T, one, other string) (n int) {
	t.Helper()
	err := filepath.WalkDir(one, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(one, path)
		if !bytes.Equal(read(t, path), read(t, filepath.Join(other, name))) {
			n++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// events reads a tree of a trace and wants no row of it to be a problem.
func events(t *testing.T, dir, tree string) (list []core.Event) {
	t.Helper()
	in, err := ingest.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range in.Events(tree, ingest.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		own := *e
		own.Name = bytes.Clone(e.Name)
		if e.Params != nil {
			params := *e.Params
			own.Params = &params
		}
		list = append(list, own)
	}
	for _, p := range in.Problems() {
		t.Errorf("problem in %s: %+v", tree, p)
	}
	return list
}

func TestAPresetHoldsWhatATraceCanHold(t *testing.T) {
	dir, s := generate(t, Options{Spec: preset(t, "small", 30*minute), Seed: 1})
	kinds := map[core.Kind]int{}
	steps := map[core.Step]int{}
	for _, tree := range s.Trees {
		for _, e := range events(t, dir, tree) {
			kinds[e.Kind]++
			steps[e.Step]++
		}
	}
	for _, k := range []core.Kind{
		core.TreeConfigured, core.PoolConfigured, core.NodeChanged, core.OperationChanged, core.DemandChanged,
		core.JobFinished, core.HeartbeatReceived, core.JobPreempted, core.JobStarted,
	} {
		if kinds[k] == 0 {
			t.Errorf("no event of kind %d", k)
		}
	}
	for _, step := range []core.Step{
		core.StepStarted, core.StepMaterialized, core.StepRunning, core.StepPending, core.StepCompleted, core.StepAborted,
	} {
		if steps[step] == 0 {
			t.Errorf("no step %d", step)
		}
	}
}

func TestOneMorePoolAndWorkloadShiftNoOther(t *testing.T) {
	spec := preset(t, "small", 10*minute)
	before := draw(spec, 3)
	more := spec.Workloads[0]
	more.Name = "more"
	spec.Workloads = append([]Workload{more}, spec.Workloads...)
	after := draw(spec, 3)
	known := map[string]operation{}
	for _, o := range after {
		known[o.id] = o
	}
	for _, o := range before {
		if same, ok := known[o.id]; !ok || same.at != o.at || same.user != o.user || same.seed != o.seed {
			t.Fatalf("operation %s of %s is another or gone", o.id, o.name)
		}
	}
	if len(after) <= len(before) {
		t.Error("the new workload has no operations")
	}
}

func TestHeartbeatsThatChangeNothingAreKeptOnRequest(t *testing.T) {
	count := func(all bool) (n int) {
		dir, s := generate(t, Options{Spec: preset(t, "small", 5*minute), Seed: 1, AllHeartbeats: all})
		for _, tree := range s.Trees {
			for _, e := range events(t, dir, tree) {
				if e.Kind == core.HeartbeatReceived {
					n++
				}
			}
		}
		return n
	}
	sampled, all := count(false), count(true)
	if want := 14 * 60; all != want {
		t.Errorf("%d heartbeats of 14 nodes in five minutes, want %d", all, want)
	}
	if sampled >= all || sampled < 14*5 {
		t.Errorf("%d of %d heartbeats are kept", sampled, all)
	}
}

// An interrupt is heard while the tables are completed, too, and leaves nothing.
func TestAnInterruptWhileWritingLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	written := 0
	_, err := Generate(ctx, Options{Spec: preset(t, "small", minute), Out: filepath.Join(parent, "trace"), Writing: func(done, all int) {
		if written = done; done == 1 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || written != 1 {
		t.Errorf("%v after %d tables", err, written)
	}
	// The context has ended now: nothing is drafted any more.
	if _, err := Generate(ctx, Options{Spec: preset(t, "small", minute), Out: filepath.Join(parent, "trace")}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
}

// The operations of a plant end where the log goes on for another's sake.
func TestPlantsGrowInALongerLog(t *testing.T) {
	_, s := generate(t, Options{Spec: preset(t, "small", 15*minute), Plants: []string{"pending_overtaken"}})
	if len(s.Planted) != 1 {
		t.Errorf("planted %v", s.Planted)
	}
}

// TestAnAbortIsToldInEveryTree: where the first tree that an operation names is not the
// first of the description, too.
func TestAnAbortIsToldInEveryTree(t *testing.T) {
	spec, err := Parse("test", []byte(`
length: 3m
trees: {one: {nodes_filter: one, pools: {p: {}}}, two: {nodes_filter: two, pools: {p: {}}}}
nodes:
  - {name: one, count: 1, tags: [one], resources: {user_slots: 4, cpu: 4}}
  - {name: two, count: 1, tags: [two], resources: {user_slots: 4, cpu: 4}}
workloads:
  - {name: own, trees: [one], pool: p, users: [anna], arrivals: {per_hour: 60}, tasks: [{jobs: [1, 1], seconds: [5, 0]}]}
  - {name: both, trees: [two, one], pool: p, users: [ben], arrivals: {per_hour: 200}, aborts: 1, tasks: [{jobs: [9, 9], seconds: [900, 0]}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := generate(t, Options{Spec: spec, Seed: 1})
	aborted := map[string]map[core.OperationID]bool{}
	for _, tree := range []string{"one", "two"} {
		aborted[tree] = map[core.OperationID]bool{}
		for _, e := range events(t, dir, tree) {
			if e.Step == core.StepAborted {
				aborted[tree][e.Operation] = true
			}
		}
	}
	if len(aborted["two"]) == 0 || !maps.Equal(aborted["one"], aborted["two"]) {
		t.Errorf("tree one tells of the aborts %v, tree two of %v", aborted["one"], aborted["two"])
	}
}

// TestATypeThatNoTreeTriesOut: an operation of it starts in its other trees alone.
func TestATypeThatNoTreeTriesOut(t *testing.T) {
	spec, err := Parse("test", []byte(`
length: 1m
trees:
  one: {nodes_filter: one, pools: {p: {}}}
  two: {nodes_filter: two, pools: {p: {}}}
  three: {nodes_filter: three, non_tentative_operation_types: [map], pools: {p: {}}}
nodes:
  - {name: one, count: 1, tags: [one], resources: {user_slots: 4, cpu: 4}}
  - {name: two, count: 1, tags: [two], resources: {user_slots: 4, cpu: 4}}
  - {name: three, count: 1, tags: [three], resources: {user_slots: 4, cpu: 4}}
operations:
  - {name: a, at: 1s, trees: [one], tentative_pool_trees: [two, three], pool: p, type: map, tasks: [{jobs: [9, 9], seconds: [5, 0]}]}
  - {name: b, at: 2s, trees: [one], tentative_pool_trees: [two, three], pool: p, type: sort, tasks: [{jobs: [9, 9], seconds: [5, 0]}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := generate(t, Options{Spec: spec, Seed: 1})
	for tree, want := range map[string][]core.OperationID{"one": {0, 1}, "two": {0}, "three": {1}} {
		var started []core.OperationID
		for _, e := range events(t, dir, tree) {
			if e.Step == core.StepStarted {
				started = append(started, e.Operation)
			}
		}
		if !slices.Equal(started, want) {
			t.Errorf("operations %v start in tree %s, want %v", started, tree, want)
		}
	}
}
