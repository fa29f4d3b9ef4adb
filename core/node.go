package core

import "poolproof/core/resource"

// A Node is one machine of the tree.
type Node struct {
	ID     NodeID
	Online bool
	Limits resource.Vector // what it has; zero where the source does not say
	Usage  resource.Vector // granted to its live jobs

	LastHeartbeat Time            // 0 before the first
	Reported      resource.Vector // usage of the last heartbeat, before scheduling

	jobs    list
	touched bool
}

// nodeAt returns the slot of a node, which it adds if the log had not
// introduced it.
func (t *Tree) nodeAt(id NodeID) int32 {
	if slot := t.nodeSlot[id]; slot != none {
		return slot
	}
	slot := int32(len(t.nodes))
	t.nodes = append(t.nodes, Node{ID: id, jobs: emptyList})
	t.nodeSlot[id] = slot
	return slot
}

// changeNode applies a node's new size or presence. The tree's total is the sum
// over online nodes (spec/fair-share.md §3.2).
func (t *Tree) changeNode(e *Event) {
	slot := t.nodeAt(e.Node)
	n := &t.nodes[slot]
	before := n.contribution()
	if n.Online && !e.Online {
		t.loseJobs(n.jobs, ofNode)
	}
	n.Online, n.Limits = e.Online, e.Limits
	after := n.contribution()
	t.touchNode(slot)
	if before != after {
		t.total = t.total.Sub(before).Add(after)
		t.stale = true
		t.touchPool(0)
	}
}

func (n *Node) contribution() resource.Vector {
	if !n.Online {
		return resource.Vector{}
	}
	return n.Limits
}

// receiveHeartbeat notes what a node reports. What the heartbeat carried comes
// as events of its own.
func (t *Tree) receiveHeartbeat(e *Event) {
	n := &t.nodes[t.nodeAt(e.Node)]
	n.LastHeartbeat, n.Reported = e.Time, e.Usage
}
