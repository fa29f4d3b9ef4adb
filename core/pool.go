package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A Pool is an inner vertex of the tree. A pool that the log no longer holds
// keeps its slot and is Removed.
type Pool struct {
	ID         PoolID
	Parent     int32 // slot, -1 for the root
	Depth      int32 // 0 for the root
	Element    fairshare.Element
	Config     PoolConfig
	Configured bool // the log holds a configuration of it
	Removed    Time // 0 while it exists
	FirstSeen  Time

	Usage, Demand       resource.Vector // of the operations below
	Running, Operations int64           // operations below: marked running, registered

	// Limits of the counts that are in force; absent if nothing states one.
	MaxRunning, MaxOperations Optional[int64]

	fifo    []int32 // operations of a FIFO pool that take part, in its order
	touched bool
}

// poolAt returns the slot of a pool. One that no configuration introduced is
// rebuilt as the ephemeral pool it was, under the default parent
// (spec/scheduling.md §5.1).
func (t *Tree) poolAt(id PoolID, now Time) int32 {
	if slot, ok := t.PoolOf(id); ok && slot != none {
		if p := &t.pools[slot]; p.Removed != 0 {
			p.Removed = 0 // used again, with the settings it had
			t.touchPool(slot)
		}
		return slot
	}
	return t.addPool(id, PoolConfig{Parent: RootPool, Ephemeral: true}, now)
}

func (t *Tree) addPool(id PoolID, c PoolConfig, now Time) int32 {
	parent := t.poolAt(c.Parent, now)
	slot := int32(len(t.pools))
	t.pools = append(t.pools, Pool{
		ID: id, Parent: parent, Depth: t.pools[parent].Depth + 1, Config: c, FirstSeen: now,
		Element: t.shares.AddPool(t.pools[parent].Element, sharePool(&c)),
	})
	t.own(t.pools[slot].Element, slot, none)
	t.poolSlot[id] = slot
	t.setPoolLimits(slot)
	t.touchPool(slot)
	t.stale = true
	return slot
}

// configurePool applies a version of a pool: its creation, new settings, a move
// or its removal. A removed pool that still has operations becomes ephemeral
// with default settings (spec/scheduling.md §4.6).
func (t *Tree) configurePool(e *Event) {
	c := *e.Config
	if c.Deleted {
		slot, ok := t.PoolOf(e.Pool)
		if !ok || slot == none {
			return
		}
		p := &t.pools[slot]
		if p.Operations == 0 {
			p.Removed = e.Time
		}
		c = PoolConfig{Parent: RootPool, Ephemeral: true}
	} else if slot := t.poolSlot[e.Pool]; slot == none {
		slot = t.addPool(e.Pool, c, e.Time)
		t.pools[slot].Configured = true
		return
	}
	slot := t.poolSlot[e.Pool]
	p := &t.pools[slot]
	p.Config, p.Configured = c, !c.Ephemeral || p.Configured
	if !e.Config.Deleted {
		p.Removed = 0
	}
	t.shares.SetPool(p.Element, sharePool(&p.Config))
	t.setPoolLimits(slot)
	t.sortFIFO(slot)
	t.stale = true
	t.touchPool(slot)
	if parent := t.poolAt(c.Parent, e.Time); parent != p.Parent && !t.isAncestor(slot, parent) {
		t.movePool(slot, parent)
	}
}

// isAncestor reports whether the pool stands on the path from below to the root.
func (t *Tree) isAncestor(pool, below int32) bool {
	for p := below; p != none; p = t.pools[p].Parent {
		if p == pool {
			return true
		}
	}
	return false
}

// movePool puts a pool under another parent; counts and usage move along and
// nothing is checked (spec/scheduling.md §4.6).
func (t *Tree) movePool(slot, parent int32) {
	p := &t.pools[slot]
	move := func(from int32, sign int64) {
		for a := from; a != none; a = t.pools[a].Parent {
			pool := &t.pools[a]
			if sign > 0 {
				pool.Usage, pool.Demand = pool.Usage.Add(p.Usage), pool.Demand.Add(p.Demand)
			} else {
				pool.Usage, pool.Demand = pool.Usage.Sub(p.Usage), pool.Demand.Sub(p.Demand)
			}
			pool.Running += sign * p.Running
			pool.Operations += sign * p.Operations
			t.touchPool(a)
		}
	}
	move(p.Parent, -1)
	p.Parent = parent
	move(parent, 1)
	for s := range t.pools { // depths below follow; parents need not stand before children
		t.pools[s].Depth = t.depth(int32(s))
	}
	t.shares.Move(p.Element, t.pools[parent].Element)
}

func (t *Tree) depth(slot int32) (d int32) {
	for p := t.pools[slot].Parent; p != none; p = t.pools[p].Parent {
		d++
	}
	return d
}

// configureTree applies a version of the tree's settings.
func (t *Tree) configureTree(e *Event) {
	t.config = *e.Tree
	t.shares.SetOptions(t.shareOptions())
	for slot := range t.pools {
		t.setPoolLimits(int32(slot))
		t.touchPool(int32(slot))
	}
	t.stale = true
}

// setPoolLimits derives the limits of the operation counts in force. What
// neither pool nor tree states is a default, and that is in force only where
// the configuration is known to be silent (design §2).
func (t *Tree) setPoolLimits(slot int32) {
	p := &t.pools[slot]
	c := &t.config
	if slot == 0 {
		p.MaxRunning, p.MaxOperations = c.MaxRunningOperationCount, c.MaxOperationCount
		if !c.Assumed {
			p.MaxRunning = Some(p.MaxRunning.Or(defaultMaxRunning))
			p.MaxOperations = Some(p.MaxOperations.Or(defaultMaxOperations))
		}
		return
	}
	p.MaxRunning = firstSet(p.Config.MaxRunningOperationCount, c.MaxRunningOperationCountPerPool)
	p.MaxOperations = firstSet(p.Config.MaxOperationCount, c.MaxOperationCountPerPool)
	if !c.Assumed {
		p.MaxRunning = Some(p.MaxRunning.Or(t.profile.defaultMaxRunningPerPool()))
		p.MaxOperations = Some(p.MaxOperations.Or(defaultMaxOperationsPerPool))
	}
}

func firstSet[T any](a, b Optional[T]) Optional[T] {
	if a.Set {
		return a
	}
	return b
}

// SchedulesInOrder reports whether a FIFO pool picks its next operation by
// order and not by satisfaction (spec/scheduling.md §9.6, §17.1).
func (t *Tree) SchedulesInOrder(slot int32) bool {
	if t.pools[slot].Config.Mode != FIFO {
		return false
	}
	for p := slot; p > 0; p = t.pools[p].Parent {
		if o := t.pools[p].Config.FIFOOrder; o.Set {
			return o.Value == OrderFIFO
		}
	}
	return t.config.FIFOOrder.Or(t.profile.defaultFIFOOrder()) == OrderFIFO
}
