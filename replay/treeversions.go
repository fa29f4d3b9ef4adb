package replay

import (
	"poolproof/core"
	"poolproof/replay/tables"
)

// treeVersions follow the settings of the tree: the row that is in force.
type treeVersions struct {
	row            tables.TreeVersion
	configurations int64
	open           bool
}

// settleTreeVersion follows the settings of the tree at the end of an instant.
func (r *recorder) settleTreeVersion(now core.Time) {
	v := &r.treeVersion
	n := r.Core.Configurations()
	if v.open && n == v.configurations {
		return
	}
	v.configurations = n
	row := r.treeVersionRow()
	row.FromTime, row.ClippedFrom = v.row.FromTime, v.row.ClippedFrom
	if v.open && row == v.row {
		return
	}
	r.closeTreeVersion(now, false)
	row.FromTime = now
	v.row, v.open = row, true
}

func (r *recorder) treeVersionRow() tables.TreeVersion {
	c := r.Core.Config()
	return tables.TreeVersion{
		Assumed:       c.Assumed,
		MaxOperations: c.MaxOperationCount, MaxRunning: c.MaxRunningOperationCount,
		MaxOperationsPerPool: c.MaxOperationCountPerPool, MaxRunningPerPool: c.MaxRunningOperationCountPerPool,
		MaxEphemeralPools: c.MaxEphemeralPoolsPerUser,
		StarvationTimeout: milliseconds(c.FairShareStarvationTimeout), MinShareTimeout: milliseconds(c.MinSharePreemptionTimeout),
		AggressiveTimeout: milliseconds(c.AggressiveStarvationTimeout),
		Threshold:         c.PreemptionSatisfaction, AggressiveThreshold: c.AggressiveSatisfaction,
		CheckStarvation: c.CheckStarvation, GangsAggressively: c.AggressivePreemptionForGangs, GangsInFIFOOnly: c.GangsInFIFOOnly,
		Backoff: milliseconds(c.PreemptiveBackoff), InterruptTimeout: milliseconds(c.JobInterruptTimeout), GracefulTimeout: milliseconds(c.GracefulInterruptTimeout),
		NonPreemptible: partial(c.NonPreemptibleThreshold), GuaranteePriority: c.GuaranteePriority, SchedulableInFIFO: c.MaxSchedulableInFIFOPool,
	}
}

func (r *recorder) closeTreeVersion(now core.Time, clipped bool) {
	v := &r.treeVersion
	if v.open && r.Begun && v.row.FromTime < now {
		v.row.ToTime, v.row.ClippedTo = now, clipped
		r.treeVersions.Add(&v.row)
	}
	v.open, v.row.ToTime, v.row.ClippedTo = false, 0, false
}

// clipTreeVersion cuts the version in force at the window's start; where nothing was
// told before it, it begins there.
func (r *recorder) clipTreeVersion(from core.Time) {
	r.settleTreeVersion(from)
	row := &r.treeVersion.row
	row.ClippedFrom, row.FromTime = row.FromTime < from, max(row.FromTime, from)
}
