package ingest

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

// heartbeats is the source of HeartbeatReceived.
type heartbeats struct {
	tableSource
	node       column `col:"node_ix"`
	skipped    column `col:"skipped"`
	preemptive column `col:"with_preemption"`
	limit      group  `col:"limit"`
	usage      group  `col:"usage"`
}

func newHeartbeats(s *stream, folder string) (source, error) {
	h := &heartbeats{}
	nodes := len(s.trace.dimensions.Nodes)
	return h, h.open(s, folder, &trace.Heartbeats.Table, bindColumns(h, &trace.Heartbeats.Table), func() bool {
		return h.idOf(&h.node, nodes) && h.resources(&h.limit) && h.resources(&h.usage)
	})
}

func (h *heartbeats) emit(e *core.Event) {
	e.Node = core.NodeID(h.node.Int32s[h.i])
	e.Limits = h.limit.vector(h.i)
	e.Usage = h.usage.vector(h.i)
	e.Skipped = optionalBool(&h.skipped, h.i)
	e.Preemptive = optionalBool(&h.preemptive, h.i)
}

// demandChanges is the source of DemandChanged.
type demandChanges struct {
	tableSource
	op        column `col:"op_ix"`
	pending   column `col:"pending_jobs"`
	needed    group  `col:"needed"`
	minNeeded group  `col:"min_needed"`
}

func newDemandChanges(s *stream, folder string) (source, error) {
	d := &demandChanges{}
	operations := len(s.trace.dimensions.Operations)
	return d, d.open(s, folder, &trace.Demands.Table, bindColumns(d, &trace.Demands.Table), func() bool {
		return d.idOf(&d.op, operations) && d.resources(&d.needed) && d.resources(&d.minNeeded)
	})
}

func (d *demandChanges) emit(e *core.Event) {
	e.Operation = core.OperationID(d.op.Int32s[d.i])
	e.Needed = d.needed.vector(d.i)
	e.MinNeeded = resource.Vector{}
	if !d.minNeeded.null(d.i) {
		e.MinNeeded = d.minNeeded.vector(d.i)
	}
	e.PendingJobs = -1
	if !d.pending.Null(d.i) {
		e.PendingJobs = max(d.pending.Int64s[d.i], -1)
	}
}
