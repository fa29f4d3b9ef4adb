package simulate

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A FaultInjector alters decisions of the scheduler; its zero value alters nothing. Each function
// gets the policy's decision, in the state before it takes effect, and returns the decision to use
// instead. Functions must be deterministic.
type FaultInjector struct {
	// Place returns the pool of a new operation, or why it is refused.
	Place func(at core.Time, tree int, o core.OperationID, pool string, refused error) (string, error)
	// Bar returns the error code of a refusal that does not depend on a tree, or 0.
	Bar func(at core.Time, o core.OperationID, code int32) int32
	// Move returns the pool of a moved operation, or why the move is refused.
	Move func(at core.Time, tree int, o core.OperationID, pool string, refused error) (string, error)
	// Run returns the operation to mark running instead of the one that the policy marks, or
	// Unknown.
	Run func(at core.Time, tree int, o core.OperationID) core.OperationID
	// Decide returns the starts and preemptions of a heartbeat.
	Decide func(h *Heartbeat, d *core.Decision) *core.Decision
	// Status returns the announced starvation status of an operation.
	Status func(at core.Time, tree int, o core.OperationID, s scheduling.Status) scheduling.Status
	// Keep returns whether jobs of a node that leaves a tree continue.
	Keep func(at core.Time, tree int, n core.NodeID) bool
	// Stop returns the end of a preempted job.
	Stop func(at core.Time, tree int, o core.OperationID, e Ending) Ending
}

// A Heartbeat gives an injector access to the state at a decision.
type Heartbeat struct {
	At   core.Time
	Tree int
	Node core.NodeID
	*simulation
}

// A NodeJob is a job on the node of a heartbeat.
type NodeJob struct {
	ID        core.JobID
	Operation core.OperationID
	Start     core.Time
	Resources resource.Vector
}

// State is the tree as the scheduler sees it: read it only.
func (h *Heartbeat) State() *core.Tree { return h.trees[h.Tree].core }

// Jobs returns the jobs of the node that hold their resources, in the order of
// their start.
func (h *Heartbeat) Jobs() []NodeJob {
	var list []NodeJob
	for _, slot := range h.nodes[h.Node].jobs {
		if j := &h.jobs[slot]; !j.preempted {
			list = append(list, NodeJob{j.id, j.work.Operation, j.start, j.resources})
		}
	}
	return list
}

// OperationJobs returns the jobs of an operation in all trees that hold their
// resources, in the order of their start.
func (h *Heartbeat) OperationJobs(o core.OperationID) []NodeJob {
	var list []NodeJob
	for i := range h.jobs {
		if j := &h.jobs[i]; j.id != core.Unknown && !j.preempted && j.work.Operation == o {
			list = append(list, NodeJob{j.id, j.work.Operation, j.start, j.resources})
		}
	}
	slices.SortFunc(list, func(a, b NodeJob) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// Name returns the id in the log of a job that holds resources on the node, else "".
func (h *Heartbeat) Name(id core.JobID) string {
	if slot := h.holder(h.Node, id); slot != none {
		return h.name(&h.jobs[slot])
	}
	return ""
}

// Free returns the free resources of the node.
func (h *Heartbeat) Free() resource.Vector { return h.nodes[h.Node].limits.Sub(h.nodes[h.Node].usage) }
