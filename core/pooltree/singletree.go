package pooltree

import (
	"math"
	"slices"

	"poolproof/core/resource"
)

// computationPrecision is up to which share a guarantee is none (EPS of
// core/spec/fair-share.md §1.7, §5.4).
const computationPrecision = 1e-9

// A TreeEstimate is what the choice of a single tree looks at in one of an
// operation's trees. The shares are zero for an unknown or ephemeral pool.
type TreeEstimate struct {
	Total             resource.Vector
	Guarantee, Demand resource.Share // of the pool that the operation is for
	Running           bool           // the operation is marked running there
}

// ChooseSingleTree returns which of its trees an operation keeps that is
// scheduled in a single one: where the pool has most left of its guarantee,
// in the resource that is scarcest. Of equal trees the first is kept. Schedulers
// of the profile current fall back to empty trees and those where the operation
// is pending. The error is a *Refusal (core/spec/scheduling.md §2.4).
func ChooseSingleTree(trees []TreeEstimate, demand resource.Vector, considerGuarantees bool, p Profile) (int, error) {
	best, most, rank := -1, math.Inf(-1), -1
	for i := range trees {
		e := &trees[i]
		if considerGuarantees && e.Guarantee.FitsIn(resource.Uniform(computationPrecision)) || p != Current && (!e.Running || e.Total.IsZero()) {
			continue
		}
		if own, left := e.rank(), e.reserve(demand); own > rank || own == rank && left > most {
			best, most, rank = i, left, own
		}
	}
	if best < 0 {
		return best, &Refusal{Reason: NoSuitableTree}
	}
	return best, nil
}

// rank orders trees by whether they have resources, and then by whether the operation runs there.
func (e *TreeEstimate) rank() (rank int) {
	if !e.Total.IsZero() {
		rank = 2
	}
	if e.Running {
		rank++
	}
	return rank
}

// reserve returns the least share, over the resources of the tree, that the
// pool's guarantee leaves after its demand and that of the operation.
func (e *TreeEstimate) reserve(demand resource.Vector) float64 {
	least := math.Inf(1)
	left := e.Guarantee.Sub(e.Demand).Sub(demand.ShareOf(e.Total))
	for k, total := range e.Total {
		if total > 0 {
			least = min(least, left[k])
		}
	}
	return least
}

// Offloads returns the extra trees that the pool of a placement, or its
// nearest ancestor with offloading_settings, adds to an operation: none if the
// spec has a tag filter, none that the operation has or the cluster lacks. An
// offload without a pool keeps the pool's name (core/spec/scheduling.md §2.4).
func (t *Tree) Offloads(at Placement, s *TreeSpec, used []string, known *KnownTrees) []Offload {
	if !s.TagFilter.IsEmpty() {
		return nil
	}
	p := at.lowest()
	for p != NoPool && len(t.pools[p].config.Offloading) == 0 {
		p = t.pools[p].parent
	}
	if p == NoPool {
		return nil
	}
	var extra []Offload
	for _, o := range t.pools[p].config.Offloading {
		if !known.has(o.Tree) || slices.Contains(used, o.Tree) {
			continue
		}
		if o.Pool == "" {
			o.Pool = at.Name
		}
		extra = append(extra, o)
	}
	return extra
}
