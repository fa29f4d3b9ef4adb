package ledger

import (
	"math"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

const (
	rounding = 1e-12 // of parts of a whole
	nearly   = 1e-6  // by which a fair share may miss the limit that it is cut by
)

// A booking divides one deficit among its causes, in order. For example, of a deficit of 0.10 of
// the tree:
//
//	own limit                   0.04
//	free room                   0.01
//	others over fair share      0.05
type booking struct {
	l       *books
	s       *subject
	level   tables.DebtLevel
	lacking resource.Share
	k       int     // the resource that is lacking most
	rest    float64 // the part of the deficit that is not booked yet
	since   int64   // see part.since
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

// partOf returns an amount of share as a part of what is lacking of a resource.
func (b *booking) partOf(share float64, k int) float64 { return share / b.lacking[k] }

// leastOf returns the least of a vector of shares as parts of what is lacking of each resource.
func (b *booking) leastOf(share *resource.Share) float64 {
	part := math.Inf(1)
	for k, x := range b.lacking {
		if x >= least && b.l.measured[k] {
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
	for _, cause := range [...]func(){b.bookBelowJobSize, b.bookOwnLimit, b.bookAncestorLimit, b.bookAdmission, b.bookUnschedulable} {
		if cause(); b.rest == 0 {
			return
		}
	}
	if b.level == tables.ToDemand {
		b.bookFilters()
		b.bookVolume()
		b.bookZeroWeight()
		b.bookLostNodes()
		b.all(causedBy(tables.FairSharesOfOthers))
		return
	}
	b.bookFreeRoom()
	b.bookOthers()
	b.bookLostNodes()
	b.all(causedBy(tables.Unexplained))
}

// bookBelowJobSize books the whole deficit if it is less than a job. Several operations that each
// lack less than a job may together lack one that their pool could have.
func (b *booking) bookBelowJobSize() {
	if b.level == tables.ToDemand {
		return
	}
	if job := b.s.job.ShareOf(b.l.total); b.lacking[b.k] < job[b.k]-least {
		b.all(causedBy(tables.LessThanAJob))
	}
}

// beyond returns the part of the deficit that exceeds the headroom of a limit, and the limited
// resource; 1 if not even a job fits.
func (b *booking) beyond(limits *resource.Partial, usage resource.Vector) (part float64, limiting int8) {
	total := b.l.total
	limiting = -1
	for k, set := range limits.Set {
		if !set || b.lacking[k] < least {
			continue
		}
		free := max(0, limits.Amounts[k]-usage[k])
		if b.s.job[k] > free {
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
	part, limiting := b.beyond(&b.s.limits, b.s.state.usage)
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

// bookAncestorLimit books what exceeds the headroom of an ancestor's specified limit: the one with
// the least headroom, of equals the lowest.
func (b *booking) bookAncestorLimit() {
	at, most, limiting := int32(-1), 0.0, int8(-1)
	for p := b.s.parent; p > 0; p = b.l.states[p].parent {
		pool := &b.l.states[p]
		if b.level == tables.ToDemand {
			if k := b.exhausts(pool); k >= 0 {
				at, most, limiting = p, 1, k
				break
			}
		} else if part, k := b.beyond(&pool.limits, pool.usage); part > most {
			at, most, limiting = p, part, k
		}
	}
	if most > 0 {
		b.add(key{cause: tables.AncestorLimit, limiting: limiting, pool: at}, most)
	}
}

// exhausts returns a lacking resource whose fair share in a pool has reached the pool's specified
// limit, or -1.
func (b *booking) exhausts(pool *poolState) int8 {
	for k, set := range pool.limits.Set {
		if (set || pool.ratio.Set) && b.lacking[k] >= least && pool.fair[k] >= pool.limitsShare[k]-nearly && b.isSet(pool, k) {
			return int8(k)
		}
	}
	return -1
}

// isSet reports whether what bounds a pool is its resource_limits or its max_share_ratio, and not
// that its tag filter leaves less.
func (b *booking) isSet(pool *poolState, k int) bool {
	most := pool.limitsShare[k] + nearly
	return !pool.filtered || pool.limits.Set[k] && pool.limits.Amounts.ShareOf(b.l.total)[k] <= most ||
		pool.ratio.Set && pool.ratio.Value*min(1, b.l.states[pool.parent].limitsShare[k]) <= most
}

// bookFilters books what exceeds the nodes that match the tag filters of the element or of a pool
// above it.
func (b *booking) bookFilters() {
	if !b.s.takesPart {
		return
	}
	k := b.k
	if beyond := b.s.affordable()[k] - max(b.s.limitsShare[k], b.s.fair[k], b.s.usage[k]); b.s.filtered && beyond > least {
		b.add(causedBy(tables.ExcludedNodes), b.partOf(beyond, k))
	}
	for p := b.s.parent; p > 0; p = b.l.states[p].parent {
		pool := &b.l.states[p]
		if pool.filtered && pool.fair[k] >= pool.limitsShare[k]-nearly {
			b.all(key{cause: tables.ExcludedNodes, limiting: -1, pool: p})
			return
		}
	}
}

// bookAdmission books the demand of operations that wait because of a limit of running operations.
func (b *booking) bookAdmission() {
	if b.s.waiting[b.k] == 0 {
		return
	}
	if b.s.operation < 0 {
		seen := &b.l.sample.pools[b.s.pool]
		b.add(key{cause: tables.OperationCount, limiting: -1, pool: seen.waitsBehind}, b.partOf(seen.pending.ShareOf(b.l.total)[b.k], b.k))
		return
	}
	if b.s.behind >= 0 {
		b.all(key{cause: tables.OperationCount, limiting: -1, pool: b.s.behind})
	}
}

// bookUnschedulable books the deficit of operations that are unschedulable.
func (b *booking) bookUnschedulable() {
	k := causedBy(tables.NotSchedulable)
	if b.s.operation < 0 {
		seen := &b.l.sample.pools[b.s.pool]
		if stopped := seen.stopped.ShareOf(b.l.total)[b.k]; stopped > 0 {
			k.obstacle = seen.mainObstacle()
			schedulable := seen.needed.ShareOf(b.l.total)[b.k]
			b.add(k, min(b.partOf(stopped, b.k), b.rest-b.partOf(schedulable, b.k)))
		}
		return
	}
	if b.s.obstacle != scheduling.NoObstacle {
		k.obstacle = b.s.obstacle
		b.all(k)
	}
}

// bookFreeRoom books free resources, as far as the scarcest of them suffices for all.
func (b *booking) bookFreeRoom() {
	if b.rest == 0 || b.s.job.IsZero() { // what fits is not known where the size of a job is not
		return
	}
	room, most := b.s.room, b.rest*b.l.sample.freeCoverage[b.scarcest()]
	delay := min(most, b.leastOf(&room.fitting))
	unoffered := min(most-delay, b.leastOf(&room.unoffered))
	pieces := min(most-delay-unoffered, b.leastOf(&room.pieces))
	excluded := min(most-delay-unoffered-pieces, b.leastOf(&room.excluded))
	forSSD := min(most-delay-unoffered-pieces-excluded, b.leastOf(&room.forSSD))
	k := causedBy(tables.Fragmentation)
	k.limiting = room.scarce
	b.add(k, pieces)
	b.add(key{cause: tables.Fragmentation, obstacle: scheduling.NoRoomLeft, limiting: room.spare, pool: -1}, unoffered)
	b.add(causedBy(tables.ExcludedNodes), excluded)
	b.add(key{cause: tables.ExcludedNodes, obstacle: scheduling.RegularJobOnSSDForbidden, limiting: -1, pool: -1}, forSSD)
	b.add(causedBy(tables.SchedulingDelay), delay)
}

// scarcest returns the resource with the least free in the tree relative to what is lacking.
func (b *booking) scarcest() int {
	at, part := b.k, b.partOf(b.l.sample.free[b.k], b.k)
	for k, x := range b.lacking {
		if x >= least && b.l.measured[k] {
			if free := b.l.sample.free[k] / x; free < part {
				at, part = k, free
			}
		}
	}
	return at
}

// bookLostNodes books the difference between the largest total of the tree in the window and the
// current one.
func (b *booking) bookLostNodes() {
	if b.rest == 0 {
		return
	}
	if total := b.l.total[b.k]; total > 0 {
		lost := float64(b.l.sample.largest[b.k]-total) / float64(total)
		if b.level == tables.ToDemand { // the fair share would be larger by as much
			lost *= b.s.fair[b.k]
		}
		b.add(causedBy(tables.LostNodes), b.partOf(lost, b.k))
	}
}

// bookVolume books what a burst guarantee would add if its pool had volume.
func (b *booking) bookVolume() {
	for p := b.s.pool; p > 0; p = b.l.states[p].parent {
		if pool := &b.l.states[p]; pool.integral {
			if pool.missing > least {
				b.add(key{cause: tables.SpentVolume, limiting: -1, pool: p}, b.partOf(pool.missing, b.k))
			}
			return
		}
	}
}

// bookZeroWeight books the demand beyond its guarantees of an element with weight 0 or below a pool
// with weight 0, which gets nothing by weight (core/spec/scheduling.md §17.4). In a FIFO pool
// weights only sort.
func (b *booking) bookZeroWeight() {
	if !b.s.takesPart {
		return
	}
	weightless, holder, p := b.s.weightless, int32(-1), b.s.parent
	if b.s.operation < 0 {
		holder = b.s.pool
	}
	for ; p >= 0; holder, weightless, p = p, b.l.states[p].weightless, b.l.states[p].parent {
		if weightless && !b.l.states[p].fifo {
			b.all(key{cause: tables.ZeroWeight, limiting: -1, pool: holder})
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
	k, above := b.scarcest(), 1.0
	available, weights := 0.0, 0.0
	branch, branchIsPool := b.s.pool, b.s.operation < 0
	b.l.sample.levels = b.l.sample.levels[:0]
	for p := b.s.parent; p >= 0; p = b.l.states[p].parent {
		seen := &b.l.sample.pools[p]
		surplus := seen.surpluses[k]
		if branchIsPool {
			surplus -= b.l.sample.pools[branch].surplus[k]
		} else {
			surplus -= b.l.sample.operations[b.s.operation].surplus[k]
		}
		if surplus > least {
			inside := 1.0
			if lacks := seen.deficits[k]; surplus < lacks {
				inside = surplus / lacks
			}
			b.l.sample.levels = append(b.l.sample.levels, levelSample{p, above * inside})
			available, weights = available+surplus, weights+above*inside
			above *= 1 - inside
		}
		branch, branchIsPool = p, true
	}
	if weights <= 0 {
		return
	}
	whole := min(b.rest, b.partOf(available, k))
	obstacle, target := b.l.entitlement(b.s)
	b.since = scheduling.Never
	if obstacle == scheduling.NoObstacle {
		b.since = b.s.since
	}
	for _, level := range b.l.sample.levels {
		b.add(key{cause: tables.OthersOverFairShare, obstacle: obstacle, target: target, limiting: -1, pool: level.pool}, whole*(level.weight/weights))
	}
}

// entitlement returns the priority with which preemption may serve a subject, or the obstacle.
func (b *books) entitlement(s *subject) (scheduling.Obstacle, target) {
	priority := s.priority
	if s.operation < 0 {
		priority = max(priority, b.sample.pools[s.pool].priority)
	}
	switch priority {
	case scheduling.NoPriority:
		if s.counting {
			return scheduling.TimeoutNotOver, normally
		}
		return scheduling.NotStarving, normally
	case scheduling.Aggressive, scheduling.SSDAggressive:
		return scheduling.NoObstacle, aggressively
	}
	return scheduling.NoObstacle, normally
}
