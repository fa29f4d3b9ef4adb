package core

import "poolproof/core/resource"

// A nodeTable holds the nodes of a tree. A node keeps its slot for ever, which is its
// number in the scheduling.Tree. The total is what the nodes have for jobs.
type nodeTable struct {
	nodes    []Node
	nodeSlot []int32 // by NodeID
	total    resource.Vector
	unsizedNodes
	slots       bool // the log tells of user slots
	lastResized Time // when a node came, went or got another size last, Never if none did
	lastTagged  Time // when a node that it had got other tags last, likewise
}

// Total returns the resources of the tree's online nodes (core/spec/fair-share.md §3.2).
func (t *nodeTable) Total() resource.Vector { return t.total }

// Node returns the node in a slot.
func (t *nodeTable) Node(slot int32) *Node { return &t.nodes[slot] }

// Nodes returns how many node slots there are. A node keeps its slot for ever.
func (t *nodeTable) Nodes() int { return len(t.nodes) }

// NodeOf returns the slot of a node that the log has introduced.
func (t *nodeTable) NodeOf(id NodeID) (slot int32, ok bool) {
	slot = t.nodeSlot[id]
	return slot, slot != none
}

// contribution is what a node has for jobs: nothing while it is offline or disabled.
func (t *nodeTable) contribution(n *Node) resource.Vector {
	if !n.Online || t.isDisabled(n) {
		return resource.Vector{}
	}
	return n.Limits
}

// isDisabled reports whether a node is online and has no user slots, in a log that
// tells of those: it has nothing for jobs, and those on it take nothing of it
// (core/spec/scheduling.md §9.1).
func (t *nodeTable) isDisabled(n *Node) bool {
	return n.Online && !n.Undescribed && t.slots && n.Limits[resource.UserSlots] == 0
}

// IsDisabled reports whether a node is online and has no user slots: limits and usage
// count as zero, whatever runs there (core/spec/scheduling.md §9.1).
func (t *nodeTable) IsDisabled(node int32) bool { return t.isDisabled(&t.nodes[node]) }

// LastResized returns when a node of the tree came, went or got another size last, Never if
// none did: what the scheduler says of totals, and of what is made of them, may be from
// before for some time (core/spec/invariants.md §1).
func (t *nodeTable) LastResized() Time { return t.lastResized }

// LastTagged is LastResized for nodes that got other tags, by which totals by tag move.
func (t *nodeTable) LastTagged() Time { return t.lastTagged }

// OverfullSince returns since when a node's jobs have not fitted it,
// scheduling.Never if they fit or it is offline or disabled: what a heartbeat that the log
// leaves out may have seen (core/spec/scheduling.md §10.8).
func (t *nodeTable) OverfullSince(node int32) int64 { return t.nodes[node].overfull }

// CrowdedSince is OverfullSince if jobs use more by the part that DoubtUsage states.
func (t *nodeTable) CrowdedSince(node int32) int64 { return t.nodes[node].crowded }
