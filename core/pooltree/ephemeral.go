package pooltree

import "strings"

// PrescribedHome returns where the rules put an ephemeral pool, whatever place a log records:
// below the hub that its name begins with, else below the default parent of its user
// (core/spec/scheduling.md §5.1). ByUser says that this depends on the user, who is known only
// from the pool's first operation.
func (t *Tree) PrescribedHome(p Pool) (parent Pool, byUser bool) {
	if hub, ok := t.hubOf(t.pools[p].name); ok && t.pools[hub].config.mode() != FIFO {
		return hub, false
	}
	user := t.pools[p].name
	if id := t.pools[p].user; id >= 0 {
		user = t.userNames[id]
	}
	return t.home(user), t.config.UseUserParents && (user != t.pools[p].name || t.userParents == nil)
}

// IsOrphan reports whether a name is that of a user's subpool of a hub, and no hub
// of that name exists. One that was removed stays above the subpools that live.
func (t *Tree) IsOrphan(name string) bool {
	_, ok := t.hubOf(name)
	return !ok && strings.IndexByte(name, '$') >= 0
}

// IsSubpool reports whether a pool is a user's subpool of a hub.
func (t *Tree) IsSubpool(p Pool) bool {
	_, ok := t.hubOf(t.pools[p].name)
	return ok
}

// hubOf returns the hub below which a name puts its pool.
func (t *Tree) hubOf(name string) (Pool, bool) {
	hub, _, isSubpool := strings.Cut(name, "$")
	if !isSubpool {
		return NoPool, false
	}
	p, exists := t.Find(hub)
	if !exists {
		return NoPool, false
	}
	pool := &t.pools[p]
	return p, pool.hub || pool.wasHub
}
