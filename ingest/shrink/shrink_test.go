package shrink

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"poolproof/core"
	"poolproof/ingest"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/synthetic"
	"poolproof/ingest/trace"
)

// sample is the trace of a small cluster: two trees, with all that is recorded.
var sample = sync.OnceValues(func() (string, error) {
	spec, err := synthetic.Preset("small")
	if err != nil {
		return "", err
	}
	spec.Length = 10 * 60 * 1_000_000
	dir, err := os.MkdirTemp("", "shrink-")
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "trace")
	_, err = synthetic.Generate(context.Background(), synthetic.Options{Spec: spec, Seed: 1, Out: dir, Workers: 1})
	return dir, err
})

func sampled(t *testing.T) string {
	t.Helper()
	dir, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := sample(); err == nil {
		os.RemoveAll(filepath.Dir(dir))
	}
	os.Exit(code)
}

// named are the operations and nodes of a trace that are called so.
func named(t *testing.T, dir string) (operations, nodes []string) {
	t.Helper()
	in, err := ingest.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range in.Dimensions().Operations {
		operations = append(operations, o.ID)
	}
	return operations, in.Dimensions().Nodes
}

// twoOperations are operations of the sample that ran in tree physical, in two pools.
func twoOperations(t *testing.T) (o *Outline, first, second Operation) {
	t.Helper()
	o, err := look(t.Context(), sampled(t), 0, "")
	if err != nil {
		t.Fatal(err)
	}
	var chosen []Operation
	for _, op := range o.Operations {
		if len(op.Pools) == 1 && o.Pools[op.Pools[0]].Tree == "physical" && (len(chosen) == 0 || chosen[0].Pools[0] != op.Pools[0]) {
			chosen = append(chosen, op)
		}
	}
	return o, chosen[0], chosen[len(chosen)/2]
}

// shrunk looks for the smallest trace that shows what is asked for.
func shrunk(t *testing.T, workers int, shows func(context.Context, string) (*Sighting, error)) (string, *Summary, error) {
	t.Helper()
	return shrunkWithin(t, core.Span{}, workers, shows)
}

// shrunkWithin does so in a part of the window.
func shrunkWithin(t *testing.T, window core.Span, workers int, shows func(context.Context, string) (*Sighting, error)) (string, *Summary, error) {
	t.Helper()
	_, first, _ := twoOperations(t)
	out := filepath.Join(t.TempDir(), "out")
	s, err := Minimize(t.Context(), Options{
		Trace: sampled(t), Out: out, Workers: workers, CreatedBy: "test", Shows: shows, Window: window,
		Target: Target{Tree: "physical", Kind: "operation", Subject: first.ID},
		Note:   func(context.Context, string, *Summary) (string, error) { return "small\n", nil },
	})
	return out, s, err
}

// needing shows the finding where both operations are there, and the time at which the first
// starts.
func needing(t *testing.T, first, second Operation) func(context.Context, string) (*Sighting, error) {
	return func(_ context.Context, dir string) (*Sighting, error) {
		operations, _ := named(t, dir)
		if !slices.Contains(operations, first.ID) || !slices.Contains(operations, second.ID) {
			return nil, nil
		}
		return &Sighting{ID: "f"}, nil
	}
}

func TestWhatTheFindingDoesNotNeedGoes(t *testing.T) {
	_, first, second := twoOperations(t)
	var digests []string
	for _, workers := range []int{1, 3} {
		out, s, err := shrunk(t, workers, needing(t, first, second))
		if err != nil {
			t.Fatal(err)
		}
		operations, nodes := named(t, out)
		slices.Sort(operations)
		if want := slices.Sorted(slices.Values([]string{first.ID, second.ID})); !slices.Equal(operations, want) {
			t.Errorf("operations %q are left, want %q", operations, want)
		}
		if len(nodes) != 0 || len(s.After.Nodes) != 0 || len(s.After.Trees) != 1 || s.After.Jobs != 0 {
			t.Errorf("left are nodes %q, trees %q and %d jobs", nodes, s.After.Trees, s.After.Jobs)
		}
		for _, name := range records {
			if n := s.After.Records[name]; n != 0 {
				t.Errorf("%d rows of %s are left", n, name)
			}
		}
		m, err := trace.ReadManifest(out)
		if err != nil {
			t.Fatal(err)
		}
		if m.Coverage.Heartbeats != "none" || m.Resources[0].Usage != "requested" {
			t.Errorf("without heartbeats and allocations the manifest tells %+v and %+v", m.Coverage, m.Resources[0])
		}
		if n := len(s.After.Pools); n == 0 || n > 5 || n >= len(s.Before.Pools) {
			t.Errorf("%d of %d pools are left: %+v", n, len(s.Before.Pools), s.After.Pools)
		}
		if s.After.Span() >= s.Before.Span()/4 {
			t.Errorf("the window is still %s long", s.After.Span())
		}
		if b, err := os.ReadFile(filepath.Join(out, noteName)); err != nil || string(b) != "small\n" {
			t.Errorf("the note is %q, %v", b, err)
		}
		checkLegal(t, out)
		digests = append(digests, digest(t, out))
	}
	if digests[0] != digests[1] {
		t.Error("three workers leave other bytes than one")
	}
}

// digest is one of all files of a directory.
func digest(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n%s", strings.TrimPrefix(path, dir), len(b), b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// checkLegal reads all events of a trace and wants no row to be wrong.
func checkLegal(t *testing.T, dir string) {
	t.Helper()
	in, err := ingest.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := in.Profile()
	if err != nil {
		t.Fatal(err)
	}
	for _, tree := range in.Trees() {
		for _, err := range in.Events(tree, ingest.Options{Profile: profile, To: in.Window().To}) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range in.ProblemCounts() {
		t.Errorf("%d rows of %s are wrong: %s", c.Rows, c.Source, c.Code)
	}
}

func TestAnInterruptLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, first, _ := twoOperations(t)
	parent := t.TempDir()
	asked := 0
	_, err := Minimize(ctx, Options{
		Trace: sampled(t), Out: filepath.Join(parent, "out"), Target: Target{Tree: "physical", Kind: "operation", Subject: first.ID},
		Shows: func(context.Context, string) (*Sighting, error) {
			if asked++; asked == 3 {
				cancel()
			}
			return &Sighting{}, nil
		},
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestAFindingOfAPartOfTheTrace: no more of the trace than the part that was judged is looked at.
func TestAFindingOfAPartOfTheTrace(t *testing.T) {
	o, first, second := twoOperations(t)
	judged := core.Span{From: o.Window.From + 60*core.Second, To: o.Window.To - 120*core.Second}
	needs := needing(t, first, second)
	_, s, err := shrunkWithin(t, judged, 2, func(ctx context.Context, dir string) (*Sighting, error) {
		m, err := trace.ReadManifest(dir)
		if err != nil {
			return nil, err
		}
		if m.Window.From < judged.From || m.Window.To > judged.To {
			t.Errorf("the window of a trial is %v, and %v was judged", m.Window, judged)
		}
		return needs(ctx, dir)
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.Before.Window != o.Window {
		t.Errorf("before it was %v, want all of the trace, %v", s.Before.Window, o.Window)
	}
}

func TestATraceWithoutTheFindingIsRefused(t *testing.T) {
	_, _, err := shrunk(t, 1, func(context.Context, string) (*Sighting, error) { return nil, nil })
	if !errors.Is(err, ErrNotShown) {
		t.Errorf("the error is %v", err)
	}
}

// TestWhatStaysIsAsItWasRecorded cuts at random and compares every row with the one of the
// same tree, table and seq.
func TestWhatStaysIsAsItWasRecorded(t *testing.T) {
	o, err := look(t.Context(), sampled(t), 0, "")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 1))
		chosen := func(n int) []bool {
			some := make([]bool, n)
			for i := range some {
				some[i] = random.IntN(3) > 0
			}
			return some
		}
		s := all(o)
		if seed%2 == 0 {
			s.operations, s.nodes = chosen(len(o.Operations)), chosen(len(o.Nodes))
		}
		if seed%3 == 0 {
			gone := map[int]bool{random.IntN(len(o.Pools)): true}
			pools := withoutPools(o, gone)
			s.pools = pools.pools
			if s.operations == nil {
				s.operations = pools.operations
			}
			for i, stays := range pools.operations {
				s.operations[i] = s.operations[i] && stays
			}
		}
		third := (o.Window.To - o.Window.From) / 3
		s.window.From += core.Time(random.Int64N(int64(third)))
		s.window.To -= core.Time(random.Int64N(int64(third)))
		out := filepath.Join(t.TempDir(), fmt.Sprint(seed))
		w, err := trace.Create(out, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		after, m, err := cut(t.Context(), sampled(t), 0, s, w)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(m); err != nil {
			t.Fatal(err)
		}
		checkLegal(t, out)
		before, rows := readRows(t, sampled(t), s.window), readRows(t, out, s.window)
		if len(rows) < 100 || len(rows) >= len(before) {
			t.Errorf("seed %d: %d of %d rows are left", seed, len(rows), len(before))
		}
		for key, row := range rows {
			if before[key] != row {
				t.Fatalf("seed %d: %s is\n%s\nand was recorded as\n%s", seed, key, row, before[key])
			}
		}
		checkBegin(t, seed, o, &s, before, rows)
		if again, err := look(t.Context(), out, 0, ""); err != nil || !reflect.DeepEqual(again.Records, after.Records) || again.Jobs != after.Jobs || again.Rows != after.Rows {
			t.Errorf("seed %d: the outline tells %v, %d jobs and %d rows, and that of the result %v, %d and %d, %v",
				seed, after.Records, after.Jobs, after.Rows, again.Records, again.Jobs, again.Rows, err)
		}
	}
}

// checkBegin wants what stays of operations, nodes and pools to begin as it was: of all that
// was there when the window begins no row is missing.
func checkBegin(t *testing.T, seed uint64, o *Outline, s *selection, before, rows map[string]string) {
	t.Helper()
	left := map[string]bool{}
	for i, op := range o.Operations {
		left[op.ID] = s.operations == nil || s.operations[i]
	}
	for key, row := range before {
		if !strings.HasPrefix(key, "alive ") {
			continue
		}
		words := strings.Fields(key) // alive TABLE OPERATION NODE ...
		if gone := slices.ContainsFunc(o.Nodes, func(n Node) bool { return n.Address == words[3] && s.nodes != nil && !s.nodes[n.Origin] }); left[words[2]] && !gone && rows[key] != row {
			t.Fatalf("seed %d: when the window begins there was %s\n%s\nwhich is\n%q", seed, key, row, rows[key])
		}
	}
}

// readRows reads rows of a trace with names in place of numbers, by tree, table and seq. A job
// that lives when the window begins, and the demand of an operation then, stand there once more.
func readRows(t *testing.T, dir string, w trace.Window) map[string]string {
	t.Helper()
	in, err := ingest.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	d := in.Dimensions()
	rows := map[string]string{}
	pool := func(id core.PoolID) string {
		if id < 0 {
			return "none"
		}
		return d.Pools[id].Name
	}
	operation := func(id core.OperationID) string {
		if id < 0 {
			return "none"
		}
		return d.Operations[id].ID
	}
	node := func(id core.NodeID) string {
		if id < 0 {
			return "none"
		}
		return d.Nodes[id]
	}
	for _, tree := range in.Trees() {
		folder := filepath.Join(dir, trace.TreeDir(tree))
		demands := map[string]string{}
		over := map[core.OperationID]bool{}
		add := func(table string, seq int64, row any) {
			rows[fmt.Sprintf("%s %s %d", tree, table, seq)] = fmt.Sprintf("%+v", row)
		}
		steps(t, folder, trace.OpEvents, func(r *trace.OpEvent) {
			if r.Time < w.From && slices.Contains([]string{"completed", "failed", "aborted"}, r.Event) {
				over[r.Op] = true
			}
			name := operation(r.Op) + " " + pool(r.Pool.Or(-1))
			r.Op, r.Pool.Value = 0, 0
			add("op_events", r.Seq, []any{name, *r})
		})
		demandedAt := map[core.OperationID]core.Time{}
		steps(t, folder, trace.Demands, func(r *trace.Demand) {
			if r.Time < w.From {
				demandedAt[r.Op] = r.Time
			}
		})
		steps(t, folder, trace.Jobs, func(r *trace.Job) {
			// An operation's demand goes by the starts since its last row.
			live := r.Time < w.From && (!r.FinishTime.Set || r.FinishTime.Value >= w.From || !over[r.Op] && r.Time >= demandedAt[r.Op])
			name := strings.Join([]string{operation(r.Op), node(r.Node), pool(r.Pool.Or(-1)), operation(r.PreemptedFor.Or(-1))}, " ")
			about := "alive job " + operation(r.Op) + " " + node(r.Node) + " " + r.ID
			preempted := r.PreemptedFor.Set
			r.Job, r.Op, r.Node, r.Pool.Value, r.PreemptedFor.Value = 0, 0, 0, 0, 0
			add("jobs", r.Seq, []any{name, *r})
			if live && !preempted {
				rows[about] = fmt.Sprintf("%+v", *r)
			}
		})
		steps(t, folder, trace.Demands, func(r *trace.Demand) {
			name, alive := operation(r.Op), r.Time < w.From && !over[r.Op]
			r.Op = 0
			add("demand", r.Seq, []any{name, *r})
			if alive {
				demands["alive demand "+name+" - "+tree] = fmt.Sprintf("%+v", *r)
			}
		})
		for key, row := range demands {
			rows[key] = row
		}
		steps(t, folder, trace.Heartbeats, func(r *trace.Heartbeat) {
			name := node(r.Node)
			r.Node = 0
			add("heartbeats", r.Seq, []any{name, *r})
		})
		steps(t, folder, trace.SnapOps, func(r *trace.SnapOp) {
			name := operation(r.Op) + " " + pool(r.Pool)
			r.Op, r.Pool = 0, 0
			add("snap_ops", r.Seq, []any{name, *r})
		})
		steps(t, folder, trace.SnapPools, func(r *trace.SnapPool) {
			name := pool(r.Pool) + " " + pool(r.Parent.Or(-1))
			r.Pool, r.Parent.Value = 0, 0
			add("snap_pools", r.Seq, []any{name, *r})
		})
	}
	return rows
}

func steps[T any](t *testing.T, folder string, table *parquetlog.TableOf[T], use func(*T)) {
	t.Helper()
	err := trace.EachRow(folder, table, 0, func(r *T) error {
		use(r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A trial that panics is an error, and leaves nothing behind.
func TestATrialThatPanicsLeavesNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	_, err := Minimize(t.Context(), Options{
		Trace: sampled(t), Out: out, Workers: 2, Target: Target{Tree: "physical", Kind: "tree", Subject: "physical"},
		Shows: func(context.Context, string) (*Sighting, error) { panic("no trial") },
		Note:  func(context.Context, string, *Summary) (string, error) { return "", nil },
	})
	if err == nil || !strings.HasPrefix(err.Error(), "internal error: no trial\n") {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(out)); len(left) != 0 {
		t.Errorf("%d entries are left", len(left))
	}
}
