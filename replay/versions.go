package replay

import (
	"cmp"

	"poolproof/core"
	"poolproof/replay/tables"
)

// versions are the settings of pools over time: an open row per configured pool.
type versions struct {
	open           []openVersion // by slot
	configurations int64         // when they were looked at last
	looked         bool
}

// An openVersion is a version that is in force at present.
type openVersion struct {
	row tables.PoolVersion
	is  bool
}

// settleVersions follows the settings of pools at the end of an instant.
func (r *recorder) settleVersions(now core.Time) {
	v := &r.versions
	if n := r.Core.Configurations(); v.looked && n == v.configurations {
		return
	}
	v.configurations, v.looked = r.Core.Configurations(), true
	r.followAllUnschedulable(now) // the tree may say that nobody looks for them
	for len(v.open) < r.Core.Pools() {
		v.open = append(v.open, openVersion{})
	}
	moved := make([]bool, len(v.open)) // where a version begins or ends
	for slot := range v.open {
		o, p := &v.open[slot], r.Core.Pool(int32(slot))
		in := slot > 0 && p.Removed == 0 && p.Configured
		var row tables.Pool
		if in {
			row = r.poolRow(int32(slot))
		}
		if o.is && (!in || row != o.row.Pool) {
			r.closeVersion(o, now, false)
			moved[slot] = true
		}
		if in && !o.is {
			*o = openVersion{tables.PoolVersion{Pool: row, FromTime: now}, true}
			moved[slot] = true
		}
	}
	r.snapshots.CloseTalliesUnder(moved, now)
}

func (r *recorder) closeVersion(o *openVersion, now core.Time, clipped bool) {
	o.is = false
	o.row.ToTime, o.row.ClippedTo = now, clipped
	if r.Begun && o.row.FromTime < now {
		r.versionRows.Add(now, &o.row)
	}
}

// clipVersions cuts the open versions at the window's start.
func (r *recorder) clipVersions(from core.Time) {
	for i := range r.versions.open {
		row := &r.versions.open[i].row
		row.ClippedFrom, row.FromTime = row.FromTime < from, max(row.FromTime, from)
	}
}

// finishVersions closes what is in force at the window's end.
func (r *recorder) finishVersions(to core.Time) {
	for i := range r.versions.open {
		if o := &r.versions.open[i]; o.is {
			r.closeVersion(o, to, true)
		}
	}
}

func compareVersions(a, b *tables.PoolVersion) int { return cmp.Compare(a.Pool.Pool, b.Pool.Pool) }
