package joblog

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/ingest/reconstruct"
	"poolproof/ingest/trace"
)

// A nodeEvent is a job's start or end on its node.
type nodeEvent struct {
	time  core.Time
	job   int32
	start bool
}

// heartbeats writes the heartbeats that carried something.
func (t *treeWriter) heartbeats() error {
	if !t.log.Placements {
		return nil
	}
	beats := reconstruct.NewHeartbeats(func(b *trace.Heartbeat) error {
		b.Seq, b.Limit = t.out.NextSeq(), t.log.Nodes[b.Node].Limit
		return t.out.Add(b)
	})
	for _, e := range t.nodeEvents() {
		j, tell := &t.jobs[e.job], beats.End
		if e.start {
			tell = beats.Start
		}
		if err := tell(e.time, j.node, j.limits); err != nil {
			return err
		}
	}
	return beats.Flush()
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
