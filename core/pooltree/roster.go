package pooltree

import (
	"cmp"
	"slices"
)

// A Roster holds the trees of every live operation. It is for the pass over what concerns all
// trees at once; within a tree a Tree counts.
type Roster[ID cmp.Ordered] struct {
	trees map[ID][]string // sorted
}

// NewRoster returns an empty roster.
func NewRoster[ID cmp.Ordered]() *Roster[ID] { return &Roster[ID]{map[ID][]string{}} }

// Add enters an operation with its trees.
func (r *Roster[ID]) Add(id ID, trees []string) {
	sorted := slices.Clone(trees)
	slices.Sort(sorted)
	r.trees[id] = slices.Compact(sorted)
}

// Trees returns the trees of an operation, sorted.
func (r *Roster[ID]) Trees(id ID) []string { return r.trees[id] }

// Remove takes an operation off the roster.
func (r *Roster[ID]) Remove(id ID) { delete(r.trees, id) }

// Erase takes a tree from an operation: it was banned there, failed its limits
// there, or chose another. It reports whether none is left; such an operation
// is aborted and off the roster (core/spec/scheduling.md §2.3).
func (r *Roster[ID]) Erase(id ID, tree string) (orphaned bool) {
	trees, known := r.trees[id]
	i, found := slices.BinarySearch(trees, tree)
	if !known || !found {
		return false
	}
	if len(trees) == 1 {
		delete(r.trees, id)
		return true
	}
	r.trees[id] = slices.Delete(trees, i, i+1)
	return false
}

// RemoveTree takes a removed tree from every operation. It returns those that
// are aborted because no tree is left and those that go on with fewer, each in
// order (core/spec/scheduling.md §2.3).
func (r *Roster[ID]) RemoveTree(tree string) (aborted, left []ID) {
	for id, trees := range r.trees { // collected in any order, then sorted
		if _, found := slices.BinarySearch(trees, tree); found {
			left = append(left, id)
		}
	}
	slices.Sort(left)
	left = slices.DeleteFunc(left, func(id ID) bool {
		orphaned := r.Erase(id, tree)
		if orphaned {
			aborted = append(aborted, id)
		}
		return orphaned
	})
	return aborted, left
}
