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

// unheard are the starts that are doubted for a competitor whose next start has not come.
type unheard struct {
	of       map[core.OperationID][]*held // by the competitor
	queue    []*held                      // in the order of time
	declines map[core.OperationID]declines
}

// declines is how often a controller had declined by the last record.
type declines struct {
	at    core.Time
	count int64
}

// After unheardFor a competitor's next start tells no more of what it had to offer, and no more than
// mostUnheard starts wait.
const (
	unheardFor  = 60 * core.Second
	mostUnheard = 10_000
)

// await keeps a doubted start until the next start of its competitor.
func (r *Referee) await(h *held) {
	own := *h
	if r.unheard.of == nil {
		r.unheard.of = map[core.OperationID][]*held{}
	}
	r.unheard.of[own.rival.operation] = append(r.unheard.of[own.rival.operation], &own)
	r.unheard.queue = append(r.unheard.queue, &own)
}

// expireUnheard rules on the starts that have waited for long enough at an instant.
func (r *Referee) expireUnheard(now core.Time) {
	queue := r.unheard.queue
	over := 0
	for over < len(queue) && (queue[over].start == nil || now-queue[over].at > unheardFor || len(queue)-over > mostUnheard) {
		if h := queue[over]; h.start != nil {
			waiting := r.unheard.of[h.rival.operation]
			r.unheard.of[h.rival.operation] = slices.DeleteFunc(waiting, func(other *held) bool { return other == h })
			r.ruleUnheard(h)
		}
		over++
	}
	clear(queue[:over])
	r.unheard.queue = queue[over:]
}

// ruleUnheard rules on a doubted start by what is known of its competitor by now.
func (r *Referee) ruleUnheard(h *held) {
	h.rival.waits = false
	r.rule(h)
	h.start = nil // it is ruled on
}

// A rival is a competitor whose next start, or whose next needs, tell whether it could have started.
type rival struct {
	waits     bool // for the next word of its operation
	served    bool // by the heartbeat, before: what it needs since then is not known
	operation core.OperationID
	room      resource.Vector          // of the node, when the other one was served
	ruledOut  core.Optional[core.Time] // by a row of what it needs: it was no competitor, if it does not start at once
}

// lookAtCompetitor looks for the operation that had to be served before the one of a
// start.
func (r *Referee) lookAtCompetitor(s *judge.Start, e *core.Event, node, operation int32) {
	s.Sought, s.Competitor, r.rival = judge.Unknown, judge.Competitor{}, rival{}
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
		r.rival = rival{waits: true, served: competitor.Served, operation: r.competitor, room: s.Node.Limits.Sub(s.NodeUsage)}
	}
}

// awaitsCompetitor reports whether rulings doubt a start for a competitor that has yet to
// tell what it waits for.
func (r *Referee) awaitsCompetitor(rulings []judge.Ruling) bool {
	return r.rival.served && doubtsCompetitor(rulings)
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

// hearNeeds takes what an operation needs, since it was served, for what it waited for from then
// on: a job of a size that it asks for, or nothing at all. If the node had no room for that, it was
// no competitor, unless the row counts a start that the log tells just after it.
func (r *Referee) hearNeeds(at core.Time, operation core.OperationID, smallest resource.Vector, nothing bool) {
	for i := range r.Held {
		h := &r.Held[i]
		if c := &h.rival; !c.waits || !c.served || c.operation != operation || c.ruledOut.Set {
			continue
		}
		if nothing || !smallest.FitsIn(h.rival.room) {
			h.rival.ruledOut = core.Some(at)
			h.until = max(h.until, at+core.HeartbeatSpan)
		} else {
			h.rival.waits = false
		}
	}
}

// hearStart takes the next start of an operation for the one that its controller would have offered.
func (r *Referee) hearStart(at core.Time, operation core.OperationID, size resource.Vector) {
	for i := range r.Held {
		r.Held[i].hearStart(at, operation, size)
	}
	for _, h := range r.unheard.of[operation] {
		h.hearStart(at, operation, size)
		r.ruleUnheard(h)
	}
	delete(r.unheard.of, operation)
}

func (h *held) hearStart(at core.Time, operation core.OperationID, size resource.Vector) {
	c := &h.rival
	if !c.waits || c.operation != operation {
		return
	}
	if c.ruledOut.Set && at-c.ruledOut.Value > core.HeartbeatSpan {
		h.ruleOut()
		return
	}
	if c.waits = false; !size.FitsIn(c.room) {
		h.start.Competitor.Decline()
	}
}

// ruleOut notes that the competitor was none.
func (h *held) ruleOut() { h.rival.waits, h.start.Competitor = false, judge.Competitor{} }

// hearDeclines notes that a controller declined between two records of its operation: starts of
// others then are not doubted for it. The first value of the counter does not say when that was.
func (r *Referee) hearDeclines(at core.Time, record *core.OperationRecord) {
	if !record.Declines.Set {
		return
	}
	id := record.Operation
	last, seen := r.unheard.declines[id]
	if r.unheard.declines == nil {
		r.unheard.declines = map[core.OperationID]declines{}
	}
	r.unheard.declines[id] = declines{at, record.Declines.Value}
	if !seen || record.Declines.Value <= last.count {
		return
	}
	decline := func(h *held) {
		if h.rival.waits && h.rival.operation == id && h.at >= last.at {
			h.rival.waits = false
			h.start.Competitor.Decline()
		}
	}
	for i := range r.Held {
		decline(&r.Held[i])
	}
	for _, h := range r.unheard.of[id] {
		decline(h)
	}
}
