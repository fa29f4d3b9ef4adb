package core

import (
	"cmp"
	"maps"
	"slices"

	"poolproof/core/pooltree"
	"poolproof/core/scheduling"
)

// Versions of pools that take effect at one instant are one set: two pools may
// change places. They wait until the instant's other events come, and so does a
// version of the tree that its pools do not go with: it may go with theirs. What is
// refused stays stored, so that it counts when the next version comes
// (core/spec/scheduling.md §4.5).

// configurePool notes a version of a pool.
func (t *Tree) configurePool(e *Event) {
	c := e.Config
	name, parent := t.learn(e.Pool), t.learn(c.Parent)
	if c.Ephemeral {
		// What a log tells of a pool that no configuration holds is where it stood.
		// The set of this instant goes on.
		t.admission.SetHome(name, parent)
		t.syncPools()
		return
	}
	if !t.poolsConfigured {
		t.poolsConfigured = true
		t.setTreeConfig(t.config) // from now on silence means the defaults
	}
	if parent == name {
		parent = "" // nothing stands in itself
	}
	t.pending = append(t.pending, pooltree.Change{
		Definition: pooltree.Definition{Name: name, Parent: parent, Config: c.PoolConfig},
		Removed:    c.Deleted, Dated: c.Dated,
	})
	t.fresh = true
}

// configureTree applies a version of the tree's settings. One that its pools do
// not go with is tried again with those of the same instant.
func (t *Tree) configureTree(e *Event) {
	t.flush()
	t.wanted = Optional[TreeConfig]{}
	if len(t.setTreeConfig(*e.Tree)) > 0 {
		t.wanted = Some(*e.Tree)
	}
	t.fresh = t.wanted.Set || len(t.pending) > 0
}

// configureCluster takes over what of the settings above all trees concerns this
// one: the rules of heartbeats (core/spec/scheduling.md §3.4), and whose ephemeral pools
// stand where (§4.6, §5.1).
func (t *Tree) configureCluster(e *Event) {
	before := t.cluster.UserParents
	t.cluster = *e.Cluster
	if options := scheduling.OptionsOf(t.profile, &t.config, &t.cluster); options != *t.scheduling.Options() {
		t.scheduling.SetOptions(options)
		t.treeConfigured = t.now
		t.stale = true
	}
	parents := t.cluster.UserParents
	if maps.Equal(parents, before) {
		return
	}
	t.admission.SetUserParents(parents)
	if t.config.UseUserParents {
		t.noteConfiguration()
		t.treeConfigured = t.now
		t.syncPools()
		t.stale = true
	}
}

// setTreeConfig hands the tree's settings, and versions of pools with them, to all
// who use them, or returns why they are refused.
func (t *Tree) setTreeConfig(c TreeConfig, pools ...pooltree.Change) []*pooltree.RuleError {
	c.PoolsAssumed = !t.poolsConfigured
	if errs := t.admission.SetConfig(c, pools...); len(errs) > 0 {
		return errs
	}
	t.noteConfiguration()
	t.datePools(pools)
	t.treeConfigured = t.now
	mode := t.config.Segments.Enable != c.Segments.Enable
	ssd := !slices.Equal(t.config.SSD.Media, c.SSD.Media)
	t.config = c
	t.shares.SetOptions(t.shareOptions())
	t.scheduling.SetOptions(scheduling.OptionsOf(t.profile, &c, &t.cluster))
	for slot := range t.nodes {
		t.setNode(int32(slot))
	}
	t.refilterOperations()
	t.syncPools()
	if mode {
		t.setSegments()
	} else if ssd {
		t.pushOperations()
	}
	t.stale = true
	return nil
}

// noteConfiguration notes that a configuration took effect. The first, of one
// instant, replaces none.
func (t *Tree) noteConfiguration() {
	t.configurations++
	t.touchPool(0)
	if !t.configured {
		t.configured, t.firstConfigured = true, t.now
	} else if t.now > t.firstConfigured {
		t.reconfigured = t.now
	}
}

// LastSet returns when settings changed last by which operations of the tree share it:
// those of pools, or the weight, a limit or the pool of an operation; Never if none did.
func (t *Tree) LastSet() Time { return max(t.reconfigured, t.lastSet) }

// Definitions returns the explicit pools in force. They are the Tree's own.
func (t *Tree) Definitions() []pooltree.Definition { return t.admission.Definitions() }

// flush applies the versions that wait: all of them as a whole or, if that breaks
// a rule, the pools and the tree's settings each without the other. A set of pools
// that breaks a rule is refused as a whole and the old one stays in force
// (core/spec/scheduling.md §2.3, §4.5).
func (t *Tree) flush() {
	if !t.fresh {
		return
	}
	t.fresh = false
	errs := t.applyTogether()
	if len(errs) > 0 && t.wanted.Set {
		pools := t.applyPools()
		if alone := t.setTreeConfig(t.wanted.Value); len(alone) == 0 {
			t.wanted.Set = false
			errs = t.applyPools() // by the new options of the tree
		} else if len(pools) == 0 {
			errs = alone
		}
	}
	t.changes.Refused = append(t.changes.Refused, errs...)
}

// applyTogether makes all stored versions take effect at once, or returns why they
// do not.
func (t *Tree) applyTogether() []*pooltree.RuleError {
	if !t.wanted.Set {
		return t.applyPools()
	}
	errs := t.setTreeConfig(t.wanted.Value, t.pending...)
	if len(errs) == 0 {
		t.wanted.Set = false
		t.pending = t.pending[:0]
	}
	return errs
}

// applyPools makes the stored versions of pools take effect, or returns why they
// do not.
func (t *Tree) applyPools() []*pooltree.RuleError {
	if len(t.pending) == 0 {
		return nil
	}
	errs := t.admission.Apply(t.pending...)
	if len(errs) > 0 {
		t.pending = latest(t.pending)
		return errs
	}
	t.noteConfiguration()
	t.datePools(t.pending)
	t.pending = t.pending[:0]
	t.syncPools()
	t.stale = true
	return nil
}

// latest returns the last change of every pool, in order.
func latest(changes []pooltree.Change) []pooltree.Change {
	last := make(map[string]int, len(changes))
	for i := range changes {
		last[changes[i].Name] = i
	}
	kept := changes[:0]
	for i := range changes {
		if last[changes[i].Name] == i {
			kept = append(kept, changes[i])
		}
	}
	return kept
}

// IsConfigurationRefused reports whether a configuration is stored that did not
// take effect, because it breaks a rule.
func (t *Tree) IsConfigurationRefused() bool {
	t.flush()
	return len(t.pending) > 0 || t.wanted.Set
}

// datePools dates the versions of pools that took effect.
func (t *Tree) datePools(versions []pooltree.Change) {
	t.growPools()
	for i := range versions {
		if p, ok := t.admission.Find(versions[i].Definition.Name); ok {
			t.pools[p].LastConfigured, t.pools[p].Dated = t.now, versions[i].Dated
		}
	}
}

// LastConfigured returns when a configuration of the tree, of a pool or of one above it
// replaced another last, Never if none did. The first version of what is new replaces none;
// that of a pool may where something below it is older, and so may the first of the tree.
func (t *Tree) LastConfigured(pool int32) Time {
	last, oldest := Never, t.now // of the pools from here upwards
	for slot := pool; slot > 0; slot = t.pools[slot].Parent {
		p := &t.pools[slot]
		oldest = min(oldest, p.FirstSeen)
		if p.LastConfigured > oldest {
			last = max(last, p.LastConfigured)
		}
	}
	if t.treeConfigured > min(oldest, t.firstConfigured) {
		last = max(last, t.treeConfigured)
	}
	return last
}

// syncPools takes over what the admission made of the pools, and where it put
// operations by itself: those of a hub that is none any more, and those that
// became lightweight (core/spec/scheduling.md §4.6, §5.7).
func (t *Tree) syncPools() {
	t.growPools()
	order := t.poolOrder[:0]
	for slot := range t.pools {
		if t.admission.Exists(pooltree.Pool(slot)) {
			order = append(order, int32(slot))
		}
	}
	t.poolOrder = order
	// From above: the new parent of a pool stands where it will, so that it is
	// not below the pool.
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Compare(t.admission.Depth(pooltree.Pool(a)), t.admission.Depth(pooltree.Pool(b)))
	})
	for _, slot := range order {
		if slot == 0 {
			t.setPool(0)
		} else {
			t.placePool(slot)
		}
	}
	t.syncOperations()
	for slot := len(t.pools) - 1; slot > 0; slot-- {
		if t.pools[slot].exists && !t.admission.Exists(pooltree.Pool(slot)) {
			t.releasePool(int32(slot))
		}
	}
	t.setDepths()
	t.countUnknown()
	t.accrues = false
	for slot := range t.pools {
		if p := &t.pools[slot]; slot > 0 && p.exists {
			t.accrues = t.accrues || p.Config.Integral.Type != NoIntegral || p.Config.HistoryAlpha.Set
		}
	}
}

// syncOperations takes over the pools and the marks of the operations that the
// admission changed.
func (t *Tree) syncOperations() {
	changed := t.admission.Changed()
	slices.SortFunc(changed, func(a, b pooltree.Operation) int {
		return cmp.Compare(t.registered[a], t.registered[b])
	})
	for _, changed := range slices.Compact(changed) {
		slot := t.registered[changed]
		if slot == none {
			continue // it is over since
		}
		o := &t.operations[slot]
		if pool := int32(t.admission.OperationPool(changed)); pool != o.Pool {
			t.shiftOperation(slot, pool)
		}
		if t.admission.IsRunning(changed) != o.Running {
			t.markRunning(slot, !o.Running)
		}
		o.Lightweight = o.Running && t.admission.IsLightweight(changed)
	}
	t.admission.ClearChanged()
}

// sameOrder reports whether two configurations put the operations of a FIFO
// pool in the same order.
func sameOrder(a, b *pooltree.PoolConfig) bool {
	return a.Mode.Value == b.Mode.Value && slices.Equal(a.FIFOSort, b.FIFOSort)
}
