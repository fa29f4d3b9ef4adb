package eventlogtest

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

// accumulatedUsageInfo reports what the operations of a tree held since the last report
// (ingest/trace/FORMAT.md §1.3). What older logs lack is the whole row.
func (w *writer) accumulatedUsageInfo(at core.Time, tree int) Value {
	total := trace.Resources{}
	for n := range w.nodeNow {
		if now := &w.nodeNow[n]; now.known && now.Online && now.tree == tree {
			total = plus(total, now.Limit)
		}
	}
	pools, operations := newMap(8), newMap(8)
	for _, id := range w.poolsOf(tree) {
		pools.put(w.pools[id].Name, w.guaranteesOf(id, total))
	}
	pools.put(rootName, newMap(0))
	for op := range w.operation {
		if t := w.of(core.OperationID(op), tree); t != nil && t.in {
			operations.put(w.operationID(core.OperationID(op)), w.usageOf(core.OperationID(op), t, at))
		}
	}
	v := newRow(at, "accumulated_usage_info")
	v.put("tree_id", textOf(w.trees[tree].name))
	v.put("pools", pools)
	v.put("operations", operations)
	return v
}

func (w *writer) guaranteesOf(pool core.PoolID, total trace.Resources) Value {
	c := w.configOf(pool)
	parent := rootName
	if p, ok := w.parent(pool); ok {
		parent = w.pools[p].Name
	}
	inEvery := func(p trace.PartialResources) Value {
		return w.Age.resources(part(everywhere(dominant(shareOf(whole(p), total)), total), total))
	}
	v := newMap(5)
	v.put("abc", orNull(c.ABC, textOf))
	v.put("parent", textOf(parent))
	v.put("strong_guarantee_resources", w.Age.resources(whole(c.Strong)))
	v.put("burst_guarantee_resources", inEvery(c.Burst))
	v.put("resource_flow", inEvery(c.Flow))
	return v
}

func (w *writer) usageOf(op core.OperationID, t *operationTree, at core.Time) Value {
	used := volume(t.report(at))
	v := newMap(5)
	v.put("pool", textOf(w.poolName(t.pool)))
	v.put("accumulated_resource_usage", used)
	v.put("user", textOf(w.operations[op].User))
	v.put("operation_type", textOf(w.operations[op].Type))
	if w.Age.newest() {
		distribution := newMap(1)
		distribution.put("usage", used)
		v.put("accumulated_resource_distribution", distribution)
	}
	return v
}
