package ledger

import (
	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A state holds the values of an element at an instant that the accounts need. They are copies,
// because the tree has changed when the lane processes them.
type state struct {
	usage resource.Vector

	// Of the last update; zero for an operation that does not take part.
	takesPart   bool
	fair        resource.Share
	limitsShare resource.Share
	guaranteed  resource.Vector // its effective guarantee

	weightless bool // its weight is set to 0

	guarantee, limits resource.Partial
	ratio             core.Optional[float64] // max_share_ratio
	filtered          bool                   // it has a tag filter

	priority scheduling.Priority // of its own, whatever the elements below it
	counting bool                // a clock of its starvation runs
	since    int64               // when it, or the pool that entitles it to preempt, began to starve; scheduling.Never if none does
}

// An operationState is the state of an operation.
type operationState struct {
	state
	alive              bool // and has not ended
	running, suspended bool
	id                 core.OperationID
	pool               int32 // slot
	poolID             core.PoolID
	needed, demand     resource.Vector
	job                resource.Vector // the smallest that it waits for

	behind   int32               // slot of the pool whose limit keeps it pending, or -1
	obstacle scheduling.Obstacle // the reason why no node starts its jobs
}

// A poolState is the state of a pool.
type poolState struct {
	state
	removed bool
	id      core.PoolID
	parent  int32 // slot, -1 for the root
	demand  resource.Vector

	fifo     bool    // its share is not divided by weights
	integral bool    // it has an integral guarantee
	missing  float64 // what that would add if the pool had volume
}

// noteOperation fills the state of the operation in a slot.
func (l *Ledger) noteOperation(s *operationState, slot int32, now core.Time) {
	o := l.Core.Operation(slot)
	s.id, s.pool, s.poolID = o.ID, o.Pool, l.Core.Pool(o.Pool).ID
	s.alive, s.running, s.suspended = o.Alive && !o.Ended, o.Running, o.Suspended
	if !s.alive {
		return
	}
	s.behind = -1
	if !o.Running && !o.Suspended {
		s.behind = l.waitsBehind(slot)
	}
	if s.needed = o.Needed; s.needed.IsZero() {
		return
	}
	s.usage, s.demand = o.Usage, o.Demand()
	s.noteShares(l.Published(o))
	s.guarantee = o.Params.StrongGuarantee.Value
	if !l.causes {
		return
	}
	s.job = l.smallestJob(slot)
	s.limits, s.ratio = o.Params.ResourceLimits.Value, o.Params.MaxShareRatio
	s.filtered = o.Params.TagFilter != nil && !o.Params.TagFilter.IsEmpty()
	s.obstacle, s.weightless = l.Core.ObstacleOf(slot, now), isZero(o.Params.Weight)
	s.priority, s.counting, s.since = scheduling.NoPriority, false, scheduling.Never
	if s.takesPart {
		s.priority = l.Core.Scheduling().Priority(o.Element, scheduling.NoNode)
		s.counting, s.since = l.isCounting(o.Element), l.starvesSince(o.Element)
	}
}

// notePool fills the state of the pool in a slot.
func (l *Ledger) notePool(s *poolState, slot int32) {
	p := l.Core.Pool(slot)
	s.id, s.parent, s.removed = p.ID, p.Parent, p.Removed.Set
	if s.removed {
		return
	}
	shares := l.Core.Shares(p.Element)
	s.usage, s.demand = p.Usage, p.Demand
	s.noteShares(shares)
	c := p.Config
	s.guarantee = c.StrongGuarantee
	if !l.causes {
		return
	}
	s.weightless, s.fifo = isZero(c.Weight), c.Mode.Value == core.FIFO
	s.limits, s.ratio, s.filtered = c.ResourceLimits, c.MaxShareRatio, !c.TagFilter.IsEmpty()
	if i := shares.Integral; i != nil && c.Integral.Type != core.NoIntegral {
		s.integral, s.missing = true, max(i.Burst, i.Flow)-shares.FairShare.Integral.Dominant()
	} else {
		s.integral = false
	}
	t := l.Core.Scheduling()
	s.priority, s.counting = scheduling.NoPriority, l.isCounting(p.Element)
	if t.Options().Scope != scheduling.OperationOnly {
		s.priority = scheduling.Priority(t.Starvation(p.Element).Status()) // priorities have the order of statuses
	}
	s.since = l.starvesSince(p.Element)
}

func (s *state) noteShares(shares *fairshare.Result) {
	if s.takesPart = shares != nil; s.takesPart {
		s.fair, s.limitsShare, s.guaranteed = shares.FairShare.Total, shares.LimitsShare, shares.EffectiveGuarantee
	} else {
		s.fair = resource.Share{}
	}
}

func isZero(weight core.Optional[float64]) bool { return weight.Set && weight.Value == 0 }

func (l *Ledger) isCounting(e fairshare.Element) bool {
	clocks := l.Core.Scheduling().Starvation(e)
	return clocks.FairShare.Since != scheduling.Never || clocks.MinShare.Since != scheduling.Never
}

// starvesSince returns when the element, or the lowest starving pool above it, began to starve,
// that is, when its timeout had passed; scheduling.Never if none starves.
func (l *Ledger) starvesSince(of fairshare.Element) int64 {
	t := l.Core.Scheduling()
	e, _ := t.LowestStarvingAncestor(of)
	if e == scheduling.None {
		return scheduling.Never
	}
	own := t.Effective(e)
	fair, minShare := scheduling.Timeouts{Starving: own.Timeout}, own.MinShareTimeout
	if t.IsOperation(e) {
		fair, minShare = t.OperationTimeouts(e)
	}
	if t.Options().Profile == scheduling.Legacy { // whose single clock counts either share
		fair.Starving = min(fair.Starving, minShare)
	}
	first := int64(scheduling.Never)
	for _, x := range []struct {
		clock   scheduling.Clock
		timeout int64
	}{{t.Starvation(e).FairShare, fair.Starving}, {t.Starvation(e).MinShare, minShare}} {
		if x.clock.Status == scheduling.NonStarving {
			continue
		}
		if at := x.clock.Since + x.timeout; first == scheduling.Never || at < first {
			first = at
		}
	}
	return first
}

// waitsBehind returns the pool whose limit of running operations keeps an operation pending, or -1.
func (l *Ledger) waitsBehind(operation int32) int32 {
	if holder := l.Core.Holder(operation); holder >= 0 {
		return holder
	}
	return l.Core.Queue(operation)
}
