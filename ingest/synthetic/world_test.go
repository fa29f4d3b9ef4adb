package synthetic

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// A world recounts a tree of a trace by itself, without the core, so that a
// plant's fault is seen in what was written and not in what was meant.
type world struct {
	t      *testing.T
	dir    string
	tree   string
	events []core.Event
	pools  map[string]core.PoolID
	names  map[string]core.OperationID // by title, without the tree's name
	users  []string
	nodes  []string
	from   core.Time

	// The state before the event that a visitor is shown.
	config    map[core.PoolID]*core.PoolConfig
	treeNow   *core.TreeConfig
	in        map[core.OperationID]core.PoolID
	live      map[core.OperationID]bool
	running   map[core.OperationID]bool
	suspended map[core.OperationID]bool
	jobs      map[core.JobID]*core.Event // its start
	limits    map[core.NodeID]resource.Vector
	online    map[core.NodeID]bool
	tags      map[core.NodeID]pooltree.Tags
	segment   map[core.NodeID]string
	module    map[core.NodeID]string
	wants     map[core.OperationID]int64 // pending jobs
	params    map[core.OperationID]core.OperationParams
	starving  map[core.OperationID]string
	beat      core.Event // the last heartbeat
}

func newWorld(t *testing.T, dir, tree string) *world {
	t.Helper()
	w := &world{t: t, dir: dir, tree: tree, events: events(t, dir, tree), pools: map[string]core.PoolID{}, names: map[string]core.OperationID{}}
	eachRow(t, filepath.Join(dir, "dim", "pools.parquet"), trace.Pools, func(r *trace.Pool) {
		if r.Tree == tree {
			w.pools[r.Name] = r.Pool
		}
	})
	eachRow(t, filepath.Join(dir, "dim", "operations.parquet"), trace.Operations, func(r *trace.Operation) {
		if name, own := cutPrefix(r.Title.Value, tree+"-"); own {
			w.names[name] = r.Op
		}
		w.users = append(w.users, r.User)
	})
	eachRow(t, filepath.Join(dir, "dim", "nodes.parquet"), trace.Nodes, func(r *trace.Node) { w.nodes = append(w.nodes, r.Address) })
	w.from = w.events[0].Time
	return w
}

func cutPrefix(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || s[:len(prefix)] != prefix {
		return s, false
	}
	return s[len(prefix):], true
}

// eachRow reads all rows of a file.
func eachRow[T any](t *testing.T, file string, table *parquetlog.TableOf[T], use func(*T)) {
	t.Helper()
	in := parquetlog.NewInterner(0)
	r, err := parquetlog.Open(&table.Table, file, parquetlog.ReadOptions{Interner: in})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows {
			var row T
			table.Row(b, i, in, &row)
			use(&row)
		}
	}
}

// snapPools, snapOps and jobRows read the tables of the tree.
func (w *world) snapPools(use func(*trace.SnapPool)) {
	eachRow(w.t, filepath.Join(w.dir, trace.TreeDir(w.tree), "snap_pools-000.parquet"), trace.SnapPools, use)
}

func (w *world) snapOps(use func(*trace.SnapOp)) {
	eachRow(w.t, filepath.Join(w.dir, trace.TreeDir(w.tree), "snap_ops-000.parquet"), trace.SnapOps, use)
}

func (w *world) snapTree(use func(*trace.SnapTree)) {
	eachRow(w.t, filepath.Join(w.dir, trace.TreeDir(w.tree), "snap_tree-000.parquet"), trace.SnapTrees, use)
}

func (w *world) jobRows(use func(*trace.Job)) {
	eachRow(w.t, filepath.Join(w.dir, trace.TreeDir(w.tree), "jobs-000.parquet"), trace.Jobs, use)
}

func (w *world) heartbeatRows(use func(*trace.Heartbeat)) {
	eachRow(w.t, filepath.Join(w.dir, trace.TreeDir(w.tree), "heartbeats-000.parquet"), trace.Heartbeats, use)
}

// any reports whether a visitor that is shown every event, in the state before
// it, says yes to one.
func (w *world) any(is func(e *core.Event) bool) bool {
	w.config, w.in = map[core.PoolID]*core.PoolConfig{}, map[core.OperationID]core.PoolID{}
	w.live, w.running, w.suspended = map[core.OperationID]bool{}, map[core.OperationID]bool{}, map[core.OperationID]bool{}
	w.jobs, w.limits, w.online = map[core.JobID]*core.Event{}, map[core.NodeID]resource.Vector{}, map[core.NodeID]bool{}
	w.segment, w.module = map[core.NodeID]string{}, map[core.NodeID]string{}
	w.tags, w.wants = map[core.NodeID]pooltree.Tags{}, map[core.OperationID]int64{}
	w.params, w.starving = map[core.OperationID]core.OperationParams{}, map[core.OperationID]string{}
	found := false
	for i := range w.events {
		e := &w.events[i]
		found = is(e) || found
		w.follow(e)
	}
	return found
}

func (w *world) follow(e *core.Event) {
	switch e.Kind {
	case core.TreeConfigured:
		w.treeNow = e.Tree
	case core.PoolConfigured:
		w.config[e.Pool] = e.Config
	case core.NodeChanged:
		w.limits[e.Node], w.online[e.Node], w.tags[e.Node] = e.Limits, e.Online, e.Tags
		w.segment[e.Node], w.module[e.Node] = e.Segment, e.Module
	case core.HeartbeatReceived:
		w.beat = *e
	case core.DemandChanged:
		w.wants[e.Operation] = e.PendingJobs
	case core.JobStarted:
		w.jobs[e.Job] = e
		w.wants[e.Operation]--
	case core.JobFinished, core.JobPreempted:
		delete(w.jobs, e.Job)
	case core.OperationChanged:
		w.followOperation(e)
	}
}

func (w *world) followOperation(e *core.Event) {
	if e.Pool >= 0 && e.Step != core.StepRejected {
		w.in[e.Operation] = e.Pool
	}
	if e.Params != nil {
		w.params[e.Operation] = *e.Params
	}
	switch e.Step {
	case core.StepStarted:
		w.live[e.Operation] = true
	case core.StepRunning:
		w.running[e.Operation] = true
	case core.StepSuspended:
		w.suspended[e.Operation] = true
	case core.StepCompleted, core.StepFailed, core.StepAborted:
		delete(w.live, e.Operation)
		delete(w.running, e.Operation)
	case core.StepStarvationStarted:
		w.starving[e.Operation] = e.Status
	case core.StepStarvationFinished:
		delete(w.starving, e.Operation)
	}
}

// chain is a pool and those above it, as configured.
func (w *world) chain(p core.PoolID) (list []core.PoolID) {
	for p >= 0 {
		list = append(list, p)
		c := w.config[p]
		if c == nil {
			return list
		}
		p = c.Parent
	}
	return list
}

func (w *world) below(o core.OperationID, p core.PoolID) bool {
	in, known := w.in[o]
	return known && slices.Contains(w.chain(in), p)
}

// usage is what live jobs take whose start the filter accepts.
func (w *world) usage(which func(start *core.Event) bool) (sum resource.Vector) {
	for _, start := range w.jobs {
		if which(start) {
			sum = sum.Add(start.Limits)
		}
	}
	return sum
}

func (w *world) poolUsage(p core.PoolID) resource.Vector {
	return w.usage(func(s *core.Event) bool { return w.below(s.Operation, p) })
}

func (w *world) nodeUsage(n core.NodeID) resource.Vector {
	return w.usage(func(s *core.Event) bool { return s.Node == n })
}

func (w *world) operationUsage(o core.OperationID) resource.Vector {
	return w.usage(func(s *core.Event) bool { return s.Operation == o })
}

// jobsOf are the live jobs of an operation by start, the oldest first.
func (w *world) jobsOf(o core.OperationID) (list []*core.Event) {
	for _, start := range w.jobs {
		if start.Operation == o {
			list = append(list, start)
		}
	}
	slices.SortFunc(list, func(a, b *core.Event) int { return int(a.Job - b.Job) })
	return list
}

// count is how many of a set of operations are below a pool.
func (w *world) count(set map[core.OperationID]bool, p core.PoolID) (n int64) {
	for o := range set {
		if w.below(o, p) {
			n++
		}
	}
	return n
}

// over reports whether an amount exceeds a limit in a kind that is set and that
// the job takes.
func over(sum resource.Vector, limit resource.Partial, job resource.Vector) bool {
	for k, set := range limit.Set {
		if set && job[k] > 0 && sum[k] > limit.Amounts[k] {
			return true
		}
	}
	return false
}

func (w *world) at(seconds int64) core.Time { return w.from + core.Time(seconds)*core.Second }
