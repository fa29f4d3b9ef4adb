package core

import "poolproof/core/resource"

// A nodeTable holds the nodes of a tree. A node keeps its slot for ever, which is its number in the
// scheduling.Tree. The total is the sum of the nodes' resources for jobs.
type nodeTable struct {
	nodes    []Node
	nodeSlot []int32 // by NodeID
	total    resource.Vector
	unsizedNodes
	slots       bool // the log records user slots
	lastResized Time // last change of the set of nodes or of a node's size, or Never
	lastTagged  Time // last change of the tags of an existing node, or Never
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

// contribution returns the resources that a node offers to jobs: zero while it is offline or
// disabled.
func (t *nodeTable) contribution(n *Node) resource.Vector {
	if !n.Online || t.isDisabled(n) {
		return resource.Vector{}
	}
	return n.Limits
}

// isDisabled reports whether a node is online and has no user slots, in a log that records them. It
// offers nothing to jobs, and jobs on it take nothing from it (core/spec/scheduling.md §9.1).
func (t *nodeTable) isDisabled(n *Node) bool {
	return n.Online && !n.Undescribed && t.slots && n.Limits[resource.UserSlots] == 0
}

// IsDisabled reports whether a node is online and has no user slots: limits and usage
// count as zero, whatever runs there (core/spec/scheduling.md §9.1).
func (t *nodeTable) IsDisabled(node int32) bool { return t.isDisabled(&t.nodes[node]) }

// LastResized returns the time when a node was last added, removed or resized, or Never. For some
// time after that the scheduler may still report older totals, and values derived from them
// (core/spec/invariants.md §1).
func (t *nodeTable) LastResized() Time { return t.lastResized }

// LastTagged is LastResized for changes of tags, which move totals by tag.
func (t *nodeTable) LastTagged() Time { return t.lastTagged }

// OverfullSince returns since when a node's jobs exceed its resources, scheduling.Never if they fit
// or the node is offline or disabled. A heartbeat that the log leaves out may have seen that
// (core/spec/scheduling.md §10.8).
func (t *nodeTable) OverfullSince(node int32) int64 { return t.nodes[node].overfull }

// CrowdedSince is OverfullSince if jobs use more by the tolerance that SetUsageTolerance states.
func (t *nodeTable) CrowdedSince(node int32) int64 { return t.nodes[node].crowded }
