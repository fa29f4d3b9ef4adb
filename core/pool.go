package core

import (
	"slices"
	"strings"

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

	// Raised says why the counts grew in this instant, if they did.
	Raised Raise

	waiting  []int32 // operations of a FIFO pool that wait for resources, in its order
	children int     // pools below it that exist
	members  int     // its own operations that take part in the shares
	touched  bool
}

// A Raise is why the counts of a pool grew.
type Raise uint8

const (
	RaisedByOperation Raise = iota // one was registered, activated or moved
	RaisedByRevival                // one was registered again after a restart, without checks
	RaisedByMove                   // a pool was moved below, without checks
)

// poolAt returns the slot of a pool. One that no configuration introduced is
// rebuilt as the ephemeral pool it was (spec/scheduling.md §5.1).
func (t *Tree) poolAt(id PoolID, now Time) int32 {
	if slot, ok := t.PoolOf(id); ok && slot != none {
		if p := &t.pools[slot]; p.Removed != 0 {
			t.restorePool(slot, t.poolAt(t.pools[p.Parent].ID, now))
		}
		return slot
	}
	return t.addPool(id, PoolConfig{Parent: t.ephemeralParent(id), Ephemeral: true}, now)
}

// restorePool brings a removed pool back, with the settings it had.
func (t *Tree) restorePool(slot, parent int32) {
	p := &t.pools[slot]
	p.Removed = 0
	p.Element = t.shares.AddPool(t.pools[parent].Element, sharePool(&p.Config))
	t.own(p.Element, slot, none)
	t.pools[parent].children++
	t.touchPool(slot)
	t.stale = true
}

// ephemeralParent is where an ephemeral pool stands: hub$user under its hub,
// every other under the default parent, or the root if there is none.
func (t *Tree) ephemeralParent(id PoolID) PoolID {
	info := t.dims.Pools[id]
	if t.poolNames == nil {
		t.poolNames = make(map[PoolInfo]PoolID, len(t.dims.Pools))
		for i, p := range t.dims.Pools {
			t.poolNames[p] = PoolID(i)
		}
	}
	name := t.config.DefaultParentPool
	if hub, _, ok := strings.Cut(info.Name, "$"); ok {
		name = hub
	}
	parent, ok := t.poolNames[PoolInfo{Tree: info.Tree, Name: name}]
	if !ok || parent == id || t.poolSlot[parent] == none {
		return RootPool
	}
	return parent
}

func (t *Tree) addPool(id PoolID, c PoolConfig, now Time) int32 {
	parent := t.poolAt(c.Parent, now)
	slot := int32(len(t.pools))
	t.pools = append(t.pools, Pool{
		ID: id, Parent: parent, Depth: t.pools[parent].Depth + 1, Config: c, FirstSeen: now,
		Element: t.shares.AddPool(t.pools[parent].Element, sharePool(&c)),
	})
	t.pools[parent].children++
	t.own(t.pools[slot].Element, slot, none)
	t.poolSlot[id] = slot
	t.setPoolLimits(slot)
	t.touchPool(slot)
	t.stale = true
	return slot
}

// configurePool applies a version of a pool: its creation, new settings, a move
// or its removal. A removed pool that still holds something becomes ephemeral
// with default settings (spec/scheduling.md §4.6).
func (t *Tree) configurePool(e *Event) {
	t.learnPools()
	c := *e.Config
	if c.Parent == e.Pool {
		c.Parent = RootPool // nothing stands in itself
	}
	if c.Deleted {
		if slot, ok := t.PoolOf(e.Pool); !ok || slot == none {
			return
		}
		c = PoolConfig{Parent: t.ephemeralParent(e.Pool), Ephemeral: true}
	} else if t.poolSlot[e.Pool] == none {
		slot := t.addPool(e.Pool, c, e.Time)
		t.pools[slot].Configured = !c.Ephemeral
		t.setPoolLimits(slot)
		t.placeMisplaced()
		return
	}
	slot := t.poolAt(e.Pool, e.Time)
	p := &t.pools[slot]
	reorder := p.Config.Mode != c.Mode || !slices.Equal(p.Config.FIFOSort, c.FIFOSort)
	recount := reorder || p.Config.LightweightOps != c.LightweightOps
	p.Config, p.Configured = c, !c.Ephemeral
	t.shares.SetPool(p.Element, sharePool(&p.Config))
	t.setPoolLimits(slot)
	if reorder {
		t.requeue(slot)
	}
	if recount {
		t.recount(slot)
	}
	t.stale = true
	t.touchPool(slot)
	t.misplaced = append(t.misplaced, slot)
	t.placeMisplaced()
	t.vacate(slot)
}

// learnPools notes that the log holds pool configurations, so that their
// silence means the defaults.
func (t *Tree) learnPools() {
	if !t.configured {
		t.configured = true
		for slot := range t.pools {
			t.setPoolLimits(int32(slot))
			t.touchPool(int32(slot))
		}
	}
}

// placeMisplaced moves pools to the parents that their configurations name. Two
// pools may change places in one instant: the one whose wanted parent is still
// below it waits for that to move.
func (t *Tree) placeMisplaced() {
	for moved := true; moved; {
		moved = false
		left := t.misplaced[:0]
		for _, slot := range t.misplaced {
			p := &t.pools[slot]
			if p.Removed != 0 {
				continue // it left before it could move
			}
			parent, ok := t.PoolOf(p.Config.Parent)
			if !ok || !t.isAncestor(slot, parent) { // else it may be gone, and stays so
				parent = t.poolAt(p.Config.Parent, t.now)
			}
			switch {
			case parent == t.pools[slot].Parent:
			case t.isAncestor(slot, parent):
				left = append(left, slot)
			default:
				t.movePool(slot, parent)
				moved = true
			}
		}
		t.misplaced = left
	}
}

// recount counts the operations of a pool anew that are lightweight or no
// longer so (spec/scheduling.md §5.7).
func (t *Tree) recount(pool int32) {
	for slot := range t.operations {
		o := &t.operations[slot]
		if !o.Alive || o.Pool != pool || !o.Running {
			continue
		}
		before := o.counted()
		o.Lightweight = t.lightweight(o)
		t.countOperation(pool, 0, o.counted()-before, RaisedByOperation)
	}
}

// vacate removes a pool that is ephemeral and holds nothing any more, with its
// ancestors that are so now (spec/scheduling.md §4.6).
func (t *Tree) vacate(slot int32) {
	for slot > 0 {
		p := &t.pools[slot]
		if !p.Config.Ephemeral || p.Removed != 0 || p.Operations != 0 || p.children != 0 || p.members != 0 {
			return
		}
		p.Removed = t.now
		t.shares.Remove(p.Element) // a FIFO pool must not be refused for what is gone
		t.stale = true
		t.touchPool(slot)
		slot = p.Parent
		t.pools[slot].children--
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
	from := p.Parent
	nothing := resource.Vector{}
	t.shiftPool(from, nothing.Sub(p.Usage), nothing.Sub(p.Demand))
	t.countOperation(from, -p.Operations, -p.Running, RaisedByOperation)
	p.Parent = parent
	t.shiftPool(parent, p.Usage, p.Demand)
	t.countOperation(parent, p.Operations, p.Running, RaisedByMove)
	t.pools[from].children--
	t.pools[parent].children++
	for s := range t.pools { // depths below follow; parents need not stand before children
		t.pools[s].Depth = t.depth(int32(s))
	}
	t.shares.Move(p.Element, t.pools[parent].Element)
	t.touchPool(slot)
	t.vacate(from)
}

// shiftPool adds usage and demand to a pool and its ancestors.
func (t *Tree) shiftPool(pool int32, usage, demand resource.Vector) {
	for p := pool; p != none; p = t.pools[p].Parent {
		t.pools[p].Usage = t.pools[p].Usage.Add(usage)
		t.pools[p].Demand = t.pools[p].Demand.Add(demand)
		t.touchPool(p)
	}
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
// the log holds the configurations of tree and pools, so that they are known
// to be silent (design §2).
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
	if !c.Assumed && t.configured {
		p.MaxRunning = Some(p.MaxRunning.Or(defaultMaxRunningPerPool(t.profile)))
		p.MaxOperations = Some(p.MaxOperations.Or(defaultMaxOperationsPerPool))
	}
}

func firstSet[T any](a, b Optional[T]) Optional[T] {
	if a.Set {
		return a
	}
	return b
}

// Defaults of operation counts (spec/scheduling.md §3.1, §17.1).
const (
	defaultMaxOperations        = 50000
	defaultMaxRunning           = 2000
	defaultMaxOperationsPerPool = 50
)

func defaultMaxRunningPerPool(p Profile) int64 {
	if p == Documented {
		return 8
	}
	return 50
}

func defaultFIFOOrder(p Profile) FIFOOrder {
	if p == Documented {
		return OrderFIFO
	}
	return OrderSatisfaction
}
