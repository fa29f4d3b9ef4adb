package validate

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/ingest"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// Versions judges every version of the configuration of the trees: all that changes at
// one instant is one set (core/spec/scheduling.md §4.5). A spot is listed once, from the
// instant at which it appears to the one that corrects it. The directory is the trace's.
func Versions(ctx context.Context, t *ingest.Trace, dir string, trees []string, to core.Time, profile pooltree.Profile) (*Spots, error) {
	all := &Spots{List: []Spot{}}
	for _, name := range trees {
		v := versions{trace: t, global: filepath.Join(dir, "global"), folder: filepath.Join(dir, trace.TreeDir(name)),
			tree: name, to: to, profile: profile, spots: all}
		if err := v.judge(ctx); err != nil {
			return nil, fmt.Errorf("judge the configuration of tree %s: %w", name, err)
		}
		all.Trees++
	}
	return all, nil
}

// versions are those of one tree's configuration.
type versions struct {
	trace        *ingest.Trace
	folder, tree string
	global       string // the folder of what concerns all trees
	to           core.Time
	profile      pooltree.Profile
	spots        *Spots

	changes []change
	totals  []resource.Vector // per instant: the most that the tree's nodes had until the next one; nil: not known

	// The configuration as it is stored now, which need not be in force.
	options   pooltree.Attributes
	templates []pooltree.Template   // below those options
	period    pooltree.Milliseconds // between updates of fair shares; 0 if the trace does not state it
	pools     map[string]*pooltree.StoredPool
	order     []string // of the pools, as the trace first names them

	open map[spotKey]int // uncorrected spots, by their index in spots
}

// A spotKey identifies a spot of a tree.
type spotKey struct {
	rule                pooltree.Rule
	pool, option, found string
}

// A change applies one row to the stored configuration.
type change struct {
	at    trace.Stamp
	apply func(*versions)
}

func (v *versions) judge(ctx context.Context) error {
	v.pools, v.open = map[string]*pooltree.StoredPool{}, map[spotKey]int{}
	if err := v.readChanges(); err != nil {
		return err
	}
	instants := v.instants()
	if err := v.readTotals(instants); err != nil {
		return err
	}
	next := 0
	for i, at := range instants {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for ; next < len(v.changes) && v.changes[next].at.Time == at; next++ {
			v.changes[next].apply(v)
		}
		v.dropOrphans()
		var total *resource.Vector
		if v.totals != nil {
			known := resource.Partial{Amounts: v.totals[i], Set: v.trace.Manifest().Sized()}.Or(resource.Unlimited)
			total = &known
		}
		v.compare(at, pooltree.Lint(v.profile, v.stored(), pooltree.Cluster{Total: total, UpdatePeriod: v.period}))
	}
	return nil
}

// instants are the times of the changes, each once.
func (v *versions) instants() []core.Time {
	var times []core.Time
	for i := range v.changes {
		times = append(times, v.changes[i].at.Time)
	}
	return slices.Compact(times)
}

func (v *versions) readChanges() error {
	err := eachRow(v, v.folder, trace.TreeConfigs, func(row *trace.TreeConfig) {
		attributes, _ := poolconf.TreeAttributes(row) // what is wrong with config_json is a problem of the row
		v.changes = append(v.changes, change{row.Stamp, func(v *versions) { v.options = attributes }})
	})
	if err == nil {
		err = eachRow(v, v.folder, trace.PoolConfigs, v.readPool)
	}
	if err == nil {
		err = eachRow(v, v.global, trace.ClusterConfigs, v.readTemplates)
	}
	v.changes = slices.DeleteFunc(v.changes, func(c change) bool { return c.at.Time >= v.to })
	slices.SortStableFunc(v.changes, func(a, b change) int {
		switch {
		case a.at.Time < b.at.Time || a.at.Time == b.at.Time && a.at.Seq < b.at.Seq:
			return -1
		case a.at == b.at:
			return 0
		}
		return 1
	})
	return err
}

// readTemplates turns a row of the settings above all trees into a change of what
// they patch this one with, which is part of what replay judges
// (core/spec/scheduling.md §2.1).
func (v *versions) readTemplates(row *trace.ClusterConfig) {
	attributes, _ := poolconf.ClusterAttributes(row)
	config, _ := pooltree.ParseCluster(v.profile, attributes)
	v.changes = append(v.changes, change{row.Stamp, func(v *versions) {
		v.templates, v.period = config.Templates, config.UpdatePeriod.Or(0)
	}})
}

// readPool turns a row into a change. An ephemeral pool has no configuration of
// its own; a row of a pool that dim/pools does not have is a problem elsewhere.
func (v *versions) readPool(row *trace.PoolConfig) {
	name, known := v.pool(row.Pool)
	parent := ""
	if row.Parent.Set {
		var parentKnown bool
		parent, parentKnown = v.pool(row.Parent.Value)
		known = known && parentKnown
	}
	if !known || row.Ephemeral {
		return
	}
	if row.Deleted {
		v.changes = append(v.changes, change{row.Stamp, func(v *versions) { v.pools[name] = nil }})
		return
	}
	attributes, _ := poolconf.PoolAttributes(row)
	stored := &pooltree.StoredPool{Name: name, Parent: parent, Attributes: attributes}
	v.changes = append(v.changes, change{row.Stamp, func(v *versions) {
		if _, seen := v.pools[name]; !seen {
			v.order = append(v.order, name)
		}
		v.pools[name] = stored
	}})
}

func (v *versions) pool(id core.PoolID) (string, bool) {
	pools := v.trace.Dimensions().Pools
	if id < 0 || int(id) >= len(pools) || pools[id].Tree != v.tree {
		return "", false
	}
	return pools[id].Name, true
}

// dropOrphans removes what stood below a removed pool: its subtree goes with it.
func (v *versions) dropOrphans() {
	for gone := true; gone; {
		gone = false
		for _, name := range v.order {
			p := v.pools[name]
			if p == nil || p.Parent == "" {
				continue
			}
			if parent, seen := v.pools[p.Parent]; seen && parent == nil {
				v.pools[name], gone = nil, true
			}
		}
	}
}

func (v *versions) stored() *pooltree.StoredTree {
	t := &pooltree.StoredTree{Options: v.options}
	if v.options != nil {
		t.Options = pooltree.TreeAttributes(v.tree, v.options, v.templates)
	}
	for _, name := range v.order {
		if p := v.pools[name]; p != nil {
			t.Pools = append(t.Pools, *p)
		}
	}
	v.spots.Pools = max(v.spots.Pools, len(t.Pools))
	return t
}

// compare tells the spots that are new and ends those that are gone.
func (v *versions) compare(at core.Time, errs []*pooltree.RuleError) {
	still := map[spotKey]bool{}
	for _, e := range errs {
		key := spotKey{e.Rule, e.Pool, e.Option, e.Detail}
		still[key] = true
		if _, told := v.open[key]; told {
			continue
		}
		e.Tree = v.tree
		s := newSpot(e)
		s.From = formatTime(at)
		v.open[key] = len(v.spots.List)
		v.spots.List = append(v.spots.List, s)
	}
	maps.DeleteFunc(v.open, func(key spotKey, i int) bool {
		if !still[key] {
			v.spots.List[i].Until = formatTime(at)
		}
		return !still[key]
	})
}

// readTotals finds the most that the tree's nodes had between one instant and
// the next: a node that is away for a while breaks no promise.
func (v *versions) readTotals(instants []core.Time) error {
	if len(instants) == 0 {
		return nil
	}
	limits := map[core.NodeID]resource.Vector{}
	var total resource.Vector
	i := 0 // the instant whose span the row stands in
	err := eachRow(v, v.folder, trace.NodeStates, func(row *trace.NodeState) {
		if row.Time >= v.to {
			return
		}
		if v.totals == nil {
			v.totals = make([]resource.Vector, len(instants))
		}
		for i+1 < len(instants) && instants[i+1] <= row.Time {
			i++
			v.totals[i] = total
		}
		total = total.Sub(limits[row.Node])
		limits[row.Node] = resource.Vector{}
		if row.Online {
			limits[row.Node] = row.Limit.Vector()
		}
		total = total.Add(limits[row.Node])
		v.totals[i] = v.totals[i].Max(total)
	})
	for v.totals != nil && i+1 < len(instants) {
		i++
		v.totals[i] = total
	}
	return err
}

// eachRow reads a table of a tree row by row. Rows that stand out of place, or hold a null they
// may not, are found where events are read.
func eachRow[T any](v *versions, folder string, table *parquetlog.TableOf[T], use func(*T)) error {
	return trace.EachRow(folder, table, v.trace.Memory().Pages, func(row *T) error {
		use(row)
		return nil
	})
}
