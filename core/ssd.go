package core

// isSSD reports whether a node's tags match the filter of ssd_priority_preemption.
func (c *configuration) isSSD(n *Node) bool {
	return c.config.SSD.Enable && c.config.SSD.Filter.Match(n.Tags)
}

// IsSSDNode reports whether only operations that may use SSD nodes get jobs on a node, by its tags.
func (t *Tree) IsSSDNode(slot int32) bool { return t.isSSD(&t.nodes[slot]) }

// RequestsSSD reports whether an operation asks for the SSD of such nodes.
func (t *Tree) RequestsSSD(o *Operation) bool { return t.requestsSSD(o) }

// requestsSSD reports whether some of an operation's jobs ask for a quota on a
// medium of ssd_priority_preemption (core/spec/scheduling.md §10.1).
func (c *configuration) requestsSSD(o *Operation) bool {
	if p := &o.Params; p.RequestsSSD.Set || p.Media == nil {
		return p.RequestsSSD.Value
	}
	return c.config.SSD.Names(o.Params.Media.Some)
}

// KnowsMedia reports whether the log records which media the jobs of an operation request.
func (o *Operation) KnowsMedia() bool { return o.Params.RequestsSSD.Set || o.Params.Media != nil }

// holdsSSD reports whether every job of an operation holds a quota on such a
// medium, by what its spec asks for.
func (c *configuration) holdsSSD(o *Operation) bool {
	return o.Params.Media != nil && c.config.SSD.Names(o.Params.Media.Every)
}

// KnowsSSDOf reports whether it is known which jobs of an operation hold a quota on such a medium:
// by its spec all of them do, or none does.
func (t *Tree) KnowsSSDOf(operation int32) bool {
	o := &t.operations[operation]
	return o.Params.RequestsSSD.Set || o.Params.Media != nil && t.requestsSSD(o) == t.holdsSSD(o)
}
