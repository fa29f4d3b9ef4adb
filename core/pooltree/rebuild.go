package pooltree

import "strings"

// rebuild derives everything from the definitions, the tree's options and the
// operations in the pools: where ephemeral pools stand, limits, who is
// lightweight, counters. It is linear in the number of pools, and besides
// touches the operations of pools that turn lightweight or stop being hubs.
// No queue is served: freed room waits for the next leave or rescan
// (core/spec/scheduling.md §4.6, §5.5).
func (t *Tree) rebuild() {
	for p := range t.pools {
		t.configure(Pool(p))
	}
	t.settle()
	t.leaveHubs()
	t.toggleLightweight()
	t.recount()
	for p := Root + 1; int(p) < len(t.pools); p++ {
		t.collect(p)
	}
	if t.moved {
		t.requeueStrays()
		t.moved = false
	}
}

// configure derives the options of the root or an explicit pool.
func (t *Tree) configure(p Pool) {
	pool := &t.pools[p]
	if p == Root {
		pool.maxRunning = t.limitInForce(t.config.MaxRunningOperationCount, defaultMaxRunning)
		pool.maxOperations = t.limitInForce(t.config.MaxOperationCount, defaultMaxOperations)
		return
	}
	if pool.existence != explicit {
		return
	}
	pool.config = &t.definitions[pool.definition].Config
	if len(pool.config.Presets) > 0 {
		merged := pool.config.withPresets(&t.config)
		pool.config = &merged
	}
	if some := ignored(pool.config, poolOptions, t.profile); len(some) > 0 && !pool.config.Listed {
		known := *pool.config
		dropIgnored(&known, poolOptions, t.profile)
		pool.config = &known
	}
	pool.subpool = nil
	if pool.config.Subpools.Set {
		config := pool.config.Subpools.Value.config()
		pool.subpool = &config
	}
	pool.hub = pool.config.CreateSubpools
	t.setLimits(p)
}

// configureEphemeral gives an ephemeral pool default options and those that
// its parent has for pools like it.
func (t *Tree) configureEphemeral(p Pool) {
	pool := &t.pools[p]
	pool.config, pool.subpool, pool.hub = &defaultPool, nil, false
	if subpool := t.pools[pool.parent].subpool; subpool != nil {
		pool.config = subpool
	}
	t.setLimits(p)
}

func (t *Tree) setLimits(p Pool) {
	pool := &t.pools[p]
	running, operations := t.profile.maxRunningPerPool(), int64(defaultMaxOperationsPerPool)
	if t.config.PoolsAssumed {
		running, operations = unlimited, unlimited
	}
	pool.maxRunning = t.limitInForce(pool.config.MaxRunningOperationCount.orElse(t.config.MaxRunningOperationCountPerPool), running)
	pool.maxOperations = t.limitInForce(pool.config.MaxOperationCount.orElse(t.config.MaxOperationCountPerPool), operations)
}

// limitInForce returns a limit: the one that is set, else the default, which is unlimited where
// the configuration is not known.
func (t *Tree) limitInForce(set Optional[int64], fallback int64) int64 {
	if t.config.Assumed {
		fallback = unlimited
	}
	return set.Or(fallback)
}

// settle attaches every ephemeral pool where it belongs: a subpool to its hub
// as long as that exists, any other to the default parent of its user, or of
// the user of its name if it was explicit once. One of a hub counts for no user (core/spec/invariants.md
// POOL-03), even if it came before its hub was known. Depths follow.
func (t *Tree) settle() {
	for p := Root + 1; int(p) < len(t.pools); p++ {
		if t.pools[p].existence != ephemeral {
			continue
		}
		parent := t.belongs(p)
		if t.isAncestor(p, parent) {
			parent = Root
		}
		t.attach(p, parent)
		if at := &t.pools[parent]; at.hub && strings.HasPrefix(t.pools[p].name, at.name+"$") {
			t.disown(p)
		}
	}
	for p := range t.pools {
		t.pools[p].depth = 0
		for a := t.pools[p].parent; a != NoPool; a = t.pools[a].parent {
			t.pools[p].depth++
		}
	}
	for p := range t.pools {
		if t.pools[p].existence == ephemeral {
			t.configureEphemeral(Pool(p))
		}
	}
}

// belongs returns the parent that an ephemeral pool should have.
func (t *Tree) belongs(p Pool) Pool {
	pool := &t.pools[p]
	if home, ok := t.parentable(t.homes[pool.name]); ok {
		return home
	}
	user := pool.name
	if hub, owner, isSubpool := strings.Cut(pool.name, "$"); isSubpool {
		h, ok := t.Find(hub)
		if ok && (t.pools[h].existence == explicit || t.pools[h].config.mode() != FIFO) {
			return h // from an explicit one that is no hub any more, be it FIFO now, leaveHubs takes it away
		}
		user = owner
	}
	if pool.user >= 0 {
		user = t.userNames[pool.user]
	}
	return t.home(user)
}

// isAncestor reports whether the pool stands on the chain of another.
func (t *Tree) isAncestor(p, below Pool) bool {
	for ; below != NoPool; below = t.pools[below].parent {
		if below == p {
			return true
		}
	}
	return false
}

// leaveHubs moves the operations of subpools into explicit pools that are hubs
// no longer.
func (t *Tree) leaveHubs() {
	for p := Root + 1; int(p) < len(t.pools); p++ {
		if t.pools[p].existence != ephemeral || strings.IndexByte(t.pools[p].name, '$') < 0 {
			continue
		}
		hub := &t.pools[t.pools[p].parent]
		if hub.existence != explicit || hub.hub || !strings.HasPrefix(t.pools[p].name, hub.name+"$") {
			continue
		}
		for o := t.pools[p].first; o != NoOperation; o = t.pools[p].first {
			t.rehouse(o, t.pools[p].parent)
		}
	}
}

// rehouse puts an operation into another pool while counters await a recount.
func (t *Tree) rehouse(o Operation, p Pool) {
	op := &t.operations[o]
	gone := t.marks(o, -1)
	t.pools[op.pool].own.add(gone)
	t.unlink(o)
	op.pool = p
	t.link(o)
	t.pools[p].own.add(t.marks(o, 1))
	t.moved = true
	t.changed = append(t.changed, o)
}

// toggleLightweight decides for every pool whether its vanilla operations are
// lightweight. Those that turn lightweight run at once; those that cease to be
// go on running (core/spec/scheduling.md §5.7).
func (t *Tree) toggleLightweight() {
	for p := range t.pools {
		pool := &t.pools[p]
		on := pool.existence == explicit && t.profile.hasLightweight() &&
			pool.config.mode() == FIFO && pool.config.LightweightOps.Or(false)
		if pool.lightweight == on {
			continue
		}
		pool.lightweight = on
		pool.own = Counts{}
		for o := pool.first; o != NoOperation; o = t.operations[o].after {
			if op := &t.operations[o]; on && op.vanilla && !op.running {
				t.dequeue(o)
				op.running = true
			}
			t.changed = append(t.changed, o)
			pool.own.add(t.marks(o, 1))
		}
	}
}

// recount sums the counters of all pools from the operations right in them.
func (t *Tree) recount() {
	for p := range t.pools {
		t.pools[p].counts = Counts{}
	}
	for p := range t.pools {
		for a := Pool(p); a != NoPool; a = t.pools[a].parent {
			t.pools[a].counts.add(t.pools[p].own)
		}
	}
}
