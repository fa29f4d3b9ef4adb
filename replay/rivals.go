package replay

import (
	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A rival is the operation that had to be served in place of one that was
// (HB-05, HB-09, GUA-08, FIFO-03). The core passes over who waits for nothing that
// the node holds. What an operation waits for once the same heartbeat has served it
// the log tells with its next row: until then the rival is one in doubt.

// A servedRival is a rival that the heartbeat had served before.
type servedRival struct {
	waits     bool // for the next word of its operation
	operation core.OperationID
	room      resource.Vector // of the node, when the other one was served
}

// lookAtRival looks for the operation that had to be served before the one of a
// start.
func (r *referee) lookAtRival(s *judge.Start, e *core.Event, node, operation int32) {
	s.Sought, s.Rival, r.served = judge.Unknown, judge.Rival{}, servedRival{}
	if s.Preemptive || !r.sized(e.Limits) {
		return
	}
	rival, ok := r.core.Scheduling().RivalOf(scheduling.Heartbeat{Node: handle(node), Now: int64(e.Time)}, r.core.Operation(operation).Element)
	if !ok {
		return
	}
	s.Sought = judge.Yes
	s.Rival = judge.Rival{
		Exists: rival.Operation != scheduling.None, FIFO: rival.FIFO, Index: rival.Index, OwnIndex: rival.OwnIndex,
		Satisfaction: rival.Satisfaction, OwnSatisfaction: rival.OwnSatisfaction,
		Guaranteed: rival.Guaranteed, OwnGuaranteed: rival.OwnGuaranteed, Unheard: true,
	}
	if rival.Operation != scheduling.None {
		_, r.rival = r.core.Owner(rival.Operation)
		r.served = servedRival{rival.Served, r.rival, s.Node.Limits.Sub(s.NodeUsage)}
	}
}

// awaitsRival reports whether rulings doubt a start for a rival that has yet to
// tell what it waits for.
func (r *referee) awaitsRival(rulings []judge.Ruling) bool {
	for i := range rulings {
		if r.served.waits && rulings[i].Verdict >= judge.Excused && isOfRivals(rulings[i].Invariant) {
			return true
		}
	}
	return false
}

// hearRival takes the first word of an operation, since it was served, for what it
// waited for from then on: a job of a size that it asks for or starts elsewhere, or
// nothing at all. If the node had no room for that, it was no rival.
func (r *referee) hearRival(operation core.OperationID, smallest resource.Vector, nothing bool) {
	for i := range r.held {
		h := &r.held[i]
		if !h.rival.waits || h.rival.operation != operation {
			continue
		}
		if nothing || !smallest.FitsIn(h.rival.room) {
			h.start.Rival = judge.Rival{}
		}
		h.rival.waits = false
	}
}
