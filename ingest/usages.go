package ingest

import (
	"strconv"

	"poolproof/core"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// usageChanges is the source of JobUsed: the rows of allocations that say what
// a job uses from then on. The others are counted: starts, preemptions and ends
// are told of by jobs, and states change nothing that is followed.
type usageChanges struct {
	tableSource
	jobs             []int64
	op, node, action []int32
	usage            *group
	uses             int32          // the interned action
	actions          map[int32]bool // all interned actions
}

func newUsageChanges(s *stream, folder string) (source, error) {
	table := &trace.Allocations.Table
	u := &usageChanges{usage: newGroup(table, "usage"), uses: s.intern.ID([]byte("usage")), actions: map[int32]bool{}}
	for _, word := range []string{"state", "start", "preempt", "abort", "usage"} {
		u.actions[s.intern.ID([]byte(word))] = true
	}
	columns := append([]string{"job_ix", "op_ix", "node_ix", "action"}, u.usage.names[:]...)
	var err error
	u.tableSource, err = newTableSource(s, folder, table, columns, func(b *parquetlog.Batch) {
		column := func(name string) *parquetlog.Vector { return &b.Columns[table.Column(name)] }
		u.jobs, u.op, u.node, u.action = column("job_ix").Int64s, column("op_ix").Int32s, column("node_ix").Int32s, column("action").Texts
		u.usage.bind(b)
	})
	u.accept = u.acceptRow
	return u, err
}

func (u *usageChanges) acceptRow() bool {
	i, s := u.i, u.stream
	if u.action[i] != u.uses {
		if u.actions[u.action[i]] {
			s.silent++
		} else {
			u.problem("action", UnknownEnum, s.intern.Text(u.action[i]))
		}
		return false
	}
	switch {
	case u.jobs[i] < 0:
		u.problem("job_ix", IDOutOfRange, strconv.FormatInt(u.jobs[i], 10))
		return false
	case u.usage.null(i):
		u.problem("usage_user_slots", NullValue, "")
		return false
	}
	return u.id("op_ix", u.op[i], len(s.trace.dimensions.Operations)) &&
		(u.node[i] < 0 || u.id("node_ix", u.node[i], len(s.trace.dimensions.Nodes))) && u.resources(u.usage)
}

func (u *usageChanges) emit(e *core.Event) {
	i := u.i
	e.Job, e.Operation, e.Node = core.JobID(u.jobs[i]), core.OperationID(u.op[i]), core.NodeID(max(u.node[i], core.Unknown))
	e.Usage = u.usage.vector(i)
}
