package core

import (
	"errors"

	"poolproof/core/resource"
)

// unsizedNodes are those that the log does not describe: of some it shows that they serve the tree,
// of others nothing. The total of the tree then lacks some of them.
type unsizedNodes struct {
	serving, unseen int
	recorded        Optional[resource.Vector] // the tree's total, as the scheduler recorded it last
}

// totalTolerance is how far a recorded total may be off, as a part of it (core/spec/invariants.md,
// TREE-08).
const totalTolerance = 0.01

// errUnsized refuses an update of shares while it is unknown what they are fractions of.
var errUnsized = errors.New("the total of the tree is unknown, because the log does not describe all of its nodes")

// countUndescribed counts a node that rows do not describe, or no longer.
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
// it. Where it does not show whether some serve it, they do not if the scheduler recorded the total of the others.
// Where it describes none, some serve it if the scheduler recorded a total.
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

// SameTotal reports whether two totals of a tree are the same, as exactly as they are recorded.
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

// recordTotal takes over the total that the scheduler recorded.
func (t *Tree) recordTotal(r *TreeRecord) {
	if r == nil {
		return
	}
	t.stale = t.stale || t.unseen > 0 && t.recorded != Some(r.Total)
	t.recorded = Some(r.Total)
}
