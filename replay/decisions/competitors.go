package decisions

import (
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
)

// A competitor is the operation that should have been served instead of another (HB-05, HB-09,
// GUA-08, FIFO-03). The core skips operations without a pending job that fits the node. If the same
// heartbeat has already served the competitor, its remaining need is known only from its next row:
// until then the competitor is doubtful.

// A controller may decline although one of its jobs is small enough, because it offers jobs in its
// own order. If the next job that it starts does not fit the free resources of that node, it
// declined (core/spec/scheduling.md §9.7).

// The next start may come much later; until then only the ruling is kept. A recorded counter of the
// controller's declines answers immediately.

// openCompetitors holds the starts with a competitor that may or may not have been able to start.
// Lists are in the order of time, and may contain starts that have been ruled on.
type openCompetitors struct {
	byStart  map[core.OperationID][]*held // by the competitor whose next start decides
	byNeeds  map[core.OperationID][]*held // the subset that the next row of its needs may decide
	queue    []*held                      // starts without any other open question
	declines map[core.OperationID]declines
}

// declines holds the count of a controller's declines in its last record.
type declines struct {
	at    core.Time
	count int64
}

// After openFor a competitor's next start is not evidence any more; at most mostOpen starts wait.
const (
	openFor  = 60 * core.Second
	mostOpen = 10_000
)

// A competitor is the operation that may have had to be served instead of that of a start.
type competitor struct {
	open      bool // it is not known yet whether it could have started
	served    bool // the heartbeat served it before: its remaining need is unknown
	operation core.OperationID
	room      resource.Vector          // free resources of the node when the other one was served
	ruledOut  core.Optional[core.Time] // time of a row of its needs by which it was not a competitor, unless it starts immediately
}

// keepOpen adds a start to the lists of its competitor.
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

// postpone queues a start whose only open question is its competitor.
func (r *Referee) postpone(h *held) {
	h.postponed = true
	r.open.queue = append(r.open.queue, h)
}

// ruleOnPostponed rules on the starts that have waited long enough.
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

// ruleOnStart rules on a postponed start by the current knowledge of its competitor.
func (r *Referee) ruleOnStart(h *held) {
	h.competitor.open = false
	r.rule(h)
}

// forget removes leading starts that have been ruled on from the lists of a competitor.
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

// lookAtCompetitor searches for the operation that should have been served before the one of a
// start.
func (r *Referee) lookAtCompetitor(s *judge.Start, e *core.Event, node, operation int32) {
	s.Sought, s.Competitor, r.competitor = judge.Unknown, judge.Competitor{}, competitor{}
	if s.Preemptive || !r.sized(e.Limits) {
		return
	}
	first, ok := r.Core.Scheduling().CompetitorOf(scheduling.Heartbeat{Node: env.Handle(node), Now: int64(e.Time)},
		r.Core.Operation(operation).Element, s.Slacks.Epsilon)
	if !ok {
		return
	}
	s.CompareWith(&first)
	if first.Operation != scheduling.None {
		_, id := r.Core.Owner(first.Operation)
		r.competitor = competitor{open: true, served: first.Served, operation: id, room: s.Node.Limits.Sub(s.NodeUsage)}
	}
}

// needsOpen reports whether rulings doubt a start because of a competitor whose needs are not known
// yet.
func (r *Referee) needsOpen(rulings []judge.Ruling) bool {
	return r.competitor.served && doubtsCompetitor(rulings)
}

// doubtsCompetitor reports whether rulings doubt a start because of a competitor.
func doubtsCompetitor(rulings []judge.Ruling) bool {
	for i := range rulings {
		if rulings[i].Verdict >= judge.Excused && rulings[i].Invariant.About() == judge.AboutCompetitors {
			return true
		}
	}
	return false
}

// answerByNeeds uses a row of an operation's needs, after the operation was served, as its needs
// from then on: a pending job of the given size, or nothing. If that did not fit the node, the
// operation was not a competitor, unless the row accounts for a start that is recorded just after
// it.
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

// answerByStart uses the next start of an operation as the job that its controller would have
// offered.
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

// ruleOut removes the competitor of a start.
func (h *held) ruleOut() { h.competitor.open, h.start.Competitor = false, judge.Competitor{} }

// answerByDeclines records that a controller declined between two records of its operation: starts
// of others in that time are not doubted because of it. The first value of the counter does not say
// when.
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
