package core

import "poolproof/core/resource"

// DatedOptions says for which inputs of fair shares the log dates all options. Only a dated version
// is certainly in force when a record contradicts it: an undated one may have been replaced
// (core/spec/scheduling.md §13.7). It is valid until the next event.
type DatedOptions struct {
	tree  *Tree
	pools bool // the options of all pools that may have a guarantee are dated
}

// DatedOptions returns the DatedOptions of the current state.
func (t *Tree) DatedOptions() DatedOptions {
	d := DatedOptions{tree: t, pools: true}
	for slot := range t.pools {
		if p := &t.pools[slot]; slot > 0 && !p.Removed.Set && !p.Ephemeral { // ephemeral ones have no guarantee
			d.pools = d.pools && d.OfPool(int32(slot))
		}
	}
	return d
}

// OfPool reports whether the log dates all options of a pool, which alone limit it
// (core/spec/fair-share.md §3.3). Options of its presets are part of the tree's settings.
func (d *DatedOptions) OfPool(pool int32) bool {
	p := &d.tree.pools[pool]
	return p.Dated && (len(p.Config.Presets) == 0 || d.tree.config.Dated)
}

// OfWeight reports whether the log dates the options that give a pool its weight (core/spec/fair-share.md §2.6):
// its own, those of the pool above, by which weights may follow historic usage, and, where the pool states no
// weight, those of the tree, by which weights may follow guarantees.
func (d *DatedOptions) OfWeight(pool int32) bool {
	p, tree := &d.tree.pools[pool], &d.tree.config
	if !d.OfPool(pool) || p.Parent > 0 && !d.OfPool(p.Parent) {
		return false
	}
	return p.Config.Weight.Set || tree.Dated && (!tree.InferWeightMultiplier.Set || d.pools)
}

// OfGuarantee reports whether the log dates the options that give a pool its strong guarantee share of a resource:
// its own, those of the tree, whose main resource decides what the pool leaves out (core/spec/fair-share.md §5.1),
// and those of all other pools, whose guarantees may scale it down (§5.3).
func (d *DatedOptions) OfGuarantee(pool int32, k resource.Kind) bool {
	own := &d.tree.pools[pool].Config.StrongGuarantee
	return d.pools && d.OfPool(pool) && (own.Set[k] || own.IsEmpty() || d.tree.config.Dated)
}
