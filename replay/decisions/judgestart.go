package decisions

import (
	"strings"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// judgeStart judges a job that is about to start, unless the core itself decided the start.
func (r *Referee) judgeStart(e *core.Event, preemptive bool) {
	r.answerByStart(e.Time, e.Operation, e.Limits)
	if r.Log.OwnStarts {
		return
	}
	s := &r.start
	r.lookAtStart(s, e, preemptive)
	r.rulings = r.soften(s.Judge(r.rulings[:0]))
	waits := r.mustWait(r.rulings) || r.needsOpen(r.rulings)
	if !waits && r.competitor.open && doubtsCompetitor(r.rulings) {
		h := &held{at: e.Time, start: s.Clone(), row: r.startRow(e), competitor: r.competitor}
		r.keepOpen(h)
		r.postpone(h)
		return
	}
	if waits {
		h := &held{at: e.Time, start: s.Clone(), row: r.startRow(e), competitor: r.competitor}
		if operation, ok := r.takesPart(e.Operation); ok {
			h.least = r.leastUsage(r.Core.Operation(operation), e.Time)
		}
		if s.Waiting {
			h.waiting = r.waitingOn(r.nodeOf(e))
		}
		r.hold(h)
		return
	}
	r.tally.addAll(e.Time, r.rulings)
	if isPlain(r.rulings) {
		return
	}
	r.row = r.startRow(e)
	r.addDecisions(&r.row, r.rulings)
}

// takesPart returns the slot of an operation that takes part in the tree. Other operations were
// registered too late or ended too early, by different clocks or by a fault of the scheduler.
func (r *Referee) takesPart(id core.OperationID) (slot int32, ok bool) {
	slot, ok = r.Core.OperationOf(id)
	return slot, ok && r.Core.Operation(slot).Enabled() && !r.Core.Operation(slot).Ended
}

// lookAtStart fills in the state of the core for a start.
func (r *Referee) lookAtStart(s *judge.Start, e *core.Event, preemptive bool) {
	node := r.nodeOf(e)
	r.lookAtPresence(s, node)
	if !r.known(node) {
		node = -1
	}
	operation, takesPart := r.takesPart(e.Operation)
	element := scheduling.Root
	if takesPart {
		o := r.Core.Operation(operation)
		element, s.Context = o.Element, r.context(e.Time, judge.Recomputed, o.Pool)
	} else {
		s.Context = r.context(e.Time, judge.Recomputed)
	}
	if node >= 0 && s.Missing == judge.NothingMissing && r.mayContinue(e, node) {
		s.Missing = judge.Allocations
	}
	if e.StartsWithin > 0 { // the state at the decision is unknown
		s.Evidence = judge.Possible
	}
	s.Preemptive, s.Inexact = preemptive, r.inexact
	s.LookAt(r.Core.Scheduling(), env.Handle(node), int64(e.Time), element, e.Limits)
	r.loosenLimits(s)
	s.Waiting, s.NoneWaits, s.Skipped, s.Earlier, s.InPlace, s.Unrecorded, s.MayPreempt, s.DemandOld = false, false, false, 0, 0, judge.NothingMissing, false, false
	if takesPart {
		r.lookAtOperation(s, r.Core.Operation(operation))
	} else {
		s.Running, s.Ended = judge.No, int64(r.Core.EndOf(e.Operation).Or(core.Never))
	}
	if r.assumesStates { // every submitted operation counts as running
		s.Running, s.Pending = judge.Unknown, judge.Unknown
	}
	r.lookAtDoubts(s, e.Time, node)
	if preemptive && len(r.freed) > 0 {
		r.lookAtFreed(s, e)
	}
	s.OwnNode, s.Tags, s.Segment, s.Sought = judge.Unknown, judge.Unknown, judge.Unknown, judge.Unknown
	if node < 0 {
		return
	}
	r.lookAtNode(s, e, node)
	if takesPart {
		r.lookAtSite(s, e, node, operation)
	}
}

// lookAtOperation fills in the state of the core for the operation of a start.
func (r *Referee) lookAtOperation(s *judge.Start, o *core.Operation) {
	s.Running, s.Pending, s.InTree = judge.FactOf(o.Running), judge.FactOf(!o.Running), judge.Yes
	s.LimitedSince, s.MovedSince, s.Joined = int64(o.LastLimited), int64(o.LastMoved), o.Joined
	s.Suspended, s.Demand = o.Suspended, judge.FactOf(r.exactDemand)
	s.DemandOld = !r.exactDemand && !r.records.KnowsDemand(core.Time(s.At))
	if r.lacks&judge.NoShares != 0 || r.demandOfJobs || !r.Core.HasAllRecords() {
		s.Demand = judge.Unknown
	}
	r.lookAtNow(s, o)
	if !o.KnowsMedia() {
		s.SSD = judge.Unknown
	}
}

// startRow returns the columns common to all rows of a start.
func (r *Referee) startRow(e *core.Event) tables.Decision {
	row := tables.Decision{
		Time: e.Time, Kind: "start", Job: r.texts.copyOf(e.Name), JobIx: e.Job, Operation: e.Operation, Pool: e.Pool,
	}
	if operation, ok := r.takesPart(e.Operation); ok {
		row.Pool = r.Core.Pool(r.Core.Operation(operation).Pool).ID
	}
	if e.Node >= 0 {
		row.Node = core.Some(e.Node)
	}
	if r.start.Sought == judge.Yes && r.start.Competitor.Exists {
		row.Other = core.Some(r.competitor.operation)
	}
	return row
}

// lookAtNow allows for a tick between the last known one and the decision, which saw the events
// since: schedulable operations, demand, and usage below fair shares (core/spec/scheduling.md
// §13.2).
func (r *Referee) lookAtNow(s *judge.Start, o *core.Operation) {
	own := s.States[0].Element(s.Operation)
	takesPartAnew := !own.Schedulable // with an unknown share
	own.Schedulable = own.Schedulable || o.Running && !o.Suspended && !o.Needed.IsZero()
	own.DemandAmount = own.DemandAmount.Max(o.Demand())
	if own.Graceful && !own.BelowFairShare {
		own.BelowFairShare = takesPartAnew && own.Schedulable || r.Core.DoubtfulShare(core.Time(s.At)) > r.slacks.OnUsage ||
			r.Core.Scheduling().WouldBeBelow(o.Element, r.leastUsage(o, core.Time(s.At)), r.Core.Total())
	}
}

// leastUsage returns the least usage of an operation that an update after the last known one can
// have seen: jobs that end just after now may have been gone.
func (r *Referee) leastUsage(o *core.Operation, now core.Time) resource.Vector {
	least := r.Core.Scheduling().LeastUsage(o.Element, int64(r.Core.Updated()))
	if slot, ok := r.Core.OperationOf(o.ID); ok {
		least = least.Sub(r.Core.DoubtIn(slot, now)).Sub(r.Core.LeavingIn(slot, now, core.Time(r.slacks.Clock))).Max(resource.Vector{})
	}
	return least
}

// lookAtPresence fills in whether the log calls a node offline. The size of an offline node is
// ignored.
func (r *Referee) lookAtPresence(s *judge.Start, node int32) {
	if s.Offline = false; node < 0 {
		return
	}
	n := r.Core.Node(node)
	s.Offline = !n.Online && n.LastOffline != core.Never
	s.OfflineSince, s.BackSince, s.RowLag = int64(n.LastOffline), int64(n.BackSince), r.rowLag()
}

// rowLag returns the inaccuracy of the time at which a row says that a node is online. If the log
// does not hold every heartbeat, such rows may be samples.
func (r *Referee) rowLag() int64 {
	if r.allHeartbeats {
		return r.slacks.Clock
	}
	return max(r.slacks.Clock, int64(env.Sampled))
}

// lookAtNode fills in the state of the core for the node at the moment of a start.
func (r *Referee) lookAtNode(s *judge.Start, e *core.Event, node int32) {
	n := r.Core.Node(node)
	s.Node.Limits = r.room(n.Limits)
	s.OwnNode = judge.FactOf(n.Online)
	s.TagsSince, s.Node.SSDSince = int64(n.LastTagged), int64(n.LastSSD)
	s.Waiting = n.Waiting > 0
	if r.mayBeWaiting(node, e.Time) {
		s.Unrecorded = judge.JobStates
	}
	if n.Answers(e.Time) {
		if s.Skipped = n.Skipped.Value; !n.Skipped.Set {
			s.Unrecorded = judge.Heartbeats
		}
	}
	s.MayPreempt = !s.Preemptive && e.Stage == ""
	own := r.startsOf(node, e.Time)
	s.Earlier = own.count
	own.count++
	if isPreemptive(e) {
		own.inPlace++
		if !own.ruled || own.before > 0 {
			s.InPlace = own.inPlace
		}
	}
}

// isPreemptive reports whether the log records that a preemptive stage started a job.
func isPreemptive(e *core.Event) bool { return strings.HasPrefix(e.Stage, "preemptive") }

// startsOf returns the starts of the heartbeat of a node at a time.
func (r *Referee) startsOf(node int32, at core.Time) *starts {
	for int(node) >= len(r.earlier) {
		r.earlier = append(r.earlier, starts{})
	}
	own := &r.earlier[node]
	heartbeat := at
	if n := r.Core.Node(node); n.Answers(at) {
		heartbeat = n.LastHeartbeat
	}
	switch {
	case own.at < heartbeat:
		*own = starts{at: at, last: at}
	case own.last != at:
		own.last, own.before, own.ruled = at, own.inPlace, false
	}
	return own
}

// lookAtSite fills in the relation between the operation of a start and its node.
func (r *Referee) lookAtSite(s *judge.Start, e *core.Event, node, operation int32) {
	s.Tags = judge.FactOf(r.Core.Admits(operation, node))
	r.lookAtSegments(s, node, operation)
	s.MayPreempt = s.MayPreempt && r.Core.MayPreempt(operation, node)
	r.lookAtCompetitor(s, e, node, operation)
}

// mayBeWaiting reports whether a node may have a preemptor's job of which no heartbeat shows yet
// whether it runs (core/spec/scheduling.md §9.1).
func (r *Referee) mayBeWaiting(node int32, at core.Time) (may bool) {
	within := r.Core.LongestInterruption() + r.slacks.Between(r.intervalOf(node))
	if int64(at-r.Core.Node(node).LastInPlace) > within {
		return false
	}
	r.Core.NodeJobs(node, func(job int32) {
		j := r.Core.Job(job)
		may = may || j.Preemptive && j.State == "" && j.Start < at && int64(at-j.Start) <= within
	})
	return may
}

// waitingOn returns the jobs that wait on a node by the heartbeats.
func (r *Referee) waitingOn(node int32) (waiting []core.JobID) {
	r.Core.NodeJobs(node, func(job int32) {
		if j := r.Core.Job(job); j.State == core.JobWaiting {
			waiting = append(waiting, j.ID)
		}
	})
	return waiting
}

// lookAtSegments fills in what the log records of segments and modules.
func (r *Referee) lookAtSegments(s *judge.Start, node, operation int32) {
	s.Segment, s.Elsewhere, s.SegmentSince, s.RunsSince = judge.Unknown, judge.Unknown, scheduling.Never, scheduling.Never
	if !r.Core.Config().Segments.Enable {
		return
	}
	if fits, known := r.Core.SegmentFits(operation, node); known {
		s.Segment = judge.FactOf(fits)
	}
	if elsewhere, known := r.Core.RunsElsewhere(operation, node); known {
		s.Elsewhere = judge.FactOf(elsewhere)
	}
	o := r.Core.Operation(operation)
	s.SegmentSince = int64(max(r.Core.SegmentedSince(node), o.SegmentSince))
	s.Reset = o.WaitingSince != core.Never && core.Time(s.At)-o.WaitingSince >= r.Core.ModuleReset()
	if o.Start < r.Log.Window.From { // the needs of its first jobs may not be recorded
		s.Evidence = judge.Possible
	}
}

// sized reports whether the trace measures all resources of a job, so that its possible
// replacements are known.
func (r *Referee) sized(amounts resource.Vector) bool {
	for k, amount := range amounts {
		if amount != 0 && !r.Log.Measured[k] {
			return false
		}
	}
	return true
}
