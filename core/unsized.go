package core

import (
	"errors"

	"poolproof/core/resource"
)

// unsizedNodes counts the nodes that the log does not describe, so that the tree's total lacks
// them: some are known to serve the tree, of the others nothing is known.
type unsizedNodes struct {
	serving, unseen int
	recorded        Optional[resource.Vector] // the tree's total, as the scheduler recorded it last
}

// totalTolerance is the relative tolerance of a recorded total (core/spec/invariants.md, TREE-08).
const totalTolerance = 0.01

// errUnsized refuses an update of shares while the tree's total is unknown.
var errUnsized = errors.New("the total of the tree is unknown, because the log does not describe all of its nodes")

// countUndescribed adds an undescribed node to the counts, or removes it.
func (u *unsizedNodes) countUndescribed(n *Node, by int) {
	switch {
	case !n.recorded || !n.Undescribed:
	case n.Online:
		u.serving += by
	default:
		u.unseen += by
	}
}

// KnowsTotal reports whether the total of the tree is known: the log describes all nodes that serve
// it. If it is unknown whether some nodes serve it, they do not if the scheduler recorded the total
// of the others. If no node is described, some serve it if the scheduler recorded a total.
func (t *nodeTable) KnowsTotal() bool {
	if t.total.IsZero() && t.recorded.Set && !t.recorded.Value.IsZero() {
		return false
	}
	return t.serving == 0 && (t.unseen == 0 || t.recorded.Set && SameTotal(t.recorded.Value, t.total))
}

// IsSized reports whether the total of the tree is known, and was known to the last update of shares.
func (t *Tree) IsSized() bool { return !t.unsized && t.KnowsTotal() }

// DoubtsNodes reports whether the log does not show if some node serves the tree.
func (u *unsizedNodes) DoubtsNodes() bool { return u.serving+u.unseen > 0 }

// SameTotal reports whether two totals of a tree are equal within the precision of records.
func SameTotal(a, b resource.Vector) bool {
	for k := range a {
		if !SameAmount(a[k], b[k]) {
			return false
		}
	}
	return true
}

// SameAmount is SameTotal of one resource.
func SameAmount(a, b int64) bool {
	return float64(max(a-b, b-a)) <= totalTolerance*float64(max(a, b))
}

// recordTotal sets the total that the scheduler recorded.
func (t *Tree) recordTotal(r *TreeRecord) {
	if r == nil {
		return
	}
	t.stale = t.stale || t.unseen > 0 && t.recorded != Some(r.Total)
	t.recorded = Some(r.Total)
}
