package ytsaurus

import (
	"slices"

	"poolproof/core"
)

// When an operation leaves one of its trees, no row but that of a ban records it. What its end
// says, its jobs and the snapshots of its trees bound the moment.

// erasedAt returns when an operation left the tree before its end: one for a single tree
// when it was materialized, if that tree is another; else at the first snapshot that no
// longer shows it, where its end says that it was erased from the tree, or another tree
// shows it later. A wait shows in no snapshot, so that absence alone says nothing.
func (t *treeAssembly) erasedAt(l *life) (core.Time, bool) {
	if t.hasAtEnd(l) {
		return 0, false
	}
	left := func(at core.Time) bool { return slices.Contains(l.erased, t.id) || t.elsewhereAfter(l, at) }
	if at, chooses := l.choosesTree(); chooses && !t.showsAfter(l, at) && left(at) {
		return at, true
	}
	i, _ := slices.BinarySearch(t.snapshots, l.last+1)
	if l.first == 0 || i+surelyGone > len(t.snapshots) {
		return 0, false
	}
	at := t.snapshots[i]
	if l.end.time != 0 && l.end.time <= at {
		return 0, false
	}
	return at, left(at)
}

// choosesTree returns when an operation is to keep one of its trees alone.
// (core/spec/scheduling.md §2.4).
func (o *operation) choosesTree() (core.Time, bool) {
	if !o.singleTree || len(o.materialized) == 0 {
		return 0, false
	}
	return slices.Min(o.materialized), true
}

// materializesIn reports whether an operation had the tree when it was materialized, as far as
// the log records which of its trees an operation for a single tree kept.
func (t *treeAssembly) materializesIn(l *life) bool {
	at, chooses := l.choosesTree()
	return !chooses || t.showsAfter(l, at) || !slices.ContainsFunc(t.byTree, func(other *treeAssembly) bool {
		return other != nil && other != t && other.lives[l.id] != nil
	})
}

// showsAfter reports whether the log shows an operation in the tree after a moment: at its end,
// by a job, or by a snapshot, unless that describes the time before.
func (t *treeAssembly) showsAfter(l *life, at core.Time) bool {
	return l.last > at+soon || t.hasAtEnd(l) || slices.ContainsFunc(l.trees, func(in operationTree) bool {
		return in.tree == t.id && in.lastJob >= at
	})
}

// hasAtEnd reports whether the end of an operation says that it had the tree.
func (t *treeAssembly) hasAtEnd(l *life) bool {
	return slices.ContainsFunc(l.trees, func(in operationTree) bool { return in.tree == t.id && in.options.Set })
}

// elsewhereAfter reports whether another tree shows an operation after a moment.
func (t *treeAssembly) elsewhereAfter(l *life, at core.Time) bool {
	return slices.ContainsFunc(t.byTree, func(other *treeAssembly) bool {
		return other != nil && other != t && other.lives[l.id] != nil && other.showsAfter(other.lives[l.id], at)
	})
}
