package scheduling

import "poolproof/core/resource"

// A Node is the handle of a node in a Tree. Handles are dense and kept.
type Node int32

// NoNode is the node of a job for which the log does not name one.
const NoNode Node = -1

// A node is one machine of the tree.
type node struct {
	NodeSettings
	usage          resource.Vector // of its jobs
	jobs           []Job           // in the order they came
	preemptible    int32           // number of jobs that no prefix protects
	overcommitted  int64           // since when usage exceeds the limits, Never if it fits
	lastPreemptive int64           // when preemptive stages last ran, or Never
}

// NodeSettings holds the properties of a node that scheduling depends on.
type NodeSettings struct {
	Limits   resource.Vector
	Disabled bool // it has no user slots: all its jobs are being aborted and do not count (§9.1)
	SSD      bool // ssd_priority_preemption is on and its filter matches the node
	Segment  Segment
	Module   int32 // data center or network cluster; 0 = none
}

// held returns the usage of a node by its jobs: zero if it is disabled (§9.1).
func (n *node) held() resource.Vector {
	if n.Disabled {
		return resource.Vector{}
	}
	return n.usage
}

// AddNode adds a node.
func (t *Tree) AddNode(s NodeSettings) Node {
	t.nodes = append(t.nodes, node{NodeSettings: s, overcommitted: Never, lastPreemptive: Never})
	return Node(len(t.nodes) - 1)
}

// SetNode replaces the settings of a node.
func (t *Tree) SetNode(n Node, s NodeSettings) { t.nodes[n].NodeSettings = s }

// NodeUsage returns the usage of a node by its jobs.
func (t *Tree) NodeUsage(n Node) resource.Vector { return t.nodes[n].held() }

// SetLastPreemptive sets when preemptive stages last ran on a node.
func (t *Tree) SetLastPreemptive(n Node, at int64) { t.nodes[n].lastPreemptive = at }

// PreemptionAllowed reports whether the backoff of a node has passed, so that
// a heartbeat may run preemptive stages (§9.4).
func (t *Tree) PreemptionAllowed(n Node, now int64) bool {
	last := t.nodes[n].lastPreemptive
	return last == Never || now > last+t.options.PreemptiveBackoff
}

// Report applies a node's report at now: the first step of a heartbeat, and the only one if the
// heartbeat decided nothing (§9.1).
func (t *Tree) Report(n Node, now int64) {
	own := &t.nodes[n]
	switch {
	case own.held().FitsIn(own.Limits):
		own.overcommitted = Never
	case own.overcommitted == Never:
		own.overcommitted = now
	}
}

// NodeJobs calls visit with the jobs of a node, in the order they came.
func (t *Tree) NodeJobs(n Node, visit func(j Job)) {
	for _, j := range t.nodes[n].jobs {
		visit(j)
	}
}

// OperationJobs calls visit with the jobs of an operation, in the order they
// came.
func (t *Tree) OperationJobs(e Element, visit func(j Job)) {
	for j := range t.ofOperation.All(t.elements[e].operation.list.jobs) {
		visit(j)
	}
}

// LatestJobs calls visit with the jobs of an operation, the one that came last first,
// until it returns false.
func (t *Tree) LatestJobs(e Element, visit func(j Job) bool) {
	for j := t.elements[e].operation.list.jobs.Last; j != NoJob && visit(j); {
		j = t.ofOperation.Before(j)
	}
}

// found calls visit with the jobs that were on the node before the current heartbeat.
func (t *Tree) found(visit func(j Job, own *job)) {
	n := &t.nodes[t.stage.Node]
	if n.Disabled {
		return
	}
	for _, j := range n.jobs[:t.stage.jobs] {
		visit(j, &t.jobs[j])
	}
}
