package core

import "poolproof/core/pooltree"

// PrescribedHome returns the pool below which the rules put an ephemeral pool,
// whatever the log says of its place. ByUser says that this depends on whose it is,
// which only its first operation tells (core/spec/scheduling.md §5.1).
func (t *Tree) PrescribedHome(slot int32) (parent PoolID, byUser bool) {
	home, byUser := t.admission.PrescribedHome(pooltree.Pool(slot))
	return t.pools[home].ID, byUser
}

// IsHomeDated reports whether the log shows since when the configuration is in force that gives an ephemeral pool
// its place and its options: that of the pool below which the rules put it, and the tree's if it comes there by default.
func (t *Tree) IsHomeDated(slot int32) bool {
	home, _ := t.admission.PrescribedHome(pooltree.Pool(slot))
	if t.admission.IsSubpool(pooltree.Pool(slot)) {
		return t.pools[home].Dated
	}
	return t.config.Dated && (home == 0 || t.pools[home].Dated)
}

// IsOrphan reports whether a pool has the name of a user's subpool of a hub, and
// no hub of that name exists.
func (t *Tree) IsOrphan(id PoolID) bool {
	return id >= 0 && t.admission.IsOrphan(t.dims.Pools[id].Name)
}
