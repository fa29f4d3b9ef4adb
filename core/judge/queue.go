package judge

import "poolproof/core/scheduling"

// An Overtaking compares an operation that starts running with the oldest one that still waits in
// its queue.
type Overtaking struct {
	Context
	At     int64
	Queued bool  // it waited in that queue itself; otherwise it was just submitted
	Since  int64 // when it joined the queue

	// Oldest is the time when the oldest waiting operation joined the queue, scheduling.Never if
	// none waits; Ran is the time when that one runs, or scheduling.Never.
	Oldest, Ran int64
	Requeued    bool // the oldest one was moved to the queue's tail, or the pools changed
	// Moved says that another pool of the oldest one's chain was full while it waited, so that it
	// may have moved to another queue and back to the tail of this one, or that its pool changed.
	// Logs do not record such moves (core/spec/scheduling.md §5.5).
	Moved bool

	// Room is the time when room last appeared without a leaving operation, by a raised limit or a
	// moved pool, or scheduling.Never (core/spec/scheduling.md §5.5).
	Room int64
}

// Judge judges PEND-02 for an operation that was queued, and PEND-03 for a new one.
func (o *Overtaking) Judge(rulings []Ruling) []Ruling {
	f := finding{holds: o.Oldest == scheduling.Never}
	if !f.holds {
		f.left, f.right = float64(o.Oldest), float64(o.At)
		f = f.unless(o.Ran != scheduling.Never && o.Ran-o.At <= o.Slacks.Rescan, QueueScans)
	}
	if o.Requeued {
		f.excuse = QueueChanged
	}
	if o.Queued {
		f.holds = f.holds || o.Since <= o.Oldest
		f = f.unless(o.Moved, QueueMoves)
		f.right = float64(o.Since)
		return append(rulings, o.rule(PEND02, f))
	}
	if o.Room != scheduling.Never && o.Room <= o.At && o.At-o.Room <= o.Slacks.Rescan {
		f.excuse = RoomUnannounced
	}
	// A new operation starts without a notification of a queue.
	f.may = o.Ran != scheduling.Never && o.Ran-o.At <= o.Slacks.Release
	return append(rulings, o.rule(PEND03, f))
}
