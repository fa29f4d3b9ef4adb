package scheduling

// SetOvercommitted sets since when the usage of a node has not fitted its
// limits, Never if it fits. Heartbeats keep that clock; this is for a state
// that was recorded.
func (t *Tree) SetOvercommitted(n Node, since int64) { t.nodes[n].overcommitted = since }

// SchedulingIndex returns the position of an operation in scheduling order at
// the last update, -1 if it is unschedulable (§6.1).
func (t *Tree) SchedulingIndex(e Element) int32 {
	t.rank()
	return t.elements[e].operation.index
}
