package decisions

import (
	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
)

// A competitor is the operation that had to be served in place of one that was
// (HB-05, HB-09, GUA-08, FIFO-03). The core passes over who waits for nothing that
// the node holds. What an operation waits for once the same heartbeat has served it
// the log tells with its next row: until then the competitor is one in doubt.

// A servedCompetitor is a competitor that the heartbeat had served before.
type servedCompetitor struct {
	waits     bool // for the next word of its operation
	operation core.OperationID
	room      resource.Vector // of the node, when the other one was served
}

// lookAtCompetitor looks for the operation that had to be served before the one of a
// start.
func (r *Referee) lookAtCompetitor(s *judge.Start, e *core.Event, node, operation int32) {
	s.Sought, s.Competitor, r.served = judge.Unknown, judge.Competitor{}, servedCompetitor{}
	if s.Preemptive || !r.sized(e.Limits) {
		return
	}
	competitor, ok := r.Core.Scheduling().CompetitorOf(scheduling.Heartbeat{Node: env.Handle(node), Now: int64(e.Time)}, r.Core.Operation(operation).Element, s.Slacks.Epsilon)
	if !ok {
		return
	}
	s.Against(&competitor)
	if competitor.Operation != scheduling.None {
		_, r.competitor = r.Core.Owner(competitor.Operation)
		r.served = servedCompetitor{competitor.Served, r.competitor, s.Node.Limits.Sub(s.NodeUsage)}
	}
}

// awaitsCompetitor reports whether rulings doubt a start for a competitor that has yet to
// tell what it waits for.
func (r *Referee) awaitsCompetitor(rulings []judge.Ruling) bool {
	for i := range rulings {
		if r.served.waits && rulings[i].Verdict >= judge.Excused && rulings[i].Invariant.About() == judge.AboutCompetitors {
			return true
		}
	}
	return false
}

// hearRival takes the first word of an operation, since it was served, for what it
// waited for from then on: a job of a size that it asks for or starts elsewhere, or
// nothing at all. If the node had no room for that, it was no competitor.
func (r *Referee) hearRival(operation core.OperationID, smallest resource.Vector, nothing bool) {
	for i := range r.Held {
		h := &r.Held[i]
		if !h.competitor.waits || h.competitor.operation != operation {
			continue
		}
		if nothing || !smallest.FitsIn(h.competitor.room) {
			h.start.Competitor = judge.Competitor{}
		}
		h.competitor.waits = false
	}
}
