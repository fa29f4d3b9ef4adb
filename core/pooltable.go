package core

import "slices"

// A poolTable holds the pools of a tree. A pool keeps its slot for ever, which is its
// number in the pooltree.Tree; the root has slot 0.
type poolTable struct {
	pools     []Pool
	poolSlot  []int32           // by PoolID
	poolIDs   map[string]PoolID // of the names that the log mentioned
	poolOrder []int32           // reused
}

// Pool returns the pool in a slot; the root is slot 0.
func (t *poolTable) Pool(slot int32) *Pool { return &t.pools[slot] }

// Pools returns how many pool slots there are. A pool keeps its slot for ever.
func (t *poolTable) Pools() int { return len(t.pools) }

// PoolOf returns the slot of a pool.
func (t *poolTable) PoolOf(id PoolID) (slot int32, ok bool) {
	if id == RootPool {
		return 0, true
	}
	if id < 0 {
		return none, false
	}
	slot = t.poolSlot[id]
	return slot, slot != none && t.pools[slot].known
}

// IsWithin reports whether a pool equals another or is below it, both by slot.
func (t *poolTable) IsWithin(pool, above int32) bool {
	for ; pool >= 0; pool = t.pools[pool].Parent {
		if pool == above {
			return true
		}
	}
	return false
}

// levelsApart counts how many of a pool and its ancestors do not contain another pool.
func (t *poolTable) levelsApart(pool, other int32) (n int32) {
	for ; pool != none && !t.IsWithin(other, pool); pool = t.pools[pool].Parent {
		n++
	}
	return n
}

// setDepths sets the depth of every pool.
func (t *poolTable) setDepths() {
	for slot := range t.pools {
		if p := &t.pools[slot]; p.exists {
			p.Depth = t.levelsApart(p.Parent, none)
		}
	}
}

// sortsByPending reports whether a pool orders its operations by the jobs they
// wait for.
func (t *poolTable) sortsByPending(pool int32) bool {
	c := t.pools[pool].Config
	return c.Mode.Value == FIFO && slices.Contains(c.FIFOSort, ByPendingJobs)
}

// HasNoOrder reports whether a pool is a FIFO pool with operations whose start is not recorded, so
// that the shares of all its operations are unknown.
func (t *poolTable) HasNoOrder(pool int32) bool {
	p := &t.pools[pool]
	return p.unstarted > 0 && p.members > 1 && p.Config.Mode.Value == FIFO
}
