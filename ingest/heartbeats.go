package ingest

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// heartbeats is the source of HeartbeatReceived.
type heartbeats struct {
	tableSource
	node                []int32
	skipped, preemptive *parquetlog.Vector
	limit, usage        *group
}

func newHeartbeats(s *stream, folder string) (source, error) {
	table := &trace.Heartbeats.Table
	h := &heartbeats{limit: newGroup(table, "limit"), usage: newGroup(table, "usage")}
	columns := append(append([]string{"node_ix", "skipped", "with_preemption"}, h.limit.names[:]...), h.usage.names[:]...)
	node, skipped, preemptive := table.Column("node_ix"), table.Column("skipped"), table.Column("with_preemption")
	var err error
	h.tableSource, err = newTableSource(s, folder, table, columns, func(b *parquetlog.Batch) {
		h.node = b.Columns[node].Int32s
		h.skipped, h.preemptive = &b.Columns[skipped], &b.Columns[preemptive]
		h.limit.bind(b)
		h.usage.bind(b)
	})
	nodes := len(s.trace.dimensions.Nodes)
	h.accept = func() bool {
		return h.id("node_ix", h.node[h.i], nodes) && h.resources(h.limit) && h.resources(h.usage)
	}
	return h, err
}

func (h *heartbeats) emit(e *core.Event) {
	e.Node = core.NodeID(h.node[h.i])
	e.Limits = h.limit.vector(h.i)
	e.Usage = h.usage.vector(h.i)
	e.Skipped = optionalBool(h.skipped, h.i)
	e.Preemptive = optionalBool(h.preemptive, h.i)
}

// demandChanges is the source of DemandChanged.
type demandChanges struct {
	tableSource
	op                []int32
	needed, minNeeded *group
	pending           *parquetlog.Vector
}

func newDemandChanges(s *stream, folder string) (source, error) {
	table := &trace.Demands.Table
	d := &demandChanges{needed: newGroup(table, "needed"), minNeeded: newGroup(table, "min_needed")}
	columns := append(append([]string{"op_ix", "pending_jobs"}, d.needed.names[:]...), d.minNeeded.names[:]...)
	var err error
	d.tableSource, err = newTableSource(s, folder, table, columns, func(b *parquetlog.Batch) {
		d.op = b.Columns[table.Column("op_ix")].Int32s
		d.pending = &b.Columns[table.Column("pending_jobs")]
		d.needed.bind(b)
		d.minNeeded.bind(b)
	})
	operations := len(s.trace.dimensions.Operations)
	d.accept = func() bool {
		return d.id("op_ix", d.op[d.i], operations) && d.resources(d.needed) && d.resources(d.minNeeded)
	}
	return d, err
}

func (d *demandChanges) emit(e *core.Event) {
	e.Operation = core.OperationID(d.op[d.i])
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
