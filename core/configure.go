package core

import (
	"cmp"
	"maps"
	"slices"

	"poolproof/core/pooltree"
	"poolproof/core/scheduling"
)

// Versions of pools of one instant form one set, so that two pools may change places. They wait for
// the other events of the instant. So does a version of the tree that the current pools contradict:
// it may agree with the new ones. Refused versions stay stored and are tried again with the next
// version (core/spec/scheduling.md §4.5).

// configurePool stores a version of a pool.
func (t *Tree) configurePool(e *Event) {
	c := e.Config
	name, parent := t.learnPoolName(e.Pool), t.learnPoolName(c.Parent)
	if c.Ephemeral {
		// For a pool that no configuration contains the log records only its parent. The set of
		// this instant goes on.
		t.admission.SetHome(name, parent)
		t.syncPools()
		return
	}
	if !t.poolsConfigured {
		t.poolsConfigured = true
		t.setTreeConfig(t.config) // from now on an absent option means its default
	}
	if parent == name {
		parent = "" // a pool cannot be its own parent
	}
	config := c.PoolConfig
	config.Listed = c.Dated && t.profile == Current
	t.pending = append(t.pending, pooltree.Change{
		Definition: pooltree.Definition{Name: name, Parent: parent, Config: config},
		Removed:    c.Deleted, Dated: c.Dated,
	})
	t.untried = true
}

// configureTree applies a version of the tree's settings. A version that contradicts the pools is
// tried again with the pools of the same instant.
func (t *Tree) configureTree(e *Event) {
	t.flush()
	t.pendingTree = Optional[TreeConfig]{}
	if len(t.setTreeConfig(*e.Tree)) > 0 {
		t.pendingTree = Some(*e.Tree)
	}
	t.untried = t.pendingTree.Set || len(t.pending) > 0
}

// configureCluster applies the settings above all trees that affect this one: the rules of
// heartbeats (core/spec/scheduling.md §3.4), and the parents of users' ephemeral pools (§4.6,
// §5.1).
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

// setTreeConfig applies the tree's settings, and versions of pools with them, or returns why they
// are refused.
func (t *Tree) setTreeConfig(c TreeConfig, pools ...pooltree.Change) []*pooltree.RuleError {
	c.PoolsAssumed = !t.poolsConfigured
	c.DropIgnored(t.profile)
	if errs := t.admission.SetConfig(c, pools...); len(errs) > 0 {
		return errs
	}
	t.noteConfiguration()
	t.datePools(pools)
	t.treeConfigured = t.now
	mode := t.config.Segments.Enable != c.Segments.Enable
	ssd := !slices.Equal(t.config.SSD.Media, c.SSD.Media)
	gangs := t.config.SingleJobGangs != c.SingleJobGangs
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
	} else if ssd || gangs {
		t.pushOperations()
	}
	t.stale = true
	return nil
}

// noteConfiguration records that a configuration took effect. The first instant with configurations
// does not count as a replacement.
func (t *Tree) noteConfiguration() {
	t.configurations++
	t.touchPool(0)
	if !t.configured {
		t.configured, t.firstConfigured = true, t.now
	} else if t.now > t.firstConfigured {
		t.reconfigured = t.now
	}
}

// Unmodelled returns what options of the tree and of its pools change that is not modelled.
func (t *Tree) Unmodelled() pooltree.Unmodelled {
	if t.unmodelled.of == t.configurations {
		return t.unmodelled.changes
	}
	changes := t.config.Unmodelled()
	for slot := range t.pools {
		if p := &t.pools[slot]; !p.Removed.Set && p.Config != nil {
			changes |= p.Config.Unmodelled(t.profile)
		}
	}
	t.unmodelled.of, t.unmodelled.changes = t.configurations, changes
	return changes
}

// LastSet returns the time of the last change of settings that fair shares depend on (options of
// pools; weight, limits and pool of operations), or Never.
func (t *Tree) LastSet() Time { return max(t.reconfigured, t.lastSet) }

// Definitions returns the explicit pools in force. They belong to the Tree.
func (t *Tree) Definitions() []pooltree.Definition { return t.admission.Definitions() }

// flush applies the stored versions: all of them together or, if that breaks a rule, the pools and
// the tree's settings each without the other. A set of pools that breaks a rule is refused as a
// whole and the old one stays in force (core/spec/scheduling.md §2.3, §4.5).
func (t *Tree) flush() {
	if !t.untried {
		return
	}
	t.untried = false
	errs := t.applyTogether()
	if len(errs) > 0 && t.pendingTree.Set {
		pools := t.applyPools()
		if alone := t.setTreeConfig(t.pendingTree.Value); len(alone) == 0 {
			t.pendingTree.Set = false
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
	if !t.pendingTree.Set {
		return t.applyPools()
	}
	errs := t.setTreeConfig(t.pendingTree.Value, t.pending...)
	if len(errs) == 0 {
		t.pendingTree.Set = false
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
	return len(t.pending) > 0 || t.pendingTree.Set
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

// LastConfigured returns the time when a configuration of the tree, of a pool or of one of its
// ancestors last replaced another, or Never. The first version of a new pool replaces nothing,
// unless an element below it is older; the same holds for the tree.
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

// syncPools copies the state of pools from the admission, and the operations that it moved by
// itself: those of a pool that is no longer a hub, and those that became lightweight
// (core/spec/scheduling.md §4.6, §5.7).
func (t *Tree) syncPools() {
	t.growPools()
	order := t.poolOrder[:0]
	for slot := range t.pools {
		if t.admission.Exists(pooltree.Pool(slot)) {
			order = append(order, int32(slot))
		}
	}
	t.poolOrder = order
	// From the top: the new parent of a pool is already in its final place, so it is not below the
	// pool.
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
	t.countUnknownPools()
	t.accrues = false
	for slot := range t.pools {
		if p := &t.pools[slot]; slot > 0 && p.exists {
			t.accrues = t.accrues || p.Config.Integral.Type != NoIntegral || p.Config.HistoryAlpha.Set
		}
	}
}

// syncOperations copies the pools and marks of the operations that the admission changed.
func (t *Tree) syncOperations() {
	changed := t.admission.Changed()
	slices.SortFunc(changed, func(a, b pooltree.Operation) int {
		return cmp.Compare(t.registered[a], t.registered[b])
	})
	for _, changed := range slices.Compact(changed) {
		slot := t.registered[changed]
		if slot == none {
			continue // it has ended since
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
