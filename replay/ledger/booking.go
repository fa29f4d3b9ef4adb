package ledger

import (
	"math"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

const (
	rounding = 1e-12 // of parts of a whole
	nearly   = 1e-6  // by which a fair share may miss the limit that it is cut by
)

// A booking divides one deficit among its causes.
type booking struct {
	l       *Ledger
	s       *subject
	level   tables.DebtLevel
	lacking resource.Share
	k       int             // the resource of which most is lacking
	rest    float64         // the part of it that is not booked yet
	job     resource.Vector // the smallest that the element waits for
	since   int64           // of the parts, as they say
	parts   []part
}

// add books a part of the whole, or what is left.
func (b *booking) add(k key, of float64) {
	if of = min(of, b.rest); of <= 0 {
		return
	}
	if b.rest -= of; b.rest < rounding {
		of, b.rest = of+b.rest, 0
	}
	b.parts = append(b.parts, part{key: k, share: b.lacking.Scale(of), since: b.since})
}

// all books the rest.
func (b *booking) all(k key) { b.add(k, b.rest) }

// of is an amount of share as a part of what is lacking of a resource.
func (b *booking) of(share float64, k int) float64 { return share / b.lacking[k] }

// least of a vector of shares as parts of what is lacking of each resource.
func (b *booking) leastOf(share *resource.Share) float64 {
	part := math.Inf(1)
	for k, x := range b.lacking {
		if x >= least && b.l.Log.Measured[k] {
			part = min(part, share[k]/x)
		}
	}
	if math.IsInf(part, 1) {
		return 0
	}
	return part
}

func causedBy(c tables.DebtCause) key { return key{cause: c, limiting: -1, pool: -1} }

// book goes through the causes in their order.
func (b *booking) book() {
	for _, cause := range [...]func(){b.bookCrumbs, b.bookOwnLimit, b.bookAncestorLimit, b.bookAdmission, b.bookUnschedulable} {
		if cause(); b.rest == 0 {
			return
		}
	}
	if b.level == tables.ToDemand {
		b.bookFilters()
		b.bookVolume()
		b.bookLostNodes()
		b.all(causedBy(tables.FairSharesOfOthers))
		return
	}
	b.bookFreeRoom()
	b.bookOthers()
	b.bookLostNodes()
	b.all(causedBy(tables.Unexplained))
}

// bookCrumbs books all that an element lacks, if that is less than a job. Several operations of
// which each lacks less than a job may together lack one that their pool could have.
func (b *booking) bookCrumbs() {
	if b.level == tables.ToDemand {
		return
	}
	if job := b.job.ShareOf(b.l.Core.ShareTotal()); b.lacking[b.k] < job[b.k]-least {
		b.all(causedBy(tables.LessThanAJob))
	}
}

// beyond is the part of what is lacking that a limit with some headroom left keeps away, and the
// resource that it limits; 1 if not even a job fits.
func (b *booking) beyond(limits *resource.Partial, usage resource.Vector) (part float64, limiting int8) {
	total := b.l.Core.ShareTotal()
	limiting = -1
	for k, set := range limits.Set {
		if !set || b.lacking[k] < least {
			continue
		}
		free := max(0, limits.Amounts[k]-usage[k])
		if b.job[k] > free {
			return 1, int8(k)
		}
		var headroom resource.Vector
		headroom[k] = free
		if x := (b.lacking[k] - headroom.ShareOf(total)[k]) / b.lacking[k]; x > part {
			part, limiting = x, int8(k)
		}
	}
	return part, limiting
}

func (b *booking) bookOwnLimit() {
	part, limiting := b.beyond(b.s.limits, b.s.used)
	if ratio := b.s.ratio; ratio.Set {
		for k := range b.lacking {
			if b.lacking[k] < least {
				continue
			}
			if x := (b.lacking[k] - max(0, ratio.Value-b.s.usage[k])) / b.lacking[k]; x > part {
				part, limiting = x, int8(k)
			}
		}
	}
	if part > 0 {
		k := causedBy(tables.OwnLimit)
		k.limiting = limiting
		b.add(k, part)
	}
}

// bookAncestorLimit books what the specified limit of a pool above leaves no room for: the one
// that leaves least, the lowest of those.
func (b *booking) bookAncestorLimit() {
	t, at, most, limiting := b.l.Core, int32(-1), 0.0, int8(-1)
	for p := b.s.parent; p > 0; p = t.Pool(p).Parent {
		pool := t.Pool(p)
		if b.level == tables.ToDemand {
			if k := b.exhausts(pool); k >= 0 {
				at, most, limiting = p, 1, k
				break
			}
		} else if part, k := b.beyond(&pool.Config.ResourceLimits, pool.Usage); part > most {
			at, most, limiting = p, part, k
		}
	}
	if most > 0 {
		b.add(key{cause: tables.AncestorLimit, limiting: limiting, pool: at}, most)
	}
}

// exhausts returns a resource that is lacking of which the fair share of a pool is its specified
// limit, -1 if there is none.
func (b *booking) exhausts(pool *core.Pool) int8 {
	shares := b.l.Core.Shares(pool.Element)
	for k, set := range pool.Config.ResourceLimits.Set {
		if (set || pool.Config.MaxShareRatio.Set) && b.lacking[k] >= least && shares.FairShare.Total[k] >= shares.LimitsShare[k]-nearly {
			return int8(k)
		}
	}
	return -1
}

// bookFilters books what is beyond the nodes that tag filters leave to the element, or to a pool
// above it that has all that its own leave.
func (b *booking) bookFilters() {
	if b.s.shares == nil {
		return
	}
	k, t := b.k, b.l.Core
	if beyond := b.s.affordable()[k] - max(b.s.shares.LimitsShare[k], b.s.shares.FairShare.Total[k], b.s.usage[k]); b.s.filtered && beyond > least {
		b.add(causedBy(tables.ExcludedNodes), b.of(beyond, k))
	}
	for p := b.s.parent; p > 0; p = t.Pool(p).Parent {
		pool := t.Pool(p)
		shares := t.Shares(pool.Element)
		if !pool.Config.TagFilter.IsEmpty() && shares.FairShare.Total[k] >= shares.LimitsShare[k]-nearly {
			b.all(key{cause: tables.ExcludedNodes, limiting: -1, pool: p})
			return
		}
	}
}

// bookAdmission books what operations want that wait behind a limit of running operations.
func (b *booking) bookAdmission() {
	if b.s.waiting[b.k] == 0 {
		return
	}
	if b.s.operation < 0 {
		seen := &b.l.sight.pools[b.s.pool]
		b.add(key{cause: tables.OperationCount, limiting: -1, pool: seen.waitsBehind}, b.of(seen.pending.ShareOf(b.l.Core.ShareTotal())[b.k], b.k))
		return
	}
	if o := b.l.Core.Operation(b.s.operation); !o.Running && !o.Suspended {
		if behind := b.l.waitsBehind(b.s.operation); behind >= 0 {
			b.all(key{cause: tables.OperationCount, limiting: -1, pool: behind})
		}
	}
}

// waitsBehind is the pool whose limit of running operations keeps one from running, -1 if none
// does.
func (l *Ledger) waitsBehind(operation int32) int32 {
	if holder := l.Core.Holder(operation); holder >= 0 {
		return holder
	}
	return l.Core.Queue(operation)
}

// bookUnschedulable books what operations lack that the scheduler may not give jobs.
func (b *booking) bookUnschedulable() {
	k := causedBy(tables.NotSchedulable)
	if b.s.operation < 0 {
		seen := &b.l.sight.pools[b.s.pool]
		if stopped := seen.stopped.ShareOf(b.l.Core.ShareTotal())[b.k]; stopped > 0 {
			k.obstacle = seen.obstacle
			schedulable := seen.needed.ShareOf(b.l.Core.ShareTotal())[b.k]
			b.add(k, min(b.of(stopped, b.k), b.rest-b.of(schedulable, b.k)))
		}
		return
	}
	if obstacle, stopped := b.l.stopped(b.l.Core.Operation(b.s.operation)); stopped {
		k.obstacle = obstacle
		b.all(k)
	}
}

// stopped reports whether the scheduler may give an operation no jobs, and why.
func (l *Ledger) stopped(o *core.Operation) (tables.DebtObstacle, bool) {
	switch {
	case o.Suspended:
		return tables.IsSuspended, true
	case !o.Enabled():
		return tables.NoObstacle, true
	}
	switch l.Core.Scheduling().Unschedulable(o.Element) {
	case scheduling.Throttled:
		return tables.IsThrottled, true
	case scheduling.FIFOLimitReached:
		return tables.FIFOLimit, true
	case scheduling.NoPendingJobs:
		return tables.HasNoPendingJobs, true
	case scheduling.Suspended:
		return tables.IsSuspended, true
	case scheduling.NotRunning:
		return tables.NoObstacle, true
	}
	return tables.NoObstacle, false
}

// bookFreeRoom books what is free, as far as its scarcest resource goes round.
func (b *booking) bookFreeRoom() {
	if b.rest == 0 {
		return
	}
	room, most := b.s.room, b.rest*b.l.sight.goesRound[b.scarcest()]
	delay := min(most, b.leastOf(&room.fitting))
	pieces := min(most-delay, b.leastOf(&room.pieces))
	excluded := min(most-delay-pieces, b.leastOf(&room.excluded))
	k := causedBy(tables.Fragmentation)
	k.limiting = room.scarce
	b.add(k, pieces)
	b.add(causedBy(tables.ExcludedNodes), excluded)
	b.add(causedBy(tables.SchedulingDelay), delay)
}

// scarcest is the resource of which least is free in the tree for what is lacking.
func (b *booking) scarcest() int {
	at, part := b.k, b.of(b.l.sight.free[b.k], b.k)
	for k, x := range b.lacking {
		if x >= least && b.l.Log.Measured[k] {
			if free := b.l.sight.free[k] / x; free < part {
				at, part = k, free
			}
		}
	}
	return at
}

// bookLostNodes books as much as the tree was larger in the window.
func (b *booking) bookLostNodes() {
	if b.rest == 0 {
		return
	}
	if total := b.l.Core.ShareTotal()[b.k]; total > 0 {
		lost := float64(b.l.sight.largest[b.k]-total) / float64(total)
		if b.level == tables.ToDemand { // the fair share would be larger by as much
			lost *= b.s.fair()[b.k]
		}
		b.add(causedBy(tables.LostNodes), b.of(lost, b.k))
	}
}

// bookVolume books what a burst guarantee would add if its pool had volume left.
func (b *booking) bookVolume() {
	for p := b.s.pool; p > 0; p = b.l.Core.Pool(p).Parent {
		shares := b.l.Core.Shares(b.l.Core.Pool(p).Element)
		if i := shares.Integral; i != nil && b.l.Core.Pool(p).Config.Integral.Type != core.NoIntegral {
			if missing := max(i.Burst, i.Flow) - shares.FairShare.Integral.Dominant(); missing > least {
				b.add(key{cause: tables.SpentVolume, limiting: -1, pool: p}, b.of(missing, b.k))
			}
			return
		}
	}
}

// bookOthers books what others have above their fair shares, to the pools whose children they
// are: nearest first, in each the part of its children's deficits that their surpluses make up.
func (b *booking) bookOthers() {
	if b.rest == 0 {
		return
	}
	t, k, above := b.l.Core, b.scarcest(), 1.0
	available, weights := 0.0, 0.0
	branch, branchIsPool := b.s.pool, b.s.operation < 0
	b.l.sight.levels = b.l.sight.levels[:0]
	for p := b.s.parent; p >= 0; p = t.Pool(p).Parent {
		seen := &b.l.sight.pools[p]
		surplus := seen.surpluses[k]
		if branchIsPool {
			surplus -= b.l.sight.pools[branch].surplus[k]
		} else {
			surplus -= b.l.sight.operations[b.s.operation].surplus[k]
		}
		if surplus > least {
			inside := 1.0
			if lacks := seen.deficits[k]; surplus < lacks {
				inside = surplus / lacks
			}
			b.l.sight.levels = append(b.l.sight.levels, levelSight{p, above * inside})
			available, weights = available+surplus, weights+above*inside
			above *= 1 - inside
		}
		branch, branchIsPool = p, true
	}
	if weights <= 0 {
		return
	}
	whole := min(b.rest, b.of(available, k))
	obstacle, target := b.l.entitlement(b.s)
	b.since = scheduling.Never
	if obstacle == tables.NoObstacle {
		b.since = b.l.starvesSince(b.s)
	}
	for _, level := range b.l.sight.levels {
		b.add(key{cause: tables.OthersOverFairShare, obstacle: obstacle, target: target, limiting: -1, pool: level.pool}, whole*(level.weight/weights))
	}
}

// entitlement is with which priority preemption may serve a subject, and why not if it may not.
func (l *Ledger) entitlement(s *subject) (tables.DebtObstacle, target) {
	t := l.Core.Scheduling()
	priority := scheduling.NoPriority
	if s.operation < 0 {
		priority = l.sight.pools[s.pool].priority
		if status := t.Starvation(s.element).Status(); t.Options().Scope != scheduling.OperationOnly {
			priority = max(priority, scheduling.Priority(status)) // who starves preempts with the priority of that name
		}
	} else {
		priority = t.Priority(s.element, scheduling.NoNode)
	}
	switch priority {
	case scheduling.NoPriority:
		if clocks := t.Starvation(s.element); clocks.FairShare.Since != scheduling.Never || clocks.MinShare.Since != scheduling.Never {
			return tables.TimeoutNotOver, normally
		}
		return tables.NotStarving, normally
	case scheduling.Aggressive, scheduling.SSDAggressive:
		return tables.NoObstacle, aggressively
	}
	return tables.NoObstacle, normally
}

// starvesSince is when what preempts for a subject began to starve, so that its timeout was over:
// the subject or the lowest pool above it that does; scheduling.Never if none does.
func (l *Ledger) starvesSince(s *subject) int64 {
	t := l.Core.Scheduling()
	e, _ := t.LowestStarvingAncestor(s.element)
	if e == scheduling.None {
		return scheduling.Never
	}
	own := t.Entitlement(e)
	fair, minShare := scheduling.Timeouts{Starving: own.Timeout}, own.MinShareTimeout
	if t.IsOperation(e) {
		fair, minShare = t.OperationTimeouts(e)
	}
	if t.Options().Profile == scheduling.Legacy { // whose one clock counts either
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
