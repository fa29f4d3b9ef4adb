package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A Pool is an inner vertex of the tree. A pool that the log no longer holds
// keeps its slot and is Removed. Its slot is its number in the pooltree.Tree.
type Pool struct {
	ID         PoolID
	Parent     int32 // slot, -1 for the root
	Depth      int32 // 0 for the root
	Element    fairshare.Element
	Config     *pooltree.PoolConfig // options in force, those of its presets included
	Configured bool                 // a configuration holds it
	Ephemeral  bool                 // exists only while it has operations
	Removed    Optional[Time]       // absent while it exists; Never if it has yet to
	FirstSeen  Time

	LastConfigured Time // when a version of it took effect last, Never if none did
	Dated          bool // the log says since when its version is in force

	Usage, Demand resource.Vector // of the operations below
	// Operations below: marked running, without the lightweight ones; registered;
	// lightweight and marked running (core/spec/scheduling.md §5.4).
	Running, Operations, Lightweight int64

	// Limits of the counts that are in force; absent if nothing states one.
	MaxRunning, MaxOperations Optional[int64]

	// Last are the settings that it had when it was last registered. Once it is not, it stays
	// without any for what its last jobs hold.
	Last PoolSettings

	// Raised says why the counts grew in this instant, if they did.
	Raised Raise

	filter   pooltree.Filter // of its scheduling_tag_filter
	waiting  []int32         // operations of a FIFO pool that wait for resources, in its order
	children int             // pools below it that exist
	members  int             // its own operations that take part in the shares
	// unstarted are those of them whose start no log tells.
	unstarted int
	exists    bool
	known     bool // it existed once; FirstSeen is set
	touched   bool

	misjudged Time // when an operation below that is over may have needed another amount than it was taken to last

	// Its volume and the historic usage of its children, as far as they go back to before
	// the log began.
	volumeKnown, historyKnown bool
}

// PoolSettings are the settings of a pool at a time.
type PoolSettings struct {
	Config                    *pooltree.PoolConfig // nil if it never had any
	Configured, Ephemeral     bool
	MaxRunning, MaxOperations Optional[int64]
}

// A Raise is why the counts of a pool grew.
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

// learn remembers which id a pool's name has in this tree.
func (t *Tree) learn(id PoolID) string {
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
		t.pools = append(t.pools, Pool{ID: id, Parent: none, Element: scheduling.None, Config: &noOptions, LastConfigured: Never, misjudged: Never, Removed: Some(Never)})
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
	name := t.learn(id)
	p, known := t.admission.Find(name)
	if !known { // it may be here still, for what its last jobs hold
		p = t.admission.Ensure(name, user)
		t.growPools()
		t.placePool(int32(p))
		t.setDepths()
	}
	return int32(p)
}

// poolAgain sees to it that a pool which may have left exists.
func (t *Tree) poolAgain(slot int32, user string) {
	if slot != 0 && !t.admission.Exists(pooltree.Pool(slot)) {
		t.poolAt(t.pools[slot].ID, user)
	}
}

// placePool brings a pool to where the admission has it, with its options.
func (t *Tree) placePool(slot int32) {
	p, parent := &t.pools[slot], int32(t.admission.Parent(pooltree.Pool(slot)))
	switch {
	case !p.exists:
		t.bringPool(slot, parent)
	case p.Parent != parent:
		t.movePool(slot, parent)
	}
	t.setPool(slot)
}

// bringPool puts a pool into the tree that is not in it.
func (t *Tree) bringPool(slot, parent int32) {
	p := &t.pools[slot]
	if !p.known {
		p.known, p.FirstSeen = true, t.now
	}
	p.exists, p.Removed, p.Parent, p.Depth = true, Optional[Time]{}, parent, t.pools[parent].Depth+1
	p.volumeKnown, p.historyKnown = t.now >= t.begins, t.now >= t.begins // it has none yet
	p.Config = t.admission.PoolConfig(pooltree.Pool(slot))
	p.Element = t.shares.AddPool(t.pools[parent].Element, t.sharePool(p))
	t.scheduling.AddPool(p.Element, t.pools[parent].Element, p.Config)
	t.own(p.Element, slot, none)
	t.pools[parent].children++
	t.touchPool(slot)
	t.stale = true
}

// setPool takes over a pool's options and limits.
func (t *Tree) setPool(slot int32) {
	p, at := &t.pools[slot], pooltree.Pool(slot)
	reorder := !sameOrder(p.Config, t.admission.PoolConfig(at))
	if p.Config.HistoryAlpha != t.admission.PoolConfig(at).HistoryAlpha {
		p.historyKnown = t.now >= t.begins // the shares forget it
	}
	p.Config = t.admission.PoolConfig(at)
	p.Ephemeral = t.admission.IsEphemeral(at)
	p.Configured = slot != 0 && !p.Ephemeral && t.admission.Exists(at)
	p.MaxRunning, p.MaxOperations = t.admission.Limits(at)
	if t.admission.Exists(at) {
		p.Last = PoolSettings{p.Config, p.Configured, p.Ephemeral, p.MaxRunning, p.MaxOperations}
	} else { // it stays for what its last jobs hold
		p.Ephemeral, p.MaxRunning, p.MaxOperations = true, Optional[int64]{}, Optional[int64]{}
	}
	if slot != 0 {
		t.refilter(&p.filter, p.Config.TagFilter)
		t.shares.SetPool(p.Element, t.sharePool(p))
		t.scheduling.SetPool(p.Element, p.Config)
	}
	if reorder {
		t.requeue(slot)
	}
	t.countPool(slot, RaisedByMove)
	t.touchPool(slot)
}

// countPool takes over the counters of a pool.
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

// countChain takes over the counters of a pool and all its ancestors.
func (t *Tree) countChain(slot int32, why Raise) {
	for p := slot; p != none; p = t.pools[p].Parent {
		t.countPool(p, why)
	}
}

// releasePool takes a pool out of the tree that the admission no longer has and
// that holds nothing any more, with its ancestors that are so now
// (core/spec/scheduling.md §4.6).
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

// keepPool brings a pool back for jobs that the log starts too late: it stands
// where it stood and counts nothing.
func (t *Tree) keepPool(slot int32) {
	p := &t.pools[slot]
	if p.exists {
		return
	}
	parent := p.Parent
	if parent == none {
		parent = 0
	}
	t.keepPool(parent)
	t.bringPool(slot, parent)
	t.setPool(slot)
}

// movePool puts a pool under another parent, which is not below it; usage and
// demand move along.
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
