package eventlogtest

import (
	"cmp"
	"fmt"
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A snapshot is one snapshot of a tree.
type snapshot struct {
	*writer
	tree       int
	base       *trace.SnapTree
	pools      []trace.SnapPool
	operations []trace.SnapOp
}

// fairShareInfo writes a snapshot: one row in older logs, else the base row, then pools,
// then operations, in batches (ingest/trace/FORMAT.md §1.3).
func (w *writer) fairShareInfo(tree int, base *trace.SnapTree) {
	of := &w.Trees[tree]
	s := &snapshot{writer: w, tree: tree, base: base}
	s.pools = rowsAt(of.SnapPools, base, func(r *trace.SnapPool) (core.Time, string) { return r.Time, r.Snapshot })
	s.operations = rowsAt(of.SnapOps, base, func(r *trace.SnapOp) (core.Time, string) { return r.Time, r.Snapshot })
	pools, operations := s.poolRecords(), s.operationRecords()
	rows := []row{{"pool_count": len(s.pools), "pools": pools, "operations": operations}}
	if !w.Age.old() {
		rows = append([]row{{"pool_count": len(s.pools), "resource_distribution_info": s.distribution()}}, batches("pools", pools, w.ElementsPerRow)...)
		rows = append(rows, batches("operations", operations, w.ElementsPerRow)...)
	}
	for _, known := range rows {
		known["tree_id"], known["tree_snapshot_id"] = of.Name, guid("snapshot", of.Name, base.Snapshot, fmt.Sprint(w.Seed))
		w.emit(base.Time, "fair_share_info", known)
	}
}

// batches splits records into those of rows.
func batches(what string, all Value, perRow int) (rows []row) {
	for from := 0; from < len(all.keys); from += perRow {
		to := min(from+perRow, len(all.keys))
		rows = append(rows, row{what + "_batch_index": from / perRow, what: Value{kind: mapping, keys: all.keys[from:to], items: all.items[from:to]}})
	}
	return rows
}

// rowsAt returns the rows of a table that belong to a snapshot.
func rowsAt[T any](table []T, base *trace.SnapTree, of func(*T) (core.Time, string)) (rows []T) {
	from, _ := slices.BinarySearchFunc(table, base.Time, func(r T, at core.Time) int { t, _ := of(&r); return cmp.Compare(t, at) })
	for i := from; i < len(table); i++ {
		at, id := of(&table[i])
		if at > base.Time {
			break
		}
		if id == base.Snapshot {
			rows = append(rows, table[i])
		}
	}
	return rows
}

// distribution sums up what the pools right below the root are guaranteed.
func (s *snapshot) distribution() row {
	var strong, flow trace.Resources
	for i := range s.pools {
		if p := &s.pools[i]; !p.Parent.Set {
			c := s.configOf(p.Pool)
			strong, flow = plus(strong, whole(c.Strong), 1), plus(flow, whole(c.Flow), 1)
		}
	}
	return row{
		"distributed_strong_guarantee_resources": s.base.DistributedStrong.Or(strong),
		"distributed_resource_flow":              s.base.DistributedFlow.Or(flow), "undistributed_resource_flow": s.base.UndistributedFlow.Value,
	}
}

// whole returns what a configuration names, and nothing of the rest.
func whole(p trace.PartialResources) trace.Resources {
	return trace.Resources{UserSlots: p.UserSlots.Value, CPUMilli: p.CPUMilli.Value, GPU: p.GPU.Value, Memory: p.Memory.Value, Network: p.Network.Value}
}

// element returns what records of pools and of operations have in common.
func (s *snapshot) element(x *trace.SnapShares, weight float64, strong trace.PartialResources, inForce trace.SnapSettings) row {
	known := row{
		"weight": weight, "dominant_resource": x.Dominant, "resource_usage": x.Usage, "resource_demand": x.Demand, "resource_limits": x.Limits.Or(s.base.Limits),
		"usage_share": x.UsageShare.Value, "demand_share": x.DemandShare.Value, "strong_guarantee_share": x.StrongShare.Value,
		"usage_ratio": dominant(x.UsageShare), "demand_ratio": dominant(x.DemandShare), "min_share_ratio": dominant(x.StrongShare), "fair_share_ratio": dominant(x.FairTotal),
		"detailed_fair_share": row{
			"strong_guarantee": x.FairStrong.Value, "integral_guarantee": x.FairIntegral.Value, "weight_proportional": x.FairWeight.Value, "total": x.FairTotal.Value,
			"min_share_guarantee_ratio": dominant(x.FairStrong), "integral_guarantee_ratio": dominant(x.FairIntegral), "weight_proportional_ratio": dominant(x.FairWeight),
		},
		"min_share_resources": whole(strong), "strong_guarantee_resources": whole(strong),
		"satisfaction_ratio": x.Satisfaction, "local_satisfaction_ratio": x.LocalSatisfaction,
		"starvation_status": x.StarvationStatus, "starving": x.StarvationStatus != "non_starving",
		"effective_fair_share_starvation_tolerance": inForce.StarvationTolerance, "effective_fair_share_starvation_timeout": inForce.StarvationTimeoutMS,
		"effective_aggressive_starvation_enabled": inForce.AggressiveStarvation, "effective_non_preemptible_resource_usage_threshold": nil,
	}
	if inForce.ThresholdRecorded.Value {
		known["effective_non_preemptible_resource_usage_threshold"] = inForce.NonPreemptible
	}
	return known
}

// dominant returns the largest component of a share.
func dominant(s core.Optional[trace.Shares]) float64 {
	return max(s.Value.UserSlots, s.Value.CPU, s.Value.GPU, s.Value.Memory, s.Value.Network)
}

// poolRecords returns the records of all pools of the snapshot, and of the root, which
// the trace does not have.
func (s *snapshot) poolRecords() Value {
	own := map[core.PoolID]int64{} // operations right in it
	for i := range s.operations {
		own[s.operations[i].Pool]++
	}
	root, v := trace.SnapShares{Dominant: "cpu", StarvationStatus: "non_starving"}, Value{kind: mapping}
	for i := range s.pools {
		p := &s.pools[i]
		if !p.Parent.Set {
			root.Usage, root.Demand = plus(root.Usage, p.Usage, 1), plus(root.Demand, p.Demand, 1)
		}
		v.put(s.poolName(p.Pool), s.pool(p, own[p.Pool]))
	}
	root.Usage = s.base.Usage.Or(root.Usage)
	known := s.element(&root, 1, trace.PartialResources{}, s.base.SnapSettings).with(row{"pool_operation_count": own[noPool]})
	v.put(rootName, s.record("fair_share_info.pools."+rootName, known))
	return v
}

func (s *snapshot) pool(p *trace.SnapPool, own int64) Value {
	c := s.configOf(p.Pool)
	ephemeral := c.Ephemeral && s.removed[p.Pool] != s.base.Time // it is seen with the next update
	integral := cmp.Or(p.IntegralType.Or(c.IntegralType), "none")
	known := s.element(&p.SnapShares, p.Weight, c.Strong, cmp.Or(p.SnapSettings, s.base.SnapSettings)).with(row{
		"mode": p.Mode, "is_ephemeral": ephemeral, "parent": s.poolName(p.Parent.Or(noPool)), "schedulable": p.Schedulable.Or(true),
		"running_operation_count": p.RunningOperations, "operation_count": p.Operations, "pool_operation_count": own,
		"lightweight_running_operation_count": p.LightweightRunning.Value, "integral_guarantee_type": integral, "integral_resource_volume": p.AccumulatedRatioVolume.Value,
	})
	if p.Mode == "fifo" {
		known["fifo_sort_parameters"] = words(c.FIFOSortParameters.Or("weight,start_time"))
	}
	if s.Age.old() || integral != "burst" && integral != "relaxed" {
		return s.record("fair_share_info.pools", known)
	}
	return s.record("fair_share_info.pools.integral", known.with(row{
		"accumulated_resource_ratio_volume": p.AccumulatedRatioVolume.Value, "accumulated_resource_volume": p.AccumulatedVolume.Value}))
}

// operationRecords returns the records of all operations of the snapshot.
func (s *snapshot) operationRecords() Value {
	v := Value{kind: mapping}
	for i := range s.operations {
		o := &s.operations[i]
		v.put(s.operationID(o.Op), s.operation(o))
	}
	return v
}

// operation returns the record of an operation, which inherits the settings of its pool.
func (s *snapshot) operation(o *trace.SnapOp) Value {
	var asks trace.OpEvent
	if t := s.in(o.Op, s.tree); t != nil {
		asks = t.asks
	}
	inForce := s.base.SnapSettings
	if i := slices.IndexFunc(s.pools, func(p trace.SnapPool) bool { return p.Pool == o.Pool }); i >= 0 {
		inForce = s.pools[i].SnapSettings
	}
	inForce.StarvationTolerance = cmp.Or(asks.FairShareStarvationTolerance, inForce.StarvationTolerance)
	inForce.StarvationTimeoutMS = cmp.Or(asks.FairShareStarvationTimeoutMS, inForce.StarvationTimeoutMS)
	inForce.AggressiveStarvation = cmp.Or(asks.EnableAggressiveStarvation, inForce.AggressiveStarvation)
	known := s.element(&o.SnapShares, o.Weight.Or(asks.Weight.Or(1)), asks.Strong, inForce).with(row{
		"pool": s.poolName(o.Pool), "slot_index": o.SlotIndex, "start_time": s.startOf(o.Op), "starving_since": o.StarvingSince,
		"tentative": asks.Tentative.Value, "probing": asks.Probing.Value, "offloading": asks.Offloading.Value,
		"preemptible_job_count": o.PreemptibleJobs.Value, "aggressively_preemptible_job_count": o.AggressivePreemptible.Value,
		"preemptable_job_count": o.PreemptibleJobs.Value, "aggressively_preemptable_job_count": o.AggressivePreemptible.Value, // in 2020
		"aggregated_min_needed_job_resources": o.MinNeeded.Value, "schedulable": !o.UnschedulableReason.Set, "unschedulable_reason": o.UnschedulableReason,
		"scheduling_index": o.SchedulingIndex.Or(-1), "fifo_index": o.FIFOIndex,
	})
	if s.Age.old() {
		known["fifo_index"] = o.FIFOIndex.Or(-1)
	}
	return s.record("fair_share_info.operations", known)
}
