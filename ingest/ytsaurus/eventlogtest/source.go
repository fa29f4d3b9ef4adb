package eventlogtest

import (
	"fmt"
	"path/filepath"
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A source is a trace as far as it is held in memory.
type source struct {
	manifest    *trace.Manifest
	dir         string
	defaultTree string
	operations  []trace.Operation // by number
	pools       []trace.Pool      // by number
	nodes       []trace.Node      // by number
	processes   []trace.ProcessEvent
	nodeStates  []nodeState // of all trees and of none, in order
	trees       []tree      // in the order of the manifest
	jobs        []job
	places      map[core.PoolID][]poolPlace // in the order of time; none under the root
	addresses   []string                    // of nodes, as the log has them
	result      *Result
}

// A tree is what one tree's tables hold.
type tree struct {
	name        string
	configs     []trace.TreeConfig
	poolConfigs []trace.PoolConfig
	events      []trace.OpEvent
	snapshots   []trace.SnapTree
}

// A poolPlace is a pool above another in some snapshots that follow each other.
type poolPlace struct {
	parent core.PoolID
	seen   core.Span
}

// shows notes what a snapshot shows of a pool, which may come and go, and come back
// elsewhere.
func (s *source) shows(pool, parent core.PoolID, at core.Time) {
	all := s.places[pool]
	if n := len(all); n > 0 && all[n-1].parent == parent {
		all[n-1].seen.To = at
		return
	}
	s.places[pool] = append(all, poolPlace{parent, core.Span{From: at, To: at}})
}

// parentAt returns the parent of a pool by the snapshot that is nearest to a moment.
func (s *source) parentAt(pool core.PoolID, at core.Time) (parent core.PoolID, ok bool) {
	var nearest core.Time
	for _, p := range s.places[pool] {
		if far := max(p.seen.From-at, at-p.seen.To, 0); !ok || far < nearest {
			parent, nearest, ok = p.parent, far, true
		}
	}
	return parent, ok
}

// A nodeState is a row of node_state. The tree is negative for a node of no tree or
// of several.
type nodeState struct {
	trace.NodeState
	tree  int
	known bool // of a node at a moment: the log has told of it
}

// A job is what the log records of one.
type job struct {
	id, kind, reason, forJob, predecessor, predecessorType string

	op, forOp     core.OperationID // forOp is negative if there is none
	node          core.NodeID
	start, finish core.Time // finish is 0 if the log does not record it
	limits        trace.Resources
	tree          int
	end           string // completed, failed, aborted, or "" if it has no finish row
	competition   string
	told          bool // its start is logged
}

const noOperation core.OperationID = -1

func readSource(dir string, result *Result) (*source, error) {
	m, err := trace.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	s := &source{manifest: m, dir: dir, places: map[core.PoolID][]poolPlace{}, result: result}
	dim, global := filepath.Join(dir, "dim"), filepath.Join(dir, "global")
	if s.operations, err = collect(trace.Operations, dim); err != nil {
		return nil, err
	}
	if s.pools, err = collect(trace.Pools, dim); err != nil {
		return nil, err
	}
	if s.nodes, err = collect(trace.Nodes, dim); err != nil {
		return nil, err
	}
	for _, n := range s.nodes {
		s.addresses = append(s.addresses, asAddress(n.Address, result.Nodes))
	}
	if s.processes, err = collect(trace.ProcessEvents, global); err != nil {
		return nil, err
	}
	clusters, err := collect(trace.ClusterConfigs, global)
	if err != nil {
		return nil, err
	}
	for _, c := range clusters[:min(1, len(clusters))] {
		s.defaultTree = c.DefaultTree.Or("")
	}
	if err := s.readNodeStates(global, -1); err != nil {
		return nil, err
	}
	for i, name := range m.Trees {
		if err := s.readTree(i, name); err != nil {
			return nil, fmt.Errorf("read tree %s: %w", name, err)
		}
	}
	// A node that moves leaves the one tree before it joins the other.
	slices.SortStableFunc(s.nodeStates, func(a, b nodeState) int {
		switch {
		case a.Time != b.Time:
			return int(a.Time - b.Time)
		case a.Online != b.Online && a.Online:
			return 1
		case a.Online != b.Online:
			return -1
		}
		return 0
	})
	return s, nil
}

func (s *source) readNodeStates(folder string, tree int) error {
	for row, err := range rowsOf(trace.NodeStates, folder) {
		if err != nil {
			return err
		}
		s.nodeStates = append(s.nodeStates, nodeState{NodeState: *row, tree: tree})
	}
	return nil
}

func (s *source) folder(tree int) string {
	return filepath.Join(s.dir, trace.TreeDir(s.manifest.Trees[tree]))
}

func (s *source) readTree(number int, name string) (err error) {
	t, folder := tree{name: name}, s.folder(number)
	if t.configs, err = collect(trace.TreeConfigs, folder); err != nil {
		return err
	}
	if t.poolConfigs, err = collect(trace.PoolConfigs, folder); err != nil {
		return err
	}
	if t.events, err = collect(trace.OpEvents, folder); err != nil {
		return err
	}
	if t.snapshots, err = collect(trace.SnapTrees, folder); err != nil {
		return err
	}
	if err := s.readNodeStates(folder, number); err != nil {
		return err
	}
	for row, err := range rowsOf(trace.SnapPools, folder) {
		if err != nil {
			return err
		}
		if row.Parent.Set {
			s.shows(row.Pool, row.Parent.Value, row.Time)
		}
	}
	for row, err := range rowsOf(trace.Jobs, folder) {
		if err != nil {
			return err
		}
		s.jobs = append(s.jobs, s.jobOf(number, row))
	}
	s.trees = append(s.trees, t)
	return nil
}

func (s *source) jobOf(tree int, r *trace.Job) job {
	j := job{
		id: asGUID("job", r.ID, s.result.Jobs), kind: r.Type.Or(""), op: r.Op, forOp: noOperation, node: r.Node, start: r.Time,
		limits: r.Limits, tree: tree, competition: r.Competition.Or("none"), told: r.StartedLogged,
		reason: r.AbortReason.Or("unknown"), predecessorType: r.PredecessorType.Or(""),
	}
	if r.PredecessorJob.Set {
		j.predecessor = asGUID("job", r.PredecessorJob.Value, s.result.Jobs)
	}
	if ended := r.EndKind == "completed" || r.EndKind == "failed" || r.EndKind == "aborted"; ended && r.FinishTime.Set {
		j.end, j.finish = r.EndKind, r.FinishTime.Value
	}
	if r.PreemptedFor.Set && r.PreemptedForJob.Set {
		j.forOp, j.forJob = r.PreemptedFor.Value, asGUID("job", r.PreemptedForJob.Value, s.result.Jobs)
	}
	return j
}

// operationID returns the id of an operation as the log has it.
func (s *source) operationID(op core.OperationID) string {
	return asGUID("operation", s.operations[op].ID, s.result.Operations)
}
