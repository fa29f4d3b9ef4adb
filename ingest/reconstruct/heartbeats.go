// Package reconstruct infers what a log does not record from what it records.
//
// Heartbeats are those that carried a start or an end of a job: a log of jobs alone holds none
// (ingest/trace/FORMAT.md §4.3).
package reconstruct

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

// StartCluster is how far apart starts on a node may be to belong to one
// heartbeat (ingest/trace/FORMAT.md §4.3).
const StartCluster core.Time = 50_000

// Heartbeats works out the heartbeats that carried starts and ends: one per
// cluster of starts on a node, one per instant in which jobs of it ended. What a
// node used is what its jobs were granted. Events come in the order of time, at
// one instant ends before starts.
type Heartbeats struct {
	emit    func(*trace.Heartbeat) error
	nodes   map[core.NodeID]*state
	pending []beat // in the order of time; their nodes may still add to them
	written int
}

// NewHeartbeats returns what hands each heartbeat to emit, in the order of time.
// The row has no seq, and is valid during the call.
func NewHeartbeats(emit func(*trace.Heartbeat) error) *Heartbeats {
	return &Heartbeats{emit: emit, nodes: map[core.NodeID]*state{}}
}

// A beat is a row of heartbeats to be.
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
	last    int // the latest of its heartbeats among all
}

func (h *Heartbeats) node(n core.NodeID) *state {
	s := h.nodes[n]
	if s == nil {
		s = &state{}
		h.nodes[n] = s
	}
	return s
}

// Limit says what a node has from now on.
func (h *Heartbeats) Limit(n core.NodeID, limit trace.Resources) { h.node(n).limit = limit }

// Start notes a job's start.
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

// End notes a job's end.
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

// Sample notes what a node reported of itself, whatever its jobs were granted.
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

// Flush hands out the rest.
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

// flush hands out what no event from now on can belong to.
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
