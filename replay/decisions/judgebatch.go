package decisions

import (
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// A preemption is the row of a victim with its record.
type preemption struct {
	tables.Preemption
	stated  bool                     // the log records a reason
	code    string                   // recorded, if no rule is about it
	asked   core.Optional[core.Time] // time of an earlier graceful request, if recorded
	ending  judge.Ending             // its end
	endings int                      // number of rulings on its end
}

// judgeHeartbeat judges the preemptions of a node's heartbeat and applies its decisions: regular
// starts, victims, and preemptive starts.
func (r *Referee) judgeHeartbeat(g *heartbeat) {
	r.rows = r.rows[:0]
	for _, i := range g.started {
		if !r.inPlace(g, i) {
			r.applyStart(i, false)
		}
	}
	if len(g.taken) > 0 {
		r.judgeTaken(g)
	}
	for _, i := range g.taken {
		if len(g.started) > 0 {
			r.noteFreed(i)
		}
		r.Core.Step(&r.instant.Events[i])
	}
	for _, i := range g.started {
		if r.inPlace(g, i) {
			r.applyStart(i, true)
			if len(r.rows) > 0 {
				r.expectArrival(&r.instant.Events[i])
			}
		}
	}
	r.freed = r.freed[:0]
}

// applyStart judges a start of the instant and applies it.
func (r *Referee) applyStart(start int32, preemptive bool) {
	e := &r.instant.Events[start]
	r.judgeStart(e, preemptive)
	r.Core.Step(e)
	if slot, ok := r.Core.JobOf(e.Job); ok && preemptive {
		r.Core.StartInPlace(slot)
	}
}

// inPlace reports whether a job of the heartbeat was started by preemption: the log records that,
// or it is the last start of a preemptor. If the log records neither stages nor preemptors, it is
// the last start of all: preemptive stages come after the regular ones and start one job
// (core/spec/scheduling.md §9.3).
func (r *Referee) inPlace(g *heartbeat, start int32) bool {
	e := &r.instant.Events[start]
	if e.Stage != "" {
		return isPreemptive(e)
	}
	named := false
	for _, i := range g.taken {
		v := &r.instant.Events[i]
		if v.PreemptorJob != "" {
			named = true
			if v.PreemptorJob == string(e.Name) {
				return true
			}
		}
	}
	if named {
		return false
	}
	for _, i := range g.taken {
		if r.instant.Events[i].Preemptor == e.Operation && e.Operation >= 0 {
			return r.lastOf(g, e.Operation) == start
		}
	}
	return start == g.started[len(g.started)-1] && slices.ContainsFunc(g.taken, r.madeRoom)
}

// madeRoom reports whether a job may have been preempted to make room for an unrecorded preemptor.
func (r *Referee) madeRoom(taken int32) bool {
	e := &r.instant.Events[taken]
	if e.Preemptor >= 0 {
		return false
	}
	switch e.PreemptionReason() {
	case scheduling.ForGracefulPreemption, scheduling.ForOvercommit, scheduling.ForViolatedLimits, scheduling.ForOther:
		return false
	}
	return true
}

// lastOf returns the last start of an operation in a heartbeat.
func (r *Referee) lastOf(g *heartbeat, operation core.OperationID) int32 {
	last := int32(-1)
	for _, i := range g.started {
		if r.instant.Events[i].Operation == operation {
			last = i
		}
	}
	return last
}

// judgeTaken judges the victims of a heartbeat by the state after its regular stages.
func (r *Referee) judgeTaken(g *heartbeat) {
	at := r.instant.Events[g.taken[0]].Time
	b := &r.batch
	node := g.node
	if !r.known(node) {
		node = -1
	}
	r.lookAtState(b, node, at)
	r.pools = r.pools[:0]
	inPlace, stages := r.noteStarted(g, b)
	r.sortTaken(g)
	r.sortEquals(g, inPlace, b.Node.Limits)
	evidence := max(stages, r.noteTaken(g, b))
	if len(r.rows) == 0 {
		return
	}
	if r.isUndated(g) {
		evidence = judge.Possible
	}
	r.askForSSD(b)
	if node >= 0 {
		r.noteVague(b, node)
	}
	b.Context = r.context(at, evidence, r.pools...)
	if r.mayHaveLeft(g, at) {
		b.Shaken |= judge.OnJobs
	}
	if r.hasMoved(b, at) {
		b.Shaken |= judge.OnConfiguration
	}
	for k := range r.rows {
		r.prove(&r.rows[k], b, k)
		r.lookAtEnding(&r.rows[k], b, k)
	}
	r.rulings = r.soften(b.Judge(r.rulings[:0]))
	if r.mustWait(r.rulings) {
		asked, others := r.lookAtDemand(b, at), r.lookAtOthers(b, node, at)
		if asked || others {
			r.rulings = r.soften(b.Judge(r.rulings[:0]))
		}
	}
	if node >= 0 {
		r.startsOf(node, at).ruled = slices.ContainsFunc(r.rulings, func(u judge.Ruling) bool {
			return u.Invariant == judge.PRE13 && u.Verdict != judge.Undecidable
		})
	}
	until, early := r.allegedEnd(r.rows)
	if early || r.mustWait(r.rulings) {
		r.hold(&held{at: at, until: until, batch: b.Clone(), rows: slices.Clone(r.rows)})
		return
	}
	r.tally.addAll(at, r.rulings)
	r.addPreemptions(r.rows, r.rulings)
}

// lookAtState fills a batch with the state of the scheduler and of a node, -1 if that is not known.
func (r *Referee) lookAtState(b *judge.Batch, node int32, at core.Time) {
	if r.uncertain {
		clear(b.States[0].Elements) // otherwise the next batch would inherit the doubts of this one
		r.uncertain = false
	}
	b.LookAt(r.Core.Scheduling(), env.Handle(node), int64(at))
	b.From, b.Inexact, b.NoTicks, b.LastRunIsUpperBound = r.KnownFrom, r.inexact, true, false
	if b.DemandLag = 0; r.sampledDemand {
		b.DemandLag = r.records.Slack()
	}
	if node >= 0 {
		limits := r.Core.Node(node).Limits
		b.Node.Limits, b.Node.Asked = r.room(limits), r.unmeasured(limits)
		b.Node.Interval, b.Node.SSDSince = r.intervalOf(node), int64(r.Core.Node(node).LastSSD)
		b.NoTicks = !r.Core.Node(node).TellsPreemptive
		b.Node.LastPreemptive, b.LastRunIsUpperBound = r.Core.PreemptiveBefore(node, at)
		b.Node.Overcommitted, b.Node.OvercommittedWithin = r.Core.OverfullSince(node), r.Core.CrowdedSince(node)
	}
}

// noteStarted adds the starts of the heartbeat to a batch; r.preemptors keeps their indexes by
// start. It returns the resources of preemptive starts, and the evidence for them.
func (r *Referee) noteStarted(g *heartbeat, b *judge.Batch) (inPlace resource.Vector, stages judge.Evidence) {
	stages = judge.Recorded
	r.preemptors = r.preemptors[:0]
	for k, i := range g.started {
		e := &r.instant.Events[i]
		r.preemptors = append(r.preemptors, -1)
		element := scheduling.Root // of an operation that has ended or is not known yet
		if slot, ok := r.Core.OperationOf(e.Operation); ok && r.Core.Operation(slot).Enabled() {
			o := r.Core.Operation(slot)
			r.pools = append(r.pools, o.Pool)
			element = o.Element
		}
		if r.inPlace(g, i) {
			r.preemptors[k] = b.Start(element, e.Limits)
			inPlace = inPlace.Add(e.Limits)
			if e.Stage == "" {
				stages = judge.Recomputed
			}
		} else if slot, ok := r.Core.JobOf(e.Job); ok {
			b.LeaveOut(r.Core.JobHandle(slot))
		}
	}
	return inPlace, stages
}

// noteTaken adds the victims of the heartbeat to a batch, each with its row, and returns the
// evidence for their reasons and preemptors.
func (r *Referee) noteTaken(g *heartbeat, b *judge.Batch) judge.Evidence {
	r.rows = r.rows[:0]
	evidence := judge.Recorded
	for _, i := range g.taken {
		e := &r.instant.Events[i]
		slot, ok := r.Core.JobOf(e.Job)
		if !ok {
			continue
		}
		j := r.Core.Job(slot)
		r.pools = append(r.pools, r.Core.Operation(j.Operation).Pool)
		r.rows = slices.Grow(r.rows, 1)[:len(r.rows)+1]
		row := &r.rows[len(r.rows)-1]
		r.preemptionRow(row, e, slot)
		row.ending, row.asked = r.endingOf(e, j), j.Asked
		reason := e.PreemptionReason()
		if reason == scheduling.ForOther {
			row.code = e.Preemption.Reason
		}
		if row.stated = reason != scheduling.NoReason; !row.stated {
			evidence = max(evidence, judge.Recomputed)
		}
		if reason == scheduling.ForViolatedLimits && r.hasNewLimits(j.Operation, e.Time) {
			evidence = judge.Possible
		}
		preemptor := r.preemptor(g, e, reason, row)
		if preemptor >= 0 && e.PreemptorJob == "" {
			evidence = max(evidence, judge.Recomputed)
		}
		b.AddVictim(r.Core.JobHandle(slot), reason, preemptor)
		b.Taken[len(b.Taken)-1].Unnamed = e.PreemptorJob == ""
	}
	return evidence
}

// hasMoved reports whether an operation with jobs on the node, or for which they were taken, may
// have been in another pool at the tick on which the heartbeat is based (core/spec/scheduling.md
// §13.2).
func (r *Referee) hasMoved(b *judge.Batch, at core.Time) bool {
	recent := func(since core.Time) bool { return int64(at-since) <= r.slacks.Noticed() }
	return recent(r.Core.LastSet()) && slices.ContainsFunc(b.States[0].Elements, func(e judge.Element) bool {
		_, id := r.Core.Owner(e.Handle)
		slot, ok := r.Core.OperationOf(id)
		return ok && recent(r.Core.Operation(slot).LastMoved)
	})
}

// hasNewLimits reports whether the limits or the pool of an operation changed so recently that
// others may still be in force.
func (r *Referee) hasNewLimits(operation int32, at core.Time) bool {
	o := r.Core.Operation(operation)
	changed := max(o.LastLimited, o.LastMoved)
	return int64(at-changed) <= r.slacks.Configuration
}

// preemptor returns the preemptor of a victim as a value of judge.Taken.Preemptor. That a named job
// did not start in this heartbeat is significant only if the log contains the heartbeat or has the
// job on another node: otherwise the time of the preemption is inferred.
func (r *Referee) preemptor(g *heartbeat, e *core.Event, reason scheduling.Reason, row *preemption) int32 {
	switch {
	case reason == scheduling.ForGracefulPreemption || reason == scheduling.ForOvercommit || reason == scheduling.ForViolatedLimits || reason == scheduling.ForOther:
		return judge.NoPreemptor
	case e.Preemptor < 0 && e.PreemptorJob == "":
		if reason != scheduling.NoReason && r.detailed() {
			return judge.NoPreemptor
		}
		return judge.PreemptorUnknown
	}
	for k, i := range g.started {
		s := &r.instant.Events[i]
		if place := r.preemptors[k]; place >= 0 &&
			(e.PreemptorJob == "" && s.Operation == e.Preemptor ||
				e.PreemptorJob != "" && e.PreemptorJob == string(s.Name)) {
			row.For, row.ForJob, row.Inferred = core.Some(s.Operation), r.texts.copyOf(s.Name), e.PreemptorJob == ""
			if slot, ok := r.Core.OperationOf(s.Operation); ok {
				row.ForPool = core.Some(r.Core.Pool(r.Core.Operation(slot).Pool).ID)
			}
			return place
		}
	}
	if e.Preemptor >= 0 {
		row.For = core.Some(e.Preemptor)
	}
	row.ForJob = e.PreemptorJob
	switch gone := r.Core.EndOf(e.Preemptor); {
	case !g.recorded && r.startedElsewhere(g, e):
		return judge.PreemptorElsewhere
	case !g.recorded:
		return judge.PreemptorUnknown
	case gone.Set && int64(e.Time-gone.Value) <= r.slacks.Noticed():
		return judge.PreemptorEnded
	}
	return judge.PreemptorElsewhere
}

// startedElsewhere reports whether the preemptor's job has started on another node: in this
// instant, or as one of the last of its operation.
func (r *Referee) startedElsewhere(g *heartbeat, e *core.Event) (elsewhere bool) {
	if e.PreemptorJob == "" || g.node < 0 {
		return false
	}
	isElsewhere := func(node int32) bool { return node >= 0 && node != g.node }
	for i := range r.instant.Events {
		if s := &r.instant.Events[i]; s.Kind == core.JobStarted && e.PreemptorJob == string(s.Name) {
			return isElsewhere(r.nodeOf(s))
		}
	}
	operation, ok := r.Core.OperationOf(e.Preemptor)
	if !ok || !r.Core.Operation(operation).Enabled() {
		return false
	}
	left := elsewhereAt
	r.Core.Scheduling().LatestJobs(r.Core.Operation(operation).Element, func(h scheduling.Job) (more bool) {
		if slot, live := r.Core.JobBehind(h); live && string(r.Core.Job(slot).Name) == e.PreemptorJob {
			elsewhere, left = isElsewhere(r.Core.Job(slot).Node), 0
		}
		left--
		return left > 0
	})
	return elsewhere
}

// detailed reports whether the log records all details of preemptions, so that one without a
// recorded preemptor had none.
func (r *Referee) detailed() bool {
	for _, f := range r.Log.Facts {
		if f.Aspect == "preemption_details" {
			return f.State == "full"
		}
	}
	return true
}

// noteVague marks the jobs of a node that may hold SSD, or whose segment may not fit it, as far as
// the log does not exclude that.
func (r *Referee) noteVague(b *judge.Batch, node int32) {
	segments := r.Core.Config().Segments.Enable
	if !segments && !b.Node.SSD {
		return
	}
	for i := range b.Jobs {
		j := &b.Jobs[i]
		_, id := r.Core.Owner(b.States[0].Elements[j.Operation].Handle)
		operation, ok := r.Core.OperationOf(id)
		if !ok {
			continue
		}
		j.SSDUnknown = b.Node.SSD && !j.SSD && !r.Core.KnowsSSDOf(operation)
		if _, known := r.Core.SegmentFits(operation, node); segments && !known {
			j.Forced, j.ForcedUnknown = false, true
		}
	}
}

// lookAtDemand reports whether a preemptor, or others in its pools, may have needed more than
// recorded, now or so early that clocks depend on it. If every update was recorded meanwhile,
// shares and clocks follow the demand of the records.
func (r *Referee) lookAtDemand(b *judge.Batch, at core.Time) bool {
	for i := range b.Started {
		for x := b.Started[i].Operation; x >= 0; x = b.States[0].Elements[x].Above {
			own := b.States[0].Element(x)
			patience := core.Time(max(own.Timeouts.Starving, own.MinShare) + r.slacks.Noticed())
			if !r.exactDemand && at-r.records.Unrecorded() > patience {
				continue
			}
			if doubted := r.Core.LastNeedDoubt(own.Handle, at); at-doubted <= patience {
				b.Shaken |= judge.OnDemand
				return true
			}
		}
	}
	return false
}

// lookAtOthers fills in victims of simultaneous heartbeats of other nodes, usage of jobs that ended
// just before by the log but maybe not by the scheduler's clock (ingest/trace/FORMAT.md §4.2), and
// drops of usage within its lag that a repair of limits may not have known. It reports whether
// there are any, and is called only for breaches.
func (r *Referee) lookAtOthers(b *judge.Batch, node int32, at core.Time) bool {
	repairs := slices.ContainsFunc(b.Taken, func(t judge.Taken) bool { return t.Reason == scheduling.ForViolatedLimits })
	clock := at - core.Time(r.slacks.Clock)
	since := clock
	if repairs {
		since = at - core.Time(r.slacks.Heartbeat)
	}
	others, ended := r.Core.PreemptedSince(since), r.Core.EndedSince(clock)
	if r.uncertain = repairs || others || ended; !r.uncertain {
		return false
	}
	elements := b.States[0].Elements
	for i := range elements {
		e := &elements[i]
		if repairs {
			_, most := r.Core.UsageSince(e.Handle, at-core.Time(r.slacks.Usage))
			e.Dropped = most.Sub(r.Core.UsageOf(e.Handle))
		}
		if others {
			e.Elsewhere = r.Core.PreemptedElsewhere(e.Handle, node, since)
		}
		if ended {
			e.Elsewhere = e.Elsewhere.Add(r.Core.EndedIn(e.Handle, clock))
		}
	}
	return true
}

// askForSSD trusts the recorded stage: if it serves requests for SSD and the media of the operation
// are not recorded, the operation counts as requesting SSD.
func (r *Referee) askForSSD(b *judge.Batch) {
	for k := range b.Taken {
		t := &b.Taken[k]
		ssd := t.Reason == scheduling.ForSSDPreemption || t.Reason == scheduling.ForSSDAggressivePreemption
		if !ssd || t.Preemptor < 0 || b.Started[t.Preemptor].Operation < 0 {
			continue
		}
		served := b.States[0].Element(b.Started[t.Preemptor].Operation)
		_, id := r.Core.Owner(served.Handle)
		if slot, ok := r.Core.OperationOf(id); !ok || !r.Core.Operation(slot).KnowsMedia() {
			served.RequestsSSD = true
		}
	}
}
