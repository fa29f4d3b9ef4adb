package trace

import (
	"context"
	"errors"
	"path/filepath"

	"poolproof/ingest/parquetlog"
)

// An Editor is shown every row of a trace and may change it. Each method reports whether the
// row stays. The folder is that of the table: global, or TreeDir of a tree.
type Editor interface {
	Operation(r *Operation) bool
	Pool(r *Pool) bool
	Node(r *Node) bool

	ClusterConfig(r *ClusterConfig) bool
	ProcessEvent(r *ProcessEvent) bool
	Problem(r *Problem) bool
	NodeState(folder string, r *NodeState) bool

	TreeConfig(folder string, r *TreeConfig) bool
	PoolConfig(folder string, r *PoolConfig) bool
	Heartbeat(folder string, r *Heartbeat) bool
	Job(folder string, r *Job) bool
	Allocation(folder string, r *Allocation) bool // after all jobs of the tree
	OpEvent(folder string, r *OpEvent) bool
	Demand(folder string, r *Demand) bool
	SnapTree(folder string, r *SnapTree) bool
	SnapPool(folder string, r *SnapPool) bool
	SnapOp(folder string, r *SnapOp) bool
	Accumulated(folder string, r *Accumulated) bool
}

// A Copy goes over the rows of a trace, in one order: the dimensions, the trees, what concerns
// all of them.
type Copy struct {
	Dir    string
	Trees  []string                 // whose rows are shown
	Editor Editor                   // which sees each row
	To     *Writer                  // of the rows that stay; nil to look only
	Name   func(tree string) string // of the tree there; nil for the same
	Seen   func(table string)       // if set, is called for each row that stays
}

// Run shows all rows. It ends early if the context does.
func (c *Copy) Run(ctx context.Context) error {
	e := c.Editor
	for _, step := range []func() error{
		func() error { return copyTable(ctx, c, "dim", Operations, e.Operation, (*Writer).AddOperation) },
		func() error { return copyTable(ctx, c, "dim", Pools, e.Pool, (*Writer).AddPool) },
		func() error { return copyTable(ctx, c, "dim", Nodes, e.Node, (*Writer).AddNode) },
		func() error { return c.trees(ctx) },
		func() error {
			return copyTable(ctx, c, globalDir, ClusterConfigs, e.ClusterConfig, (*Writer).AddClusterConfig)
		},
		func() error {
			return copyTable(ctx, c, globalDir, NodeStates, in(globalDir, e.NodeState), (*Writer).AddNodeState)
		},
		func() error {
			return copyTable(ctx, c, globalDir, ProcessEvents, e.ProcessEvent, (*Writer).AddProcessEvent)
		},
		func() error { return copyTable(ctx, c, globalDir, Problems, e.Problem, (*Writer).AddProblem) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

const globalDir = "global"

func (c *Copy) trees(ctx context.Context) error {
	for _, tree := range c.Trees {
		if err := c.tree(ctx, tree); err != nil {
			return err
		}
	}
	return nil
}

func (c *Copy) tree(ctx context.Context, tree string) error {
	e, folder, name := c.Editor, TreeDir(tree), tree
	if c.Name != nil {
		name = c.Name(tree)
	}
	if c.To != nil {
		c.To.Tree(name) // also where it has no row
	}
	for _, step := range []func() error{
		func() error {
			return copyTree(ctx, c, folder, name, TreeConfigs, e.TreeConfig, (*TreeWriter).AddTreeConfig)
		},
		func() error {
			return copyTree(ctx, c, folder, name, PoolConfigs, e.PoolConfig, (*TreeWriter).AddPoolConfig)
		},
		func() error {
			return copyTree(ctx, c, folder, name, NodeStates, e.NodeState, (*TreeWriter).AddNodeState)
		},
		func() error {
			return copyTree(ctx, c, folder, name, Heartbeats, e.Heartbeat, (*TreeWriter).AddHeartbeat)
		},
		func() error { return copyTree(ctx, c, folder, name, Jobs, e.Job, (*TreeWriter).AddJob) },
		func() error {
			return copyTree(ctx, c, folder, name, Allocations, e.Allocation, (*TreeWriter).AddAllocation)
		},
		func() error { return copyTree(ctx, c, folder, name, OpEvents, e.OpEvent, (*TreeWriter).AddOpEvent) },
		func() error { return copyTree(ctx, c, folder, name, Demands, e.Demand, (*TreeWriter).AddDemand) },
		func() error { return copyTree(ctx, c, folder, name, SnapTrees, e.SnapTree, (*TreeWriter).AddSnapTree) },
		func() error { return copyTree(ctx, c, folder, name, SnapPools, e.SnapPool, (*TreeWriter).AddSnapPool) },
		func() error { return copyTree(ctx, c, folder, name, SnapOps, e.SnapOp, (*TreeWriter).AddSnapOp) },
		func() error {
			return copyTree(ctx, c, folder, name, Accumulateds, e.Accumulated, (*TreeWriter).AddAccumulated)
		},
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func copyTree[T any](ctx context.Context, c *Copy, folder, name string, table *parquetlog.TableOf[T], keep func(string, *T) bool, add func(*TreeWriter, *T) error) error {
	return copyTable(ctx, c, folder, table, in(folder, keep), func(w *Writer, r *T) error { return add(w.Tree(name), r) })
}

// in fixes the folder of an editor's method.
func in[T any](folder string, keep func(string, *T) bool) func(*T) bool {
	return func(r *T) bool { return keep(folder, r) }
}

// askAfter is after how many rows a Copy looks whether it shall end.
const askAfter = 1 << 16

func copyTable[T any](ctx context.Context, c *Copy, folder string, table *parquetlog.TableOf[T], keep func(*T) bool, add func(*Writer, *T) error) error {
	n := 0
	return EachRow(filepath.Join(c.Dir, folder), table, func(r *T) error {
		if n++; n%askAfter == 1 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !keep(r) {
			return nil
		}
		if c.Seen != nil {
			c.Seen(table.Name)
		}
		if c.To == nil {
			return nil
		}
		err := add(c.To, r)
		if errors.Is(err, ErrOrder) {
			err = &parquetlog.FormatError{File: filepath.Join(c.Dir, folder, table.Name), Found: err.Error(),
				Advice: "poolproof validate lists all such rows; sort the table, or import the log again."}
		}
		return err
	})
}
