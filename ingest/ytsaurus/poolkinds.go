package ytsaurus

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A pool may be explicit for a part of the log and ephemeral for another: an explicit pool is made of the name of an
// ephemeral one, or an explicit pool is removed that has operations (core/spec/scheduling.md §4.6). Snapshots say
// which it is, and pools_info when it changed.

// A kindRun is a time in which all snapshots agree on whether a pool is ephemeral.
type kindRun struct {
	first, last core.Time
	ephemeral   bool
	weight      core.Optional[float64]
}

// kindRuns are in the order of time.
type kindRuns []kindRun

// add appends what a snapshot says. Snapshots come in the order of time.
func (r *kindRuns) add(x *element, at core.Time) {
	ephemeral := x.ephemeral.Value
	if n := len(*r); n == 0 || (*r)[n-1].ephemeral != ephemeral {
		*r = append(*r, kindRun{first: at, ephemeral: ephemeral, weight: x.weight})
	}
	(*r)[len(*r)-1].last = at
}

// mixed reports whether the pool is explicit and ephemeral in turn.
func (r kindRuns) mixed() bool { return len(r) > 1 }

// everExplicit reports whether a snapshot says that the pool is explicit.
func (r kindRuns) everExplicit() bool {
	return slices.ContainsFunc(r, func(run kindRun) bool { return !run.ephemeral })
}

// weight is the weight that the pool has while it is explicit, as far as snapshots tell it.
func (r kindRuns) weight() core.Optional[float64] {
	for _, run := range r {
		if !run.ephemeral && run.weight.Set {
			return run.weight
		}
	}
	return core.Optional[float64]{}
}

// isEphemeral reports whether the pool is ephemeral throughout.
func (t *treeAssembly) isEphemeral(name string, s *poolSight) bool {
	return s.ephemeral && !t.kinds[name].mixed()
}

// dateKinds makes the versions of a pool that is explicit and ephemeral in turn agree with what snapshots say at
// each time: explicit versions hold while it is explicit, and one without settings of its own while it is ephemeral.
//
//	snapshots    explicit | ephemeral          | explicit
//	versions     weight 3 | deleted, ephemeral | weight 3
func (t *treeAssembly) dateKinds(name string, p *treePool) {
	runs := t.kinds[name]
	if !runs.mixed() {
		return
	}
	explicit := slices.DeleteFunc(slices.Clone(p.versions), func(v poolVersion) bool { return v.deleted })
	if len(explicit) == 0 {
		return
	}
	var dated []poolVersion
	from := t.began
	for i, run := range runs {
		to := core.Time(never)
		if i+1 < len(runs) {
			to = t.changedAt(run.last, runs[i+1].first)
		}
		if run.ephemeral {
			dated = t.appendEphemeral(dated, name, max(from, p.seen.From), to)
		} else {
			dated = append(dated, t.versionFrom(explicit, name, &run, from))
			for _, v := range p.versions {
				if v.time > from && v.time < to {
					dated = append(dated, v)
				}
			}
		}
		from = to
	}
	p.versions = slices.CompactFunc(dated, func(v, w poolVersion) bool { return v.says(&w) })
}

// changedAt is when a pool became explicit or ephemeral that was the other at last before: when pools_info records
// a change of pools, or else just before the snapshot that shows it, whose shares go by it.
func (t *treeAssembly) changedAt(before, seen core.Time) core.Time {
	if at := t.movedAt(before, seen); at != seen {
		return at
	}
	return seen - 1
}

// appendEphemeral appends that a pool is ephemeral for a time, and where the rules put it then. The explicit pool ends.
func (t *treeAssembly) appendEphemeral(dated []poolVersion, name string, from, to core.Time) []poolVersion {
	if n := len(dated); n > 0 && !dated[n-1].deleted {
		gone := dated[n-1]
		gone.time, gone.deleted = from, true
		dated = append(dated, gone)
	}
	config := trace.PoolConfig{Mode: core.FairShare.String(), IntegralType: "none"}
	dated = append(dated, poolVersion{time: from, parent: t.ephemeralParent(name, from), config: config, ephemeral: true})
	for _, run := range t.homes(name) {
		if run.first > from && run.first < to {
			dated = append(dated, poolVersion{time: run.first, parent: run.parent, config: config, ephemeral: true})
		}
	}
	return dated
}

// versionFrom is the explicit version that holds from a moment on: the last one before or, if none is, the next.
func (t *treeAssembly) versionFrom(explicit []poolVersion, name string, run *kindRun, from core.Time) poolVersion {
	n, found := slices.BinarySearchFunc(explicit, from, func(v poolVersion, at core.Time) int { return cmp.Compare(v.time, at) })
	if found {
		n++
	}
	v := explicit[max(n, 1)-1]
	v.logged = v.logged && v.time == from // else a row may be lost that made another version
	v.time = from
	if parent, ok := t.parents[name].at(run.first); ok {
		v.parent = parent
	}
	return v
}
