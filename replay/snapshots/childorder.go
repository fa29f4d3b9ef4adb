package snapshots

import (
	"math"
	"math/rand/v2"
	"slices"

	"poolproof/core/fairshare"
)

// Sums of shares depend on the order of children, and so does the recipient of the remainder when a
// limit is met exactly (core/spec/fair-share.md §3.7). The log does not record the order of
// children that existed before it: a snapshot agrees if some order explains it.

// triedOrders is the number of orders that are tried, and patience the number of successive
// snapshots for which all of them may fail.
const (
	triedOrders = 16
	patience    = 8
)

// explainByOrder searches for an order of children that gives the recorded shares. If none does, it
// records whether shares depend on the order, as they may when a limit is met exactly. After many
// successive failures it stops searching.
func (x *recomputation) explainByOrder() {
	s := x.Snapshots
	if x.missing != inputsComplete {
		return
	}
	if !x.disagrees() {
		s.unexplained = 0
		return
	}
	if s.unexplained >= patience {
		return
	}
	s.orderMatters = false
	for order := 1; order <= triedOrders; order++ {
		other := recomputation{Snapshots: s, missing: inputsComplete, order: order, buffers: &s.reordered}
		other.rebuild()
		if other.unordered < 2 {
			break
		}
		if other.missing == inputsComplete && !other.disagrees() {
			*x, s.unexplained = other, 0
			return
		}
		s.orderMatters = s.orderMatters || other.missing != inputsComplete || x.differsFrom(&other)
	}
	s.unexplained++
}

// disagrees reports whether a recorded share differs from the recomputed one.
func (x *recomputation) disagrees() bool {
	const precision = 1e-9
	for _, slot := range x.seenPools {
		if found, told := differenceOf(&x.Snapshots.pools[slot].view, x.poolResult(slot)); told && math.Abs(found.Error) > precision {
			return true
		}
	}
	for _, slot := range x.seenOps {
		if found, told := differenceOf(&x.Snapshots.operations[slot].view, x.operationResult(slot)); told && math.Abs(found.Error) > precision {
			return true
		}
	}
	return false
}

// children returns the children of a pool of the replay in an order that the log allows.
func (x *recomputation) children(pool int32) []fairshare.Element {
	children := x.Core.ShareChildren(pool)
	if x.order == 0 {
		return children
	}
	var places []int
	for i, e := range children {
		if x.isUnordered(e) {
			places = append(places, i)
		}
	}
	x.unordered = max(x.unordered, len(places))
	children = slices.Clone(children)
	swap := func(i, j int) {
		children[places[i]], children[places[j]] = children[places[j]], children[places[i]]
	}
	if x.order == 1 {
		for i := range len(places) / 2 {
			swap(i, len(places)-1-i)
		}
		return children
	}
	rand.New(rand.NewPCG(uint64(x.order), uint64(pool))).Shuffle(len(places), swap)
	return children
}

// isUnordered reports whether an element was a child before the first snapshot.
func (x *recomputation) isUnordered(e fairshare.Element) bool {
	pool, operation := x.Core.Owner(e)
	if slot, ok := x.Core.OperationOf(operation); ok {
		o := x.Core.Operation(slot)
		return o.Seen <= x.first && !(o.RunningSince.Set && o.RunningSince.Value > x.first) && o.LastMoved <= x.first
	}
	slot, ok := x.Core.PoolOf(pool)
	return ok && x.Core.Pool(slot).FirstSeen <= x.first
}
