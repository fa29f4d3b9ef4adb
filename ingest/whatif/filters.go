package whatif

import (
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/input"
)

// serveByFilters has nodes serve other trees where the nodes_filter of a tree is edited: those
// that it matches its own, and of its own those that it does not match the tree whose filter does,
// or none. A node of another tree that it does not match stays there.
func (a *application) serveByFilters() error {
	f := filters{application: a, lines: map[int]int{}}
	for i := range a.patches {
		p := &a.patches[i]
		if _, filters := p.Options["nodes_filter"]; !filters || p.Pool != "" {
			continue
		}
		for tree := range a.plan.Trees {
			if p.Tree == "" || p.Tree == a.plan.Trees[tree].Name {
				f.lines[tree] = p.Line
			}
		}
		if !a.tagged() {
			return a.wrong(p, "the trace does not record the tags by which a nodes_filter chooses nodes: edit nodes")
		}
	}
	if len(f.lines) == 0 {
		return nil
	}
	for id := range a.plan.Dimensions.Nodes {
		if err := f.serve(core.NodeID(id)); err != nil {
			return err
		}
	}
	return nil
}

// tagged reports whether any node has tags.
func (a *application) tagged() bool {
	for t := range a.plan.Trees {
		if slices.ContainsFunc(a.plan.Trees[t].Facts, func(f core.Event) bool { return f.Kind == core.NodeChanged && len(f.Tags) > 0 }) {
			return true
		}
	}
	return false
}

// filters are those of the trees; some are edited.
type filters struct {
	*application
	lines map[int]int // of the edits, by tree
}

// serve has a node serve the trees whose filters match it, from the time of the edits on.
func (f *filters) serve(id core.NodeID) error {
	states := f.statesOf(id)
	homes := make([]int, len(states)) // -1 for none
	moves := false
	for i, s := range states {
		homes[i] = -1
		if s.fact.Online {
			var err error
			if homes[i], err = f.home(id, s); err != nil {
				return err
			}
			moves = moves || homes[i] != s.tree
		}
	}
	if !moves {
		return nil
	}
	serves := f.servesBefore(id)
	for t := range f.plan.Trees {
		facts := &f.plan.Trees[t].Facts
		*facts = slices.DeleteFunc(*facts, func(fact core.Event) bool {
			return fact.Kind == core.NodeChanged && fact.Node == id && fact.Time >= f.at
		})
	}
	for i, s := range states {
		if serves >= 0 && serves != homes[i] {
			gone := s.fact
			gone.Online = false
			f.add(serves, gone)
		}
		if homes[i] >= 0 && (homes[i] != serves || s.is) {
			f.add(homes[i], s.fact)
		}
		serves = homes[i]
	}
	return nil
}

// A nodeState is the state of a node from a time on, and the tree that it served in the trace.
type nodeState struct {
	tree int
	fact core.Event
	is   bool // a fact of the trace
}

// servesBefore returns the tree that a node serves just before the edits; -1 if there is none.
func (f *filters) servesBefore(id core.NodeID) int {
	serves, last := -1, core.Event{}
	for t := range f.plan.Trees {
		for _, fact := range f.plan.Trees[t].Facts {
			if fact.Kind == core.NodeChanged && fact.Node == id && fact.Time < f.at &&
				(serves < 0 || fact.Time > last.Time || fact.Time == last.Time && fact.Online) {
				serves, last = t, fact
			}
		}
	}
	if serves >= 0 && !last.Online {
		return -1
	}
	return serves
}

// statesOf returns the states of a node at the time of the edits, at each fact about it from then on, and
// whenever a tree is configured.
func (f *filters) statesOf(id core.NodeID) (states []nodeState) {
	at := map[core.Time]nodeState{}
	if tree, last := f.state(id); tree >= 0 {
		at[f.at] = nodeState{tree, last, last.Time == f.at}
	}
	times := []core.Time{f.at}
	for t := range f.plan.Trees {
		for _, fact := range f.plan.Trees[t].Facts {
			own := fact.Kind == core.NodeChanged && fact.Node == id
			if fact.Time <= f.at || !own && fact.Kind != core.TreeConfigured {
				continue
			}
			times = append(times, fact.Time)
			// It may come to another tree in the instant in which it leaves the first.
			if was, ok := at[fact.Time]; own && (!ok || !was.fact.Online) {
				at[fact.Time] = nodeState{t, fact, true}
			}
		}
	}
	slices.Sort(times)
	for _, time := range slices.Compact(times) {
		s, changed := at[time]
		if !changed && len(states) > 0 {
			s, changed = states[len(states)-1], true
			s.is = false
		}
		if changed {
			if !s.is {
				s.fact.Time, s.fact.Seq = time, 0
			}
			states = append(states, s)
		}
	}
	return states
}

// home is the tree that a node serves by the filters: one whose filter is edited, the one that it
// served if that one's is not, or else another; -1 if there is none.
func (f *filters) home(id core.NodeID, s nodeState) (home int, err error) {
	_, edited := f.lines[s.tree]
	matches := func(t int) bool {
		filter, known := f.filter(t, s.fact.Time)
		return known && filter.Match(s.fact.Tags)
	}
	home, err = f.only(id, func(t int) bool {
		_, own := f.lines[t]
		return own && matches(t) || t == s.tree && !edited
	})
	if home < 0 && err == nil && edited {
		return f.only(id, matches)
	}
	return home, err
}

// only is the one tree that a node serves, -1 if there is none.
func (f *filters) only(id core.NodeID, serves func(tree int) bool) (home int, err error) {
	home = -1
	for t := range f.plan.Trees {
		switch {
		case !serves(t):
		case home < 0:
			home = t
		default:
			return 0, input.At(f.file, max(f.lines[home], f.lines[t]), "node %s would serve both tree %s and tree %s: edit nodes_filter of the other one, too",
				f.plan.Dimensions.Nodes[id], f.plan.Trees[home].Name, f.plan.Trees[t].Name)
		}
	}
	return home, nil
}

// filter is the nodes_filter of a tree that is in force at a time, if one is known.
func (f *filters) filter(tree int, at core.Time) (filter pooltree.Formula, known bool) {
	var since core.Time
	for _, fact := range f.plan.Trees[tree].Facts {
		if fact.Kind == core.TreeConfigured && fact.Time <= at && (!known || fact.Time >= since) {
			filter, since, known = fact.Tree.NodesFilter, fact.Time, true
		}
	}
	return filter, known
}
