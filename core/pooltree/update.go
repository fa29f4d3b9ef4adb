package pooltree

import (
	"math"
	"slices"
)

// A Change is a version of an explicit pool, or its removal.
type Change struct {
	Definition
	Removed bool
	Dated   bool // the log says since when the version is in force
}

// Apply changes the explicit pools of the tree, all or nothing: if the whole
// set that results breaks a rule that stops the scheduler, every change is
// discarded and the broken rules are returned (core/spec/scheduling.md §4.5).
// Removing a pool removes its explicit subtree. What running operations feel
// of it is §4.6.
func (t *Tree) Apply(changes ...Change) []*RuleError {
	return t.Replace(changed(t.definitions, changes))
}

// changed returns the definitions with changes applied.
func changed(definitions []Definition, changes []Change) []Definition {
	out := slices.Clone(definitions)
	index := make(map[string]int, len(out))
	for i := range out {
		index[out[i].Name] = i
	}
	removed := map[string]bool{}
	for _, c := range changes {
		i, known := index[c.Name]
		switch {
		case c.Removed:
			removed[c.Name] = true
		case known:
			delete(removed, c.Name)
			out[i] = c.Definition
		default:
			delete(removed, c.Name)
			index[c.Name] = len(out)
			out = append(out, c.Definition)
		}
	}
	return withoutSubtrees(out, removed)
}

// withoutSubtrees drops the removed pools and what stands below them.
func withoutSubtrees(pools []Definition, removed map[string]bool) []Definition {
	for grown := len(removed) > 0; grown; {
		grown = false
		for i := range pools {
			if name := pools[i].Name; removed[pools[i].Parent] && !removed[name] {
				removed[name], grown = true, true
			}
		}
	}
	return slices.DeleteFunc(pools, func(d Definition) bool { return removed[d.Name] })
}

// Replace is Apply with the whole new set of explicit pools.
func (t *Tree) Replace(pools []Definition) []*RuleError {
	if errs := t.stopped(&t.config, pools); len(errs) > 0 {
		return errs
	}
	t.install(pools)
	t.rebuild()
	return nil
}

// SetConfig changes the options of the tree, and with them pools. Options that
// contradict each other, or that the pools do not go with, are refused as a
// whole, the changes of pools included.
func (t *Tree) SetConfig(c TreeConfig, changes ...Change) []*RuleError {
	pools := t.definitions
	if len(changes) > 0 {
		pools = changed(pools, changes)
	}
	if errs := append(c.check(t.profile), t.stopped(&c, pools)...); len(errs) > 0 {
		return errs
	}
	t.config = c
	if len(changes) > 0 {
		t.install(pools)
	}
	t.rebuild()
	return nil
}

// SetUserParents changes the map from users to the parents of their ephemeral
// pools (core/spec/scheduling.md §5.1). The tree keeps the map.
func (t *Tree) SetUserParents(parents map[string]string) {
	t.userParents = parents
	t.rebuild()
}

// stopped returns the rules that the set breaks and the scheduler insists on.
func (t *Tree) stopped(config *TreeConfig, pools []Definition) []*RuleError {
	var errs []*RuleError
	for i := range pools {
		for _, e := range pools[i].Config.check() {
			e.Pool = pools[i].Name
			errs = append(errs, e)
		}
	}
	errs = append(errs, Validate(t.profile, config, pools, math.MaxInt)...)
	return slices.DeleteFunc(errs, func(e *RuleError) bool { return !e.Rule.StopsUpdate() })
}

// install makes a legal set of definitions the tree's explicit pools. Parents
// are right afterwards except those of ephemeral pools, which rebuild sets.
func (t *Tree) install(pools []Definition) {
	dropped := t.droppedBy(pools)
	t.definitions = pools
	for i := range pools {
		p := t.slot(pools[i].Name)
		t.disown(p)
		t.pools[p].existence, t.pools[p].definition, t.pools[p].wasHub = explicit, int32(i), false
	}
	for i := range pools {
		p, parent := t.names[pools[i].Name], Root
		if pools[i].Parent != "" {
			parent = t.names[pools[i].Parent]
		}
		t.attach(p, parent)
	}
	for _, p := range dropped { // from below, so that empty subtrees go
		pool := &t.pools[p]
		if pool.own.Operations == 0 && pool.children == 0 {
			t.vanish(p)
			t.moved = true
			continue
		}
		pool.existence, pool.definition, pool.wasHub = ephemeral, -1, pool.hub
		t.attach(p, Root)
	}
}

// droppedBy returns the explicit pools that a set no longer holds, the deepest
// first.
func (t *Tree) droppedBy(pools []Definition) []Pool {
	kept := make(map[string]bool, len(pools))
	for i := range pools {
		kept[pools[i].Name] = true
	}
	var dropped []Pool
	for i := range t.definitions {
		if name := t.definitions[i].Name; !kept[name] {
			dropped = append(dropped, t.names[name])
		}
	}
	slices.SortStableFunc(dropped, func(a, b Pool) int { return int(t.pools[b].depth - t.pools[a].depth) })
	return dropped
}

// attach puts a pool under a parent.
func (t *Tree) attach(p, parent Pool) {
	pool := &t.pools[p]
	if pool.parent == parent {
		return
	}
	if pool.parent != NoPool {
		t.pools[pool.parent].children--
	}
	pool.parent = parent
	t.pools[parent].children++
	t.moved = true
}
