package eventlogtest

import (
	"cmp"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/trace"
)

// A writer writes one log. It holds the cluster at a moment, as rows need it.
type writer struct {
	Options
	*joblogtest.Trace
	columns     columns
	result      *Result
	defaultTree string
	unknown     []string                    // options of pools that the trace's scheduler ignores
	places      map[core.PoolID][]poolPlace // by snapshots, in the order of time; none under the root
	lastTime    core.Time                   // of anything that the trace records
	moments     []moment
	jobs        int64   // planned so far
	rows        []Value // of the flush at hand

	now        core.Time
	nodes      []node              // by number
	pools      []*trace.PoolConfig // by number; nil without a configuration
	removed    []core.Time         // by number, when the last configuration went
	liveInPool []int64             // operations, by number of the pool
	trees      []*trace.TreeConfig
	operations []operation // by number
}

// A node is a node at a moment. The tree is negative for one of no tree or of several.
type node struct {
	trace.NodeState
	tree  int
	known bool // the log has told of it
	usage trace.Resources
}

// An operation is what the events of one say, and what it is in its trees at a moment.
type operation struct {
	joined   core.Time // its first tree; 0 if every tree refused it
	prepared core.Time // 0 if no event says when
	asked    []asked
	trees    []operationTree // in the order of the trees; one per tree that it ever was in
}

// asked is what the first event of an operation asks of a tree.
type asked struct {
	tree    string
	options row
}

// An operationTree is an operation in a tree at a moment.
type operationTree struct {
	tree     int
	in       bool // it takes part there
	joined   bool // it was started there
	erased   bool // it was removed from there, or banned
	pool     core.PoolID
	asks     trace.OpEvent // what its events said last
	usage    trace.Resources
	volume   trace.Volume   // since the last report
	since    core.Time      // to when volume counts
	starving *trace.OpEvent // since when
}

// A poolPlace is a pool above another in some snapshots that follow each other.
type poolPlace struct {
	parent core.PoolID
	seen   core.Span
}

// Write writes the trace at tracePath as an event log into outDir, which it makes.
func Write(t testing.TB, tracePath, outDir string, o Options) Result {
	t.Helper()
	o.ElementsPerRow, o.NodesPerRow = cmp.Or(o.ElementsPerRow, 1000), cmp.Or(o.NodesPerRow, 100)
	tr := joblogtest.Read(t, tracePath)
	w := &writer{
		Options: o, Trace: tr, columns: columnsOf(t, o.Age), lastTime: tr.Manifest.Window.To, places: map[core.PoolID][]poolPlace{},
		result: &Result{Rows: map[string]int64{}, Operations: map[string]string{}, Jobs: map[string]string{}, Nodes: map[string]string{}},
		nodes:  make([]node, len(tr.Nodes)), pools: make([]*trace.PoolConfig, len(tr.Pools)), removed: make([]core.Time, len(tr.Pools)), liveInPool: make([]int64, len(tr.Pools)),
		trees: make([]*trace.TreeConfig, len(tr.Trees)), operations: make([]operation, len(tr.Operations)),
	}
	profile, err := pooltree.ParseProfile(tr.Manifest.Profile)
	if err != nil {
		t.Fatal(err)
	}
	for _, option := range pooltree.Options() {
		if option.Holder == "pool" && slices.Contains(option.Ignored, profile) {
			w.unknown = append(w.unknown, option.Name)
		}
	}
	for _, c := range tr.ClusterConfigs[:min(1, len(tr.ClusterConfigs))] {
		w.defaultTree = c.DefaultTree.Value
	}
	for i := range tr.Trees {
		w.readTree(i)
	}
	w.plan()
	if err = os.MkdirAll(outDir, 0o777); err == nil {
		err = w.writeExports(outDir)
	}
	if err == nil {
		err = w.writeFiles(outDir)
	}
	if err != nil {
		t.Fatal(err)
	}
	return *w.result
}

// readTree reads what is needed of a tree before its time comes.
func (w *writer) readTree(i int) {
	tree := &w.Trees[i]
	if w.trees[i] = new(trace.TreeConfig); len(tree.TreeConfigs) > 0 {
		w.trees[i] = &tree.TreeConfigs[0]
	}
	for j := range tree.SnapPools {
		p := &tree.SnapPools[j]
		if all := w.places[p.Pool]; len(all) > 0 && all[len(all)-1].parent == p.Parent.Or(noPool) {
			all[len(all)-1].seen.To = p.Time
		} else if p.Parent.Set {
			w.places[p.Pool] = append(all, poolPlace{p.Parent.Value, core.Span{From: p.Time, To: p.Time}})
		}
	}
	for j := range tree.OpEvents {
		e := &tree.OpEvents[j]
		o := &w.operations[e.Op]
		w.lastTime = max(w.lastTime, e.Time)
		switch e.Event {
		case "started":
			o.asked = append(o.asked, asked{tree.Name, optionsOf(e)})
			if o.joined == 0 || e.Time < o.joined {
				o.joined = e.Time
			}
		case "prepared":
			o.prepared = e.Time
		}
	}
}

func (w *writer) startOf(op core.OperationID) core.Time {
	return w.Operations[op].StartTime.Or(w.operations[op].joined)
}

// in returns an operation in a tree, nil if it never was there.
func (w *writer) in(op core.OperationID, tree int) *operationTree {
	trees := w.operations[op].trees
	if i := slices.IndexFunc(trees, func(t operationTree) bool { return t.tree == tree }); i >= 0 {
		return &trees[i]
	}
	return nil
}

// applyEvent brings an operation up to an event.
func (w *writer) applyEvent(tree int, e *trace.OpEvent) {
	t := w.in(e.Op, tree)
	if t == nil {
		o := &w.operations[e.Op]
		o.trees = append(o.trees, operationTree{tree: tree, since: e.Time})
		slices.SortFunc(o.trees, func(a, b operationTree) int { return cmp.Compare(a.tree, b.tree) })
		t = w.in(e.Op, tree)
	}
	leave := func() {
		if t.in {
			t.in = false
			w.liveInPool[t.pool]--
		}
	}
	switch e.Event {
	case "rejected":
		return
	case "started":
		if !t.in && e.Pool.Set {
			t.in, t.joined, t.pool = true, true, e.Pool.Value
			w.liveInPool[t.pool]++
		}
	case "erased_from_tree", "banned_in_tree":
		t.erased = true
		leave()
	case "completed", "failed", "aborted":
		leave()
	}
	if e.Pool.Set && t.in && e.Pool.Value != t.pool {
		w.liveInPool[t.pool]--
		w.liveInPool[e.Pool.Value]++
		t.pool = e.Pool.Value
	}
	// Later events name only what changed (ingest/trace/FORMAT.md §3.4).
	to, from := reflect.ValueOf(&t.asks).Elem(), reflect.ValueOf(e).Elem()
	for i := range from.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
}

// move accounts for the start of a job, or with -1 for its end.
func (w *writer) move(tree int, j *trace.Job, at core.Time, sign int64) {
	if j.Node >= 0 {
		w.nodes[j.Node].usage = plus(w.nodes[j.Node].usage, j.Limits, sign)
	}
	if t := w.in(j.Op, tree); t != nil {
		t.settle(at)
		t.usage = plus(t.usage, j.Limits, sign)
	}
}

// settle counts what an operation holds up to a moment.
func (t *operationTree) settle(at core.Time) {
	if at <= t.since {
		return
	}
	r, s := t.usage, float64(at-t.since)/float64(core.Second)
	t.volume = plus(t.volume, trace.Volume{
		UserSlots: float64(r.UserSlots) * s, CPU: float64(r.CPUMilli) / 1000 * s, GPU: float64(r.GPU) * s, Memory: float64(r.Memory) * s, Network: float64(r.Network) * s,
	}, 1)
	t.since = at
}

// report returns what an operation held since the last report, and begins the next.
func (t *operationTree) report(at core.Time) trace.Volume {
	t.settle(at)
	v := t.volume
	t.volume = trace.Volume{}
	return v
}

// plus adds a multiple of amounts.
func plus[T trace.Resources | trace.Volume](a, b T, times int64) T {
	sum, add := reflect.ValueOf(&a).Elem(), reflect.ValueOf(b)
	for i := range sum.NumField() {
		if f := sum.Field(i); f.CanInt() {
			f.SetInt(f.Int() + times*add.Field(i).Int())
		} else {
			f.SetFloat(f.Float() + float64(times)*add.Field(i).Float())
		}
	}
	return a
}

// applyNode brings a node up to a row of node_state.
func (w *writer) applyNode(tree int, s *trace.NodeState) {
	now := &w.nodes[s.Node]
	// A tree says that a node left it, though another has it by now.
	if tree >= 0 && !s.Online && now.known && now.Online && now.tree != tree {
		return
	}
	// Of a node that went offline the tree that it had is known, and nothing else is
	// said of it outside of the trees.
	if tree < 0 && !s.Online && now.known {
		tree = now.tree
	}
	now.NodeState, now.tree, now.known = *s, tree, true
}

// applyPool brings a pool up to a row of pool_config.
func (w *writer) applyPool(c *trace.PoolConfig) {
	if w.pools[c.Pool] = c; c.Deleted {
		w.pools[c.Pool], w.removed[c.Pool] = nil, w.now
	}
}

// rootName is the pool above all others of a tree, and noPool its number.
const (
	rootName             = "<Root>"
	noPool   core.PoolID = -1
)

// parent returns the parent of a pool. An ephemeral pool has no configuration of its own: the nearest
// snapshot shows its place. Without one it is below the hub that its name begins with, or else below the
// tree's default parent (core/spec/scheduling.md §5.1).
func (w *writer) parent(pool core.PoolID) core.PoolID {
	if c := w.pools[pool]; c != nil {
		return c.Parent.Or(noPool)
	}
	p, places := &w.Pools[pool], w.places[pool]
	if len(places) > 0 {
		far := func(p poolPlace) core.Time { return max(p.seen.From-w.now, w.now-p.seen.To, 0) }
		return slices.MinFunc(places, func(a, b poolPlace) int { return cmp.Compare(far(a), far(b)) }).parent
	}
	if !p.Ephemeral {
		return noPool
	}
	name, _, inHub := strings.Cut(p.Name, "$")
	if !inHub {
		tree := slices.IndexFunc(w.Trees, func(t joblogtest.Tree) bool { return t.Name == p.Tree })
		name = w.trees[tree].DefaultParentPool.Value
	}
	return core.PoolID(slices.IndexFunc(w.Pools, func(q trace.Pool) bool { return q.Tree == p.Tree && q.Name == name }))
}

// poolName returns the name of a pool; an operation that has none is in the root.
func (w *writer) poolName(pool core.PoolID) string {
	if pool < 0 {
		return rootName
	}
	return w.Pools[pool].Name
}

// path returns a pool and those above it, the topmost first.
func (w *writer) path(pool core.PoolID) (path []core.PoolID) {
	for p := pool; p != noPool && len(path) <= len(w.Pools); p = w.parent(p) {
		path = append(path, p)
	}
	slices.Reverse(path)
	return path
}

// poolsOf returns the pools that a tree has now: those that are configured, and
// ephemeral ones that hold operations or have children that do.
func (w *writer) poolsOf(tree int) (all []core.PoolID) {
	for p := range w.Pools {
		if w.Pools[p].Tree == w.Trees[tree].Name && (w.pools[p] != nil || w.liveInPool[p] != 0) {
			all = append(all, w.path(core.PoolID(p))...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
