package ingest

import (
	"math"
	"strconv"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// jobNews is the source of JobReported: the rows of allocations that say what a job uses from
// then on, what it does, or how long it may stay. The others are counted: the starts, preemptions
// and ends come from jobs.
type jobNews struct {
	tableSource
	job             column         `col:"job_ix"`
	op              column         `col:"op_ix"`
	node            column         `col:"node_ix"`
	action          column         `col:"action"`
	state           column         `col:"state"`
	timeout         column         `col:"timeout_ms"`
	usage           group          `col:"usage"`
	uses            int32          // the interned action
	actions, states map[int32]bool // all interned words
}

func newJobNews(s *stream, folder string) (source, error) {
	n := &jobNews{
		uses:    s.intern.ID([]byte("usage")),
		actions: s.words("state", "start", "preempt", "abort", "usage"),
		states:  s.words(core.JobScheduled, core.JobWaiting, core.JobRunning, "finishing", "finished"),
	}
	return n, n.open(s, folder, &trace.Allocations.Table, bindColumns(n, &trace.Allocations.Table), n.acceptRow)
}

func (n *jobNews) acceptRow() bool {
	i, s := n.i, n.stream
	action, state := n.action.Texts[i], n.state.Texts[i]
	switch {
	case !n.enum(&n.action, n.actions):
		return false
	case action != n.uses && state == 0 && n.timeout.Null(i):
		s.silent++
		return false
	case state != 0 && !n.enum(&n.state, n.states):
		return false
	case !n.timeout.Null(i) && (n.timeout.Int64s[i] < 0 || n.timeout.Int64s[i] > math.MaxInt64/perMilli):
		n.problem("timeout_ms", badNumber, strconv.FormatInt(n.timeout.Int64s[i], 10))
		return false
	case n.job.Int64s[i] < 0:
		n.problem("job_ix", idOutOfRange, strconv.FormatInt(n.job.Int64s[i], 10))
		return false
	case action == n.uses && n.usage.null(i):
		n.problem("usage_user_slots", nullValue, "")
		return false
	}
	return n.idOf(&n.op, len(s.trace.dimensions.Operations)) &&
		(n.node.Int32s[i] < 0 || n.idOf(&n.node, len(s.trace.dimensions.Nodes))) && n.resources(&n.usage)
}

// perMilli is the microseconds of a millisecond.
const perMilli = 1000

func (n *jobNews) emit(e *core.Event) {
	i := n.i
	e.Job, e.Operation, e.Node = core.JobID(n.job.Int64s[i]), core.OperationID(n.op.Int32s[i]), core.NodeID(max(n.node.Int32s[i], core.Unknown))
	e.State, e.Timeout = n.textOf(&n.state), 0
	if !n.timeout.Null(i) {
		e.Timeout = core.Time(n.timeout.Int64s[i]) * perMilli
	}
	if e.Uses = n.action.Texts[i] == n.uses; e.Uses {
		e.Usage = n.usage.vector(i)
	}
}
