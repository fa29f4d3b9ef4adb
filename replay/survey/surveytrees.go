package survey

import (
	"errors"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/pooltree"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// treeSets follows the set of trees: what is stored of it, and what of that the
// scheduler took over (core/spec/scheduling.md §2.3).
type treeSets struct {
	stored   bool // a version of the cluster's settings came in this instant
	changed  bool // or another reason to look at the set
	filtered bool // a filter is another than that in force
	refused  bool // the stored set is not in force, and why
	why      *pooltree.TreeSetError
	since    core.Time

	defaults bool // some version named a default tree, so that the log records it

	open    bool
	row     tables.TreeSet
	inForce []setVersion // the latest last
}

// A setVersion is a set of trees while it was in force, with the settings that
// came with it.
type setVersion struct {
	from  core.Time
	trees pooltree.KnownTrees
	limit core.Optional[int64] // max_operation_count
	known bool                 // the log states the set
	alone core.Optional[bool]  // enable_schedule_in_single_tree
}

// settleTrees tries the stored set where it is not the one in force: when it is new, and when it
// was refused and nodes have changed since. The trees that the log begins with are in force,
// whatever nodes they have.
func (s *surveyor) settleTrees() {
	t, nodes := &s.sets, &s.nodes
	first := len(nodes.assignment.Trees().Trees) == 0
	if !first {
		nodes.assign(s.dims.Nodes)
	}
	if t.changed || t.refused && len(nodes.touched) > 0 {
		s.update()
	}
	if first {
		nodes.restart()
		nodes.assign(s.dims.Nodes)
	}
	t.stored, t.changed = false, false
	s.settleNodes()
}

// update has the stored set tried, and follows what became of it.
func (s *surveyor) update() {
	t := &s.sets
	set, was := s.treeSet(), t.refused
	var err error
	if !sameSet(set, s.nodes.assignment.Trees()) {
		switch _, err = s.nodes.assignment.Update(set); {
		case err == nil:
			s.nodes.touchAll()
		case !s.isNews(set):
			err = nil
		}
	}
	turned := false
	if was && (err == nil || err.Error() != t.why.Error()) {
		s.endRefusal(s.now, true)
		t.refused, turned = false, true
	}
	if err != nil && !t.refused {
		t.refused, t.since, turned = true, s.now, true
		errors.As(err, &t.why)
	}
	s.install()
	if s.knowsSet() && (t.stored || turned) {
		s.writeSet(err)
	}
}

// sameSet reports whether two sets claim the same nodes for the same trees.
func sameSet(a, b pooltree.TreeSet) bool {
	return a.Default == b.Default && slices.EqualFunc(a.Trees, b.Trees, func(x, y pooltree.TreeFilter) bool {
		return x.Name == y.Name && x.Nodes.String() == y.Nodes.String()
	})
}

// isNews reports whether the log records another set than the one in force. A gap in the history of
// a tree's filter does not count.
func (s *surveyor) isNews(set pooltree.TreeSet) bool {
	inForce := s.nodes.assignment.Trees()
	return set.Default != inForce.Default || !slices.EqualFunc(set.Trees, inForce.Trees, func(x, y pooltree.TreeFilter) bool {
		i, found := s.result.Index[x.Name]
		gap := found && s.configs[i] != nil && s.configs[i].Assumed
		return x.Name == y.Name && (gap || x.Nodes.String() == y.Nodes.String())
	})
}

// treeSet is the stored set. Without settings above the trees it is of those that
// have a configuration.
func (s *surveyor) treeSet() (set pooltree.TreeSet) {
	add := func(name string, config *core.TreeConfig) {
		filter := nowhere
		if config != nil && !config.Assumed {
			filter = config.NodesFilter
		}
		set.Trees = append(set.Trees, pooltree.TreeFilter{Name: name, Nodes: filter})
	}
	if s.knowsSet() {
		set.Default = s.cluster.Default
		for _, name := range s.cluster.Trees {
			i, found := s.result.Index[name]
			if found {
				add(name, s.configs[i])
			} else {
				add(name, nil)
			}
		}
		return set
	}
	for i, name := range s.names {
		if s.configs[i] != nil {
			add(name, s.configs[i])
		}
	}
	return set
}

// knowsSet reports whether the log states which trees there are to be.
func (s *surveyor) knowsSet() bool { return s.cluster != nil && len(s.cluster.Trees) > 0 }

// endRefusal ends the span in which a stored set was not in force.
func (s *surveyor) endRefusal(to core.Time, mended bool) {
	span := core.Span{From: s.sets.since, To: to}
	s.result.Windows = append(s.result.Windows, env.Window{Span: span, Cause: judge.PoolsAlert})
	s.result.Refusals = append(s.result.Refusals, Refusal{span, mended, s.sets.why})
}

// install makes the stored settings those in force, the set of trees only where it
// is not refused. Operations lose the trees that it lacks, and a window excuses
// until everybody has it.
func (s *surveyor) install() {
	t := &s.sets
	v, before := setVersion{from: s.now, known: s.knowsSet()}, setVersion{}
	if n := len(t.inForce); n > 0 {
		before = t.inForce[n-1]
	}
	if s.cluster != nil {
		t.defaults = t.defaults || s.cluster.Default != ""
		v.trees.Default, v.trees.DefaultTentative = s.cluster.Default, s.cluster.DefaultTentative
		v.limit, v.alone = s.cluster.MaxOperationCount, s.cluster.SingleTree
	}
	if t.refused {
		v.known, v.trees = before.known, before.trees
		t.inForce = append(t.inForce, v)
		return
	}
	for _, tree := range s.nodes.assignment.Trees().Trees {
		v.trees.Names = append(v.trees.Names, tree.Name)
	}
	v.trees.NonTentative = s.nonTentative()
	t.inForce = append(t.inForce, v)
	known := v.known && before.known
	if t.filtered || known && !slices.Equal(before.trees.Names, v.trees.Names) {
		t.filtered = false
		s.excuse()
	}
	for _, name := range before.trees.Names {
		if known && !slices.Contains(v.trees.Names, name) {
			s.removeTree(name)
		}
	}
}

// nonTentative are the types that trees never take tentatively, where they say so.
func (s *surveyor) nonTentative() map[string][]string {
	types := map[string][]string{}
	for i, name := range s.names {
		if c := s.configs[i]; c != nil && len(c.NonTentativeTypes) > 0 {
			types[name] = c.NonTentativeTypes
		}
	}
	return types
}

// excuse opens the window of an update of the trees: the scheduler takes it over
// within the time that a configuration takes, and its effects are seen a tick and
// a record later (core/spec/invariants.md §1).
func (s *surveyor) excuse() {
	s.updated = s.now + core.Time(s.slacks.Configuration+s.slacks.Tick+s.slacks.Record)
	s.result.Windows = append(s.result.Windows, env.Window{Span: core.Span{From: s.now, To: s.updated}, Cause: judge.TreesUpdating})
}

// writeSet ends the row of the version before and opens that of the stored one.
func (s *surveyor) writeSet(err error) {
	t := &s.sets
	before := t.row.Trees
	s.closeSet(s.now, false)
	t.row = tables.TreeSet{
		FromTime: s.now, Trees: strings.Join(s.cluster.Trees, ","), Default: s.cluster.Default, MaxOperationCount: s.cluster.MaxOperationCount,
	}
	if t.open {
		t.row.Added, t.row.Removed = lacking(s.cluster.Trees, before), lacking(strings.Split(before, ","), t.row.Trees)
	}
	if err != nil {
		t.row.Refused = err.Error()
	}
	t.open = true
}

// lacking are the names that are not in a list.
func lacking(names []string, list string) string {
	others := strings.Split(list, ",")
	var lacks []string
	for _, name := range names {
		if name != "" && !slices.Contains(others, name) {
			lacks = append(lacks, name)
		}
	}
	return strings.Join(lacks, ",")
}

// closeSet writes the row that is open as far as it lies in the judged window.
func (s *surveyor) closeSet(to core.Time, clipped bool) {
	t := &s.sets
	row := t.row
	row.ToTime, row.ClippedTo = to, clipped
	if row.FromTime < s.window.From {
		row.FromTime, row.ClippedFrom = s.window.From, true
	}
	if t.open && row.FromTime < row.ToTime {
		s.result.Sets = append(s.result.Sets, row)
	}
}

// versionsAt returns the sets of trees that may have been in force now, the latest
// first.
func (s *surveyor) versionsAt() []setVersion {
	all := s.sets.inForce
	i := len(all) - 1
	for i > 0 && all[i].from > s.now-core.Time(s.slacks.Configuration) {
		i--
	}
	versions := slices.Clone(all[max(i, 0):])
	slices.Reverse(versions)
	return versions
}
