package ytsaurus

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// A poolVersion is what a pool was from a moment on.
type poolVersion struct {
	time    core.Time
	parent  string // "" under the root
	config  trace.PoolConfig
	deleted bool
	// ephemeral is of a version of a pool that is explicit at other times.
	ephemeral bool
	logged    bool // pools_info holds it from its time on
}

// surveyPools finds the versions of the tree's pools: from exports, from pools_info, and else
// from what snapshots show.
func (t *treeAssembly) surveyPools() error {
	t.exportedPools()
	if err := t.loggedPools(); err != nil {
		return err
	}
	for _, l := range t.lives {
		t.usePool(t.poolAtStart(l), core.Span{From: l.startOf(), To: max(l.lastSeen, l.startOf())})
		for i := range l.sights {
			t.usePool(l.sights[i].pool, core.Span{From: l.sights[i].time, To: l.last})
		}
		for i := range l.changes {
			if c := &l.changes[i]; c.tree == t.id {
				t.usePool(c.options.pool, core.Span{From: c.time, To: c.time})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.pools)) {
		p, sight := t.pools[name], t.poolSights[poolName{t.id, name}]
		if sight != nil {
			p.ephemeral = t.isEphemeral(name, sight)
		}
		if len(p.versions) == 0 {
			t.shownPool(name, p, sight)
		}
		slices.SortStableFunc(p.versions, func(a, b poolVersion) int { return cmp.Compare(a.time, b.time) })
		if first := &p.versions[0]; p.ephemeral && p.seen.From < first.time { // it is there with its first operation
			first.time, first.parent = p.seen.From, t.ephemeralParent(name, p.seen.From)
		}
		t.followParents(name, p)
		t.dateKinds(name, p)
	}
	t.raiseParents()
	return nil
}

// usePool notes that an operation is in a pool.
func (t *treeAssembly) usePool(name string, during core.Span) {
	if name != "" && name != rootPool {
		t.pool(name, during)
	}
}

// exportedPools takes the pools of the exports.
func (t *treeAssembly) exportedPools() {
	if t.exporting == nil {
		return
	}
	for i, v := range t.exporting.versions {
		tree := v.of(t.name)
		at := max(v.at, t.began)
		if i == 0 {
			at = t.began // the first holds for what was before it, too
		}
		listed := map[string]bool{}
		if tree != nil {
			for j := range tree.Pools {
				p := &tree.Pools[j]
				parent := p.Parent
				if runs := t.parents[p.Name]; i == 0 && len(runs) > 0 && runs[0].first < v.at {
					parent = runs[0].parent
				}
				t.pool(p.Name, core.Span{From: at, To: at}).add(poolVersion{time: at, parent: parent, config: v.rows[t.name][j]})
				listed[p.Name] = true
			}
			delete(v.rows, t.name) // the versions of the pools have them now
		}
		t.drop(at, listed)
	}
}

// drop ends the pools that a full list of them does not have.
func (t *treeAssembly) drop(at core.Time, listed map[string]bool) {
	for name, p := range t.pools {
		if n := len(p.versions); n > 0 && !listed[name] && !p.versions[n-1].deleted && p.versions[n-1].time < at {
			last := p.versions[n-1]
			p.versions = append(p.versions, poolVersion{time: at, parent: last.parent, config: last.config, deleted: true})
		}
	}
}

// add puts a version in its place unless it says what the one before says.
func (p *treePool) add(v poolVersion) {
	n := p.until(v.time + 1)
	if n > 0 {
		last := &p.versions[n-1]
		same := last.says(&v)
		if last.time == v.time && !last.deleted {
			last.logged = last.logged || same && v.logged
			return
		}
		if same {
			return
		}
	}
	p.versions = slices.Insert(p.versions, n, v)
}

// until is how many versions a pool had before a moment.
func (p *treePool) until(at core.Time) int {
	n, _ := slices.BinarySearchFunc(p.versions, at, func(v poolVersion, at core.Time) int { return cmp.Compare(v.time, at) })
	return n
}

// says reports whether two versions configure the same. A row of pools_info fills in
// the defaults that an export leaves out (ingest/trace/FORMAT.md §1.3).
func (v *poolVersion) says(w *poolVersion) bool {
	a, b := *v, *w
	a.time, a.logged = b.time, b.logged
	for _, c := range [...]*trace.PoolConfig{&a.config, &b.config} {
		c.FIFOSortParameters = core.Some(c.FIFOSortParameters.Or("weight,start_time"))
		c.CreateEphemeralSubpools = core.Some(c.CreateEphemeralSubpools.Or(false))
		c.SchedulingTagFilter = core.Some(c.SchedulingTagFilter.Or(""))
		c.AllowNormalPreemption = core.Some(c.AllowNormalPreemption.Or(true))
	}
	if a.config.ConfigJSON == "" || b.config.ConfigJSON == "" {
		a.config.ConfigJSON, b.config.ConfigJSON = "", "" // of options that schedule nothing
	}
	return a == b
}

// poolRow reads the options of a pool that the log records.
func (t *treeAssembly) poolRow(a pooltree.Attributes, pool string) trace.PoolConfig {
	row, faults := poolconf.PoolRow(a)
	for _, f := range faults {
		t.problems.Note(wholeLog, -1, f.Option, badOption, pool+": "+f.Found)
	}
	return row
}

// loggedPools takes the pools that pools_info records: all of them each time.
func (t *treeAssembly) loggedPools() error {
	times := t.poolsInfos[t.id]
	if len(times) == 0 {
		return nil
	}
	slices.Sort(times)
	times = slices.Compact(times)
	scan := t.sorter.Scan(prefixOf(configRecords, t.id))
	type told struct {
		name  string
		times map[core.Time]bool
	}
	var all []told
	var before string
	for scan.Next() {
		d := decode(scan.Record())
		name, at := t.names.of(d.name()), d.time()
		text := d.text()
		if n := len(all); n == 0 || all[n-1].name != name {
			all, before = append(all, told{name, map[core.Time]bool{}}), ""
		}
		all[len(all)-1].times[at] = true
		if string(text) == before {
			continue
		}
		before = string(text)
		v, err := poolconf.ParseJSON(text)
		options, isMap := v.(map[string]any)
		if err != nil || !isMap {
			t.problems.Quarantine(wholeLog, -1, "pools", badField, name)
			continue
		}
		p := t.pool(name, core.Span{From: at, To: at})
		version := poolVersion{time: at, parent: t.parentAt(name, at), config: t.poolRow(options, name), logged: true}
		if s := t.poolSights[poolName{t.id, name}]; len(p.versions) == 0 && at == times[0] && (s == nil || !t.isEphemeral(name, s)) {
			// no row says what stood before the first row of its kind
			version.time, version.parent, version.logged = t.began, t.parentAt(name, t.began), at == t.began
		}
		p.add(version)
	}
	for _, one := range all {
		p := t.pools[one.name]
		last := times[0]
		for _, at := range times {
			switch {
			case one.times[at]:
				last = at
			case last < at && one.times[last]:
				n := p.until(at)
				told := n < len(p.versions) && p.versions[n].time == at
				if n > 0 && !told && !p.versions[n-1].deleted {
					gone := p.versions[n-1]
					gone.time, gone.deleted = at, true
					p.versions = slices.Insert(p.versions, n, gone)
				}
				last = at
			}
		}
	}
	return scan.Err()
}

// parentAt is the pool above one at a moment, as far as anything says so.
func (t *treeAssembly) parentAt(name string, at core.Time) string {
	if parent, ok := t.parents[name].at(at); ok {
		return parent
	}
	if p := t.pools[name]; p != nil && len(p.versions) > 0 {
		return p.versions[max(p.until(at+1), 1)-1].parent
	}
	return ""
}

// shownPool makes the version of a pool that no configuration holds: of a user's
// own, or of any where there is no configuration at all.
func (t *treeAssembly) shownPool(name string, p *treePool, sight *poolSight) {
	config := trace.PoolConfig{Mode: core.FairShare.String(), IntegralType: "none"}
	parent, known := t.parents[name].at(p.seen.From)
	if sight != nil {
		config.Mode, config.IntegralType = cmp.Or(sight.mode, config.Mode), cmp.Or(sight.integral, config.IntegralType)
	}
	configured, kinds := t.exported || len(t.poolsInfos[t.id]) > 0, t.kinds[name]
	if kinds.everExplicit() {
		config.Weight = kinds.weight() // no configuration tells it
	} else if configured {
		p.ephemeral = true // what no configuration has, exists for its operations only
		parent, known = t.ephemeralParent(name, p.seen.From), true
	}
	if !known {
		t.problems.Note(wholeLog, -1, "parent", misplacedPool, t.name+"/"+name)
	}
	at := p.seen.From
	if !p.ephemeral {
		at = t.began
	}
	p.versions = []poolVersion{{time: at, parent: parent, config: config}}
}

// ephemeralParent is the pool above an ephemeral one that is there from a moment on: as
// the log shows it, or else as the rules put it.
func (t *treeAssembly) ephemeralParent(name string, at core.Time) string {
	if parent, ok := t.shownAt(name, at); ok {
		return parent
	}
	return t.homeOf(name, at)
}

// homeOf is the pool below which the rules put an ephemeral pool at a moment: its hub, by
// whose name and user it is called, or the default parent (core/spec/scheduling.md §5.1).
func (t *treeAssembly) homeOf(name string, at core.Time) string {
	if hub, _, is := strings.Cut(name, "$"); is && t.pools[hub] != nil && !t.pools[hub].ephemeral {
		return hub
	}
	home := ""
	if t.exporting != nil {
		for i, v := range t.exporting.versions {
			if i > 0 && v.at > at {
				break
			}
			if tree := v.of(t.name); tree != nil {
				home, _ = tree.Attributes["default_parent_pool"].(string)
			}
		}
	}
	if home == rootPool {
		return ""
	}
	return home
}

// raiseParents sees that a parent stands before its children, whatever the log
// shows first.
func (t *treeAssembly) raiseParents() {
	for changed := true; changed; {
		changed = false
		for _, name := range slices.Sorted(maps.Keys(t.pools)) {
			p := t.pools[name]
			for _, v := range p.versions {
				if v.parent == "" || v.deleted {
					continue
				}
				above := t.pools[v.parent]
				if above == nil {
					above = t.pool(v.parent, core.Span{From: v.time, To: v.time})
					t.shownPool(v.parent, above, t.poolSights[poolName{t.id, v.parent}])
					changed = true
				}
				if above.versions[0].time > v.time {
					above.versions[0].time = v.time
					above.seen.From = min(above.seen.From, v.time)
					changed = true
				}
			}
		}
	}
}

// writePoolConfigs writes the versions in the order of time, parents first.
func (t *treeAssembly) writePoolConfigs() error {
	type entry struct {
		poolVersion
		name  string
		depth int
	}
	var all []entry
	for name, p := range t.pools {
		for _, v := range p.versions {
			all = append(all, entry{v, name, t.depth(name, v.time, 0)})
		}
	}
	slices.SortFunc(all, func(a, b entry) int {
		order := cmp.Compare(a.depth, b.depth)
		if a.deleted && b.deleted {
			order = -order // children go first
		}
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(boolOf(b.deleted), boolOf(a.deleted)), order, strings.Compare(a.name, b.name))
	})
	for i := range all {
		e := &all[i]
		row := e.config
		row.Stamp, row.Pool, row.Deleted = t.stamp(e.time), t.poolIDs[poolName{t.id, e.name}], e.deleted
		row.Ephemeral = t.pools[e.name].ephemeral || e.ephemeral
		row.Source = core.Optional[string]{}
		if e.logged {
			row.Source = core.Some("event")
		}
		row.Parent = core.Optional[core.PoolID]{}
		if e.parent != "" {
			row.Parent = core.Some(t.poolIDs[poolName{t.id, e.parent}])
		}
		if err := t.out.Add(&row); err != nil {
			return err
		}
	}
	return nil
}

func boolOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// maxPoolDepth bounds the way to the root: a longer one is a circle.
const maxPoolDepth = 100

// depth is how many pools stand above one at a moment.
func (t *treeAssembly) depth(name string, at core.Time, below int) int {
	p := t.pools[name]
	if p == nil || below > maxPoolDepth {
		return below
	}
	parent := p.versions[0].parent
	for _, v := range p.versions {
		if v.time <= at {
			parent = v.parent
		}
	}
	if parent == "" {
		return below
	}
	return t.depth(parent, at, below+1)
}

// writeTreeConfigs writes the tree's settings: those of the exports, or that
// nothing is known.
func (t *treeAssembly) writeTreeConfigs() error {
	var last trace.TreeConfig
	written := false
	if t.exporting != nil {
		for _, v := range t.exporting.versions {
			tree := v.of(t.name)
			if tree == nil || tree.Bare {
				continue
			}
			row, _ := poolconf.TreeRow(tree.Attributes)
			if written && row == last {
				continue
			}
			last = row
			at := max(v.at, t.began)
			if !written {
				at = t.began
			}
			written = true
			row.Stamp = t.stamp(at)
			if err := t.out.Add(&row); err != nil {
				return err
			}
		}
	}
	if written {
		return nil
	}
	return t.out.Add(&trace.TreeConfig{Stamp: t.stamp(t.began), Source: "assumed"})
}
