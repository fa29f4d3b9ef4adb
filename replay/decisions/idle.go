package decisions

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// idleness tracks nodes whose heartbeats start nothing (HB-10). A heartbeat costs one count. Only
// at the 4th, 8th, 16th … such heartbeat the referee searches for an operation that could have
// started a job.
type idleness struct {
	record bool   // the log holds heartbeats
	nodes  []idle // by slot; small, since every heartbeat needs one
	open   map[int32]*idleSpan
	rows   []tables.IdleNode
}

// idle holds the counts of a node.
type idle struct {
	count, next int32     // heartbeats with an offer since the last start; count of the next look
	last        core.Time // of the last one
}

// An idleSpan began at a look that found an operation.
type idleSpan struct {
	found int32 // count at that look
	row   tables.IdleNode
}

// firstLook is the number of heartbeats without a start before the first look.
const firstLook = 4

func newIdleness(facts []env.Fact) idleness {
	return idleness{record: newRepairs(facts).record, open: map[int32]*idleSpan{}}
}

// countIdleHeartbeat counts a heartbeat before its decisions: only the earlier ones are known to
// have started nothing.
func (r *Referee) countIdleHeartbeat(e *core.Event) {
	if !r.idle.record {
		return
	}
	slot, ok := r.Core.NodeOf(e.Node)
	if !ok || e.Skipped.Value {
		return
	}
	for int(slot) >= len(r.idle.nodes) {
		r.idle.nodes = append(r.idle.nodes, idle{next: firstLook})
	}
	n := &r.idle.nodes[slot]
	if n.count >= n.next {
		n.next = 2 * n.count
		r.lookForStart(slot, n, e)
	}
	if r.Core.Node(slot).Waiting == 0 {
		n.count++
		n.last = e.Time
	}
}

// lookForStart searches for an operation that could start a job on a node whose last heartbeats
// started nothing.
func (r *Referee) lookForStart(slot int32, n *idle, e *core.Event) {
	node := r.Core.Node(slot)
	able, ok := scheduling.None, false
	if node.Online && node.Waiting == 0 {
		able, ok = r.Core.Scheduling().FirstAble(scheduling.Heartbeat{Node: scheduling.Node(slot), Now: int64(e.Time)})
	}
	if !ok || able == scheduling.None {
		r.idle.endSpan(slot)
		return
	}
	_, id := r.Core.Owner(able)
	operation, _ := r.Core.OperationOf(id)
	o := r.Core.Operation(operation)
	smallest := r.Core.SmallestJob(operation)
	if smallest.IsZero() || !r.sized(smallest) || !r.knowsJobPlacements(operation, slot) {
		r.idle.endSpan(slot)
		return
	}
	span := r.idle.open[slot]
	if span == nil {
		span = &idleSpan{n.count, tables.IdleNode{Node: e.Node, First: id, FromTime: n.last, Verdict: judge.Suspect.String()}}
		r.idle.open[slot] = span
	}
	row := &span.row
	row.Operation, row.Pool, row.ToTime = id, r.Core.Pool(o.Pool).ID, n.last
	row.Heartbeats, row.Smallest, row.Free = int64(n.count-span.found), smallest, node.Limits.Sub(node.Usage).Max(resource.Vector{})
	row.Looks++
	if r.Core.Config().Packing.Enable {
		row.Verdict, row.Excuse = judge.Excused.String(), string(judge.Packing)
	}
}

// knowsJobPlacements reports whether the log records everything that decides if an operation may
// run on a node.
func (r *Referee) knowsJobPlacements(operation, node int32) bool {
	if !r.Core.Config().Segments.Enable {
		return true
	}
	_, known := r.Core.SegmentFits(operation, node)
	return known
}

// forgetIdle restarts the count of a node: a job starts there, or the node changes.
func (r *Referee) forgetIdle(e *core.Event) {
	if slot := r.nodeOf(e); slot >= 0 && int(slot) < len(r.idle.nodes) {
		r.idle.endSpan(slot)
		r.idle.nodes[slot] = idle{next: firstLook}
	}
}

// endSpan ends the span of a node. A span with a single look is dropped.
func (i *idleness) endSpan(slot int32) {
	if span := i.open[slot]; span != nil {
		if span.row.Heartbeats > 0 {
			i.rows = append(i.rows, span.row)
		}
		delete(i.open, slot)
	}
}

// finish writes all spans in the order of their ends.
func (i *idleness) finish(out *env.Table[tables.IdleNode]) {
	for slot := range i.nodes {
		i.endSpan(int32(slot))
	}
	slices.SortFunc(i.rows, func(a, b tables.IdleNode) int {
		return cmp.Or(cmp.Compare(a.ToTime, b.ToTime), cmp.Compare(a.Node, b.Node), cmp.Compare(a.FromTime, b.FromTime))
	})
	for k := range i.rows {
		out.Add(&i.rows[k])
	}
	*i = idleness{}
}
