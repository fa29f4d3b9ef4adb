package snapshots

import (
	"cmp"
	"math"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// compareRecordedPool compares a pool's record with the replay and extends its row or begins
// another.
func (s *Snapshots) compareRecordedPool(slot int32, v *poolView) {
	p := s.Core.Pool(slot)
	shares := s.Core.Shares(p.Element)
	row := tables.SnapshotPool{
		Pool: p.ID, Running: v.record.Running, RunningExpected: p.Running, Operations: v.record.Operations, OperationsExpected: p.Operations,
		Lightweight: v.record.Lightweight, LightweightExpected: p.Lightweight, RatioVolume: v.record.RatioVolume,
		Integral: v.state.FairIntegral, IntegralExpected: shares.FairShare.Integral,
	}
	limits := shares.Limits
	if slot == 0 {
		limits = s.Core.Total()
	}
	s.fillSnapshot(&row.Snapshot, &v.view, p.Usage, p.Demand, limits)
	row.FairExpected, row.StrongExpected = shares.FairShare.Total, shares.StrongShare
	row.SatisfactionRecomp = satisfactionBeside(&v.state, shares.LocalSatisfaction, shares.Satisfaction)
	row.StatusExpected = s.Core.Scheduling().Starvation(p.Element).Status().String()
	if i := shares.Integral; i != nil && p.Config.Integral.Type != core.NoIntegral {
		row.VolumeExpected = core.Some(i.RatioVolume(s.Core.ShareTotal()))
	}
	a := s.aboutPool(slot)
	s.compareSnapshot(a, &row.Snapshot)
	s.compareParts(a, &v.state, &shares.FairShare)
	if slot != 0 {
		s.compareWeight(a, core.Optional[float64]{Value: v.record.Weight, Set: v.record.Weight > 0}, shares.Weight)
	}
	s.compareCounts(a, "running_operation_count", row.Running, row.RunningExpected)
	s.compareCounts(a, "operation_count", row.Operations, row.OperationsExpected)
	s.compareCounts(a, "lightweight_running_operation_count", row.Lightweight, row.LightweightExpected)
	if x, y := row.RatioVolume, row.VolumeExpected; x.Set && y.Set && math.Abs(x.Value-y.Value) > max(1, s.slacks.OnUsage*y.Value) {
		s.err(a, "accumulated_resource_ratio_volume", tables.SnapshotError{Error: math.Abs(x.Value - y.Value), Recorded: x.Value, Recomputed: y.Value})
	}
	if v.rowOpen && goesOn(&v.row.Snapshot, &row.Snapshot, s.Log.Resolution) && poolGoesOn(&v.row, &row, s.Log.Resolution) {
		v.row.Records++
		return
	}
	s.closePoolSnapshot(v, s.at)
	v.row, v.rowOpen = row, s.Begun
}

// compareRecordedOperation is compareRecordedPool for an operation.
func (s *Snapshots) compareRecordedOperation(slot int32, v *operationView) {
	o, w := s.Core.Operation(slot), &v.record
	row := tables.SnapshotOperation{
		Operation: v.id, Pool: w.Pool, Preemptible: w.Preemptible, Aggressive: w.AggressivePreempt,
		FIFOIndex: w.FIFOIndex, Unschedulable: w.Unschedulable,
	}
	limits := s.Core.Total()
	row.StatusExpected = scheduling.NonStarving.String()
	shares := s.Published(o)
	if shares != nil {
		limits = shares.Limits
		row.FairExpected, row.StrongExpected = shares.FairShare.Total, shares.StrongShare
		row.SatisfactionRecomp = satisfactionBeside(&v.state, shares.LocalSatisfaction, shares.Satisfaction)
		tree := s.Core.Scheduling()
		row.StatusExpected = tree.Starvation(o.Element).Status().String()
		aggressive, preemptible := tree.Lists(o.Element)
		row.AggressiveExpected, row.PreemptibleExpected = int64(aggressive), int64(preemptible)
		row.UnschedulableExpected = tree.Unschedulable(o.Element).String()
		if shares.FIFOIndex >= 0 {
			row.FIFOExpected = core.Some(shares.FIFOIndex)
		}
	}
	s.fillSnapshot(&row.Snapshot, &v.view, o.Usage, o.Demand(), limits)
	a := aboutOperation(v)
	s.compareSnapshot(a, &row.Snapshot)
	if shares != nil {
		s.compareParts(a, &v.state, &shares.FairShare)
		s.compareWeight(a, w.Weight, shares.Weight)
	}
	s.compareCounts(a, "preemptible_job_count", row.Preemptible, row.PreemptibleExpected)
	s.compareCounts(a, "aggressively_preemptible_job_count", row.Aggressive, row.AggressiveExpected)
	s.compareWords(a, "unschedulable_reason", row.Unschedulable, row.UnschedulableExpected)
	if x, y := row.FIFOIndex, row.FIFOExpected; x.Set && y.Set {
		s.compareCounts(a, "fifo_index", core.Some(int64(x.Value)), int64(y.Value))
	}
	if v.rowOpen && goesOn(&v.row.Snapshot, &row.Snapshot, s.Log.Resolution) && operationGoesOn(&v.row, &row) {
		v.row.Records++
		return
	}
	s.closeOperationSnapshot(v, s.at)
	v.row, v.rowOpen = row, s.Begun
}

// fillSnapshot fills the columns common to pools and operations.
func (s *Snapshots) fillSnapshot(row *tables.Snapshot, v *view, usage, demand, limits resource.Vector) {
	x := &v.state
	row.FromTime, row.Records, row.ID = s.at, 1, x.Snapshot
	row.Usage, row.UsageExpected, row.Demand, row.DemandExpected = x.Usage, usage, x.Demand, demand
	row.Limits, row.LimitsExpected = x.Limits, limits
	row.UsageShare, row.DemandShare = x.UsageShare, x.DemandShare
	row.Fair, row.FairRatio = recordedShare(x.FairShare, x.FairDetail)
	row.Strong, row.StrongRatio = recordedShare(x.StrongShare, x.StrongDetail)
	row.Status = x.Status
	row.Satisfaction = x.LocalSatisfaction
	if !row.Satisfaction.Set {
		row.Satisfaction = x.Satisfaction
	}
}

// recordedShare returns a share as far as recorded, and its greatest component.
func recordedShare(x resource.Share, d core.Detail) (share core.Optional[resource.Share], ratio core.Optional[float64]) {
	if d == core.PerResource {
		share = core.Some(x)
	}
	if d != core.Unrecorded {
		ratio = core.Some(x.Dominant())
	}
	return share, ratio
}

// satisfactionBeside returns the recomputed ratio that corresponds to the recorded one.
func satisfactionBeside(x *core.RecordedState, local, whole float64) float64 {
	if x.LocalSatisfaction.Set {
		return local
	}
	return whole
}

// compareSnapshot records the differences of these columns from the recomputed values.
func (s *Snapshots) compareSnapshot(a about, row *tables.Snapshot) {
	total := s.total
	s.compareShares(a, "resource_usage", row.Usage.ShareOf(total), row.UsageExpected.ShareOf(total))
	s.compareShares(a, "resource_demand", row.Demand.ShareOf(total), row.DemandExpected.ShareOf(total))
	if row.Limits.Set {
		s.compareShares(a, "resource_limits", row.Limits.Value.Min(total).ShareOf(total), row.LimitsExpected.Min(total).ShareOf(total))
	}
	s.compareRecorded(a, "fair_share", row.Fair, row.FairRatio, row.FairExpected)
	s.compareRecorded(a, "strong_guarantee_share", row.Strong, row.StrongRatio, row.StrongExpected)
	s.compareWords(a, "starvation_status", row.Status, row.StatusExpected)
	if x := row.Satisfaction; x.Set {
		if off := math.Abs(x.Value - row.SatisfactionRecomp); off > max(s.slacks.Epsilon, s.slacks.OnUsage*row.SatisfactionRecomp) {
			s.err(a, "satisfaction_ratio", tables.SnapshotError{Error: off, Recorded: x.Value, Recomputed: row.SatisfactionRecomp})
		}
	}
}

// compareParts compares the parts of a fair share that the record names.
func (s *Snapshots) compareParts(a about, x *core.RecordedState, expected *fairshare.Shares) {
	if x.FairStrong.Set {
		s.compareShares(a, "fair_share_strong_guarantee", x.FairStrong.Value, expected.Strong)
	}
	if x.FairIntegral.Set {
		s.compareShares(a, "fair_share_integral_guarantee", x.FairIntegral.Value, expected.Integral)
	}
	if x.FairWeight.Set {
		s.compareShares(a, "fair_share_weight_proportional", x.FairWeight.Value, expected.Weight)
	}
}

// goesOn reports whether a later record agrees with the row: equal words, and shares within the
// resolution.
func goesOn(row, next *tables.Snapshot, resolution float64) bool {
	return row.Status == next.Status && row.StatusExpected == next.StatusExpected &&
		row.Limits == next.Limits && row.LimitsExpected == next.LimitsExpected &&
		row.UsageShare.IsNear(next.UsageShare, resolution) && row.DemandShare.IsNear(next.DemandShare, resolution) &&
		nearAmounts(row.UsageExpected, next.UsageExpected) && nearAmounts(row.DemandExpected, next.DemandExpected) &&
		nearTold(row.Fair, next.Fair, row.FairRatio, next.FairRatio, resolution) && row.FairExpected.IsNear(next.FairExpected, resolution) &&
		nearTold(row.Strong, next.Strong, row.StrongRatio, next.StrongRatio, resolution) && row.StrongExpected.IsNear(next.StrongExpected, resolution) &&
		row.Satisfaction.Set == next.Satisfaction.Set && math.Abs(row.Satisfaction.Value-next.Satisfaction.Value) <= resolution
}

// nearTold compares shares as far as they are recorded.
func nearTold(a, b core.Optional[resource.Share], aRatio, bRatio core.Optional[float64], resolution float64) bool {
	return a.Set == b.Set && a.Value.IsNear(b.Value, resolution) &&
		aRatio.Set == bRatio.Set && math.Abs(aRatio.Value-bRatio.Value) <= resolution
}

// nearAmounts allows amounts to move by 1 %.
func nearAmounts(a, b resource.Vector) bool {
	for k := range a {
		if math.Abs(float64(a[k]-b[k])) > judge.OnUsage*float64(a[k]) {
			return false
		}
	}
	return true
}

func poolGoesOn(row, next *tables.SnapshotPool, resolution float64) bool {
	return row.Integral.Set == next.Integral.Set && row.Integral.Value.IsNear(next.Integral.Value, resolution) &&
		row.IntegralExpected.IsNear(next.IntegralExpected, resolution) &&
		row.Running == next.Running && row.RunningExpected == next.RunningExpected &&
		row.Operations == next.Operations && row.OperationsExpected == next.OperationsExpected &&
		row.Lightweight == next.Lightweight && row.LightweightExpected == next.LightweightExpected
}

func operationGoesOn(row, next *tables.SnapshotOperation) bool {
	return row.Pool == next.Pool && row.Preemptible == next.Preemptible && row.PreemptibleExpected == next.PreemptibleExpected &&
		row.Aggressive == next.Aggressive && row.AggressiveExpected == next.AggressiveExpected &&
		row.FIFOIndex == next.FIFOIndex && row.FIFOExpected == next.FIFOExpected &&
		row.Unschedulable == next.Unschedulable && row.UnschedulableExpected == next.UnschedulableExpected
}

func (s *Snapshots) closePoolSnapshot(v *poolView, at core.Time) {
	if v.rowOpen {
		v.rowOpen, v.row.ToTime = false, at
		s.snapshotPools.Add(at, &v.row)
	}
}

func (s *Snapshots) closeOperationSnapshot(v *operationView, at core.Time) {
	if v.rowOpen {
		v.rowOpen, v.row.ToTime = false, at
		s.snapshotOperations.Add(at, &v.row)
	}
}

func compareSnapshotPools(a, b *tables.SnapshotPool) int { return cmp.Compare(a.Pool, b.Pool) }

func compareSnapshotOperations(a, b *tables.SnapshotOperation) int {
	return cmp.Compare(a.Operation, b.Operation)
}
