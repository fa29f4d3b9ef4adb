// Package reconstruct infers events that a log does not record from those that it does.
//
// A log of jobs alone has no heartbeats: Heartbeats infers those that carried a start or an end of a job
// (ingest/trace/FORMAT.md §4.3).
package reconstruct

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

// StartCluster is the maximum time between the starts on a node that one heartbeat carried
// (ingest/trace/FORMAT.md §4.3).
const StartCluster core.Time = 50_000

// Heartbeats infers the heartbeats that carried starts and ends: one per
// cluster of starts on a node, one per instant in which jobs of it ended. The usage of a
// node is the sum of the limits of its jobs. Events come in the order of time, at
// one instant ends before starts.
type Heartbeats struct {
	emit    func(*trace.Heartbeat) error
	nodes   map[core.NodeID]*state
	pending []beat // in the order of time; later events may still be added to them
	written int
}

// NewHeartbeats returns Heartbeats that pass each row to emit, in the order of time.
// The row has no seq, and is valid during the call.
func NewHeartbeats(emit func(*trace.Heartbeat) error) *Heartbeats {
	return &Heartbeats{emit: emit, nodes: map[core.NodeID]*state{}}
}

// A beat is a row of heartbeats under construction.
type beat struct {
	trace.Heartbeat
	started trace.Resources
}

// A state is a node between two heartbeats.
type state struct {
	limit   trace.Resources
	usage   trace.Resources
	running int32
	any     bool
	last    int // number of its latest heartbeat, counted over all nodes
}

func (h *Heartbeats) node(n core.NodeID) *state {
	s := h.nodes[n]
	if s == nil {
		s = &state{}
		h.nodes[n] = s
	}
	return s
}

// Limit sets the resources of a node from now on.
func (h *Heartbeats) Limit(n core.NodeID, limit trace.Resources) { h.node(n).limit = limit }

// Start adds the start of a job.
func (h *Heartbeats) Start(at core.Time, n core.NodeID, limits trace.Resources) error {
	s, b, err := h.carrier(at, n, true)
	if err != nil {
		return err
	}
	s.usage, s.running = Plus(s.usage, limits, 1), s.running+1
	b.started = Plus(b.started, limits, 1)
	b.Started++
	return nil
}

// End adds the end of a job.
func (h *Heartbeats) End(at core.Time, n core.NodeID, limits trace.Resources) error {
	s, b, err := h.carrier(at, n, false)
	if err != nil {
		return err
	}
	s.usage, s.running = Plus(s.usage, limits, -1), s.running-1
	b.Finished++
	b.Usage, b.Running = s.usage, s.running
	return nil
}

// Sample adds a heartbeat that the log records, with the usage that the node reported.
func (h *Heartbeats) Sample(at core.Time, n core.NodeID, limit, usage trace.Resources) error {
	if err := h.flush(at); err != nil {
		return err
	}
	s := h.node(n)
	s.limit = limit
	h.pending = append(h.pending, beat{Heartbeat: trace.Heartbeat{
		Stamp: trace.Stamp{Time: at}, Node: n, Kind: "sampled", Limit: limit, Usage: usage, Running: s.running,
	}})
	return nil
}

// Flush emits the pending heartbeats.
func (h *Heartbeats) Flush() error {
	for len(h.pending) > 0 {
		if err := h.first(); err != nil {
			return err
		}
	}
	return nil
}

// carrier returns the heartbeat that carries an event of a node. Only starts may
// have been decided a little earlier than they happened: an end is reported when
// it happens.
func (h *Heartbeats) carrier(at core.Time, n core.NodeID, start bool) (*state, *beat, error) {
	if err := h.flush(at); err != nil {
		return nil, nil, err
	}
	s := h.node(n)
	if s.any && s.last >= h.written {
		b := &h.pending[s.last-h.written]
		if b.Time == at || start && b.Started > 0 && at < b.Time+StartCluster {
			return s, b, nil
		}
	}
	h.pending = append(h.pending, beat{Heartbeat: trace.Heartbeat{
		Stamp: trace.Stamp{Time: at}, Node: n, Kind: "reconstructed", Limit: s.limit, Usage: s.usage, Running: s.running,
	}})
	s.any, s.last = true, h.written+len(h.pending)-1
	return s, &h.pending[len(h.pending)-1], nil
}

// flush emits the heartbeats that no event from now on can belong to.
func (h *Heartbeats) flush(now core.Time) error {
	for len(h.pending) > 0 && h.pending[0].Time+StartCluster <= now {
		if err := h.first(); err != nil {
			return err
		}
	}
	return nil
}

func (h *Heartbeats) first() error {
	b := &h.pending[0]
	if b.Kind == "reconstructed" {
		b.After = core.Some(Plus(b.Usage, b.started, 1))
	}
	err := h.emit(&b.Heartbeat)
	h.pending, h.written = h.pending[1:], h.written+1
	return err
}

// Plus returns a + times·b.
func Plus(a, b trace.Resources, times int64) trace.Resources {
	return trace.Resources{
		UserSlots: a.UserSlots + times*b.UserSlots,
		CPUMilli:  a.CPUMilli + times*b.CPUMilli,
		GPU:       a.GPU + int32(times)*b.GPU,
		Memory:    a.Memory + times*b.Memory,
		Network:   a.Network + times*b.Network,
	}
}
