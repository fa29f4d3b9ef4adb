package simulate

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A FaultInjector alters decisions of the scheduler; its zero value alters none. Each
// function is asked with what the policy wants, in the state before it happens,
// and returns what is to happen instead. It must answer the same whenever it is
// asked the same.
type FaultInjector struct {
	// Place is where an operation lands, or why it is refused.
	Place func(at core.Time, tree int, o core.OperationID, pool string, refused error) (string, error)
	// Bar is the error with which an operation is refused that no tree has a say in, 0
	// where it is not.
	Bar func(at core.Time, o core.OperationID, code int32) int32
	// Move is where an operation lands that is moved, or why that is refused.
	Move func(at core.Time, tree int, o core.OperationID, pool string, refused error) (string, error)
	// Run is which operation is marked running where the policy would mark one;
	// Unknown: none.
	Run func(at core.Time, tree int, o core.OperationID) core.OperationID
	// Decide is what a heartbeat starts and preempts.
	Decide func(h *Heartbeat, d *core.Decision) *core.Decision
	// Status is how the scheduler says that an operation starves.
	Status func(at core.Time, tree int, o core.OperationID, s scheduling.Status) scheduling.Status
	// Keep says whether the jobs of a node that leaves a tree go on.
	Keep func(at core.Time, tree int, n core.NodeID) bool
	// Stop is how a preempted job leaves.
	Stop func(at core.Time, tree int, o core.OperationID, e Ending) Ending
}

// A Heartbeat is the moment of a decision, as an injector sees it.
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

// Name is the id in the log of a job that holds its resources on the node, "" of another.
func (h *Heartbeat) Name(id core.JobID) string {
	if slot := h.holder(h.Node, id); slot != none {
		return h.name(&h.jobs[slot])
	}
	return ""
}

// Free is what the node's limits leave beside its jobs.
func (h *Heartbeat) Free() resource.Vector { return h.nodes[h.Node].limits.Sub(h.nodes[h.Node].usage) }
