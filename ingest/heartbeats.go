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
	node         []int32
	limit, usage *group
}

func newHeartbeats(s *stream, folder string) (source, error) {
	table := &trace.Heartbeats.Table
	h := &heartbeats{limit: newGroup(table, "limit"), usage: newGroup(table, "usage")}
	columns := append(append([]string{"node_ix"}, h.limit.names[:]...), h.usage.names[:]...)
	node := table.Column("node_ix")
	var err error
	h.tableSource, err = newTableSource(s, folder, table, columns, func(b *parquetlog.Batch) {
		h.node = b.Columns[node].Int32s
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
}

// nodeChanges is the source of NodeChanged.
type nodeChanges struct {
	tableSource
	node   []int32
	online []bool
	limit  *group
}

func newNodeChanges(s *stream, folder string) (source, error) {
	table := &trace.NodeStates.Table
	n := &nodeChanges{limit: newGroup(table, "limit")}
	var err error
	n.tableSource, err = newTableSource(s, folder, table, append([]string{"node_ix", "online"}, n.limit.names[:]...), func(b *parquetlog.Batch) {
		n.node = b.Columns[table.Column("node_ix")].Int32s
		n.online = b.Columns[table.Column("online")].Bools
		n.limit.bind(b)
	})
	nodes := len(s.trace.dimensions.Nodes)
	n.accept = func() bool { return n.id("node_ix", n.node[n.i], nodes) && n.resources(n.limit) }
	return n, err
}

func (n *nodeChanges) emit(e *core.Event) {
	e.Node = core.NodeID(n.node[n.i])
	e.Online = n.online[n.i]
	e.Limits = n.limit.vector(n.i)
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
