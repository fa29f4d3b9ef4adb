package ytsaurus

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/ingest/poolconf"
)

// pools_info does not name the parents of pools (ingest/trace/FORMAT.md §1.3): snapshots
// do and, for times that no run of them covers, operation_started and accumulated_usage_info.

// A parentRun is a time in which all that the log says of a pool's parent is the same.
type parentRun struct {
	first, last core.Time
	parent      string // "" is the root
}

// parentRuns are in the order of time.
type parentRuns []parentRun

// above appends what a row says. Rows come in the order of time.
func (r *parentRuns) above(parent string, at core.Time) {
	parent = parentName(parent)
	if n := len(*r); n > 0 && (*r)[n-1].parent == parent {
		(*r)[n-1].last = at
		return
	}
	*r = append(*r, parentRun{at, at, parent})
}

// parentName is the name of a parent, "" of the root, which the log calls by a name.
func parentName(said string) string {
	if said == rootPool {
		return ""
	}
	return said
}

// at returns the parent at a moment, of one before the first run the first, and false if
// nothing says which.
func (r parentRuns) at(t core.Time) (parent string, ok bool) {
	if len(r) == 0 {
		return "", false
	}
	i, found := slices.BinarySearchFunc(r, t, func(run parentRun, t core.Time) int { return cmp.Compare(run.first, t) })
	if !found {
		i = max(i-1, 0)
	}
	return r[i].parent, true
}

// during is at, and false at a moment that is within no run.
func (r parentRuns) during(t core.Time) (parent string, ok bool) {
	for _, run := range r {
		if run.first <= t && t <= run.last {
			return run.parent, true
		}
	}
	return "", false
}

// above keeps which pool a row that is no snapshot says to stand above another.
func (l *loader) above(tree treeID, pool []byte, parent string, at core.Time) {
	e := &l.rec
	e.begin(parentRecords, tree)
	e.name(pool)
	e.time(at)
	e.text([]byte(parent))
	l.keep()
}

// surveyParents adds what other rows than snapshots say of parents, for times that no
// run of snapshots covers.
func (t *treeAssembly) surveyParents() error {
	scan := t.sorter.Scan(prefixOf(parentRecords, t.id))
	name, told := "", parentRuns(nil)
	after := 0 // how many runs of snapshots begin before the last of told
	end := func() {
		if len(told) > 0 {
			t.parents[name] = t.parents[name].with(told)
		}
		told, after = nil, 0
	}
	for scan.Next() {
		d := decode(scan.Record())
		of, at := t.names.of(d.name()), d.time()
		if of != name {
			end()
			name = of
		}
		shown := t.parents[name]
		if _, covered := shown.during(at); covered {
			continue
		}
		i, _ := slices.BinarySearchFunc(shown, at, func(run parentRun, at core.Time) int { return cmp.Compare(run.first, at) })
		if parent := parentName(t.names.of(d.text())); i == after {
			told.above(parent, at)
		} else {
			told, after = append(told, parentRun{at, at, parent}), i
		}
	}
	end()
	return scan.Err()
}

// dropContradictions forgets what the log says of the parents of pools that would stand below themselves, or below a
// pool that nothing else names: no scheduler has such pools, so that the rows are damaged.
func (t *treeAssembly) dropContradictions() {
	t.contradicted = map[string]bool{}
	drop := func(name, code string) {
		delete(t.parents, name)
		t.contradicted[name] = true
		t.problems.Note(wholeLog, -1, "parent", code, t.name+"/"+name)
	}
	var looping, stray []string
	for _, name := range sortedKeys(t.parents) {
		runs := t.parents[name]
		switch {
		case slices.ContainsFunc(runs, func(run parentRun) bool { return t.loops(name, run.first) || t.loops(name, run.last) }):
			looping = append(looping, name)
		case slices.ContainsFunc(runs, func(run parentRun) bool { return !t.isNamed(run.parent) }):
			stray = append(stray, name)
		}
	}
	for _, name := range looping {
		drop(name, loopingPool)
	}
	for _, name := range stray {
		drop(name, misplacedPool)
	}
}

// isNamed reports whether a pool is the root, or one that the log names otherwise than as a parent, or that an export has.
func (t *treeAssembly) isNamed(pool string) bool {
	return pool == "" || t.poolSights[poolName{t.id, pool}] != nil || t.exporting != nil && slices.ContainsFunc(t.exporting.versions, func(v exportVersion) bool {
		tree := v.of(t.name)
		return tree != nil && slices.ContainsFunc(tree.Pools, func(p poolconf.DocumentPool) bool { return p.Name == pool })
	})
}

// loops reports whether a pool would stand below itself at a moment.
func (t *treeAssembly) loops(name string, at core.Time) bool {
	passed := map[string]bool{} // a pool may stand below a loop without being part of it
	for above := name; !passed[above]; {
		passed[above] = true
		parent, ok := t.parents[above].at(at)
		if !ok || parent == "" {
			return false
		}
		if above = parent; above == name {
			return true
		}
	}
	return false
}

// with returns the runs of both, which do not overlap.
func (r parentRuns) with(others parentRuns) (all parentRuns) {
	for _, run := range slices.SortedStableFunc(slices.Values(slices.Concat(r, others)), func(a, b parentRun) int { return cmp.Compare(a.first, b.first) }) {
		if n := len(all); n > 0 && all[n-1].parent == run.parent {
			all[n-1].last = run.last
			continue
		}
		all = append(all, run)
	}
	return all
}

// followParents makes the versions of a pool agree with what the scheduler said of its
// parent. An export records what the master has; the scheduler takes it up later. An
// ephemeral pool stands where its operations and the configuration put it: records tell when it
// moved there, and those that say otherwise are judged, and configure nothing.
func (t *treeAssembly) followParents(name string, p *treePool) {
	runs := t.parents[name]
	if p.ephemeral {
		runs = t.homes(name)
		if alive := slices.DeleteFunc(slices.Clone(p.versions), func(v poolVersion) bool { return v.deleted }); len(alive) > 0 {
			p.versions = alive // it comes and goes with its operations, whatever pools_info leaves out
		}
	}
	for i := range p.versions {
		if parent, ok := runs.during(p.versions[i].time); ok {
			p.versions[i].parent = parent
		}
	}
	for i, run := range runs {
		at := run.first
		if i > 0 {
			at = t.movedAt(runs[i-1].last, run.first)
		}
		k, found := slices.BinarySearchFunc(p.versions, at, func(v poolVersion, at core.Time) int { return cmp.Compare(v.time, at) })
		switch {
		case found:
			p.versions[k].parent = run.parent
		case k > 0 && !p.versions[k-1].deleted:
			moved := p.versions[k-1]
			moved.time, moved.parent = at, run.parent
			moved.logged = moved.logged && slices.Contains(t.poolsInfos[t.id], at)
			p.versions = slices.Insert(p.versions, k, moved)
		}
	}
	p.versions = slices.CompactFunc(p.versions, func(v, w poolVersion) bool { return v.says(&w) })
}

// homes returns the times in which the log shows an ephemeral pool where the rules put it.
func (t *treeAssembly) homes(name string) parentRuns {
	return slices.DeleteFunc(slices.Clone(t.parents[name]), func(run parentRun) bool { return run.parent != t.homeOf(name, run.first) })
}

// movedAt is when a pool moved that stood elsewhere at last before: when pools_info records
// a change of pools, or else when it is seen to have moved.
func (t *treeAssembly) movedAt(before, seen core.Time) core.Time {
	for _, at := range t.poolsInfos[t.id] {
		if before < at && at <= seen {
			return at
		}
	}
	return seen
}

// shownAt returns the parent that a pool has from a moment on, which is the first of its
// operations, and false if the next snapshot does not show it.
func (t *treeAssembly) shownAt(name string, at core.Time) (parent string, ok bool) {
	runs := t.parents[name]
	i := slices.IndexFunc(runs, func(run parentRun) bool { return run.last > at })
	if i < 0 { // a snapshot of that moment may show the parent that it had until then
		i = slices.IndexFunc(runs, func(run parentRun) bool { return run.last == at })
	}
	if i >= 0 {
		next, _ := slices.BinarySearch(t.snapshots, at)
		if late := next < len(t.snapshots) && t.snapshots[next] < runs[i].first; late {
			return "", false
		}
		return runs[i].parent, true
	}
	return "", false
}
