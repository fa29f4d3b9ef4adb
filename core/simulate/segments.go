package simulate

import "poolproof/core"

// managePeriod is the period of the segment manager (core/spec/scheduling.md §12).
const managePeriod = 10 * core.Second

// manageSegments moves nodes to segments that have had too little for too long.
func (s *simulation) manageSegments() {
	s.queue.push(item{at: s.now + managePeriod, rank: core.NodeChanged, what: manage})
	for _, i := range s.own {
		t := s.trees[i].core
		for _, moved := range t.Rebalance(s.now, max(s.plan.Window.From, t.Restarted())) {
			n := t.Node(moved.Node)
			e := event(core.NodeChanged)
			e.Node, e.Online, e.Limits, e.Tags, e.Module, e.Network = n.ID, n.Online, n.Limits, n.Tags, n.Module, n.Network
			e.Segment = moved.Segment.String()
			s.nodes[n.ID].moved = e.Segment
			s.emit(i, &e)
		}
	}
}

// keepSegment lets a node stay in the segment that it was moved to, until the facts say
// another one than before.
func (s *simulation) keepSegment(e *core.Event) {
	n := &s.nodes[e.Node]
	if n.moved != "" && e.Segment == n.planned {
		e.Segment = n.moved
		return
	}
	n.planned, n.moved = e.Segment, ""
}
