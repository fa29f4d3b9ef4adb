package configuration

import (
	"poolproof/core"
	"poolproof/replay/tables"
)

// treeVersions holds the open row of the tree's settings.
type treeVersions struct {
	row            tables.TreeVersion
	configurations int64
	open           bool
}

// settleTreeVersion updates the version of the tree at the end of an instant.
func (c *Configuration) settleTreeVersion(now core.Time) {
	v := &c.treeVersion
	n := c.Core.Configurations()
	if v.open && n == v.configurations {
		return
	}
	v.configurations = n
	row := c.treeVersionRow()
	row.FromTime, row.ClippedFrom = v.row.FromTime, v.row.ClippedFrom
	if v.open && row == v.row {
		return
	}
	c.closeTreeVersion(now, false)
	row.FromTime = now
	v.row, v.open = row, true
}

func (c *Configuration) treeVersionRow() tables.TreeVersion {
	o := c.Core.Config()
	return tables.TreeVersion{
		Assumed:       o.Assumed,
		MaxOperations: o.MaxOperationCount, MaxRunning: o.MaxRunningOperationCount,
		MaxOperationsPerPool: o.MaxOperationCountPerPool, MaxRunningPerPool: o.MaxRunningOperationCountPerPool,
		MaxEphemeralPools: o.MaxEphemeralPoolsPerUser,
		StarvationTimeout: milliseconds(o.FairShareStarvationTimeout), MinShareTimeout: milliseconds(o.MinSharePreemptionTimeout),
		AggressiveTimeout: milliseconds(o.AggressiveStarvationTimeout),
		Threshold:         o.PreemptionSatisfaction, AggressiveThreshold: o.AggressiveSatisfaction,
		CheckStarvation: o.CheckStarvation, GangsAggressively: o.AggressivePreemptionForGangs, GangsInFIFOOnly: o.GangsInFIFOOnly,
		Backoff: milliseconds(o.PreemptiveBackoff), InterruptTimeout: milliseconds(o.JobInterruptTimeout),
		GracefulTimeout: milliseconds(o.GracefulInterruptTimeout),
		NonPreemptible:  partial(o.NonPreemptibleThreshold), GuaranteePriority: o.GuaranteePriority, SchedulableInFIFO: o.MaxSchedulableInFIFOPool,
	}
}

func (c *Configuration) closeTreeVersion(now core.Time, clipped bool) {
	v := &c.treeVersion
	if v.open && c.Begun && v.row.FromTime < now {
		v.row.ToTime, v.row.ClippedTo = now, clipped
		c.treeVersions.Add(&v.row)
	}
	v.open, v.row.ToTime, v.row.ClippedTo = false, 0, false
}

// clipTreeVersion clips the version in force at the window's start. Without one the first version
// begins there.
func (c *Configuration) clipTreeVersion(from core.Time) {
	c.settleTreeVersion(from)
	row := &c.treeVersion.row
	row.ClippedFrom, row.FromTime = row.FromTime < from, max(row.FromTime, from)
}
