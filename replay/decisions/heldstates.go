package decisions

import (
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
)

// A held decision is judged in all the states that the scheduler may have made it in: these
// are those beside the best estimate (core/spec/scheduling.md §13.2, core/spec/invariants.md §1).

// takeEarlier adds the states of before: that which the tick before the last one left, for
// the scheduler may have made that one later, and where settings changed that shares follow
// from, the fair shares that it may have gone by until it knew (two-sided evaluation,
// core/spec/invariants.md §1).
func (h *held) takeEarlier(r *Referee) {
	if int64(h.at-r.Core.Updated()) <= r.slacks.Noticed() {
		h.decision().LookBefore(r.Core.Scheduling())
	}
	if h.batch == nil {
		return
	}
	if since := r.Core.LastSet(); int64(h.at-since) <= r.slacks.Configuration {
		h.takeShares(r, func(l *env.ShareHistory, now resource.Share) resource.Share {
			return l.Farthest(h.at, r.slacks.Configuration, now)
		})
	}
}

// takeClocks adds a state in which clocks of elements stand otherwise, if those of some may
// have: they began at other moments, or wait for other timeouts, or for an operation that
// takes part.
func (h *held) takeClocks(change func(i int, own *judge.Element)) {
	var other *judge.State
	for i := range h.owners {
		own, best := h.batch.States[0].Elements[i], &h.batch.States[0].Elements[i]
		if change(i, &own); own.Starvation == best.Starvation && own.Schedulable == best.Schedulable {
			continue
		}
		if other == nil {
			other = h.batch.Other()
		}
		other.Elements[i] = own
	}
}

// takeSteady adds the state in which the scheduler has not seen the gaps between which an
// element was below a share, or not schedulable, as they may have fallen between two of its
// ticks, or after the last, and has seen how few jobs an operation waited for between two of
// the replay (core/spec/scheduling.md §13.2).
func (h *held) takeSteady(r *Referee) {
	if h.batch == nil {
		return
	}
	t, lag := r.Core.Scheduling(), r.slacks.Noticed()
	h.takeClocks(func(_ int, own *judge.Element) {
		fairShare, minShare := t.SteadySince(own.Handle, int64(h.at), lag)
		if own.Operation {
			own.Schedulable = t.AskedAt(own.Handle, int64(h.at), lag)
			own.Timeouts, own.MinShare = t.FewestTimeouts(own.Handle)
		}
		own.Starvation.StartAt(fairShare, minShare, int64(h.at), own.Timeouts, own.MinShare)
		own.Starvation.Hasten(int64(h.at), own.Timeouts, own.MinShare)
	})
}

// takeReturned adds the state in which operations came back as late after a restart as the log
// allows, so that the clocks of all above them began as late. The log need not record when they
// were revived (ingest/trace/FORMAT.md §4.1), and a restart resets clocks
// (core/spec/scheduling.md §7.3).
func (h *held) takeReturned(r *Referee) {
	restarted := r.Core.Restarted()
	if h.batch == nil || restarted == core.Never {
		return
	}
	elements := h.batch.States[0].Elements
	back := make([]core.Time, len(h.owners)) // of each element, the latest return that the batch allows
	for i, o := range slices.Backward(h.owners) {
		if o.Operation != core.Unknown {
			back[i] = r.backBy(o.Operation)
		}
		if above := elements[i].Above; above >= 0 {
			back[above] = max(back[above], back[i])
		}
	}
	h.takeClocks(func(i int, own *judge.Element) {
		if since, below := own.Starvation.Since(); below && since >= int64(restarted) {
			fairShare, minShare := r.noEarlier(h.at, back[i], back[i], own)
			own.Starvation.StartAt(fairShare, minShare, int64(h.at), own.Timeouts, own.MinShare)
		}
	})
}

// noEarlier returns since when an element has been below its shares if it was not until some
// moments, and the ticks that found it so came as late. Where it starves all the same
// nothing is gained by that.
func (r *Referee) noEarlier(at, fair, minShare core.Time, own *judge.Element) (fairShare, strong int64) {
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

// backBy is when an operation was there again at the latest after the last restart.
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

// takeShares adds a state with other fair shares, if some are other ones.
func (h *held) takeShares(r *Referee, other func(l *env.ShareHistory, now resource.Share) resource.Share) {
	var earlier *judge.State
	for i, o := range h.owners {
		c, now := r.course(o), h.batch.States[0].Elements[i].Fair
		if c == nil {
			continue
		}
		before := other(&c.Given, now)
		if before == now {
			continue
		}
		if earlier == nil {
			earlier = h.batch.Other()
		}
		earlier.Elements[i].Fair = before
	}
}

// takeUnsettled adds to a batch the state in which the last update before it went by other
// demands: the update may or may not have known rows of demand within the slack of clocks
// (ingest/trace/FORMAT.md §4.2), or others needed more than the replay assumes. Fair shares are
// then off by as much, mostly in favour of what was taken.
func (h *held) takeUnsettled(r *Referee) {
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
	other := h.batch.Other()
	for i := range other.Elements {
		e := &other.Elements[i]
		if h.loses(int32(i)) {
			e.Fair = e.Fair.Sub(off).Max(resource.Share{})
		} else {
			e.Fair = e.Fair.Add(off)
		}
	}
}

// loses reports whether a batch took jobs of an element or below it.
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

// takeStated adds the state in which elements starve as the last snapshot says, where it
// contradicts the replay: ticks of the scheduler may have seen other jobs than the log records.
func (h *held) takeStated(r *Referee) {
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
			stated = h.batch.Other()
		}
		starvation := &stated.Elements[i].Starvation
		starvation.FairShare.Status, starvation.MinShare.Status = status, scheduling.NonStarving
	}
}

// followHeld notes rows with times of their own, as those of nodes and operations, that the held
// decisions may have gone by (two-sided evaluation, core/spec/invariants.md §1).
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

// takeLeft adds to a batch the state in which jobs were there still that the log has leave its
// node just before, by the clock of an agent that need not be the scheduler's
// (ingest/trace/FORMAT.md §4.2): what they use is no room of the node.
func (h *held) takeLeft(r *Referee) {
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

// followLeft adds to batches the state in which a job was gone that the log has leave their
// node just after.
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

// widen gives a node so much more of the resources that are limited there.
func widen(n *judge.Node, by resource.Vector) {
	for k := range by {
		if n.Limits[k] < resource.Unlimited[k] {
			n.Limits[k] += by[k]
		}
	}
}

// takeDemand adds the state in which the last recorded row of demand counts the starts just after
// it, this one among them.
func (h *held) takeDemand(r *Referee) {
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

// takeMoved shakes what rests on demand where records alone hold it: the demand of some moment
// since the record before (ingest/trace/FORMAT.md §4.3). Shares are doubtful until the next tick
// has seen a row with another need, clocks for as long as they run. Where every update is recorded, its
// record shows the demand that it went by. The decision waits for the record that follows it
// (core/spec/scheduling.md §13.2).
func (h *held) takeMoved(r *Referee) {
	if r.exactDemand {
		return
	}
	h.until = max(h.until, h.at+core.Time(r.untilRecord()))
	moved := min(r.Core.NeedMoved(), r.records.Unrecorded())
	if h.isInferred(r) {
		moved = min(h.at, r.records.Unrecorded())
		h.shakeUnsteady(r)
	}
	patience := int64(0)
	for _, e := range h.decision().States[0].Elements {
		patience = max(patience, e.Timeouts.Starving, e.MinShare)
		if e.Timeouts.AggressiveEnabled {
			patience = max(patience, e.Timeouts.Aggressive)
		}
	}
	if since := int64(h.at - moved); since <= r.slacks.Noticed() {
		h.shake(judge.OnDemand | judge.OnShares)
	} else if since <= patience+r.slacks.Noticed() {
		h.shake(judge.OnDemand)
	}
}

// isInferred reports whether it is a batch whose moment and jobs follow from other rows than those of heartbeats.
func (h *held) isInferred(r *Referee) bool {
	return h.batch != nil && !r.exactDemand && !r.Log.Records("heartbeats", "recorded")
}

// shakeUnsteady shakes what rests on the jobs and the demand of others in an inferred batch, where the last snapshot
// leaves updates or jobs out.
func (h *held) shakeUnsteady(r *Referee) {
	if !r.records.IsSteady() {
		h.shake(judge.OnDemand | judge.OnShares | judge.OnJobs)
	}
}

// untilRecord is the time within which the next record shows what decisions went by.
func (r *Referee) untilRecord() int64 {
	return max(r.slacks.Record, r.records.Slack()) + r.slacks.Noticed()
}

// shake has the rules that rest on something prove nothing for certain.
func (h *held) shake(on judge.Inputs) { h.decision().Shaken |= on }

// asksMore reports whether a graceful operation may be below its fair share, which is at most as
// much more as it may need more, and others less, than they are taken to.
func (h *held) asksMore(r *Referee, o *core.Operation) bool {
	if own := h.start.States[0].Element(h.start.Operation); !own.Graceful || own.BelowFairShare {
		return false
	}
	more := o.MostNeeded.Sub(o.Needed).Add(r.Core.LessNeeded())
	return r.Core.Scheduling().WouldBeBelow(o.Element, r.leastUsage(o, h.at).Sub(more), r.Core.Total())
}

// followDemand notes what the operations of held starts need by a row just after them, which need
// not count them: the log records demand by clocks of its own (ingest/trace/FORMAT.md §4.3). A
// row of the record that follows may describe the time before them (takeMoved).
func (r *Referee) followDemand(e *core.Event) {
	slot, ok := r.Core.OperationOf(e.Operation)
	moved := !r.exactDemand && !r.records.ShowsUpdate(e.Time) && (!ok || r.Core.Operation(slot).Needed != e.Needed)
	for _, h := range r.Held {
		if moved && int64(e.Time-h.at) <= r.untilRecord() {
			h.shake(judge.OnDemand | judge.OnShares)
		}
		if h.start != nil && h.start.Operation >= 0 && h.row.Operation == e.Operation && int64(e.Time-h.at) <= r.slacks.Clock {
			h.lookAtDemand(e.Needed, false)
		}
	}
}

// lookAtDemand adds a state in which the operation of a start needs so much beyond what it
// uses, if that is more, or has it below its fair share.
func (h *held) lookAtDemand(needed resource.Vector, below bool) {
	own := h.start.States[0].Element(h.start.Operation)
	demand := own.Amount.Add(needed)
	if !needed.IsZero() && !h.start.Suspended && (below || !own.Schedulable || !demand.FitsIn(own.DemandAmount)) {
		other := h.start.Other().Element(h.start.Operation)
		other.DemandAmount = demand.Max(own.DemandAmount)
		other.Schedulable = own.Schedulable || h.start.Running == judge.Yes
		other.BelowFairShare = own.BelowFairShare || below
	}
}

// lookSince takes into account what became other within its slack since a held decision, so
// that the scheduler may have known it before the log does: tags that make a node one for
// SSD or none, segments, and the pool of an operation.
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
		h.start.MovedSince, h.start.Joined = int64(o.LastMoved), max(h.start.Joined, r.left(h, o.Pool))
	}
}

// forceJobs notes whose segment does not fit the node of a held batch any more: it may not
// have fitted then.
func (h *held) forceJobs(r *Referee, node int32) {
	for i := range h.batch.Jobs {
		j := &h.batch.Jobs[i]
		if slot, ok := r.Core.OperationOf(h.owners[j.Operation].Operation); ok && !j.Forced {
			fits, known := r.Core.SegmentFits(slot, node)
			j.ForcedUnknown = j.ForcedUnknown || known && !fits
		}
	}
}

// left is how many of the pools that the operation of a held start was in, the lowest ones,
// are neither another pool nor above it.
func (r *Referee) left(h *held, pool int32) (n int32) {
	elements := h.start.States[0].Elements
	for x := elements[h.start.Operation].Above; x >= 0 && !r.isIn(pool, h.owners[x].Pool); x = elements[x].Above {
		n++
	}
	return n
}

// isIn reports whether a pool is another or below it.
func (r *Referee) isIn(pool int32, above core.PoolID) bool {
	for ; pool > 0; pool = r.Core.Pool(pool).Parent {
		if r.Core.Pool(pool).ID == above {
			return true
		}
	}
	return false
}

// lookAtNode adds a state in which the node is otherwise.
func (h *held) lookAtNode(change func(n *judge.Node)) {
	d := h.decision()
	n := d.Node
	change(&n)
	d.Other().Node = &n
}

// keepDemand gives a start the demand of its moment, where the log records it exactly: a later
// one counts the started job itself.
func (r *Referee) keepDemand(s *judge.Start) {
	if r.exactDemand {
		last := len(s.States) - 1
		s.States[last].Elements[s.Operation].DemandAmount = s.States[0].Elements[s.Operation].DemandAmount
	}
}

// lookBelow takes into account that the shares of a later update may have been those of
// one before the start, which saw none of the jobs that began since the last known one
// (HB-06): below or not says what the operation used then, not what it uses now.
func (r *Referee) lookBelow(h *held) {
	s := h.start
	own := s.States[len(s.States)-1].Element(s.Operation)
	if own.Graceful && !own.BelowFairShare && r.stillOwns(h)(own.Handle) {
		own.BelowFairShare = r.Core.Scheduling().WouldBeBelow(own.Handle, h.least, s.States[0].Total)
	}
}

// takeRelieved adds the state in which ticks of the scheduler have seen what those of the
// replay have not: elements that were not below a share for a moment.
func (h *held) takeRelieved(r *Referee) {
	if h.batch == nil {
		return
	}
	h.takeClocks(func(i int, own *judge.Element) {
		if c := r.course(h.owners[i]); c != nil {
			fairShare, minShare := r.noEarlier(h.at, c.Reliefs[0].At(h.at), c.Reliefs[1].At(h.at), own)
			own.Starvation.StartAt(fairShare, minShare, int64(h.at), own.Timeouts, own.MinShare)
		}
	})
}
