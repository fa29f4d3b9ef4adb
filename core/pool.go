package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A Pool is an inner vertex of the tree. A pool that no longer exists keeps its slot and is
// Removed. Its slot is its number in the pooltree.Tree.
type Pool struct {
	ID         PoolID
	Parent     int32 // slot, -1 for the root
	Depth      int32 // 0 for the root
	Element    fairshare.Element
	Config     *pooltree.PoolConfig // options in force, those of its presets included
	Configured bool                 // a configuration contains it
	Ephemeral  bool                 // exists only while it has operations
	Removed    Optional[Time]       // absent while it exists; Never if it has not existed yet
	FirstSeen  Time

	LastConfigured Time // when a version of it last took effect, or Never
	Dated          bool // the log records since when its version is in force

	Usage, Demand resource.Vector // of the operations below
	// Operations below: marked running, without the lightweight ones; registered;
	// lightweight and marked running (core/spec/scheduling.md §5.4).
	Running, Operations, Lightweight int64

	// Limits of the counts that are in force; absent if nothing states one.
	MaxRunning, MaxOperations Optional[int64]

	// Last holds the settings of its last registration. Afterwards it stays without settings while
	// its last jobs hold resources.
	Last PoolSettings

	// Raised is the reason why the counts grew in this instant, if they did.
	Raised Raise

	filter   pooltree.Filter // of its scheduling_tag_filter
	waiting  []int32         // operations of a FIFO pool that wait for resources, in its order
	children int             // pools below it that exist
	members  int             // its own operations that take part in the shares
	// unstarted counts the members whose start is not recorded.
	unstarted int
	exists    bool
	known     bool // it existed before; FirstSeen is set
	touched   bool

	needDoubtedAt Time // when the need of an ended operation below may last have differed from Needed

	// Whether its volume, and the historic usage of its children, are known back to before the log.
	volumeKnown, historyKnown bool
}

// PoolSettings are the settings of a pool at a time.
type PoolSettings struct {
	Config                    *pooltree.PoolConfig // nil if it never had any
	Configured, Ephemeral     bool
	MaxRunning, MaxOperations Optional[int64]
}

// A Raise is a reason why the counts of a pool grew.
type Raise uint8

const (
	RaisedByOperation Raise = iota // one was registered, activated or moved
	RaisedByRevival                // one was registered again after a restart, without checks
	RaisedByMove                   // a configuration moved a pool below, or ended lightweight operations, without checks
)

var noOptions pooltree.PoolConfig

// count counts operations of the pool's own that take part in the shares.
func (p *Pool) count(o *Operation, n int) {
	p.members += n
	if o.Unstarted {
		p.unstarted += n
	}
}

// learnPoolName maps a pool's name to its id in this tree, and returns the name.
func (t *Tree) learnPoolName(id PoolID) string {
	if id < 0 {
		return ""
	}
	name := t.dims.Pools[id].Name
	t.poolIDs[name] = id
	return name
}

// growPools makes room for the pools that the admission knows.
func (t *Tree) growPools() {
	for slot := len(t.pools); slot < t.admission.Pools(); slot++ {
		id := t.poolIDs[t.admission.PoolName(pooltree.Pool(slot))]
		t.pools = append(t.pools, Pool{ID: id, Parent: none, Element: scheduling.None, Config: &noOptions, LastConfigured: Never, needDoubtedAt: Never, Removed: Some(Never)})
		t.poolSlot[id] = int32(slot)
	}
}

// poolAt returns the slot of a pool that an operation is in. One that no
// configuration introduced is rebuilt as the ephemeral pool it was
// (core/spec/scheduling.md §5.1).
func (t *Tree) poolAt(id PoolID, user string) int32 {
	if id == RootPool || t.dims.Pools[id].Name == pooltree.RootName {
		return 0
	}
	name := t.learnPoolName(id)
	p, known := t.admission.Find(name)
	if !known { // it may still exist for the resources of its last jobs
		p = t.admission.Ensure(name, user)
		t.growPools()
		t.placePool(int32(p))
		t.setDepths()
	}
	return int32(p)
}

// ensurePool brings back a pool that may have been removed.
func (t *Tree) ensurePool(slot int32, user string) {
	if slot != 0 && !t.admission.Exists(pooltree.Pool(slot)) {
		t.poolAt(t.pools[slot].ID, user)
	}
}

// placePool moves a pool to its place in the admission and sets its options.
func (t *Tree) placePool(slot int32) {
	p, parent := &t.pools[slot], int32(t.admission.Parent(pooltree.Pool(slot)))
	switch {
	case !p.exists:
		t.insertPool(slot, parent)
	case p.Parent != parent:
		t.movePool(slot, parent)
	}
	t.setPool(slot)
}

// insertPool adds a pool to the tree.
func (t *Tree) insertPool(slot, parent int32) {
	p := &t.pools[slot]
	if !p.known {
		p.known, p.FirstSeen = true, t.now
	}
	p.exists, p.Removed, p.Parent, p.Depth = true, Optional[Time]{}, parent, t.pools[parent].Depth+1
	p.volumeKnown, p.historyKnown = t.now >= t.logStart, t.now >= t.logStart // a new pool has no history
	p.Config = t.admission.PoolConfig(pooltree.Pool(slot))
	p.Element = t.shares.AddPool(t.pools[parent].Element, t.sharePool(p))
	t.scheduling.AddPool(p.Element, t.pools[parent].Element, p.Config)
	t.setOwner(p.Element, slot, none)
	t.pools[parent].children++
	t.touchPool(slot)
	t.stale = true
}

// setPool copies a pool's options and limits from the admission.
func (t *Tree) setPool(slot int32) {
	p, at := &t.pools[slot], pooltree.Pool(slot)
	reorder := !sameOrder(p.Config, t.admission.PoolConfig(at))
	if p.Config.HistoryAlpha != t.admission.PoolConfig(at).HistoryAlpha {
		p.historyKnown = t.now >= t.logStart // the shares drop the history
	}
	p.Config = t.admission.PoolConfig(at)
	p.Ephemeral = t.admission.IsEphemeral(at)
	p.Configured = slot != 0 && !p.Ephemeral && t.admission.Exists(at)
	p.MaxRunning, p.MaxOperations = t.admission.Limits(at)
	if t.admission.Exists(at) {
		p.Last = PoolSettings{p.Config, p.Configured, p.Ephemeral, p.MaxRunning, p.MaxOperations}
	} else { // it stays for the resources of its last jobs
		p.Ephemeral, p.MaxRunning, p.MaxOperations = true, Optional[int64]{}, Optional[int64]{}
	}
	if slot != 0 {
		t.refilter(&p.filter, p.Config.TagFilter)
		t.shares.SetPool(p.Element, t.sharePool(p))
		t.scheduling.SetPool(p.Element, p.Config)
	}
	if reorder {
		t.rebuildQueue(slot)
	}
	t.countPool(slot, RaisedByMove)
	t.touchPool(slot)
}

// countPool copies the counters of a pool from the admission.
func (t *Tree) countPool(slot int32, why Raise) {
	p, c := &t.pools[slot], t.admission.Counts(pooltree.Pool(slot))
	if c.Operations > p.Operations || c.Running > p.Running {
		p.Raised = max(p.Raised, why)
	}
	if c.Operations != p.Operations || c.Running != p.Running || c.Lightweight != p.Lightweight {
		t.touchPool(slot)
	}
	p.Operations, p.Running, p.Lightweight = c.Operations, c.Running, c.Lightweight
}

// countChain copies the counters of a pool and all its ancestors from the admission.
func (t *Tree) countChain(slot int32, why Raise) {
	for p := slot; p != none; p = t.pools[p].Parent {
		t.countPool(p, why)
	}
}

// releasePool removes a pool that the admission no longer has and that is empty, and then its
// ancestors likewise (core/spec/scheduling.md §4.6).
func (t *Tree) releasePool(slot int32) {
	for slot > 0 {
		p := &t.pools[slot]
		if !p.exists || t.admission.Exists(pooltree.Pool(slot)) {
			return
		}
		t.setPool(slot)
		if p.children != 0 || p.members != 0 {
			return
		}
		p.exists, p.Removed = false, Some(t.now)
		t.refilter(&p.filter, pooltree.Formula{})
		p.Configured, p.Ephemeral = false, true
		t.shares.Remove(p.Element)
		t.scheduling.Remove(p.Element)
		t.stale = true
		t.touchPool(slot)
		slot = p.Parent
		t.pools[slot].children--
	}
}

// restorePool brings a pool back to its former place for jobs that start too late. It counts
// nothing.
func (t *Tree) restorePool(slot int32) {
	p := &t.pools[slot]
	if p.exists {
		return
	}
	parent := p.Parent
	if parent == none {
		parent = 0
	}
	t.restorePool(parent)
	t.insertPool(slot, parent)
	t.setPool(slot)
}

// movePool moves a pool, with its usage and demand, under another parent, which is not below it.
func (t *Tree) movePool(slot, parent int32) {
	p := &t.pools[slot]
	from := p.Parent
	nothing := resource.Vector{}
	t.shiftPool(from, nothing.Sub(p.Usage), nothing.Sub(p.Demand))
	p.Parent = parent
	t.shiftPool(parent, p.Usage, p.Demand)
	t.pools[from].children--
	t.pools[parent].children++
	t.shares.Move(p.Element, t.pools[parent].Element)
	t.scheduling.Move(p.Element, t.pools[parent].Element)
	t.touchPool(slot)
	t.stale = true
}

// shiftPool adds usage and demand to a pool and its ancestors.
func (t *Tree) shiftPool(pool int32, usage, demand resource.Vector) {
	t.noteUsage(t.now, pool, Unknown, usage)
	for p := pool; p != none; p = t.pools[p].Parent {
		t.pools[p].Usage = t.pools[p].Usage.Add(usage)
		t.pools[p].Demand = t.pools[p].Demand.Add(demand)
		t.touchPool(p)
	}
}
