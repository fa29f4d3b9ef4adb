package decisions

import (
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
)

// A held decision is judged in all states in which the scheduler may have made it. This file adds
// the states other than the best estimate (core/spec/scheduling.md §13.2, core/spec/invariants.md
// §1).

// addEarlier adds earlier states: that of the tick before the last one, because the scheduler's
// tick may have come later, and, if settings of shares changed, the fair shares that were in force
// before (two-sided evaluation, core/spec/invariants.md §1).
func (h *held) addEarlier(r *Referee) {
	if int64(h.at-r.Core.Updated()) <= r.slacks.Noticed() {
		h.decision().LookBefore(r.Core.Scheduling())
	}
	if h.batch == nil {
		return
	}
	if since := r.Core.LastSet(); int64(h.at-since) <= r.slacks.Configuration {
		h.addShares(r, func(l *env.ShareHistory, now resource.Share) resource.Share {
			return l.Farthest(h.at, r.slacks.Configuration, now)
		})
	}
}

// addClocks adds a state with changed clocks, if change alters some: other starts, other timeouts,
// or an operation that takes part.
func (h *held) addClocks(change func(i int, own *judge.Element)) {
	var other *judge.State
	for i := range h.owners {
		own, best := h.batch.States[0].Elements[i], &h.batch.States[0].Elements[i]
		if change(i, &own); own.Starvation == best.Starvation && own.Schedulable == best.Schedulable {
			continue
		}
		if other == nil {
			other = h.batch.AddState()
		}
		other.Elements[i] = own
	}
}

// addUnbroken adds the state in which the scheduler's ticks missed gaps in which an element was not
// below a share or not schedulable, and saw the fewest pending jobs of an operation between two
// ticks of the replay (core/spec/scheduling.md §13.2).
func (h *held) addUnbroken(r *Referee) {
	if h.batch == nil {
		return
	}
	t, lag := r.Core.Scheduling(), r.slacks.Noticed()
	h.addClocks(func(_ int, own *judge.Element) {
		fairShare, minShare := t.UnbrokenSince(own.Handle, int64(h.at), lag)
		if own.Operation {
			own.Schedulable = t.MayHaveBeenSchedulable(own.Handle, int64(h.at), lag)
			own.Timeouts, own.MinShare = t.FewestTimeouts(own.Handle)
		}
		own.Starvation.StartAt(fairShare, minShare, int64(h.at), own.Timeouts, own.MinShare)
		own.Starvation.ApplyTimeouts(int64(h.at), own.Timeouts, own.MinShare)
	})
}

// addLateRevival adds the state in which operations came back after a restart as late as the log
// allows, so that the clocks of their pools also started late. The log may not record the revival
// (ingest/trace/FORMAT.md §4.1), and a restart resets clocks (core/spec/scheduling.md §7.3).
func (h *held) addLateRevival(r *Referee) {
	restarted := r.Core.Restarted()
	if h.batch == nil || restarted == core.Never {
		return
	}
	elements := h.batch.States[0].Elements
	back := make([]core.Time, len(h.owners)) // by element, the latest possible return
	for i, o := range slices.Backward(h.owners) {
		if o.Operation != core.Unknown {
			back[i] = r.backBy(o.Operation)
		}
		if above := elements[i].Above; above >= 0 {
			back[above] = max(back[above], back[i])
		}
	}
	h.addClocks(func(i int, own *judge.Element) {
		if since, below := own.Starvation.Since(); below && since >= int64(restarted) {
			fairShare, minShare := r.latestStart(h.at, back[i], back[i], own)
			own.Starvation.StartAt(fairShare, minShare, int64(h.at), own.Timeouts, own.MinShare)
		}
	})
}

// latestStart returns the starts of an element's clocks if it was not below its shares until the
// given times and the ticks that found it below came as late. If the element still starves, the
// later start changes no ruling.
func (r *Referee) latestStart(at, fair, minShare core.Time, own *judge.Element) (fairShare, strong int64) {
	later := func(c scheduling.Clock, until core.Time) int64 {
		if c.Since == scheduling.Never || c.Since >= int64(until) {
			return c.Since
		}
		return int64(until) + r.slacks.Tick
	}
	h := own.Starvation
	fairShare, strong = later(h.FairShare, fair), later(h.MinShare, minShare)
	if h.StartAt(fairShare, strong, int64(at), own.Timeouts, own.MinShare); h.Status() == own.Starvation.Status() {
		return own.Starvation.FairShare.Since, own.Starvation.MinShare.Since
	}
	return fairShare, strong
}

// backBy returns the latest time when an operation can have come back after the last restart.
func (r *Referee) backBy(operation core.OperationID) core.Time {
	restarted := r.Core.Restarted()
	by := restarted + core.Time(r.slacks.Reconnect)
	if slot, ok := r.Core.OperationOf(operation); ok {
		o := r.Core.Operation(slot)
		for _, seen := range [...]core.Time{o.Seen, o.LastRevived, o.LastStart} {
			if seen >= restarted {
				by = min(by, seen)
			}
		}
	}
	return by
}

// addShares adds a state with other fair shares, if some differ.
func (h *held) addShares(r *Referee, other func(l *env.ShareHistory, now resource.Share) resource.Share) {
	var earlier *judge.State
	for i, o := range h.owners {
		c, now := r.recentShares(o), h.batch.States[0].Elements[i].Fair
		if c == nil {
			continue
		}
		before := other(&c.FairShares, now)
		if before == now {
			continue
		}
		if earlier == nil {
			earlier = h.batch.AddState()
		}
		earlier.Elements[i].Fair = before
	}
}

// addOtherDemand adds to a batch the state in which the last update before it used other demands:
// it may or may not have seen rows of demand within the slack of clocks (ingest/trace/FORMAT.md
// §4.2), or others needed more than the replay assumes. Fair shares are then off by as much, mostly
// in favour of the victims.
func (h *held) addOtherDemand(r *Referee) {
	if h.batch == nil || !r.exactDemand {
		return
	}
	clock := core.Time(r.slacks.Clock)
	torn := r.Core.DemandSpread(h.updated-clock, h.updated+clock).Add(h.more)
	if torn.IsZero() {
		return
	}
	best := &h.batch.States[0]
	off := resource.Uniform(torn.ShareOf(best.Total).Dominant())
	other := h.batch.AddState()
	for i := range other.Elements {
		e := &other.Elements[i]
		if h.loses(int32(i)) {
			e.Fair = e.Fair.Sub(off).Max(resource.Share{})
		} else {
			e.Fair = e.Fair.Add(off)
		}
	}
}

// loses reports whether a batch took jobs below an element.
func (h *held) loses(element int32) bool {
	elements := h.batch.States[0].Elements
	for k := range h.batch.Taken {
		for x := h.batch.Jobs[h.batch.Taken[k].Job].Operation; x >= 0; x = elements[x].Above {
			if x == element {
				return true
			}
		}
	}
	return false
}

// addRecordedStatuses adds the state with the statuses of the last snapshot, if they contradict the
// replay: ticks of the scheduler may have seen other jobs than the log records.
func (h *held) addRecordedStatuses(r *Referee) {
	if h.batch == nil {
		return
	}
	var stated *judge.State
	for i, o := range h.owners {
		status, denied := r.records.StatusDenied(r.Core, o)
		if !denied {
			continue
		}
		if stated == nil {
			stated = h.batch.AddState()
		}
		starvation := &stated.Elements[i].Starvation
		starvation.FairShare.Status, starvation.MinShare.Status = status, scheduling.NonStarving
	}
}

// followHeld applies rows with their own clocks, such as those of nodes and operations, on which
// held decisions may be based (two-sided evaluation, core/spec/invariants.md §1).
func (r *Referee) followHeld(e *core.Event) {
	switch e.Kind {
	case core.DemandChanged:
		r.followDemand(e)
	case core.JobFinished:
		r.followLeft(e)
	}
	if e.Kind != core.NodeChanged || !e.Online {
		return
	}
	for _, h := range r.Held {
		if int64(e.Time-h.at) <= r.rowLag() && h.node() == core.Some(e.Node) {
			h.lookAtNode(func(n *judge.Node) {
				n.Limits, n.Asked, n.Disabled = r.room(e.Limits), r.unmeasured(e.Limits), n.Disabled && e.Limits[resource.UserSlots] == 0
			})
		}
	}
}

// addLateLeaving adds to a batch the state in which jobs that left its node just before, by the
// clock of an agent, were still there (ingest/trace/FORMAT.md §4.2): their usage is not free.
func (h *held) addLateLeaving(r *Referee) {
	if h.batch == nil || h.batch.NoNode || !h.node().Set {
		return
	}
	node, known := r.Core.NodeOf(h.node().Value)
	if !known {
		return
	}
	if left := r.Core.ReleasedSince(node, h.at-core.Time(r.slacks.Clock)); !left.IsZero() {
		h.lookAtNode(func(n *judge.Node) { widen(n, resource.Vector{}.Sub(left)) })
	}
}

// followLeft adds to batches the state in which a job that leaves their node just after was already
// gone.
func (r *Referee) followLeft(e *core.Event) {
	slot, ok := r.Core.JobOf(e.Job)
	if !ok || r.Core.Job(slot).Node < 0 {
		return
	}
	j := r.Core.Job(slot)
	node := core.Some(r.Core.Node(j.Node).ID)
	for _, h := range r.Held {
		if h.batch != nil && j.Start < h.at && int64(e.Time-h.at) <= r.slacks.Clock && h.node() == node {
			h.batch.LookWithout(r.Core.JobHandle(slot))
		}
	}
}

// widen adds to the limited resources of a node.
func widen(n *judge.Node, by resource.Vector) {
	for k := range by {
		if n.Limits[k] < resource.Unlimited[k] {
			n.Limits[k] += by[k]
		}
	}
}

// addDemandBeforeStarts adds the state in which the last row of demand already accounts for the
// starts just after it, including this one.
func (h *held) addDemandBeforeStarts(r *Referee) {
	slot, ok := r.takesPart(h.row.Operation)
	if h.start == nil || h.start.Operation < 0 || !ok {
		return
	}
	o := r.Core.Operation(slot)
	switch below := h.asksMore(r, o); {
	case o.NeedMayInclude(h.at):
		h.lookAtDemand(o.MostNeeded.Add(h.start.Size), below)
	case o.MostNeeded != o.Needed || below:
		h.lookAtDemand(o.MostNeeded, below)
	}
}

// doubtDemand doubts the inputs that depend on demand if only records state it: the demand of some
// time since the previous record (ingest/trace/FORMAT.md §4.3). Shares are doubtful until the next
// tick has seen a row with another need, clocks for as long as they run. If every update is
// recorded, its record shows the demand that it used. The decision waits for the next record
// (core/spec/scheduling.md §13.2).
func (h *held) doubtDemand(r *Referee) {
	if r.exactDemand {
		return
	}
	h.until = max(h.until, h.at+core.Time(r.untilRecord()))
	moved := min(r.Core.NeedMoved(), r.records.Unrecorded())
	if h.isInferred(r) {
		moved = min(h.at, r.records.Unrecorded())
		h.doubtInferred(r)
	}
	patience := int64(0)
	for _, e := range h.decision().States[0].Elements {
		patience = max(patience, e.Timeouts.Starving, e.MinShare)
		if e.Timeouts.AggressiveEnabled {
			patience = max(patience, e.Timeouts.Aggressive)
		}
	}
	if since := int64(h.at - moved); since <= r.slacks.Noticed() {
		h.addDoubt(judge.OnDemand | judge.OnShares)
	} else if since <= patience+r.slacks.Noticed() {
		h.addDoubt(judge.OnDemand)
	}
}

// isInferred reports whether it is a batch whose time and jobs are inferred from rows other than
// heartbeats.
func (h *held) isInferred(r *Referee) bool {
	return h.batch != nil && !r.exactDemand && !r.Log.Records("heartbeats", "recorded")
}

// doubtInferred doubts the jobs and the demand of others for an inferred batch, if the last
// snapshot leaves updates or jobs out.
func (h *held) doubtInferred(r *Referee) {
	if !r.records.IsSteady() {
		h.addDoubt(judge.OnDemand | judge.OnShares | judge.OnJobs)
	}
}

// untilRecord returns the time within which the next record shows the inputs of decisions.
func (r *Referee) untilRecord() int64 {
	return max(r.slacks.Record, r.records.Slack()) + r.slacks.Noticed()
}

// addDoubt marks inputs as uncertain: rules that depend on them are at most suspect.
func (h *held) addDoubt(on judge.Inputs) { h.decision().Shaken |= on }

// asksMore reports whether a graceful operation may be below its fair share, given the additional
// need that it may have and the lower need that others may have.
func (h *held) asksMore(r *Referee, o *core.Operation) bool {
	if own := h.start.States[0].Element(h.start.Operation); !own.Graceful || own.BelowFairShare {
		return false
	}
	more := o.MostNeeded.Sub(o.Needed).Add(r.Core.LessNeeded())
	return r.Core.Scheduling().WouldBeBelow(o.Element, r.leastUsage(o, h.at).Sub(more), r.Core.Total())
}

// followDemand applies a row of demand just after held starts of its operation, which may not
// account for them: demand has its own clock (ingest/trace/FORMAT.md §4.3). A row of the next
// record may describe the time before them (doubtDemand).
func (r *Referee) followDemand(e *core.Event) {
	slot, ok := r.Core.OperationOf(e.Operation)
	moved := !r.exactDemand && !r.records.ShowsUpdate(e.Time) && (!ok || r.Core.Operation(slot).Needed != e.Needed)
	for _, h := range r.Held {
		if moved && int64(e.Time-h.at) <= r.untilRecord() {
			h.addDoubt(judge.OnDemand | judge.OnShares)
		}
		if h.start != nil && h.start.Operation >= 0 && h.row.Operation == e.Operation && int64(e.Time-h.at) <= r.slacks.Clock {
			h.lookAtDemand(e.Needed, false)
		}
	}
}

// lookAtDemand adds a state in which the operation of a start has the given additional need, if
// that is more, or is below its fair share.
func (h *held) lookAtDemand(needed resource.Vector, below bool) {
	own := h.start.States[0].Element(h.start.Operation)
	demand := own.Amount.Add(needed)
	if !needed.IsZero() && !h.start.Suspended && (below || !own.Schedulable || !demand.FitsIn(own.DemandAmount)) {
		other := h.start.AddState().Element(h.start.Operation)
		other.DemandAmount = demand.Max(own.DemandAmount)
		other.Schedulable = own.Schedulable || h.start.Running == judge.Yes
		other.BelowFairShare = own.BelowFairShare || below
	}
}

// lookSince applies changes within their slack after a held decision, which the scheduler may have
// known before the log: tags that make a node an SSD-priority node or no longer one, segments, and
// the pool of an operation.
func (r *Referee) lookSince(h *held) {
	follows := func(at core.Time, slack int64) bool { return at > h.at && int64(at-h.at) <= slack }
	lag := int64(r.nodesLag)
	node, known := int32(-1), false
	if id := h.node(); id.Set {
		node, known = r.Core.NodeOf(id.Value)
	}
	if known {
		if at := r.Core.Node(node).LastSSD; follows(at, r.slacks.Tagged()+lag) {
			h.decision().Node.SSDSince = int64(at)
		}
	}
	if h.start == nil {
		if known && follows(r.Core.SegmentedSince(node), r.slacks.Clock+lag) {
			h.forceJobs(r, node)
		}
		return
	}
	slot, ok := r.takesPart(h.row.Operation)
	if !ok {
		return
	}
	o := r.Core.Operation(slot)
	if known {
		at := max(r.Core.SegmentedSince(node), o.SegmentSince)
		if fits, known := r.Core.SegmentFits(slot, node); follows(at, r.slacks.Segments+lag) && known && fits {
			h.start.SegmentSince = int64(at)
		}
		if follows(o.RunsDoubted, r.slacks.Segments+lag) {
			h.start.RunsSince = int64(o.RunsDoubted)
		}
	}
	if follows(o.LastMoved, r.slacks.Configuration) {
		h.start.MovedSince, h.start.Joined = int64(o.LastMoved), max(h.start.Joined, r.levelsLeft(h, o.Pool))
	}
}

// forceJobs marks jobs whose segment no longer fits the node of a held batch: it may not have
// fitted at the decision.
func (h *held) forceJobs(r *Referee, node int32) {
	for i := range h.batch.Jobs {
		j := &h.batch.Jobs[i]
		if slot, ok := r.Core.OperationOf(h.owners[j.Operation].Operation); ok && !j.Forced {
			fits, known := r.Core.SegmentFits(slot, node)
			j.ForcedUnknown = j.ForcedUnknown || known && !fits
		}
	}
}

// levelsLeft counts the lowest pools of a held start's operation that do not contain another pool.
func (r *Referee) levelsLeft(h *held, pool int32) (n int32) {
	elements := h.start.States[0].Elements
	for x := elements[h.start.Operation].Above; x >= 0 && !r.isIn(pool, h.owners[x].Pool); x = elements[x].Above {
		n++
	}
	return n
}

// isIn reports whether a pool equals another or is below it.
func (r *Referee) isIn(pool int32, above core.PoolID) bool {
	for ; pool > 0; pool = r.Core.Pool(pool).Parent {
		if r.Core.Pool(pool).ID == above {
			return true
		}
	}
	return false
}

// lookAtNode adds a state with a changed node.
func (h *held) lookAtNode(change func(n *judge.Node)) {
	d := h.decision()
	n := d.Node
	change(&n)
	d.AddState().Node = &n
}

// keepDemand fixes the demand of a start at its time, if the log records demand exactly: a later
// one accounts for the started job itself.
func (r *Referee) keepDemand(s *judge.Start) {
	if r.exactDemand {
		last := len(s.States) - 1
		s.States[last].Elements[s.Operation].DemandAmount = s.States[0].Elements[s.Operation].DemandAmount
	}
}

// lookBelow adds that the shares of a later update may already have been in force at the start, by
// an update that did not see the jobs started since the last known one (HB-06): whether the
// operation was below depends on its usage at that update, not on its current usage.
func (r *Referee) lookBelow(h *held) {
	s := h.start
	own := s.States[len(s.States)-1].Element(s.Operation)
	if own.Graceful && !own.BelowFairShare && r.stillOwns(h)(own.Handle) {
		own.BelowFairShare = r.Core.Scheduling().WouldBeBelow(own.Handle, h.least, s.States[0].Total)
	}
}

// addGaps adds the state in which ticks of the scheduler saw short times in which elements were not
// below a share, which those of the replay missed.
func (h *held) addGaps(r *Referee) {
	if h.batch == nil {
		return
	}
	h.addClocks(func(i int, own *judge.Element) {
		if c := r.recentShares(h.owners[i]); c != nil {
			fairShare, minShare := r.latestStart(h.at, c.NotBelow[0].AsOf(h.at), c.NotBelow[1].AsOf(h.at), own)
			own.Starvation.StartAt(fairShare, minShare, int64(h.at), own.Timeouts, own.MinShare)
		}
	})
}
