package pooltree

// RestrictsGangs reports whether gang operations may start in FIFO pools only
// (core/spec/scheduling.md §5.8).
func (t *Tree) RestrictsGangs() bool {
	return t.profile == Current && t.config.GangsInFIFOOnly.Value
}

// TakesGangs reports whether the pool of a placement is one where gang operations
// may start although the tree restricts them: a FIFO pool, or one that lets them.
// An ephemeral pool is what its parent makes of those below it.
func (t *Tree) TakesGangs(at Placement) bool {
	c := &defaultPool
	switch {
	case !at.Create:
		c = t.pools[at.Pool].config
	case t.pools[at.Parent].subpool != nil:
		c = t.pools[at.Parent].subpool
	}
	return c.mode() == FIFO || c.AlwaysAllowGangs
}
