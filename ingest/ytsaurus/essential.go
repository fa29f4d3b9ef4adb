package ytsaurus

// The scheduler's simulator writes snapshots in an essential form, unless its option enable_full_event_log is set: one
// row with all pools, but for the root, and all operations, each with ratios of its dominant resource alone, and
// operations with their usage (ingest/trace/FORMAT.md §1.3). Demand, limits, shares of each resource, the total of the
// tree and who starves are missing.

// essential takes in a snapshot of that form, and reports whether it is one: which pools and operations there are, and
// how many slots operations use.
func (l *loader) essential(tree treeID, s snapshotParts) bool {
	any := false
	for _, part := range [...]cursor{s.pools, s.operations} {
		for e := range part.children {
			if !e.isEssential() {
				return false
			}
			any = true
		}
	}
	if !any {
		return false
	}
	l.note("event_type", essentialSnapshots, "")
	for p := range s.pools.children {
		if usable(p.name()) {
			l.seePool(tree, p.name(), l.at)
		}
	}
	for o := range s.operations.children {
		id, ok := parseGUID(o.name())
		if !ok {
			l.quarantine("operations", badID, string(o.name()))
			continue
		}
		if usage, ok := o.get(keyUsage).resources(); ok && !o.get(keyUsage).isNull() {
			l.sight(id, l.at).holds(tree, l.at, usage.UserSlots)
		}
	}
	return true
}

// isEssential reports whether a record has ratios alone.
func (c cursor) isEssential() bool {
	return !c.get(keyFairRatio).isNull() && !c.get(keySatisfaction).isNull() &&
		c.get(keyDemand).isNull() && c.get(keyLimits).isNull() && c.get(keyStarvation).isNull() && c.get(keyDetailed).isNull()
}
