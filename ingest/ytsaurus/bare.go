package ytsaurus

import (
	"slices"

	"poolproof/core/pooltree"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// leaveOutUnknown sees that nothing counts as configured of which an export lost the configuration, since that
// is not the default one: of trees without the attribute config, of pools without attributes, and of both where
// an option has a value that no cluster takes. Such pools go, and those below them, whose options are legal or
// not by those above; such trees stay for their pools.
func (l *loader) leaveOutUnknown(v *exportVersion) {
	v.rows = map[string][]trace.PoolConfig{}
	for i := range v.document.Trees {
		t := &v.document.Trees[i]
		if t.Bare = t.Bare || l.isDamaged(v, t); t.Bare {
			t.Attributes = pooltree.Attributes{}
		}
		t.Pools = l.knownPools(v, t)
	}
}

// knownPools returns the pools of a tree whose configuration is known, and appends their rows.
func (l *loader) knownPools(v *exportVersion, t *poolconf.DocumentTree) []poolconf.DocumentPool {
	gone := map[string]bool{}
	return slices.DeleteFunc(t.Pools, func(p poolconf.DocumentPool) bool { // parents come first
		row, faults := poolconf.PoolRow(p.Attributes)
		switch {
		case gone[p.Parent]:
		case p.Bare:
			l.problems.Note(v.document.File, int64(p.Line), "", barePool, t.Name+"/"+p.Name)
		case !l.noteFaults(v, &p.Object, faults):
			v.rows[t.Name] = append(v.rows[t.Name], row)
			return false
		}
		gone[p.Name] = true
		return true
	})
}

// isDamaged reports whether an option of a tree has a value that it cannot have.
func (l *loader) isDamaged(v *exportVersion, t *poolconf.DocumentTree) bool {
	_, faults := poolconf.TreeRow(t.Attributes)
	text, _ := pooltree.NodesFilter(t.Attributes)
	if _, err := pooltree.ParseFormula(text); err != nil {
		faults = append(faults, poolconf.Fault{Option: "nodes_filter", Found: err.Error()})
	}
	return l.noteFaults(v, &t.Object, faults)
}

// noteFaults reports options with values that cannot be, and whether there are any.
func (l *loader) noteFaults(v *exportVersion, o *poolconf.Object, faults []poolconf.Fault) bool {
	for _, f := range faults {
		l.problems.Note(v.document.File, int64(o.Line), f.Option, badOption, o.Name+": "+f.Found)
	}
	return len(faults) > 0
}
