package ingest

import (
	"math"
	"strconv"

	"poolproof/core"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// jobNews is the source of JobReported: the rows of allocations that say what a job uses from
// then on, what it does, or how long it may stay. The others are counted: the starts, preemptions
// and ends come from jobs.
type jobNews struct {
	tableSource
	jobs                    []int64
	op, node, action, state []int32
	timeout                 *parquetlog.Vector
	usage                   *group
	uses                    int32          // the interned action
	actions, states         map[int32]bool // all interned words
}

func newJobNews(s *stream, folder string) (source, error) {
	table := &trace.Allocations.Table
	n := &jobNews{usage: newGroup(table, "usage"), uses: s.intern.ID([]byte("usage"))}
	words := func(all ...string) map[int32]bool {
		ids := map[int32]bool{}
		for _, word := range all {
			ids[s.intern.ID([]byte(word))] = true
		}
		return ids
	}
	n.actions = words("state", "start", "preempt", "abort", "usage")
	n.states = words(core.JobScheduled, core.JobWaiting, core.JobRunning, "finishing", "finished")
	columns := append([]string{"job_ix", "op_ix", "node_ix", "action", "state", "timeout_ms"}, n.usage.names[:]...)
	var err error
	n.tableSource, err = newTableSource(s, folder, table, columns, func(b *parquetlog.Batch) {
		column := func(name string) *parquetlog.Vector { return &b.Columns[table.Column(name)] }
		n.jobs, n.op, n.node = column("job_ix").Int64s, column("op_ix").Int32s, column("node_ix").Int32s
		n.action, n.state, n.timeout = column("action").Texts, column("state").Texts, column("timeout_ms")
		n.usage.bind(b)
	})
	n.accept = n.acceptRow
	return n, err
}

func (n *jobNews) acceptRow() bool {
	i, s := n.i, n.stream
	switch {
	case !n.actions[n.action[i]]:
		n.problem("action", UnknownEnum, s.intern.Text(n.action[i]))
		return false
	case n.action[i] != n.uses && n.state[i] == 0 && n.timeout.Null(i):
		s.silent++
		return false
	case n.state[i] != 0 && !n.states[n.state[i]]:
		n.problem("state", UnknownEnum, s.intern.Text(n.state[i]))
		return false
	case !n.timeout.Null(i) && (n.timeout.Int64s[i] < 0 || n.timeout.Int64s[i] > math.MaxInt64/perMilli):
		n.problem("timeout_ms", BadNumber, strconv.FormatInt(n.timeout.Int64s[i], 10))
		return false
	case n.jobs[i] < 0:
		n.problem("job_ix", IDOutOfRange, strconv.FormatInt(n.jobs[i], 10))
		return false
	case n.action[i] == n.uses && n.usage.null(i):
		n.problem("usage_user_slots", NullValue, "")
		return false
	}
	return n.id("op_ix", n.op[i], len(s.trace.dimensions.Operations)) &&
		(n.node[i] < 0 || n.id("node_ix", n.node[i], len(s.trace.dimensions.Nodes))) && n.resources(n.usage)
}

// perMilli is the microseconds of a millisecond.
const perMilli = 1000

func (n *jobNews) emit(e *core.Event) {
	i := n.i
	e.Job, e.Operation, e.Node = core.JobID(n.jobs[i]), core.OperationID(n.op[i]), core.NodeID(max(n.node[i], core.Unknown))
	e.State, e.Timeout = n.stream.intern.Text(n.state[i]), 0
	if !n.timeout.Null(i) {
		e.Timeout = core.Time(n.timeout.Int64s[i]) * perMilli
	}
	if e.Uses = n.action[i] == n.uses; e.Uses {
		e.Usage = n.usage.vector(i)
	}
}
