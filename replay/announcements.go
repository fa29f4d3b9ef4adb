package replay

import (
	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// An announcement is the scheduler's word, among the steps of an operation, that
// it began to starve or ceased to. It is judged like a record, by the recomputed
// clocks: those that the log shows at the moment and, since ticks of the scheduler
// and of the replay fall apart, those of the next tick (STV-01, STV-02, STV-04, STV-12).
type announcement struct {
	at        core.Time
	operation core.OperationID
	status    scheduling.Status
	context   judge.Context
	slacks    judge.Slacks

	usage, demand resource.Vector // at that moment
	asked         core.Time       // when it may last have needed more than it is taken to, 0 if it never may
	most, left    resource.Vector // the most that it may have used then by another clock, and what all others may have less or more
	spared        resource.Vector // what all others may need less than they are taken to
}

// announced is the aspect of rulings on announcements.
const announced = "announced"

// followAnnouncement judges an announcement, now if it is as recomputed.
func (r *recorder) followAnnouncement(e *core.Event) {
	if !r.begun || e.Step != core.StepStarvationStarted && e.Step != core.StepStarvationFinished {
		return
	}
	a := announcement{at: e.Time, operation: e.Operation}
	if slot, ok := r.Core.OperationOf(e.Operation); ok {
		o := r.Core.Operation(slot)
		a.usage, a.demand, a.most = o.Usage, o.Demand(), o.Usage
	}
	if status, known := scheduling.ParseStatus(e.Status); known {
		a.status = status
	} else if e.Step == core.StepStarvationStarted {
		a.status = scheduling.Starving
	}
	s := &r.snapshots
	a.slacks = r.Slacks()
	a.slacks.Record = max(a.slacks.Record, s.slacks.Record) // records may be further apart than the cluster states
	a.context = judge.Context{Evidence: judge.Recomputed, Excuse: r.Excuses.At(e.Time)}
	switch {
	case r.Core.Unplaced() > 0:
		a.context.Missing = judge.OperationPool
	case r.Core.Config().Assumed:
		a.context.Missing = judge.Configuration
	case r.stale, !r.Core.KnowsPast(), r.state("demand") == "none":
		a.context.Missing = judge.FairShares
	}
	if r.Core.DoubtfulShare(e.Time) > judge.Epsilon || !r.isDemandExact() || s.changed != 0 && e.Time-s.changed <= core.Time(a.slacks.Configuration) {
		a.context.Evidence = judge.Possible
	}
	if rulings, ok := r.judgeAnnouncement(&a); ok && alleges(rulings) {
		r.noteClocks(&a)
		r.announced = append(r.announced, a)
	} else if ok {
		r.snapshots.tallies.add(a.at, tables.ElementOperation, r.poolOf(a.operation), rulings)
	}
}

// noteClocks notes what the tick that made an announcement may have seen otherwise: the ends
// of jobs that the log tells within the slack of clocks from it, and what is needed
// (ingest/trace/FORMAT.md §4.2).
func (r *recorder) noteClocks(a *announcement) {
	slot, _ := r.Core.OperationOf(a.operation)
	clock := core.Time(a.slacks.Clock)
	a.asked = r.Core.NeedDoubted(r.Core.Operation(slot).Element, a.at)
	_, a.most = r.Core.UsedSince(r.Core.Operation(slot).Element, a.at-clock)
	a.left, a.spared = r.Core.LeftAround(a.at, clock).Add(r.Core.MoreNeeded()), r.Core.LessNeeded()
}

// state is what the trace says of how it knows a thing, "" if nothing.
func (r *recorder) state(aspect string) string {
	for _, f := range r.Log.Facts {
		if f.Aspect == aspect {
			return f.State
		}
	}
	return ""
}

// isDemandExact reports whether the log holds every change of demand.
func (r *recorder) isDemandExact() bool {
	state := r.state("demand")
	return state == "recorded" || state == ""
}

func alleges(rulings []judge.Ruling) bool {
	for i := range rulings {
		if rulings[i].Verdict > judge.Undecidable {
			return true
		}
	}
	return false
}

// settleAnnouncements judges those again that the tick before did not explain. A restart, by
// which all cease to starve (core/spec/scheduling.md §7.3), may be told a moment later
// (ingest/trace/FORMAT.md §4.2).
func (r *recorder) settleAnnouncements(now core.Time) {
	kept := r.announced[:0]
	for i := range r.announced {
		a := &r.announced[i]
		if a.at >= now || a.status == scheduling.NonStarving && int64(now-a.at) <= a.slacks.Clock {
			kept = append(kept, *a)
			continue
		}
		rulings, ok := r.judgeAnnouncement(a)
		if !ok {
			continue
		}
		r.snapshots.tallies.add(a.at, tables.ElementOperation, r.poolOf(a.operation), rulings)
		for k := range rulings {
			r.addAnnouncement(a, &rulings[k])
		}
	}
	r.announced = kept
}

func (r *recorder) addAnnouncement(a *announcement, x *judge.Ruling) {
	if x.Verdict <= judge.Undecidable {
		return
	}
	o := &openBreach{SnapshotCheck: tables.SnapshotCheck{
		Invariant: x.Invariant.String(), Element: tables.ElementOperation, Pool: r.poolOf(a.operation),
		Operation: core.Some(a.operation), Aspect: announced, FromTime: a.at, ToTime: a.at,
	}, off: -1}
	o.take(x, a.at)
	r.breachRows.Add(r.now, &o.SnapshotCheck)
}

// poolOf is the pool of an operation that the core knows.
func (r *recorder) poolOf(operation core.OperationID) core.PoolID {
	slot, _ := r.Core.OperationOf(operation)
	return r.Core.Pool(r.Core.Operation(slot).Pool).ID
}

// judgeAnnouncement judges an announcement by the clocks as they are. ok is false
// for an operation that has none.
func (r *recorder) judgeAnnouncement(a *announcement) (rulings []judge.Ruling, ok bool) {
	slot, ok := r.Core.OperationOf(a.operation)
	if !ok || !r.Core.Operation(slot).Enabled() || r.Core.Operation(slot).Ended {
		return nil, false
	}
	element := r.Core.Operation(slot).Element
	t := r.Core.Scheduling()
	fair, minShare := t.OperationTimeouts(element)
	h := t.Starvation(element)
	record := judge.Announcement{
		Context: a.context, At: int64(a.at), Status: a.status, Timeouts: fair, MinShareTimeout: minShare,
		Until: r.operations[slot].starvations.until(a.operation, a.status), From: r.logFrom,
	}
	record.Slacks = &a.slacks
	now := r.boundsAt(a, element, a.usage, resource.Share{})
	since := func(fairShare, minShare int64) []judge.Ruling {
		record.Since, record.MinShareSince = fairShare, minShare
		if r.Log.Profile == core.Legacy && now.MinShare { // its one clock waits for what is missing (§7.6)
			record.Since, record.MinShareSince = scheduling.Never, fairShare
		}
		if a.status == scheduling.NonStarving { // a tick of the scheduler may have seen what none of the replay did
			if !now.Fair {
				record.Since = scheduling.Never
			}
			if !now.MinShare {
				record.MinShareSince = scheduling.Never
			}
		}
		return record.Judge(r.snapshots.rulings[:0])
	}
	rulings = since(h.FairShare.Since, h.MinShare.Since)
	if a.status == scheduling.NonStarving && alleges(rulings) {
		seen := now
		if now = r.boundsAt(a, element, a.most, a.left.ShareOf(r.Core.ShareTotal())); !alleges(since(h.FairShare.Since, h.MinShare.Since)) {
			record.Evidence = judge.Possible
		}
		now = seen
		rulings = since(h.FairShare.Since, h.MinShare.Since)
	}
	if a.status != scheduling.NonStarving && alleges(rulings) { // and none of the scheduler what one of the replay did
		record.Timeouts, record.MinShareTimeout = t.FewestTimeouts(element)
		if rulings = since(t.SteadySince(element, int64(a.at), a.slacks.Noticed())); alleges(rulings) {
			record.Timeouts, record.MinShareTimeout = fair, minShare
			start, below := h.Since()
			if !below {
				start = int64(a.at)
			}
			asked := a.asked > 0 && int64(a.asked) > start-a.slacks.Noticed()
			if asked || r.isBelowBySpared(a, element) { // a tick of the replay found it not to be below since it, or others, need another amount
				record.Evidence = judge.Possible
			}
			rulings = since(h.FairShare.Since, h.MinShare.Since)
		}
	}
	return rulings, true
}

// isBelowBySpared reports whether an operation that is said to starve is below its shares if
// others need as much less as they may: its own is then most of it more, of whatever it uses.
func (r *recorder) isBelowBySpared(a *announcement, e fairshare.Element) bool {
	if a.spared.IsZero() {
		return false
	}
	more := resource.Uniform(a.spared.ShareOf(r.Core.ShareTotal()).Dominant())
	return r.boundsAt(a, e, a.usage, resource.Share{}.Sub(more)) != env.Bounds{}
}

// boundsAt are the shares of the last update, or what is so much less than its fair share,
// that an operation was below by what it used at the moment of an announcement, and where it
// is said to starve no more by what it demanded then.
func (r *recorder) boundsAt(a *announcement, e fairshare.Element, used resource.Vector, less resource.Share) env.Bounds {
	shares := r.Core.Shares(e)
	total := r.Core.ShareTotal()
	m := env.Measures{Fair: shares.FairShare.Total.Sub(less), Demand: shares.DemandShare, Strong: shares.StrongShare}
	if a.status == scheduling.NonStarving {
		m = m.UpTo(a.demand.ShareOf(total))
	}
	usage := used.ShareOf(total).Plus(scheduling.Equal)
	return r.BoundsAbove(m, usage, true, r.Core.Scheduling().Entitlement(e).Tolerance)
}
