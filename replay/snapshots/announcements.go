package snapshots

import (
	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// An announcement is a step of an operation that states that it began or ceased to starve. It is
// judged like a record, by the recomputed clocks: the current ones and, because ticks of the
// scheduler and of the replay differ, those of the next tick (STV-01, STV-02, STV-04, STV-12).
type announcement struct {
	at        core.Time
	operation core.OperationID
	status    scheduling.Status
	context   judge.Context
	slacks    judge.Slacks

	usage, demand resource.Vector // at that time
	asked         core.Time       // last time when its need may have exceeded Needed, or 0
	most, left    resource.Vector // its greatest possible usage then, by another clock, and possible differences of all others
	spared        resource.Vector // how much less than Needed all others may need
}

// announced is the aspect of rulings on announcements.
const announced = "announced"

// followAnnouncement judges an announcement, immediately if it agrees with the recomputed clocks.
func (s *Snapshots) followAnnouncement(e *core.Event) {
	if !s.Begun || e.Step != core.StepStarvationStarted && e.Step != core.StepStarvationFinished {
		return
	}
	a := announcement{at: e.Time, operation: e.Operation}
	if slot, ok := s.Core.OperationOf(e.Operation); ok {
		o := s.Core.Operation(slot)
		a.usage, a.demand, a.most = o.Usage, o.Demand(), o.Usage
	}
	if status, known := scheduling.ParseStatus(e.Status); known {
		a.status = status
	} else if e.Step == core.StepStarvationStarted {
		a.status = scheduling.Starving
	}
	a.slacks = s.Slacks()
	a.slacks.Record = max(a.slacks.Record, s.slacks.Record) // records may be further apart than the cluster states
	a.context = judge.Context{Evidence: judge.Recomputed, Excuse: s.Excuses.ExcuseAt(e.Time), Unmodelled: s.Core.Unmodelled()}
	switch {
	case s.Core.Unplaced() > 0:
		a.context.Missing = judge.OperationPool
	case s.Core.Config().Assumed:
		a.context.Missing = judge.Configuration
	case s.Stale, !s.Core.StartsFromKnownState(), s.Log.State("demand") == "none":
		a.context.Missing = judge.FairShares
	}
	if s.Core.DoubtfulShare(e.Time) > judge.Epsilon || !s.Log.IsDemandExact() || s.changed != 0 && e.Time-s.changed <= core.Time(a.slacks.Configuration) {
		a.context.Evidence = judge.Possible
	}
	s.judgeStart(&a)
	if rulings, ok := s.judgeAnnouncement(&a); ok && alleges(rulings) {
		s.noteClocks(&a)
		s.announced = append(s.announced, a)
	} else if ok {
		s.tallies.countRulings(a.at, tables.ElementOperation, s.poolOf(a.operation), rulings)
	}
}

// judgeStart judges whether an operation that did not starve before was announced as starving too
// late (STV-02).
func (s *Snapshots) judgeStart(a *announcement) {
	before := s.said[a.operation]
	s.said[a.operation] = a.status
	slot, ok := s.Core.OperationOf(a.operation)
	if !ok || before != scheduling.NonStarving || a.status != scheduling.Starving || !s.Core.Operation(slot).Enabled() || s.Core.Operation(slot).Ended {
		return
	}
	element := s.Core.Operation(slot).Element
	t := s.Core.Scheduling()
	own, clocks := t.Effective(element), t.Starvation(element)
	late := judge.LateStart{
		Context: a.context, At: int64(a.at), Timeout: own.Timeout, MinShareTimeout: own.MinShareTimeout,
		Since: s.withinLog(clocks.FairShare.Since), MinShareSince: s.withinLog(clocks.MinShare.Since),
	}
	late.Slacks = &a.slacks
	if s.Log.Profile == core.Legacy { // its single clock counts either share (§7.6)
		late.Timeout = max(late.Timeout, late.MinShareTimeout)
	}
	late.SurelySince, late.SurelyMinShareSince = s.surelyBelow(a, slot, late.Since, late.MinShareSince)
	rulings := append(s.rulings[:0], late.Judge())
	s.rulings = rulings
	s.tallies.countRulings(a.at, tables.ElementOperation, s.poolOf(a.operation), rulings)
	if !s.recordsShow(a, &rulings[0]) {
		s.addAnnouncement(a, &rulings[0])
	}
}

// recordsShow reports whether records up to an announcement already show its breach: both are one
// case.
func (s *Snapshots) recordsShow(a *announcement, x *judge.Ruling) bool {
	key := breachKey{x.Invariant, tables.ElementOperation, int32(a.operation), ""}
	if o := s.breaches[key]; o != nil && o.worst >= x.Verdict {
		return true
	}
	o, ok := s.closed[key]
	return ok && o.worst >= x.Verdict && int64(a.at-o.at) <= a.slacks.Clock
}

// withinLog returns the start of a clock that started within the log, so that its starvation is
// announced there; else scheduling.Never.
func (s *Snapshots) withinLog(since int64) int64 {
	if since != scheduling.Never && s.KnownFrom != scheduling.Never && since <= s.KnownFrom+s.slacks.Tick {
		return scheduling.Never
	}
	return since
}

// surelyBelow returns since when an operation has been below its shares without interruption by its
// recomputed clocks, by its records, and since the last record by all its values of usage, demand
// and fair share; scheduling.Never if that is uncertain.
func (s *Snapshots) surelyBelow(a *announcement, slot int32, fair, minShare int64) (surelyFair, surelyMinShare int64) {
	surelyFair, surelyMinShare = scheduling.Never, scheduling.Never
	if int(slot) >= len(s.operations) {
		return surelyFair, surelyMinShare
	}
	v := &s.operations[slot]
	if v.id != a.operation || v.fairClock == nil || v.at != s.at {
		return surelyFair, surelyMinShare
	}
	element := s.Core.Operation(slot).Element
	now := s.belowAt(a, element, a.usage, resource.Share{})
	if swing := s.elements.OperationHistory(slot).Range; swing.Usage.Set {
		shares, total := s.Core.Shares(element), s.Core.ShareTotal()
		most := swing.Usage.Most.ShareOf(total).Plus(scheduling.Equal)
		least := env.Entitlement{Fair: swing.Fair.Least, Demand: shares.DemandShare, Strong: shares.StrongShare}
		tolerance := s.Core.Scheduling().Effective(element).Tolerance
		for _, m := range [...]env.Entitlement{least, least.UpTo(most.Add(swing.Unmet.ShareOf(total)))} {
			then := s.BelowAt(m, most, true, tolerance)
			now.Fair, now.MinShare = now.Fair && then.Fair, now.MinShare && then.MinShare
		}
	}
	if since := v.fairClock.SurelyBelow(); now.Fair && fair != scheduling.Never && since != scheduling.Never {
		surelyFair = max(fair, since)
	}
	if since := v.minClock.SurelyBelow(); now.MinShare && minShare != scheduling.Never && since != scheduling.Never {
		surelyMinShare = max(minShare, since)
	}
	return surelyFair, surelyMinShare
}

// noteClocks records which values the tick of an announcement may have seen differently: ends of
// jobs within the slack of clocks, and demand (ingest/trace/FORMAT.md §4.2).
func (s *Snapshots) noteClocks(a *announcement) {
	slot, _ := s.Core.OperationOf(a.operation)
	clock := core.Time(a.slacks.Clock)
	a.asked = s.Core.LastNeedDoubt(s.Core.Operation(slot).Element, a.at)
	_, a.most = s.Core.UsageSince(s.Core.Operation(slot).Element, a.at-clock)
	a.left, a.spared = s.Core.LeftAround(a.at, clock).Add(s.Core.MoreNeeded()), s.Core.LessNeeded()
}

func alleges(rulings []judge.Ruling) bool {
	for i := range rulings {
		if rulings[i].Verdict > judge.Undecidable {
			return true
		}
	}
	return false
}

// SettleAnnouncements judges again the announcements that the previous tick did not explain. A
// restart ends all starvation (core/spec/scheduling.md §7.3), and its row may come shortly after
// (ingest/trace/FORMAT.md §4.2).
func (s *Snapshots) SettleAnnouncements(now core.Time) {
	kept := s.announced[:0]
	for i := range s.announced {
		a := &s.announced[i]
		if a.at >= now || a.status == scheduling.NonStarving && int64(now-a.at) <= a.slacks.Clock {
			kept = append(kept, *a)
			continue
		}
		rulings, ok := s.judgeAnnouncement(a)
		if !ok {
			continue
		}
		s.tallies.countRulings(a.at, tables.ElementOperation, s.poolOf(a.operation), rulings)
		for k := range rulings {
			s.addAnnouncement(a, &rulings[k])
		}
	}
	s.announced = kept
}

func (s *Snapshots) addAnnouncement(a *announcement, x *judge.Ruling) {
	if x.Verdict <= judge.Undecidable {
		return
	}
	o := &openBreach{SnapshotCheck: tables.SnapshotCheck{
		Invariant: x.Invariant.String(), Element: tables.ElementOperation, Pool: s.poolOf(a.operation),
		Operation: core.Some(a.operation), Aspect: announced, FromTime: a.at, ToTime: a.at,
	}, off: -1}
	o.addRuling(x, a.at, s.Log.Units())
	s.snapshotChecks.Add(s.Now, &o.SnapshotCheck)
}

// poolOf returns the pool of an operation in the core.
func (s *Snapshots) poolOf(operation core.OperationID) core.PoolID {
	slot, _ := s.Core.OperationOf(operation)
	return s.Core.Pool(s.Core.Operation(slot).Pool).ID
}

// judgeAnnouncement judges an announcement by the current clocks. ok is false for an operation
// without clocks.
func (s *Snapshots) judgeAnnouncement(a *announcement) (rulings []judge.Ruling, ok bool) {
	slot, ok := s.Core.OperationOf(a.operation)
	if !ok || !s.Core.Operation(slot).Enabled() || s.Core.Operation(slot).Ended {
		return nil, false
	}
	element := s.Core.Operation(slot).Element
	t := s.Core.Scheduling()
	fair, minShare := t.OperationTimeouts(element)
	h := t.Starvation(element)
	record := judge.Announcement{
		Context: a.context, At: int64(a.at), Status: a.status, Timeouts: fair, MinShareTimeout: minShare,
		Until: s.elements.StarvesUntil(slot, a.operation, a.status), From: s.KnownFrom,
	}
	record.Slacks = &a.slacks
	now := s.belowAt(a, element, a.usage, resource.Share{})
	since := func(fairShare, minShare int64) []judge.Ruling {
		record.Since, record.MinShareSince = fairShare, minShare
		if s.Log.Profile == core.Legacy && now.MinShare { // its single clock counts either share (§7.6)
			record.Since, record.MinShareSince = scheduling.Never, fairShare
		}
		if a.status == scheduling.NonStarving { // a tick of the scheduler may have seen a gap that no tick of the replay saw
			if !now.Fair {
				record.Since = scheduling.Never
			}
			if !now.MinShare {
				record.MinShareSince = scheduling.Never
			}
		}
		return record.Judge(s.rulings[:0])
	}
	rulings = since(h.FairShare.Since, h.MinShare.Since)
	if a.status == scheduling.NonStarving && alleges(rulings) {
		seen := now
		if now = s.belowAt(a, element, a.most, a.left.ShareOf(s.Core.ShareTotal())); !alleges(since(h.FairShare.Since, h.MinShare.Since)) {
			record.Evidence = judge.Possible
		}
		now = seen
		rulings = since(h.FairShare.Since, h.MinShare.Since)
	}
	if a.status != scheduling.NonStarving && alleges(rulings) { // and no tick of the scheduler may have seen a gap that one of the replay saw
		record.Timeouts, record.MinShareTimeout = t.FewestTimeouts(element)
		if rulings = since(t.UnbrokenSince(element, int64(a.at), a.slacks.Noticed())); alleges(rulings) {
			record.Timeouts, record.MinShareTimeout = fair, minShare
			start, below := h.Since()
			if !below {
				start = int64(a.at)
			}
			asked := a.asked > 0 && int64(a.asked) > start-a.slacks.Noticed()
			if asked || s.isBelowBySpared(a, element) { // a tick of the replay found it not below because its need, or that of others, differs
				record.Evidence = judge.Possible
			}
			rulings = since(h.FairShare.Since, h.MinShare.Since)
		}
	}
	return rulings, true
}

// isBelowBySpared reports whether an operation that is announced as starving is below its shares if
// others need as much less as possible, so that its own share is larger.
func (s *Snapshots) isBelowBySpared(a *announcement, e fairshare.Element) bool {
	if a.spared.IsZero() {
		return false
	}
	more := resource.Uniform(a.spared.ShareOf(s.Core.ShareTotal()).Dominant())
	return s.belowAt(a, e, a.usage, resource.Share{}.Sub(more)) != env.Below{}
}

// belowAt returns which shares of the last update, with the fair share reduced by less, the
// operation was below with the given usage at an announcement; for the end of starvation, with its
// demand of that time.
func (s *Snapshots) belowAt(a *announcement, e fairshare.Element, used resource.Vector, less resource.Share) env.Below {
	shares := s.Core.Shares(e)
	total := s.Core.ShareTotal()
	m := env.Entitlement{Fair: shares.FairShare.Total.Sub(less), Demand: shares.DemandShare, Strong: shares.StrongShare}
	if a.status == scheduling.NonStarving {
		m = m.UpTo(a.demand.ShareOf(total))
	}
	usage := used.ShareOf(total).Plus(scheduling.Equal)
	return s.BelowAt(m, usage, true, s.Core.Scheduling().Effective(e).Tolerance)
}
