package ytsaurus

import (
	"cmp"
	"strconv"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// writeSnapshots writes what the scheduler recorded of itself.
func (t *treeAssembly) writeSnapshots() error {
	scan := t.sorter.Scan(prefixOf(snapshotRecords, t.id))
	var tree trace.SnapTree
	var x element
	for n := 0; scan.Next(); n++ {
		if n%progressRows == 0 {
			if err := t.ctx.Err(); err != nil {
				return err
			}
		}
		d := decode(scan.Record())
		at := d.time()
		id := snapshotID(t, d.name(), at)
		if tree.Snapshot != id || tree.Time != at {
			tree = trace.SnapTree{Snapshot: id}
			tree.Time = at
		}
		var err error
		switch d.byte() {
		case distributionPart:
			var p distribution
			distributions.take(&d, &p, t.names)
			tree.DistributedStrong, tree.UndistributedStrong = p.strong, p.strongLeft
			tree.DistributedFlow, tree.UndistributedFlow = p.flow, p.flowLeft
		case rootPart:
			var root rootElement
			rootElements.take(&d, &root, t.names)
			if !root.limits.Set {
				continue // the total of the tree is not recorded
			}
			tree.Usage, tree.Limits, tree.SnapSettings = core.Some(root.usage), root.limits.Value, root.settings
			row := tree
			row.Stamp = t.stamp(at)
			err = t.out.Add(&row)
		case poolPart:
			x = element{pool: t.names.of(d.name())}
			elements.take(&d, &x, t.names)
			err = t.addSnapPool(at, id, &x)
		case operationPart:
			operation := d.guid()
			x = element{pool: t.names.of(d.text())}
			elements.take(&d, &x, t.names)
			err = t.addSnapOperation(at, id, operation, &x)
		}
		if err != nil {
			return err
		}
	}
	return scan.Err()
}

// snapshotID is the id of a snapshot; of one without its time.
func snapshotID(t *treeAssembly, id []byte, at core.Time) string {
	if len(id) > 0 {
		return t.names.of(id)
	}
	return strconv.FormatInt(int64(at), 16)
}

func (t *treeAssembly) addSnapPool(at core.Time, id string, x *element) error {
	number := t.poolNumber(x.pool)
	if !number.Set {
		return nil
	}
	row := trace.SnapPool{
		Stamp: t.stamp(at), Snapshot: id, Pool: number.Value, Mode: x.mode, Weight: x.weight.Or(0), SnapShares: x.shares(),
		AccumulatedRatioVolume: x.ratioVolume, AccumulatedVolume: x.volume, IntegralType: optionalText(x.integral),
		RunningOperations: x.running, Operations: x.operations, LightweightRunning: x.lightweight, Schedulable: x.schedulable, OwnOperations: x.own,
		SnapSettings: x.settings,
	}
	row.Parent = t.poolNumber(cmp.Or(x.parent, t.parentAt(x.pool, at)))
	if t.contradicted[x.pool] {
		row.Parent = core.Some[core.PoolID](core.Unknown)
	}
	return t.out.Add(&row)
}

func (t *treeAssembly) addSnapOperation(at core.Time, id string, operation guid, x *element) error {
	l, number := t.lives[operation], t.poolNumber(x.pool)
	if x.pool == rootPool {
		number = core.Some(core.RootPool)
	}
	if l == nil || !number.Set {
		return nil
	}
	row := trace.SnapOp{
		Stamp: t.stamp(at), Snapshot: id, Op: l.number, Pool: number.Value, Weight: x.weight, SnapShares: x.shares(),
		SlotIndex: x.slot, MinNeeded: x.minNeeded, PreemptibleJobs: x.preemptible, AggressivePreemptible: x.aggressively,
		StarvingSince: x.starvingSince, UnschedulableReason: optionalText(x.unschedulable), FIFOIndex: x.fifoIndex, SchedulingIndex: x.schedulingIndex,
		Declines: x.declines, InterruptTimeoutMS: x.interruptTimeout, GracefulTimeoutMS: x.gracefulTimeout, BestAllocation: x.bestAllocation, SnapSettings: x.settings,
	}
	if x.isDisabled() { // they are not computed
		row.Limits, row.BestAllocation, row.SnapSettings = core.Optional[trace.Resources]{}, core.Optional[trace.Shares]{}, trace.SnapSettings{}
	}
	return t.out.Add(&row)
}

// shares are the columns that pools and operations have in common. Where the log records
// vectors, the ratios beside them say nothing more.
func (x *element) shares() trace.SnapShares {
	s := trace.SnapShares{
		Usage: x.usage, Demand: x.demand, Limits: x.limits, UsageShare: x.usageShare, DemandShare: x.demandShare,
		StrongShare: x.strongShare, FairTotal: x.fairTotal, FairStrong: x.fairStrong, FairIntegral: x.fairIntegral, FairWeight: x.fairWeight,
		Dominant: x.dominant, Satisfaction: x.satisfaction, LocalSatisfaction: x.local, StarvationStatus: x.status,
	}
	if !s.StrongShare.Set {
		s.StrongRatio = x.minRatio
	}
	if !s.FairTotal.Set {
		s.FairRatio = x.fairRatio
	}
	return s
}
