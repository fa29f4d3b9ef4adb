package whatif

import (
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/spelling"
	"poolproof/ingest/input"
	"poolproof/ingest/poolconf"
)

// configure puts options over those of trees and pools.
func (a *application) configure() error {
	for i := range a.patches {
		p := &a.patches[i]
		found := false
		for tree := range a.plan.Trees {
			if p.Tree != "" && p.Tree != a.plan.Trees[tree].Name {
				continue
			}
			done, err := a.patch(tree, p)
			if err != nil {
				return err
			}
			found = found || done
		}
		if !found {
			return a.unknown(p)
		}
	}
	return nil
}

func (a *application) wrong(p *poolconf.Patch, format string, args ...any) error {
	return input.At(a.file, p.Line, format, args...)
}

// unknown says that the trace does not have what a patch is about.
func (a *application) unknown(p *poolconf.Patch) error {
	var trees, pools []string
	for i := range a.plan.Trees {
		trees = append(trees, a.plan.Trees[i].Name)
		for _, f := range a.plan.Trees[i].Facts {
			if f.Kind == core.PoolConfigured && !f.Config.Ephemeral {
				pools = append(pools, a.plan.Dimensions.Pools[f.Pool].Name)
			}
		}
	}
	slices.Sort(pools)
	if p.Tree != "" && !slices.Contains(trees, p.Tree) {
		return a.wrong(p, "the trace has no tree %q; %s", p.Tree, spelling.MeantName(p.Tree, trees))
	}
	for _, pool := range a.plan.Dimensions.Pools {
		if pool.Name == p.Pool && pool.Ephemeral {
			return a.wrong(p, "pool %q is ephemeral and has no options of its own: edit ephemeral_subpool_config of the pool that it is in", p.Pool)
		}
	}
	return a.wrong(p, "the trace configures no pool %q; %s", p.Pool, spelling.MeantName(p.Pool, slices.Compact(pools)))
}

// patch edits the versions of a pool or a tree from the time of the edits on, and adds one
// at that time. It reports whether the tree has it.
func (a *application) patch(tree int, p *poolconf.Patch) (found bool, err error) {
	facts := a.plan.Trees[tree].Facts
	kind, pool := core.TreeConfigured, core.PoolID(core.Unknown)
	if p.Pool != "" {
		kind = core.PoolConfigured
		pool = core.PoolID(slices.IndexFunc(a.plan.Dimensions.Pools, func(i core.PoolInfo) bool { return i.Tree == a.plan.Trees[tree].Name && i.Name == p.Pool }))
		if pool == core.Unknown {
			return false, nil
		}
	}
	before := -1 // the version in force at the time of the edits
	begins := false
	for i := range facts {
		f := &facts[i]
		if f.Kind != kind || kind == core.PoolConfigured && (f.Pool != pool || f.Config.Ephemeral) {
			continue
		}
		found = true
		if f.Time < a.at {
			before = i
			continue
		}
		begins = begins || f.Time == a.at
		if err := a.patchFact(f, p); err != nil {
			return true, err
		}
	}
	switch {
	case begins:
	case before >= 0:
		f := facts[before]
		f.Time, f.Seq = a.at, 0
		if err := a.patchFact(&f, p); err != nil {
			return true, err
		}
		a.add(tree, f)
	case kind == core.TreeConfigured && !found:
		f := core.Event{
			Time: a.at, Kind: kind, Tree: &core.TreeConfig{},
			Pool: core.Unknown, Operation: core.Unknown, Node: core.Unknown, Job: core.Unknown, Preemptor: core.Unknown,
		}
		a.add(tree, f)
		return true, a.patchFact(&a.plan.Trees[tree].Facts[len(a.plan.Trees[tree].Facts)-1], p)
	}
	return found, nil
}

// patchFact puts a patch over a version.
func (a *application) patchFact(f *core.Event, p *poolconf.Patch) error {
	if f.Kind == core.PoolConfigured && f.Config.Deleted {
		return nil
	}
	f.Attributes = p.Over(f.Attributes)
	var errs []*pooltree.RuleError
	if f.Kind == core.PoolConfigured {
		c := *f.Config
		c.PoolConfig, errs = pooltree.ParsePool(a.plan.Profile, f.Attributes)
		f.Config = &c
	} else {
		var c pooltree.TreeConfig
		c, errs = pooltree.ParseTree(a.plan.Profile, f.Attributes)
		f.Tree = &c
	}
	for _, e := range errs {
		if _, edited := p.Options[e.Option]; edited {
			return a.wrong(p, "%v", e)
		}
	}
	return nil
}
