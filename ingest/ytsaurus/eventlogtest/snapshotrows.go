package eventlogtest

import (
	"fmt"
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A snapshot is one of a tree, with what its rows need besides.
type snapshot struct {
	*writer
	tree       int
	at         core.Time
	base       *trace.SnapTree
	pools      []trace.SnapPool
	operations []trace.SnapOp
	children   map[core.PoolID]int64 // pools right below
	inPool     map[core.PoolID]int64 // operations right in it
}

// fairShareInfo writes a snapshot: one row in older logs, else the base row, then pools,
// then operations, in batches (ingest/trace/FORMAT.md §1.3).
func (w *writer) fairShareInfo(tree int, base *trace.SnapTree, emit func(Value)) error {
	s, err := w.snapshotOf(tree, base)
	if err != nil {
		return err
	}
	pools, operations := s.poolRows(), s.operationRows()
	v := newRow(s.at, "fair_share_info")
	v.put("tree_id", textOf(w.trees[tree].name))
	if w.Age.old() {
		v.put("pool_count", intOf(len(s.pools)))
		v.put("pools", pools)
		v.put("operations", operations)
		emit(v)
		return nil
	}
	v.put("tree_snapshot_id", textOf(guid("snapshot", w.trees[tree].name, base.Snapshot, fmt.Sprint(w.Seed))))
	head := v
	v = copyOf(&head)
	v.put("pool_count", intOf(len(s.pools)))
	v.put("resource_distribution_info", s.distribution())
	emit(v)
	s.batches(&head, "pools", &pools, emit)
	s.batches(&head, "operations", &operations, emit)
	return nil
}

func copyOf(v *Value) Value {
	c := *v
	c.keys, c.items = slices.Clone(v.keys), slices.Clone(v.items)
	return c
}

func (s *snapshot) batches(head *Value, what string, all *Value, emit func(Value)) {
	for from, batch := 0, 0; from < len(all.keys); from, batch = from+s.ElementsPerRow, batch+1 {
		to := min(from+s.ElementsPerRow, len(all.keys))
		v := copyOf(head)
		v.put(what+"_batch_index", intOf(batch))
		v.put(what, Value{kind: mapping, keys: all.keys[from:to], items: all.items[from:to]})
		emit(v)
	}
}

func (w *writer) snapshotOf(tree int, base *trace.SnapTree) (*snapshot, error) {
	s := &snapshot{writer: w, tree: tree, at: base.Time, base: base, children: map[core.PoolID]int64{}, inPool: map[core.PoolID]int64{}}
	c := &w.cursors[tree]
	var err error
	s.pools, err = c.pools.take(
		func(r *trace.SnapPool) bool { return r.Time < base.Time },
		func(r *trace.SnapPool) bool { return r.Time == base.Time && r.Snapshot == base.Snapshot })
	if err != nil {
		return nil, err
	}
	s.operations, err = c.operations.take(
		func(r *trace.SnapOp) bool { return r.Time < base.Time },
		func(r *trace.SnapOp) bool { return r.Time == base.Time && r.Snapshot == base.Snapshot })
	if err != nil {
		return nil, err
	}
	for i := range s.pools {
		if s.pools[i].Parent.Set {
			s.children[s.pools[i].Parent.Value]++
		}
	}
	for i := range s.operations {
		s.inPool[s.operations[i].Pool]++
	}
	return s, nil
}

// distribution sums up what the pools right below the root are guaranteed.
func (s *snapshot) distribution() Value {
	var strong, flow, burst trace.Resources
	for i := range s.pools {
		if p := &s.pools[i]; !p.Parent.Set {
			c := s.configOf(p.Pool)
			strong, flow, burst = plus(strong, whole(c.Strong)), plus(flow, whole(c.Flow)), plus(burst, whole(c.Burst))
		}
	}
	strong = s.base.DistributedStrong.Or(strong)
	flow = s.base.DistributedFlow.Or(flow)
	left := s.base.UndistributedStrong.Or(minus(s.base.Limits, strong))
	flowLeft := s.base.UndistributedFlow.Or(trace.Resources{})
	v := newMap(7)
	v.put("distributed_strong_guarantee_resources", s.Age.resources(strong))
	v.put("distributed_resource_flow", s.Age.resources(flow))
	v.put("distributed_burst_guarantee_resources", s.Age.resources(burst))
	v.put("distributed_resources", s.Age.resources(strong))
	v.put("undistributed_resources", s.Age.resources(left))
	v.put("undistributed_resource_flow", s.Age.resources(flowLeft))
	v.put("undistributed_burst_guarantee_resources", s.Age.resources(trace.Resources{}))
	return v
}
