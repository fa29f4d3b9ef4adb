package shrink

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// What of a log may be removed as a whole, in the order in which it is tried.
const (
	problems    = "problems"    // what the import could not use
	accumulated = "accumulated" // reports of used resources
	snapshots   = "snapshots"   // the scheduler's own view of shares
	allocations = "allocations" // changes of jobs that heartbeats carried
	heartbeats  = "heartbeats"
)

// Records are the names of what may be removed of a log as a whole.
var Records = []string{problems, accumulated, snapshots, allocations, heartbeats}

// recordsOf are what the rows of tables are of these.
var recordsOf = map[string]string{
	trace.Problems.Name: problems, trace.Accumulateds.Name: accumulated, trace.Allocations.Name: allocations,
	trace.SnapTrees.Name: snapshots, trace.SnapPools.Name: snapshots, trace.SnapOps.Name: snapshots,
	trace.Heartbeats.Name: heartbeats,
}

// A selection says what of a trace stays. Nil stands for all.
type selection struct {
	trees      []string
	window     trace.Window
	pools      []bool // by their numbers in the trace
	operations []bool
	nodes      []bool
	without    map[string]bool // by the names of Records
	job        string          // whose operation and node the outline names; "" for none
}

// all is the selection that leaves a trace as it is.
func all(o *Outline) selection {
	return selection{trees: o.Trees, window: o.Window, without: map[string]bool{}}
}

// A cutter copies what is selected of a trace. It goes over the tables several times: to find
// what the window begins with, to see what of the dimensions is referred to, and to write.
type cutter struct {
	ctx      context.Context
	dir      string
	selected selection
	manifest *trace.Manifest
	late     bool // the window begins later than that of the trace
	whole    bool // nothing is cut: rows of dimensions count as referred to, so that numbers stay

	pools      numbering[core.PoolID]
	operations numbering[core.OperationID]
	nodes      numbering[core.NodeID]
	jobs       map[core.JobID]core.JobID // of those that stay, their new numbers

	latest   map[place]trace.Stamp // of the rows before the window's begin that hold then
	out      *trace.Writer         // nil while nothing is written
	problems map[string]int64      // that are listed, by code
	outline  *Outline
	parents  map[core.PoolID]map[core.PoolID]bool
	within   map[core.OperationID]map[core.PoolID]bool
}

// A place is what a row of a table of versions is about.
type place struct {
	folder, table string
	id            int32
}

// look returns what a trace consists of: all rows of its dimensions, also those that no table of a
// tree refers to.
func look(ctx context.Context, dir, job string) (*Outline, error) {
	m, err := trace.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	c := &cutter{ctx: ctx, dir: dir, selected: selection{window: m.Window, job: job}, manifest: m, whole: true}
	return c.survey()
}

// cut writes what is selected of the trace in dir to w, but for Commit, and returns what that
// consists of and its manifest.
func cut(ctx context.Context, dir string, s selection, w *trace.Writer) (*Outline, trace.Manifest, error) {
	m, err := trace.ReadManifest(dir)
	if err != nil {
		return nil, trace.Manifest{}, err
	}
	c := &cutter{ctx: ctx, dir: dir, selected: s, manifest: m, late: s.window.From > m.Window.From}
	o, err := c.survey()
	if err != nil {
		return nil, trace.Manifest{}, err
	}
	c.out = w
	if err := c.tables(); err != nil {
		return nil, trace.Manifest{}, err
	}
	return o, c.excerpt(), nil
}

// excerpt is the manifest of what is selected.
func (c *cutter) excerpt() trace.Manifest {
	m := *c.manifest
	m.Trees, m.Window = c.selected.trees, c.selected.window
	if c.late {
		m.WarmupUS = 0
	}
	m.LookaheadUS += int64(c.manifest.Window.To - m.Window.To)
	m.Sources, m.Log = nil, nil // it is no copy of them
	m.Resources = slices.Clone(m.Resources)
	for i := range m.Resources {
		m.Resources[i].Total = 0 // of what is left nobody counted it
		if c.selected.without[allocations] && m.Resources[i].Usage == "recorded" {
			m.Resources[i].Usage = "requested" // what changed it is gone
		}
	}
	if c.selected.without[heartbeats] {
		m.Coverage.Heartbeats = "none"
	}
	return m
}

// survey goes over the tables without writing.
func (c *cutter) survey() (*Outline, error) {
	c.outline = &Outline{Window: c.selected.window, Records: map[string]int64{}, Subject: Job{core.Unknown, core.Unknown}}
	c.parents, c.within = map[core.PoolID]map[core.PoolID]bool{}, map[core.OperationID]map[core.PoolID]bool{}
	c.jobs, c.latest, c.problems = map[core.JobID]core.JobID{}, map[place]trace.Stamp{}, map[string]int64{}
	if c.selected.trees == nil {
		var err error
		if c.selected.trees, err = c.manifest.TreesIn(c.dir); err != nil {
			return nil, err
		}
	}
	c.outline.Trees = c.selected.trees
	c.pools.allowed, c.operations.allowed, c.nodes.allowed = c.selected.pools, c.selected.operations, c.selected.nodes
	for _, count := range []func() error{
		func() error { return counted(c, trace.Pools, &c.pools) },
		func() error { return counted(c, trace.Operations, &c.operations) },
		func() error { return counted(c, trace.Nodes, &c.nodes) },
		c.leaveOutOver, c.findLatest, c.tables,
	} {
		if err := count(); err != nil {
			return nil, err
		}
	}
	c.pools.renumber()
	c.operations.renumber()
	c.nodes.renumber()
	return c.outline, c.draw()
}

// counted finds how many rows a dimension has, and so which numbers it has.
func counted[T any, ID ~int32](c *cutter, table *parquetlog.TableOf[T], n *numbering[ID]) error {
	count := 0
	err := each(c, "dim", table, func(*T) error {
		count++
		return nil
	})
	n.used = slices.Repeat([]bool{c.whole}, count)
	return err
}

// leaveOutOver leaves out operations that were over when the window begins.
func (c *cutter) leaveOutOver() error {
	if !c.late {
		return nil
	}
	allowed := make([]bool, len(c.operations.used))
	err := each(c, "dim", trace.Operations, func(r *trace.Operation) error {
		allowed[r.Op] = c.operations.has(r.Op) && !(r.FinishTime.Set && r.FinishTime.Value < c.selected.window.From)
		return nil
	})
	c.operations.allowed = allowed
	return err
}

// findLatest finds the rows of versions that hold when the window begins.
func (c *cutter) findLatest() error {
	if !c.late {
		return nil
	}
	folders := []string{"global"}
	for _, tree := range c.selected.trees {
		folders = append(folders, trace.TreeDir(tree))
	}
	for _, folder := range folders {
		for _, find := range []func() error{
			func() error {
				return latest(c, folder, trace.ClusterConfigs, func(r *trace.ClusterConfig) (int32, trace.Stamp) { return 0, r.Stamp })
			},
			func() error {
				return latest(c, folder, trace.TreeConfigs, func(r *trace.TreeConfig) (int32, trace.Stamp) { return 0, r.Stamp })
			},
			func() error {
				return latest(c, folder, trace.PoolConfigs, func(r *trace.PoolConfig) (int32, trace.Stamp) { return int32(r.Pool), r.Stamp })
			},
			func() error {
				return latest(c, folder, trace.NodeStates, func(r *trace.NodeState) (int32, trace.Stamp) { return int32(r.Node), r.Stamp })
			},
			func() error {
				return latest(c, folder, trace.Demands, func(r *trace.Demand) (int32, trace.Stamp) { return int32(r.Op), r.Stamp })
			},
		} {
			if err := find(); err != nil {
				return err
			}
		}
	}
	return nil
}

func latest[T any](c *cutter, folder string, table *parquetlog.TableOf[T], of func(*T) (int32, trace.Stamp)) error {
	return each(c, folder, table, func(r *T) error {
		if id, at := of(r); at.Time < c.selected.window.From {
			c.latest[place{folder, table.Name, id}] = at
		}
		return nil
	})
}

// holds reports whether a version holds within the window.
func (c *cutter) holds(folder, table string, id int32, at trace.Stamp) bool {
	if !c.late || at.Time >= c.selected.window.From {
		return at.Time < c.selected.window.To
	}
	return c.latest[place{folder, table, id}] == at
}

// recorded reports whether what was recorded at a time stays.
func (c *cutter) recorded(what string, at trace.Stamp) bool {
	if at.Time >= c.selected.window.To || c.late && at.Time < c.selected.window.From {
		return false
	}
	return !c.selected.without[what]
}

// each goes over a table of the trace.
func each[T any](c *cutter, folder string, table *parquetlog.TableOf[T], use func(*T) error) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	n := 0
	return trace.EachRow(filepath.Join(c.dir, folder), table, func(r *T) error {
		if n++; n%(1<<16) == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		return use(r)
	})
}

// tables goes over all tables.
func (c *cutter) tables() error {
	copied := trace.Copy{Dir: c.dir, Trees: c.selected.trees, Editor: c, To: c.out}
	if c.out == nil {
		copied.Seen = func(table string) {
			c.outline.Rows++
			if what, ok := recordsOf[table]; ok {
				c.outline.Records[what]++
			}
		}
	}
	if err := copied.Run(c.ctx); err != nil || c.out == nil || c.selected.without[problems] {
		return err
	}
	for code, n := range c.manifest.Quarantined {
		c.out.CountProblems(code, n-c.problems[code]) // of what was too much to be listed
	}
	return nil
}

// Operation, Pool and Node keep what other rows refer to, once that is known.

func (c *cutter) Operation(r *trace.Operation) bool { return c.out != nil && c.operations.turn(&r.Op) }
func (c *cutter) Pool(r *trace.Pool) bool           { return c.out != nil && c.pools.turn(&r.Pool) }
func (c *cutter) Node(r *trace.Node) bool           { return c.out != nil && c.nodes.turn(&r.Node) }

func (c *cutter) ProcessEvent(r *trace.ProcessEvent) bool {
	return r.Time < c.selected.window.To
}

func (c *cutter) Problem(r *trace.Problem) bool {
	if c.out != nil {
		c.problems[r.Code]++
	}
	return !c.selected.without[problems]
}

func (c *cutter) ClusterConfig(r *trace.ClusterConfig) bool {
	if !c.holds("global", trace.ClusterConfigs.Name, 0, r.Stamp) {
		return false
	}
	has := func(tree string) bool { return slices.Contains(c.selected.trees, tree) }
	names := strings.Split(r.Trees, ",")
	r.Trees = strings.Join(slices.DeleteFunc(names, func(tree string) bool { return !has(tree) }), ",")
	if r.DefaultTree.Set && !has(r.DefaultTree.Value) {
		r.DefaultTree = core.Optional[string]{}
	}
	return true
}

func (c *cutter) NodeState(folder string, r *trace.NodeState) bool {
	return c.holds(folder, trace.NodeStates.Name, int32(r.Node), r.Stamp) && c.nodes.turn(&r.Node)
}

// A numbering turns the numbers of a dimension into new ones, without those that leave.
type numbering[ID ~int32] struct {
	allowed []bool // which may stay; nil for all
	used    []bool // which are referred to
	number  []ID   // the new numbers, once they are known
}

// has reports whether an element may stay. A number that the dimension does not have is none
// of an element.
func (n *numbering[ID]) has(id ID) bool {
	return id < 0 || int(id) >= len(n.used) || n.allowed == nil || n.allowed[id]
}

// turn notes a reference or, once numbers are known, turns it. It reports whether the
// element stays.
func (n *numbering[ID]) turn(id *ID) bool {
	switch {
	case !n.has(*id):
		return false
	case *id < 0 || int(*id) >= len(n.used):
		return true
	case n.number == nil:
		n.used[*id] = true
		return true
	case !n.used[*id]:
		return false
	}
	*id = n.number[*id]
	return true
}

// turnOptional is turn for a number that may be missing.
func (n *numbering[ID]) turnOptional(id *core.Optional[ID]) bool {
	return !id.Set || n.turn(&id.Value)
}

func (n *numbering[ID]) renumber() {
	n.number = make([]ID, len(n.used))
	next := 0
	for i, used := range n.used {
		if used {
			n.number[i] = ID(next)
			next++
		}
	}
	if next > math.MaxInt32 {
		panic(fmt.Sprintf("%d elements of a dimension", next)) // its numbers are 32 bits
	}
}
