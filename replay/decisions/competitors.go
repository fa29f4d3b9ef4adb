package decisions

import (
	"slices"

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

// A controller may have no job for the room of a node although one of its jobs is small enough: it
// offers its jobs in an order of its own. If the next job that it starts does not fit into the
// room, it declined (core/spec/scheduling.md §9.7).

// The next start may come much later, and until then only the ruling is kept. A counter of the
// controller's refusals tells it at once, where the log records that.

// openCompetitors are the starts that are doubted for a competitor of which the log has yet to tell whether it could
// have started. Lists are in the order of time, and may still hold starts that are ruled on.
type openCompetitors struct {
	byStart  map[core.OperationID][]*held // by the competitor whose next start tells
	byNeeds  map[core.OperationID][]*held // those of them that the next row of its needs may decide, too
	queue    []*held                      // of which nothing else is open
	declines map[core.OperationID]declines
}

// declines is how often a controller had declined by the last record.
type declines struct {
	at    core.Time
	count int64
}

// After openFor a competitor's next start tells no more of what it had to offer, and no more than
// mostOpen starts wait.
const (
	openFor  = 60 * core.Second
	mostOpen = 10_000
)

// A competitor is the operation that may have had to be served in place of that of a start.
type competitor struct {
	open      bool // the log has yet to tell whether it could have started
	served    bool // by the heartbeat, before: what it needs since then is not known
	operation core.OperationID
	room      resource.Vector          // of the node, when the other one was served
	ruledOut  core.Optional[core.Time] // by a row of what it needs: it was no competitor, if it does not start at once
}

// keepOpen lists a start under its competitor.
func (r *Referee) keepOpen(h *held) {
	if !h.competitor.open {
		return
	}
	if r.open.byStart == nil {
		r.open.byStart, r.open.byNeeds = map[core.OperationID][]*held{}, map[core.OperationID][]*held{}
	}
	id := h.competitor.operation
	r.open.byStart[id] = append(r.open.byStart[id], h)
	if h.competitor.served {
		r.open.byNeeds[id] = append(r.open.byNeeds[id], h)
	}
}

// postpone keeps a start of which nothing but its competitor is open.
func (r *Referee) postpone(h *held) {
	h.postponed = true
	r.open.queue = append(r.open.queue, h)
}

// ruleOnPostponed rules on the starts that have waited for long enough at an instant.
func (r *Referee) ruleOnPostponed(now core.Time) {
	queue := r.open.queue
	over := 0
	for over < len(queue) && (queue[over].ruled || now-queue[over].at > openFor || len(queue)-over > mostOpen) {
		if h := queue[over]; !h.ruled {
			r.ruleOnStart(h)
		}
		over++
	}
	clear(queue[:over])
	r.open.queue = queue[over:]
}

// ruleOnStart rules on a postponed start by what is known of its competitor by now.
func (r *Referee) ruleOnStart(h *held) {
	h.competitor.open = false
	r.rule(h)
}

// forget takes the starts that are ruled on from the lists of a competitor, as far as no other stands before them.
func (o *openCompetitors) forget(competitor core.OperationID) {
	for _, lists := range [...]map[core.OperationID][]*held{o.byStart, o.byNeeds} {
		list, known := lists[competitor]
		if !known || len(list) > 0 && !list[0].ruled {
			continue
		}
		for len(list) > 0 && list[0].ruled {
			list[0], list = nil, list[1:]
		}
		if lists[competitor] = list; len(list) == 0 {
			delete(lists, competitor)
		}
	}
}

// lookAtCompetitor looks for the operation that had to be served before the one of a
// start.
func (r *Referee) lookAtCompetitor(s *judge.Start, e *core.Event, node, operation int32) {
	s.Sought, s.Competitor, r.competitor = judge.Unknown, judge.Competitor{}, competitor{}
	if s.Preemptive || !r.sized(e.Limits) {
		return
	}
	first, ok := r.Core.Scheduling().CompetitorOf(scheduling.Heartbeat{Node: env.Handle(node), Now: int64(e.Time)}, r.Core.Operation(operation).Element, s.Slacks.Epsilon)
	if !ok {
		return
	}
	s.Against(&first)
	if first.Operation != scheduling.None {
		_, id := r.Core.Owner(first.Operation)
		r.competitor = competitor{open: true, served: first.Served, operation: id, room: s.Node.Limits.Sub(s.NodeUsage)}
	}
}

// needsOpen reports whether rulings doubt a start for a competitor of which the log has yet to
// tell what it waits for.
func (r *Referee) needsOpen(rulings []judge.Ruling) bool {
	return r.competitor.served && doubtsCompetitor(rulings)
}

// doubtsCompetitor reports whether rulings doubt a start for a competitor.
func doubtsCompetitor(rulings []judge.Ruling) bool {
	for i := range rulings {
		if rulings[i].Verdict >= judge.Excused && rulings[i].Invariant.About() == judge.AboutCompetitors {
			return true
		}
	}
	return false
}

// answerByNeeds takes what an operation needs, since it was served, for what it waited for from then
// on: a job of a size that it asks for, or nothing at all. If the node had no room for that, it was
// no competitor, unless the row counts a start that the log tells just after it.
func (r *Referee) answerByNeeds(at core.Time, operation core.OperationID, smallest resource.Vector, nothing bool) {
	starts, open := r.open.byNeeds[operation]
	if !open {
		return
	}
	delete(r.open.byNeeds, operation)
	for _, h := range starts {
		c := &h.competitor
		switch {
		case !c.open || h.postponed:
		case nothing || !smallest.FitsIn(c.room):
			c.ruledOut = core.Some(at)
			h.until = max(h.until, at+core.HeartbeatSpan)
		default:
			c.open = false
		}
	}
}

// answerByStart takes the next start of an operation for the one that its controller would have offered.
func (r *Referee) answerByStart(at core.Time, operation core.OperationID, size resource.Vector) {
	starts, open := r.open.byStart[operation]
	if !open {
		return
	}
	delete(r.open.byStart, operation)
	delete(r.open.byNeeds, operation)
	for _, h := range starts {
		if h.competitor.open {
			h.answerByStart(at, size)
		}
		if h.postponed && !h.ruled {
			r.ruleOnStart(h)
		}
	}
}

func (h *held) answerByStart(at core.Time, size resource.Vector) {
	c := &h.competitor
	if c.ruledOut.Set && at-c.ruledOut.Value > core.HeartbeatSpan {
		h.ruleOut()
		return
	}
	if c.open = false; !size.FitsIn(c.room) {
		h.start.Competitor.Decline()
	}
}

// ruleOut notes that the competitor was none.
func (h *held) ruleOut() { h.competitor.open, h.start.Competitor = false, judge.Competitor{} }

// answerByDeclines notes that a controller declined between two records of its operation: starts of
// others then are not doubted for it. The first value of the counter does not say when that was.
func (r *Referee) answerByDeclines(at core.Time, record *core.OperationRecord) {
	if !record.Declines.Set {
		return
	}
	id := record.Operation
	last, seen := r.open.declines[id]
	if r.open.declines == nil {
		r.open.declines = map[core.OperationID]declines{}
	}
	r.open.declines[id] = declines{at, record.Declines.Value}
	if !seen || record.Declines.Value <= last.count {
		return
	}
	for _, h := range slices.Backward(r.open.byStart[id]) {
		if h.at < last.at {
			break
		}
		if h.competitor.open {
			h.competitor.open = false
			h.start.Competitor.Decline()
		}
	}
}
