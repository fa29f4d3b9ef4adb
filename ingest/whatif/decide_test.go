package whatif

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/simulate"
	"poolproof/ingest"
	"poolproof/ingest/rerun"
	"poolproof/ingest/synthetic"
)

// several is a cluster whose trees have to do with each other in every way: a and b share an
// operation, c offloads to d, a node moves from e to f, one of g tries out h. i and j have to do
// with nobody. The scheduler is away for a while, and one tree is removed.
const several = `
cluster: several
start: 2025-03-03T08:00:00Z
length: 10m
default_tree: i
max_operation_count: %d
trees:
  a: {nodes_filter: a, pools: {p: {strong_guarantee_resources: {cpu: 8}}, q: {}}}
  b: {nodes_filter: b, pools: {p: {}, q: {}}}
  c: {nodes_filter: c, pools: {p: {offloading_settings: {d: {pool: p}}}, q: {}}}
  d: {nodes_filter: d, pools: {p: {}, q: {}}}
  e: {nodes_filter: e, pools: {p: {}, q: {}}}
  f: {nodes_filter: f, pools: {p: {}, q: {}}}
  g: {nodes_filter: g, pools: {p: {}, q: {}}}
  h: {nodes_filter: h, pools: {p: {}, q: {}}}
  i: {nodes_filter: i, fair_share_starvation_timeout: 5000, pools: {p: {strong_guarantee_resources: {cpu: 12}}, q: {}}}
  j: {nodes_filter: j, pools: {p: {}, q: {max_running_operation_count: 1}}}
nodes:
%s
operations:
  - {name: both, at: 5s, user: anna, pool: p, trees: [a, b], tasks: [{jobs: [40, 40], resources: {cpu: 2}, seconds: [40, 0.5]}]}
workloads:
%s
changes:
  - {at: 3m, node: e-0, tags: [f]}
  - {at: 5m, node: i-1, online: false}
  - {at: 6m, process: master_disconnected}
  - {at: 6m20s, process: master_connected}
  - {at: 8m, tree: j, remove: true}
`

// theSeveral is that cluster as a plan, of which no more operations may be live than some.
func theSeveral(t *testing.T, most int) *whole {
	t.Helper()
	var nodes, workloads []string
	for i, tree := range strings.Split("abcdefghij", "") {
		nodes = append(nodes, fmt.Sprintf("  - {name: %s, count: 2, tags: [%s], resources: {user_slots: 16, cpu: 8, memory: 64GiB}}", tree, tree))
		tentative := ""
		if tree == "g" {
			tentative = ", tentative_pool_trees: [h], slower_in: {h: 5}, tentative_tree_eligibility: {sample_job_count: 2, max_tentative_job_duration_ratio: 2, min_job_duration: 1000}"
		}
		for k, pool := range []string{"p", "q"} {
			workloads = append(workloads, fmt.Sprintf("  - {name: %s%s, trees: [%s], pool: %s, users: [u*3], arrivals: {per_hour: %d}, job_failures: 0.05, interruptible: %t, tasks: [{jobs: [2, 30], resources: {cpu: %d, memory: 2GiB}, seconds: [30, 0.5]}]%s}",
				tree, pool, tree, pool, 40+10*i, k == 0, 1+(i+k)%3, tentative))
		}
	}
	spec, err := synthetic.Parse("several.yaml", []byte(fmt.Sprintf(several, most, strings.Join(nodes, "\n"), strings.Join(workloads, "\n"))))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "several")
	if _, err := synthetic.Generate(t.Context(), synthetic.Options{Spec: spec, Seed: 1, Out: dir, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	w := &whole{}
	if w.trace, err = ingest.Open(dir); err != nil {
		t.Fatal(err)
	}
	if w.plan, _, err = rerun.Plan(t.Context(), w.trace, core.Documented, w.trace.Window()); err != nil {
		t.Fatal(err)
	}
	d := decision{ctx: t.Context(), log: &Log{Plan: w.plan, trees: make([]*treeLog, len(w.plan.Trees))}}
	if w.control, err = d.together(); err != nil {
		t.Fatal(err)
	}
	return w
}

// names are those of the trees of components.
func (l *Log) names() (all []string) {
	for _, c := range l.components {
		name := ""
		for _, i := range c.trees {
			name += l.Plan.Trees[i].Name
		}
		all = append(all, name)
	}
	return all
}

// TestComponentsApart: trees that have nothing to do with each other are decided apart, with what
// they come to together, for any number of workers; where the number of operations may couple them,
// together.
func TestComponentsApart(t *testing.T) {
	w := theSeveral(t, 500)
	var names []string
	for _, c := range simulate.Components(w.plan) {
		names = append(names, (&Log{Plan: w.plan, components: []*component{{trees: c}}}).names()...)
	}
	if want := []string{"ab", "cd", "ef", "gh", "i", "j"}; !reflect.DeepEqual(names, want) {
		t.Errorf("the components are %v, want %v", names, want)
	}
	for _, workers := range []int{0, 1, 4} {
		before := 0
		l, err := Simulate(t.Context(), w.plan, Options{Take: atATime(workers)})
		if err != nil {
			t.Fatal(err)
		}
		if len(l.components) != len(names) {
			t.Errorf("decided are %v", l.names())
		}
		sizes := Sizes(l.Plan)
		for i, c := range l.components {
			size := 0
			for _, tree := range c.trees {
				size += sizes[tree]
			}
			if i > 0 && size > before {
				t.Errorf("%v are not decided in the order of their size", l.names())
			}
			before = size
		}
		if err := same(w.control, l, forever); err != nil {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
	if w.plan.Each != nil {
		t.Error("a simulation changes the plan, of which others may be under way")
	}
	if n := len(w.control.all(func(e *core.Event) bool { return e.Kind == core.JobPreempted })); n == 0 {
		t.Error("nothing is preempted")
	}
}

// TestCrowd: where the number of operations may couple trees, they are decided together.
func TestCrowd(t *testing.T) {
	w := theSeveral(t, 12)
	l, err := Simulate(t.Context(), w.plan, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.components) != 1 {
		t.Errorf("decided are %v", l.names())
	}
	if err := same(w.control, l, forever); err != nil {
		t.Error(err)
	}
	if n := len(w.control.all(func(e *core.Event) bool { return e.Step == core.StepRejected })); n == 0 {
		t.Error("nothing is rejected")
	}
}

// TestShared: what edits do not touch is taken from the control, and the log is the same as without
// one, whatever the edits couple or part.
func TestShared(t *testing.T) {
	w := theSeveral(t, 500)
	control, err := Simulate(t.Context(), w.plan, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		edit  string
		own   string // decided anew
		equal bool   // to the control
	}{
		{"", "", true},
		{"trees: {i: {pools: {q: {weight: 5}}}}", "i", false},
		{"trees: {a: {pools: {q: {weight: 5}}}}", "ab", false},
		{"trees: {c: {pools: {p: {offloading_settings: null}}}}", "c d", false},
		{"trees: {i: {pools: {p: {offloading_settings: {j: {pool: p}}}}}}", "ij", false},
		{"nodes: {j-0: {remove: true}}", "j", false},
		{"nodes: {more: {like: j-0, count: 2}}", "j", false},
		{"preemptions: [{victim: p}]", "ab cd ef gh i j", false},
		{"preemptions: [{job: rerun-8}]", "i", false}, // the first of the ninth of ten trees
		{"users: {u1: {remove: true}}", "ab cd ef gh i j", false},
	} {
		t.Run(c.edit, func(t *testing.T) {
			e, err := Parse("edit.yaml", []byte(c.edit))
			if err != nil {
				t.Fatal(err)
			}
			plan, err := Apply(w.plan, e)
			if err != nil {
				t.Fatal(err)
			}
			l, err := Simulate(t.Context(), plan, Options{Control: control.Plan, Decided: decided(control), Edits: e, Take: atATime(2)})
			if err != nil {
				t.Fatal(err)
			}
			own := &Log{Plan: plan}
			for _, one := range l.components {
				if one.plan == plan {
					own.components = append(own.components, one)
				}
			}
			if got := own.names(); !sameSet(got, strings.Fields(c.own)) {
				t.Errorf("decided anew are %v", got)
			}
			if want := len(strings.ReplaceAll(c.own, " ", "")) < len(plan.Trees); l.Borrows() != want || control.Borrows() {
				t.Errorf("it borrows trees: %t, want %t; the control: %t", l.Borrows(), want, control.Borrows())
			}
			d := decision{ctx: t.Context(), log: &Log{Plan: plan, trees: make([]*treeLog, len(plan.Trees))}}
			alone, err := d.together()
			if err != nil {
				t.Fatal(err)
			}
			if err := same(alone, l, forever); err != nil {
				t.Error(err)
			}
			if err := l.Renew(t.Context(), nil, []int{3, 9}); err != nil {
				t.Fatal(err)
			}
			if err := same(alone, l, forever); err != nil || l.Shares(control, 2) || l.Shares(control, 3) || l.Shares(control, 9) {
				t.Errorf("decided anew: %v", err)
			}
			if equal := same(control, l, forever) == nil; equal != c.equal && !strings.Contains(c.edit, "rerun") {
				t.Errorf("it is as the control: %t", equal)
			}
		})
	}
}

// decided is a log that nobody waits for.
func decided(l *Log) func(context.Context) (*Log, error) {
	return func(context.Context) (*Log, error) { return l, nil }
}

func sameSet(a, b []string) bool {
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// TestTreesWanted: only what has to do with the trees that are wanted is decided, and it comes out as
// it does with all; the others stand as they are recorded.
func TestTreesWanted(t *testing.T) {
	w := theSeveral(t, 500)
	l, err := Simulate(t.Context(), w.plan, Options{Trees: []string{"b", "i"}, Trace: w.trace})
	if err != nil {
		t.Fatal(err)
	}
	if got := l.names(); !sameSet(got, []string{"ab", "i"}) {
		t.Errorf("decided are %v", got)
	}
	of := func(l *Log, trees ...int) *Log {
		own := &Log{Plan: l.Plan}
		for _, i := range trees {
			own.trees = append(own.trees, l.trees[i])
		}
		return own
	}
	if err := same(of(w.control, 0, 1, 8), of(l, 0, 1, 8), forever); err != nil {
		t.Error(err)
	}
	counts := map[core.Kind]int{}
	var before core.Event
	for e := range l.Facts(2) {
		counts[e.Kind]++
		if c := cmp.Or(cmp.Compare(before.Time, e.Time), cmp.Compare(before.Kind, e.Kind)); c > 0 {
			t.Fatalf("%s follows %s", told(e), told(&before))
		}
		before = *e
	}
	recorded := map[core.Kind]int{}
	for e := range w.trace.Events("c", ingest.Options{Profile: core.Documented}) {
		recorded[e.Kind]++
	}
	for _, kind := range []core.Kind{core.ProcessChanged, core.ClusterConfigured, core.TreeConfigured, core.PoolConfigured, core.NodeChanged, core.OperationChanged} {
		if counts[kind] == 0 || counts[kind] != recorded[kind] {
			t.Errorf("of kind %d stand %d events of tree c, want %d", kind, counts[kind], recorded[kind])
		}
	}
	crowded := theSeveral(t, 12)
	if l, err = Simulate(t.Context(), crowded.plan, Options{Trees: []string{"i"}, Trace: crowded.trace}); err != nil {
		t.Fatal(err)
	}
	if err := same(crowded.control, l, forever); err != nil {
		t.Errorf("of a crowd: %v", err)
	}
}

// atATime returns what gives out so many workers; nil for none.
func atATime(n int) func(context.Context) (func(), error) {
	if n == 0 {
		return nil
	}
	workers := make(chan bool, n)
	return func(ctx context.Context) (func(), error) {
		workers <- true
		return func() { <-workers }, ctx.Err()
	}
}
