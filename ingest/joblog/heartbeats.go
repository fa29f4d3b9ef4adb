package joblog

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// startCluster is how far apart starts on a node may be to belong to one
// heartbeat (spec/trace-formats.md §4.3).
const startCluster = 50_000

// A nodeEvent is a job's start or end on its node.
type nodeEvent struct {
	time  core.Time
	job   int32
	start bool
}

// heartbeats writes the heartbeats that carried something: one per cluster of
// starts on a node, one per instant in which jobs of it ended. What a node used
// is what its jobs were granted.
func (t *treeWriter) heartbeats() error {
	if !t.log.Placements {
		return nil
	}
	nodes := make([]nodeState, len(t.log.Nodes))
	var pending []heartbeat // in the order of time; their nodes may still add to them
	written := 0
	for _, e := range t.nodeEvents() {
		for len(pending) > 0 && pending[0].time+startCluster <= e.time {
			if err := t.heartbeat(&pending[0]); err != nil {
				return err
			}
			pending, written = pending[1:], written+1
		}
		j := &t.jobs[e.job]
		n := &nodes[j.node]
		var last *heartbeat
		if n.beats > 0 && n.last >= written {
			last = &pending[n.last-written]
		}
		if last == nil || !last.carries(e) {
			pending = append(pending, heartbeat{time: e.time, node: j.node, usage: n.usage, running: n.running})
			last = &pending[len(pending)-1]
			n.last, n.beats = written+len(pending)-1, n.beats+1
		}
		n.apply(last, e, j)
	}
	for i := range pending {
		if err := t.heartbeat(&pending[i]); err != nil {
			return err
		}
	}
	return nil
}

// nodeEvents returns what happened on the nodes, in the order of time; at one
// instant node by node, ends before starts.
func (t *treeWriter) nodeEvents() []nodeEvent {
	events := make([]nodeEvent, 0, 2*len(t.jobs))
	for i, j := range t.jobs {
		if j.node < 0 {
			continue
		}
		events = append(events, nodeEvent{j.start, int32(i), true})
		if j.finish != core.Unknown {
			events = append(events, nodeEvent{j.finish, int32(i), false})
		}
	}
	slices.SortFunc(events, func(a, b nodeEvent) int {
		return cmp.Or(
			cmp.Compare(a.time, b.time),
			cmp.Compare(t.jobs[a.job].node, t.jobs[b.job].node),
			compareBool(a.start, b.start),
			cmp.Compare(a.job, b.job),
		)
	})
	return events
}

// A heartbeat is a row of heartbeats to be: the node as it was before
// scheduling, and what the heartbeat carried.
type heartbeat struct {
	time             core.Time
	node             core.NodeID
	usage, started   trace.Resources
	running          int32
	starts, finishes int32
}

// carries reports whether an event of the node belongs to this heartbeat, its
// last. Only starts may have been decided a little earlier than they happened:
// an end is reported when it happens.
func (b *heartbeat) carries(e nodeEvent) bool {
	return e.time == b.time || e.start && b.starts > 0 && e.time < b.time+startCluster
}

// A nodeState is a node between two heartbeats.
type nodeState struct {
	usage   trace.Resources
	running int32
	beats   int // heartbeats so far
	last    int // index of the latest among all of the tree's
}

func (n *nodeState) apply(b *heartbeat, e nodeEvent, j *job) {
	if e.start {
		n.usage, n.running = plus(n.usage, j.limits, 1), n.running+1
		b.started, b.starts = plus(b.started, j.limits, 1), b.starts+1
		return
	}
	n.usage, n.running = plus(n.usage, j.limits, -1), n.running-1
	b.finishes++
	b.usage, b.running = n.usage, n.running
}

func (t *treeWriter) heartbeat(b *heartbeat) error {
	return t.out.AddHeartbeat(&trace.Heartbeat{
		Stamp: t.at(b.time), Node: b.node, Kind: "reconstructed", Limit: t.log.Nodes[b.node].Limit,
		Usage: b.usage, After: core.Some(plus(b.usage, b.started, 1)),
		Running: b.running, Started: b.starts, Finished: b.finishes,
	})
}

// plus returns a + times·b.
func plus(a, b trace.Resources, times int64) trace.Resources {
	return trace.Resources{
		UserSlots: a.UserSlots + times*b.UserSlots,
		CPUMilli:  a.CPUMilli + times*b.CPUMilli,
		GPU:       a.GPU + int32(times)*b.GPU,
		Memory:    a.Memory + times*b.Memory,
		Network:   a.Network + times*b.Network,
	}
}
