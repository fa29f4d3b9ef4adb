package decisions

import (
	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// A held decision broke a rule in the best estimate, but may be based on the next tick in the log
// or on another version of the configuration. It is judged again once these are known.
type held struct {
	at         core.Time
	start      *judge.Start
	row        tables.Decision // of a start
	competitor competitor      // of a start
	postponed  bool            // of a start: only its competitor is open
	ruled      bool            // of a start: it has been ruled on
	waiting    []core.JobID    // of a start: jobs that wait on its node and have no later row
	least      resource.Vector // of a start: least usage of its operation since the last known update
	until      core.Time       // of a batch: end of the last victim that ended too early or too late, after which the ruling is final; 0 if that is soon
	batch      *judge.Batch
	rows       []preemption // of a batch
	owners     []env.Owner  // of the elements, in their order

	updated    core.Time       // time of the last update of shares before it
	more       resource.Vector // of a batch: additional need that operations may have had
	ticked     bool            // the next tick has been applied
	configured bool            // a configuration has taken effect since the last check
	learned    bool            // from the first snapshot after the decision, so it may have been in force before it
	recorded   bool            // the next snapshot has been applied
}

// mustWait reports whether rulings include a breach.
func (r *Referee) mustWait(rulings []judge.Ruling) bool {
	for i := range rulings {
		if rulings[i].Counts() {
			return true
		}
	}
	return false
}

// slackOf returns how long later rows may still affect the breaches of a decision.
func (r *Referee) slackOf(rulings []judge.Ruling) (longest int64) {
	for i := range rulings {
		if !rulings[i].Counts() {
			continue
		}
		switch rulings[i].Invariant.Attribute() {
		case judge.Presence:
			longest = max(longest, r.rowLag())
		case judge.Tags:
			longest = max(longest, r.slacks.Tagged()+int64(r.nodesLag))
		case judge.Segment:
			longest = max(longest, r.slacks.Segments+int64(r.nodesLag))
		}
	}
	return longest
}

func (r *Referee) hold(h *held) {
	h.until = max(h.until, h.at+core.Time(r.slackOf(r.rulings)))
	h.updated = r.Core.Updated()
	if h.batch != nil {
		if r.Core.Config().Segments.Enable { // which determine the forced jobs
			h.until = max(h.until, h.at+core.Time(r.slacks.Clock)+r.nodesLag)
		}
		h.more = r.Core.MoreNeeded()
	}
	for _, e := range h.decision().States[0].Elements {
		pool, operation := r.Core.Owner(e.Handle)
		h.owners = append(h.owners, env.Owner{Pool: pool, Operation: operation})
	}
	h.addRecordedStatuses(r)
	h.addEarlier(r)
	h.addDemandBeforeStarts(r)
	h.doubtDemand(r)
	h.addLateLeaving(r)
	h.addUnbroken(r)
	h.addGaps(r)
	h.addLateRevival(r)
	h.addFormerLimits(r)
	r.keepOpen(h)
	r.Held = append(r.Held, h)
}

// FollowSnapshot applies a snapshot to the held decisions before it.
func (r *Referee) FollowSnapshot() {
	for _, h := range r.Held {
		if !h.recorded {
			h.recorded = true
			h.addRecordedStatuses(r)
			switch {
			case r.exactDemand:
			case h.isInferred(r):
				h.doubtInferred(r)
			case !r.records.IsWhole():
				h.addDoubt(judge.OnDemand | judge.OnShares)
			}
		}
	}
}

// decision returns the common part of the batch or start.
func (h *held) decision() *judge.Decision {
	if h.start != nil {
		return &h.start.Decision
	}
	return &h.batch.Decision
}

// node returns the node of a held decision, if the log records it.
func (h *held) node() core.Optional[core.NodeID] {
	if h.start != nil {
		return h.row.Node
	}
	return h.rows[0].Node
}

// configured records that a configuration takes effect.
func (r *Referee) configured(e *core.Event) {
	r.noteLimits(e.Time)
	learned := e.Kind == core.TreeConfigured && e.Tree.Learned
	for _, h := range r.Held {
		h.configured, h.learned = true, learned && !h.recorded
	}
}

// Tick applies an update of shares to the held decisions, and rules on those that later states
// cannot affect.
func (r *Referee) Tick(now core.Time) {
	for _, h := range r.Held {
		r.lookSince(h)
		if h.ticked && !h.configured {
			continue
		}
		if h.configured {
			r.configureEndings(h, now)
		}
		if !h.ticked {
			h.addOtherDemand(r)
		}
		late := now-h.at >= core.Time(r.slacks.Configuration) && !h.learned
		h.ticked, h.configured, h.learned = true, false, false
		if late {
			continue // the ends of victims are judged separately
		}
		if h.start != nil {
			h.leavePools(r)
		}
		h.decision().LookAgain(r.Core.Scheduling(), r.stillOwns(h))
		if h.start != nil && h.start.Operation >= 0 {
			r.keepDemand(h.start)
			r.lookBelow(h)
		}
	}
	r.release(now)
}

// release rules on the held decisions whose waiting time is over.
func (r *Referee) release(now core.Time) {
	kept := r.Held[:0]
	for _, h := range r.Held {
		if now-h.at >= core.Time(r.slacks.Configuration) && now > h.until {
			r.rule(h)
		} else {
			kept = append(kept, h)
		}
	}
	clear(r.Held[len(kept):])
	r.Held = kept
	r.ruleOnPostponed(now)
	r.tally.closeMinutes(now-core.Time(r.slacks.Configuration)-openFor, &r.decisionCounts)
	r.undecided.closeSpans(now, r.Core, &r.decisions)
}

func (r *Referee) rule(h *held) {
	if r.records.DifferedInTotal(h.at) { // the record that tells may follow the decision
		h.addDoubt(judge.OnShares | judge.OnDemand)
	}
	if h.start != nil {
		if h.competitor.open && h.competitor.ruledOut.Set {
			h.ruleOut()
		}
		r.rulings = r.soften(h.start.Judge(r.rulings[:0]))
		if h.competitor.open && doubtsCompetitor(r.rulings) {
			r.postpone(h)
			return
		}
		h.ruled = true
		r.open.forget(h.competitor.operation)
		r.tally.addAll(h.at, r.rulings)
		r.addDecisions(&h.row, r.rulings)
		return
	}
	r.rulings = r.soften(h.batch.Judge(r.rulings[:0]))
	r.tally.addAll(h.at, r.rulings)
	r.addPreemptions(h.rows, r.rulings)
}

// stillOwns reports whether an element still belongs to the same pool or operation as at the
// decision: handles are reused.
func (r *Referee) stillOwns(h *held) func(scheduling.Element) bool {
	elements := h.decision().States[0].Elements
	return func(e scheduling.Element) bool {
		for i := range elements {
			if elements[i].Handle == e {
				pool, operation := r.Core.Owner(e)
				return env.Owner{Pool: pool, Operation: operation} == h.owners[i]
			}
		}
		return false
	}
}

// Finish rules on the remaining held decisions at the window's end.
func (r *Referee) Finish() {
	r.finishArrivals()
	for _, h := range r.Held {
		r.lookSince(h)
		if !r.exactDemand && int64(r.Log.Window.To-h.at) <= r.untilRecord() { // no later record will cover it
			h.addDoubt(judge.OnDemand | judge.OnShares)
			if h.isInferred(r) {
				h.addDoubt(judge.OnJobs)
			}
		}
		r.rule(h)
	}
	r.Held = nil
	r.ruleOnPostponed(r.Log.Window.To + 2*openFor)
	r.tally.closeMinutes(1<<62, &r.decisionCounts)
	r.undecided.finish(&r.decisions)
	r.idle.finish(&r.idleNodes)
	r.finishLostWork(&r.lostWork, r.Log.Window)
}
