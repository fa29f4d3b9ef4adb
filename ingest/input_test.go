package ingest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/ingest/input"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// drain opens the trace in dir and reads tree t to its end.
func drain(dir string) error {
	tr, err := Open(dir)
	if err != nil {
		return err
	}
	for _, err := range tr.Events("t", Options{}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// Input that is wrong as a whole stops the run, and the error names what to
// look at and what to do.
func TestWrongInputIsToldFromInputThatCannotBeRead(t *testing.T) {
	type noNode struct {
		trace.Stamp
		Kind string `col:"kind" doc:"how"`
	}
	type textNode struct {
		trace.Stamp
		Node string `col:"node_ix" doc:"the node"`
	}
	const beats = "tree=t/heartbeats-000.parquet"
	manifest := func(text string) func(testing.TB, string) {
		return func(t testing.TB, dir string) {
			if err := os.WriteFile(filepath.Join(dir, trace.ManifestName), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	edit := func(file string, change func([]byte) []byte) func(testing.TB, string) {
		return func(t testing.TB, dir string) {
			path := filepath.Join(dir, filepath.FromSlash(file))
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, change(b), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(file string) func(testing.TB, string) {
		return func(t testing.TB, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name  string
		plant func(testing.TB, string)
		bad   bool     // bad input, not a failure to read
		words []string // of the error
	}{
		{"no manifest", remove(trace.ManifestName), true, []string{"it is not a trace", "poolproof import"}},
		{"a manifest that is no JSON", manifest("window"), true, []string{"manifest.json", "not a manifest", "Import the log again"}},
		{"a manifest without a version", manifest("{}"), true, []string{"manifest.json", "no format_version"}},
		{"another version", manifest(`{"format_version": 2, "trees": 7}`), true, []string{"format_version is 2", "reads version 1", "Import the log again"}},
		{"a truncated file", edit(beats, func(b []byte) []byte { return b[:len(b)/2] }), true, []string{beats, "not a whole Parquet file", "copy it again"}},
		{"another magic", edit(beats, func(b []byte) []byte { return append([]byte("ORC1"), b[4:]...) }), true, []string{beats, "magic"}},
		{"damage in a page", edit(beats, func(b []byte) []byte { b[8] ^= 0xff; b[9] ^= 0xff; return b }), true, []string{beats, "column"}},
		{"a truncated dimension", edit("dim/nodes.parquet", func(b []byte) []byte { return b[:20] }), true, []string{"dim/nodes.parquet"}},
		{"a missing required column", func(t testing.TB, dir string) {
			put(t, dir, beats, parquetlog.Declare[noNode]("heartbeats", ""), noNode{Stamp: stamp(1)})
		}, true, []string{beats, "column node_ix", "required", "INT32"}},
		{"a column of another type", func(t testing.TB, dir string) {
			put(t, dir, beats, parquetlog.Declare[textNode]("heartbeats", ""), textNode{Stamp: stamp(1)})
		}, true, []string{beats, "column node_ix", "STRING", "INT32", "INTEGER"}},
		{"a missing file", remove(beats), true, []string{"tree=t/heartbeats*.parquet", "missing", "1 rows"}},
		{"a manifest that is a directory", func(t testing.TB, dir string) {
			remove(trace.ManifestName)(t, dir)
			if err := os.Mkdir(filepath.Join(dir, trace.ManifestName), 0o777); err != nil {
				t.Fatal(err)
			}
		}, true, []string{"manifest"}},
		{"a file that may not be read", func(t testing.TB, dir string) {
			if err := os.Chmod(filepath.Join(dir, filepath.FromSlash(beats)), 0); err != nil {
				t.Fatal(err)
			}
			if os.Getuid() == 0 {
				// Root reads everything: a link that leads nowhere is as unreadable.
				remove(beats)(t, dir)
				if err := os.Symlink("nowhere", filepath.Join(dir, filepath.FromSlash(beats))); err != nil {
					t.Fatal(err)
				}
			}
		}, false, []string{beats}},
		{"no directory", remove("."), false, []string{"manifest", "poolproof import"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLog(t, trace.Options{})
			l.check(l.tree.Add(&trace.Heartbeat{Stamp: stamp(1)}))
			l.open()
			if c.name == "no directory" {
				l.check(os.RemoveAll(l.dir))
			} else {
				c.plant(t, l.dir)
			}
			err := drain(l.dir)
			if err == nil {
				t.Fatal("the trace is read")
			}
			if input.IsBad(err) != c.bad {
				t.Errorf("BadInput is %v of: %v", !c.bad, err)
			}
			for _, w := range c.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is not in: %v", w, err)
				}
			}
		})
	}
}

func TestATreeThatIsNotThereIsAnError(t *testing.T) {
	tr := newLog(t, trace.Options{}).open()
	for _, err := range tr.Events("x", Options{}) {
		if err == nil || !strings.Contains(err.Error(), "no such tree; it has [t]") {
			t.Errorf("error is %v", err)
		}
		return
	}
	t.Error("the stream says nothing")
}

// A table of no bytes has no rows, and a tree without tables has no events.
func TestEmptyTablesHaveNoEvents(t *testing.T) {
	l := newLog(t, trace.Options{})
	tr := l.open()
	if err := os.WriteFile(filepath.Join(l.dir, "tree=t", "jobs-000.parquet"), nil, 0o666); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	same(t, "", events(t, tr, Options{}))
	if diff := cmp.Diff([]string{"t"}, tr.Trees()); diff != "" {
		t.Error(diff)
	}
}

func TestFilesOfATableFollowEachOther(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.check(l.tree.Add(&trace.Heartbeat{Stamp: stamp(1)}))
	tr := l.open()
	put(t, l.dir, "tree=t/heartbeats-002.parquet", trace.Heartbeats, trace.Heartbeat{Stamp: stamp(5), Node: 2}, trace.Heartbeat{Stamp: stamp(3), Node: 1})
	put(t, l.dir, "tree=t/heartbeats-001.parquet", trace.Heartbeats, trace.Heartbeat{Stamp: stamp(2), Node: 1}, trace.Heartbeat{Stamp: stamp(4), Node: 1})
	same(t, `
		1 heartbeat 0 [0 0 0 0 0] of [0 0 0 0 0]
		2 heartbeat 1 [0 0 0 0 0] of [0 0 0 0 0]
		3 heartbeat 1 [0 0 0 0 0] of [0 0 0 0 0]
		4 heartbeat 1 [0 0 0 0 0] of [0 0 0 0 0]
		5 heartbeat 2 [0 0 0 0 0] of [0 0 0 0 0]
	`, events(t, tr, Options{}))
	if p := tr.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

func TestDimensionsSayWhatIdsMean(t *testing.T) {
	got := newLog(t, trace.Options{}).open().Dimensions()
	want := &core.Dimensions{
		Operations: []core.OperationInfo{{ID: "op0", Type: "map", User: "u"}, {ID: "op1", Type: "map", User: "u"}, {ID: "op2", Type: "map", User: "u"}},
		Pools:      []core.PoolInfo{{Tree: "t", Name: "a"}, {Tree: "other", Name: "b"}},
		Nodes:      []string{"n0", "n1", "n2"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Settings reach the core in its own units; what a column leaves open comes
// from config_json, and what neither names stays absent.
func TestConfigurationsReachTheCore(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.check(l.tree.Add(&trace.TreeConfig{
		Stamp: stamp(1), Source: "export", MainResource: core.Some("gpu"), MaxOperationCount: core.Some[int64](7),
		FairShareStarvationTimeoutMS: core.Some[int64](30_000),
		ConfigJSON:                   `{"max_operation_count": 9, "max_running_operation_count": 5, "fifo_pool_scheduling_order": "fifo", "ours": [1]}`,
	}))
	l.check(l.tree.Add(&trace.PoolConfig{
		Stamp: stamp(2), Pool: 0, Mode: "fifo", IntegralType: "burst", Weight: core.Some(2.5),
		Strong:             trace.PartialResources{CPUMilli: core.Some[int64](1005), GPU: core.Some[int32](0)},
		FIFOSortParameters: core.Some("start_time,pending_job_count"),
		ConfigJSON:         `{"weight": 9, "max_share_ratio": 0.5, "min_share_resources": {"cpu": 4, "memory": 100}}`,
	}))
	l.check(l.tree.Add(&trace.OpEvent{
		Stamp: stamp(3), Op: 1, Event: "params_changed", Weight: core.Some(3.0), SchedulingTagFilter: core.Some("ssd"),
		Limit: trace.PartialResources{UserSlots: core.Some[int64](4)},
	}))
	tr := l.open()
	var tree *core.TreeConfig
	var pool *core.PoolConfig
	var params core.OperationParams
	for e, err := range tr.Events("t", Options{}) {
		l.check(err)
		switch e.Kind {
		case core.TreeConfigured:
			tree = e.Tree
		case core.PoolConfigured:
			pool = e.Config
		case core.OperationChanged:
			params = *e.Params
		}
	}
	if diff := cmp.Diff(&core.TreeConfig{
		MainResource: core.Some(resource.GPU), MaxOperationCount: core.Some[int64](7), MaxRunningOperationCount: core.Some[int64](5),
		FairShareStarvationTimeout: core.Some[pooltree.Milliseconds](30_000), FIFOOrder: core.Some(core.OrderFIFO),
	}, tree, formulas); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&core.PoolConfig{
		Parent: core.RootPool, PoolConfig: pooltree.PoolConfig{
			Mode: core.Some(core.FIFO), Integral: pooltree.IntegralConfig{Type: core.Burst}, Weight: core.Some(2.5), MaxShareRatio: core.Some(0.5),
			StrongGuarantee: resource.Partial{Amounts: resource.Vector{resource.CPU: 101, resource.Memory: 100},
				Set: [resource.Kinds]bool{resource.CPU: true, resource.GPU: true, resource.Memory: true}},
			FIFOSort: []core.FIFOKey{core.ByStartTime, core.ByPendingJobs},
		},
	}, pool, formulas); diff != "" {
		t.Error(diff)
	}
	filter, err := pooltree.ParseTagFilter("ssd")
	l.check(err)
	if diff := cmp.Diff(core.OperationParams{
		OperationSettings: pooltree.OperationSettings{Weight: core.Some(3.0)}, TagFilter: &filter,
		ResourceLimits: core.Some(resource.Partial{Amounts: resource.Vector{4}, Set: [resource.Kinds]bool{true}}),
	}, params, formulas); diff != "" {
		t.Error(diff)
	}
	if p := tr.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

// formulas compares tag filters by what they say.
var formulas = cmp.Comparer(func(a, b pooltree.Formula) bool { return a.String() == b.String() })

// An operation that started before the log keeps its real start.
func TestAnOperationKeepsItsRealStart(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.check(l.w.Add(&trace.Operation{Op: 3, ID: "old", StartTime: core.Some(second(-50)), IsGang: core.Some(true)}))
	l.check(l.tree.Add(&trace.OpEvent{Stamp: stamp(0), Op: 3, Event: "started", Pool: core.Some[core.PoolID](0)}))
	opened := l.open()
	if got := opened.Dimensions().Operations[3].Start; got != core.Some(second(-50)) {
		t.Errorf("it started at %v", got)
	}
	for e, err := range opened.Events("t", Options{}) {
		l.check(err)
		want := core.OperationParams{Gang: core.Some(true)}
		if diff := cmp.Diff(want, *e.Params, formulas); diff != "" {
			t.Error(diff)
		}
	}
}

// What has no name is called by its number: findings and reports name their subjects.
func TestWhatHasNoNameIsCalledByItsNumber(t *testing.T) {
	l := newLog(t, trace.Options{})
	tr := l.open()
	put(t, l.dir, "dim/operations.parquet", trace.Operations, trace.Operation{Op: 0}, trace.Operation{Op: 1, ID: "c"})
	put(t, l.dir, "dim/pools.parquet", trace.Pools, trace.Pool{Pool: 0, Tree: "t"})
	put(t, l.dir, "dim/nodes.parquet", trace.Nodes, trace.Node{Node: 0}, trace.Node{Node: 1, Address: "n"})
	tr, err := Open(tr.dir)
	l.check(err)
	want := &core.Dimensions{
		Operations: []core.OperationInfo{{ID: "op_ix=0"}, {ID: "c"}},
		Pools:      []core.PoolInfo{{Tree: "t", Name: "pool_ix=0"}},
		Nodes:      []string{"node_ix=0", "n"},
	}
	if diff := cmp.Diff(want, tr.Dimensions()); diff != "" {
		t.Error(diff)
	}
}
