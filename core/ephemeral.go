package core

import "poolproof/core/pooltree"

// PrescribedHome returns the parent that the rules give an ephemeral pool, whatever parent the log
// records. byUser says that this depends on the pool's user, which is known from its first
// operation (core/spec/scheduling.md §5.1).
func (t *Tree) PrescribedHome(slot int32) (parent PoolID, byUser bool) {
	home, byUser := t.admission.PrescribedHome(pooltree.Pool(slot))
	return t.pools[home].ID, byUser
}

// IsHomeDated reports whether the log dates the configuration that gives an ephemeral pool its
// parent and its options: the configuration of that parent, and the tree's if the parent is the
// default one.
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
