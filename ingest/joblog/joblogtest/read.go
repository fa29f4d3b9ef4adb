// Package joblogtest reads the traces that importers write back, whole and
// small, for their tests.
package joblogtest

import (
	"path/filepath"
	"testing"

	"poolproof/ingest/parquetlog"
	"poolproof/ingest/parquetlog/parquetlogtest"
	"poolproof/ingest/trace"
)

// A Trace is a trace in memory.
type Trace struct {
	Manifest       *trace.Manifest
	Operations     []trace.Operation
	Pools          []trace.Pool
	Nodes          []trace.Node
	NodeStates     []trace.NodeState // of nodes in no tree or in several
	ClusterConfigs []trace.ClusterConfig
	ProcessEvents  []trace.ProcessEvent
	Problems       []trace.Problem
	Trees          []Tree // in the order of the manifest
}

// A Tree is the tables of one tree.
type Tree struct {
	Name        string
	TreeConfigs []trace.TreeConfig
	PoolConfigs []trace.PoolConfig
	NodeStates  []trace.NodeState
	OpEvents    []trace.OpEvent
	Demands     []trace.Demand
	Heartbeats  []trace.Heartbeat
	Jobs        []trace.Job
	SnapTrees   []trace.SnapTree
	SnapPools   []trace.SnapPool
	SnapOps     []trace.SnapOp
}

// Read reads the trace in dir.
func Read(t testing.TB, dir string) *Trace {
	t.Helper()
	m, err := trace.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &Trace{Manifest: m}
	dim, global := filepath.Join(dir, "dim"), filepath.Join(dir, "global")
	r.Operations = table(t, trace.Operations, dim)
	r.Pools = table(t, trace.Pools, dim)
	r.Nodes = table(t, trace.Nodes, dim)
	r.NodeStates = table(t, trace.NodeStates, global)
	r.ClusterConfigs = table(t, trace.ClusterConfigs, global)
	r.ProcessEvents = table(t, trace.ProcessEvents, global)
	r.Problems = table(t, trace.Problems, global)
	for _, name := range m.Trees {
		folder := filepath.Join(dir, trace.TreeDir(name))
		r.Trees = append(r.Trees, Tree{
			Name:        name,
			TreeConfigs: table(t, trace.TreeConfigs, folder),
			PoolConfigs: table(t, trace.PoolConfigs, folder),
			NodeStates:  table(t, trace.NodeStates, folder),
			OpEvents:    table(t, trace.OpEvents, folder),
			Demands:     table(t, trace.Demands, folder),
			Heartbeats:  table(t, trace.Heartbeats, folder),
			Jobs:        table(t, trace.Jobs, folder),
			SnapTrees:   table(t, trace.SnapTrees, folder),
			SnapPools:   table(t, trace.SnapPools, folder),
			SnapOps:     table(t, trace.SnapOps, folder),
		})
	}
	return r
}

func table[T any](t testing.TB, of *parquetlog.TableOf[T], folder string) []T {
	t.Helper()
	files, err := trace.Files(folder, of.Name)
	if err != nil {
		t.Fatal(err)
	}
	var all []T
	for _, f := range files {
		rows, err := parquetlogtest.ReadAll(of, f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rows...)
	}
	return all
}
