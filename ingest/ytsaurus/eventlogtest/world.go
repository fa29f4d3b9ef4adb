package eventlogtest

import (
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A world is the cluster at a moment, as the rows of the log need it.
type world struct {
	*source
	now        core.Time
	nodeNow    []nodeState       // by number; the zero Time of one that is not known yet
	nodeUsage  []trace.Resources // of live jobs
	poolNow    []*trace.PoolConfig
	operation  []operationNow
	liveInPool []int64 // operations, by number of the pool
	treeConfig []*trace.TreeConfig
}

// An operationNow is an operation at a moment.
type operationNow struct {
	trees                        []operationTree // in the order of the trees; one per tree that it ever was in
	total, completed, bad, taken int64           // jobs: all that ended or run, and those that completed, failed, aborted
	over                         bool
}

// An operationTree is an operation in a tree.
type operationTree struct {
	tree   int
	in     bool // it takes part there
	joined bool // it was started there
	erased bool // it was removed from there, or banned
	pool   core.PoolID
	params params
	usage  trace.Resources
	volume trace.Volume // since the last report
	since  core.Time    // to when volume counts
}

func newWorld(s *source) *world {
	w := &world{
		source: s, nodeNow: make([]nodeState, len(s.nodes)), nodeUsage: make([]trace.Resources, len(s.nodes)),
		poolNow: make([]*trace.PoolConfig, len(s.pools)), operation: make([]operationNow, len(s.operations)),
		liveInPool: make([]int64, len(s.pools)), treeConfig: make([]*trace.TreeConfig, len(s.trees)),
	}
	for i := range s.trees {
		if t := &s.trees[i]; len(t.configs) > 0 {
			w.treeConfig[i] = &t.configs[0]
		} else {
			w.treeConfig[i] = &trace.TreeConfig{}
		}
	}
	return w
}

// of returns an operation in a tree, nil if it never was there.
func (w *world) of(op core.OperationID, tree int) *operationTree {
	trees := w.operation[op].trees
	if i := slices.IndexFunc(trees, func(t operationTree) bool { return t.tree == tree }); i >= 0 {
		return &trees[i]
	}
	return nil
}

// happened brings an operation up to an event.
func (w *world) happened(tree int, e *trace.OpEvent) {
	now := &w.operation[e.Op]
	t := w.of(e.Op, tree)
	if t == nil {
		now.trees = append(now.trees, operationTree{tree: tree, since: e.Time})
		slices.SortFunc(now.trees, func(a, b operationTree) int { return a.tree - b.tree })
		t = w.of(e.Op, tree)
	}
	switch e.Event {
	case "rejected":
		return
	case "started":
		t.join(w, e)
	case "erased_from_tree", "banned_in_tree":
		t.erased = true
		t.leave(w)
	case "completed", "failed", "aborted":
		now.over = true
		t.leave(w)
	}
	if e.Pool.Set && t.in && e.Pool.Value != t.pool {
		w.liveInPool[t.pool]--
		w.liveInPool[e.Pool.Value]++
		t.pool = e.Pool.Value
	}
	t.params.merge(e)
}

func (t *operationTree) join(w *world, e *trace.OpEvent) {
	if t.in || !e.Pool.Set {
		return
	}
	t.in, t.joined, t.pool = true, true, e.Pool.Value
	w.liveInPool[t.pool]++
}

func (t *operationTree) leave(w *world) {
	if t.in {
		t.in = false
		w.liveInPool[t.pool]--
	}
}

// started accounts for a job's start, ended for its end.
func (w *world) started(j *job) {
	w.operation[j.op].total++
	w.move(j, j.start, plus)
}

func (w *world) ended(j *job) {
	now := &w.operation[j.op]
	switch j.end {
	case "completed":
		now.completed++
	case "failed":
		now.bad++
	default:
		now.taken++
	}
	w.move(j, j.finish, minus)
}

func (w *world) move(j *job, at core.Time, by func(a, b trace.Resources) trace.Resources) {
	if j.node >= 0 {
		w.nodeUsage[j.node] = by(w.nodeUsage[j.node], j.limits)
	}
	if t := w.of(j.op, j.tree); t != nil {
		t.settle(at)
		t.usage = by(t.usage, j.limits)
	}
}

// settle counts what an operation holds up to a moment.
func (t *operationTree) settle(at core.Time) {
	if at > t.since {
		t.volume = plusVolume(t.volume, during(t.usage, at-t.since))
		t.since = at
	}
}

// report returns what an operation held since the last report, and begins the next.
func (t *operationTree) report(at core.Time) trace.Volume {
	t.settle(at)
	v := t.volume
	t.volume = trace.Volume{}
	return v
}

// parent returns the parent of a pool; the root is none. An ephemeral pool has no
// configuration of its own: its place is seen in snapshots, or follows from the rules.
func (w *world) parent(pool core.PoolID) (core.PoolID, bool) {
	if c := w.poolNow[pool]; c != nil {
		return c.Parent.Value, c.Parent.Set
	}
	if parent, ok := w.parentAt(pool, w.now); ok || !w.pools[pool].Ephemeral {
		return parent, ok
	}
	return w.home(pool)
}

// home returns where the rules put an ephemeral pool: below the hub that its name begins
// with, or else the tree's default parent (core/spec/scheduling.md §5.1).
func (w *world) home(pool core.PoolID) (core.PoolID, bool) {
	p := &w.pools[pool]
	name, _, inHub := strings.Cut(p.Name, "$")
	if !inHub {
		tree := slices.IndexFunc(w.trees, func(t tree) bool { return t.name == p.Tree })
		name = w.treeConfig[tree].DefaultParentPool.Value
	}
	i := slices.IndexFunc(w.pools, func(q trace.Pool) bool { return q.Tree == p.Tree && q.Name == name })
	return core.PoolID(i), i >= 0
}

// poolName returns the name of a pool; an operation that has none is in the root.
func (w *world) poolName(pool core.PoolID) string {
	if pool < 0 {
		return rootName
	}
	return w.pools[pool].Name
}

// path returns a pool and those above it, the topmost first.
func (w *world) path(pool core.PoolID) []core.PoolID {
	path := []core.PoolID{pool}
	for p, ok := w.parent(pool); ok && len(path) <= len(w.pools); p, ok = w.parent(p) {
		path = append(path, p)
	}
	slices.Reverse(path)
	return path
}

// poolsOf returns the pools that a tree has now: those that are configured, and
// ephemeral ones that hold operations or have children that do.
func (w *world) poolsOf(tree int) []core.PoolID {
	has := make(map[core.PoolID]bool)
	for p := range w.pools {
		id := core.PoolID(p)
		if w.pools[p].Tree != w.trees[tree].name || w.poolNow[p] == nil && w.liveInPool[p] == 0 {
			continue
		}
		for _, on := range w.path(id) {
			has[on] = true
		}
	}
	all := make([]core.PoolID, 0, len(has))
	for p := range has {
		all = append(all, p)
	}
	slices.Sort(all)
	return all
}

// poolChanged brings a pool up to a row of pool_config.
func (w *world) poolChanged(c *trace.PoolConfig) {
	w.poolNow[c.Pool] = c
	if c.Deleted {
		w.poolNow[c.Pool] = nil
	}
}
