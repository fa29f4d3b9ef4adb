package configuration

import (
	"cmp"

	"poolproof/core"
	"poolproof/replay/tables"
)

// versions holds an open row per configured pool with its settings.
type versions struct {
	open           []openVersion // by slot
	configurations int64         // of the last check
	looked         bool
}

// An openVersion is a version that is in force.
type openVersion struct {
	row tables.PoolVersion
	is  bool
}

// settleVersions updates the versions of pools at the end of an instant.
func (c *Configuration) settleVersions(now core.Time) {
	v := &c.versions
	if n := c.Core.Configurations(); v.looked && n == v.configurations {
		return
	}
	v.configurations, v.looked = c.Core.Configurations(), true
	for len(v.open) < c.Core.Pools() {
		v.open = append(v.open, openVersion{})
	}
	moved := make([]bool, len(v.open)) // pools of which a version begins or ends
	for slot := range v.open {
		o, p := &v.open[slot], c.Core.Pool(int32(slot))
		in := slot > 0 && !p.Removed.Set && p.Configured
		var row tables.Pool
		if in {
			row = c.poolRow(int32(slot))
		}
		if o.is && (!in || row != o.row.Pool) {
			c.closeVersion(o, now, false)
			moved[slot] = true
		}
		if in && !o.is {
			*o = openVersion{tables.PoolVersion{Pool: row, FromTime: now}, true}
			moved[slot] = true
		}
	}
	c.Changed(moved, now)
}

func (c *Configuration) closeVersion(o *openVersion, now core.Time, clipped bool) {
	o.is = false
	o.row.ToTime, o.row.ClippedTo = now, clipped
	if c.Begun && o.row.FromTime < now {
		c.poolVersions.Add(now, &o.row)
	}
}

// clipVersions clips the open versions at the window's start.
func (c *Configuration) clipVersions(from core.Time) {
	for i := range c.versions.open {
		row := &c.versions.open[i].row
		row.ClippedFrom, row.FromTime = row.FromTime < from, max(row.FromTime, from)
	}
}

// finishVersions closes the open versions at the window's end.
func (c *Configuration) finishVersions(to core.Time) {
	for i := range c.versions.open {
		if o := &c.versions.open[i]; o.is {
			c.closeVersion(o, to, true)
		}
	}
}

func compareVersions(a, b *tables.PoolVersion) int { return cmp.Compare(a.Pool.Pool, b.Pool.Pool) }
