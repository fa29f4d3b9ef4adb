package ledger

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A sight is what the last look saw of the whole tree.
type sight struct {
	at         core.Time
	pools      []poolSight      // by slot
	operations []operationSight // by slot
	gone       []operationSight // of this span
	classes    classes
	free       resource.Share  // in the tree
	goesRound  resource.Share  // how much of what operations lack the free share would cover
	largest    resource.Vector // the tree in the window so far
	levels     []levelSight    // reused
	wanting    []int32         // operations with a deficit, reused
}

// A levelSight is a pool whose children have what an element below it lacks.
type levelSight struct {
	pool   int32
	weight float64
}

// A roomSight is the free room for jobs of an element, as shares of the tree.
type roomSight struct {
	fitting   resource.Share // that whole jobs fit in, no more than it lacks
	unoffered resource.Share // likewise, but where less is free than is ever offered
	pieces    resource.Share // in pieces too small
	excluded  resource.Share // on nodes that tags, segments or modules keep its jobs from
	forSSD    resource.Share // on nodes for SSD, which a pool keeps its jobs from

	short  [resource.Kinds]int32 // nodes on which a job lacks each resource; of a pool, votes of its operations
	scarce int8                  // resource that a job lacks on most nodes, -1 if on none
	spare  int8                  // resource of which less is free than is ever offered, -1 if none
}

// noRoom is what is seen where nothing is free.
var noRoom = roomSight{scarce: -1, spare: -1}

// A poolSight is what was seen of a pool.
type poolSight struct {
	roomSight
	excess
	deficits, surpluses resource.Share               // of its children
	job                 resource.Vector              // the least that an operation in need waits for
	needed              resource.Vector              // by operations that may get jobs
	waiting             resource.Vector              // by operations that take no part
	pending             resource.Vector              // of that, behind limits of running operations
	stopped             resource.Vector              // by operations that may get none
	stoppedBy           [scheduling.NoRoomLeft]int64 // slots of those, by why
	waitsBehind         int32                        // pool slot: of the largest part of pending
	behindMost          int64
	priority            scheduling.Priority
	example             int32 // slot of an operation in need, -1 if none
}

// An operationSight is what was seen of an operation.
type operationSight struct {
	roomSight
	excess
	id          core.OperationID
	pool        int32 // slot
	guarded     [targets]protection
	guardedFrom [targets]core.Time // since which look
	node        int32              // of the job that is easiest to preempt, -1 if none

	backsOffFrom int64 // when preemptive stages ran on that node, if no others may yet; scheduling.Never
}

// An excess is what an element has above its fair share.
type excess struct {
	surplus resource.Share
	sum     resource.Share // share·µs in the open span
}

// A protection says why a stage may not take the jobs of an operation.
type protection struct {
	obstacle scheduling.Obstacle
	blocker  core.PoolID // of IsBlocked; core.Unknown if none
}

func (s *sight) grow(pools, operations int) {
	for len(s.pools) < pools {
		s.pools = append(s.pools, poolSight{})
	}
	for len(s.operations) < operations {
		s.operations = append(s.operations, operationSight{id: core.Unknown})
	}
}

// addSurpluses completes the sums of the surpluses up to an instant.
func (l *Ledger) addSurpluses(to core.Time) {
	s := &l.sight
	length := float64(to - s.at)
	s.at = to
	if !l.causes || length <= 0 {
		return
	}
	for i := range s.pools {
		s.pools[i].add(length)
	}
	for i := range s.operations {
		s.operations[i].add(length)
	}
}

func (x *excess) add(length float64) {
	if x.surplus != (resource.Share{}) {
		x.sum = x.sum.Add(x.surplus.Scale(length))
	}
}

// clearSurpluses begins another span.
func (s *sight) clearSurpluses() {
	for i := range s.pools {
		s.pools[i].sum = resource.Share{}
	}
	for i := range s.operations {
		s.operations[i].sum = resource.Share{}
	}
	s.gone = s.gone[:0]
}

// see looks at the whole tree.
func (l *Ledger) see(at core.Time) {
	s, total := &l.sight, l.Core.ShareTotal()
	s.at = at
	s.largest = s.largest.Max(total)
	for i := range s.pools {
		s.pools[i] = poolSight{excess: excess{sum: s.pools[i].sum}, waitsBehind: -1, example: -1, roomSight: noRoom}
	}
	if !l.causes {
		l.seeWaiting()
		return
	}
	s.wanting = s.wanting[:0]
	for slot := range s.operations {
		l.seeOperation(int32(slot), total)
	}
	for slot := 1; slot < len(s.pools); slot++ {
		p := l.Core.Pool(int32(slot))
		if p.Removed.Set {
			s.pools[slot].surplus = resource.Share{}
			continue
		}
		usage, fair := p.Usage.ShareOf(total), l.Core.Shares(p.Element).FairShare.Total
		l.weigh(&s.pools[slot].excess, p.Parent, usage, fair)
	}
	l.seeRoom(total)
}

// weigh compares usage with the fair share, for an element and the pool above it.
func (l *Ledger) weigh(x *excess, parent int32, usage, fair resource.Share) {
	above := &l.sight.pools[parent]
	x.surplus = resource.Share{}
	for k := range usage {
		switch d := usage[k] - fair[k]; {
		case d > least:
			x.surplus[k] = d
			above.surpluses[k] += d
		case d < -least:
			above.deficits[k] -= d
		}
	}
}

func (l *Ledger) seeOperation(slot int32, total resource.Vector) {
	o, seen := l.Core.Operation(slot), &l.sight.operations[slot]
	if seen.id != core.Unknown && (seen.id != o.ID || !o.Alive) {
		if seen.surplus = (resource.Share{}); seen.sum != seen.surplus {
			l.sight.gone = append(l.sight.gone, *seen)
		}
		*seen = operationSight{id: core.Unknown}
	}
	if !o.Alive {
		return
	}
	seen.id, seen.pool = o.ID, o.Pool
	seen.roomSight = noRoom
	var fair resource.Share
	if shares := l.Published(o); shares != nil {
		fair = shares.FairShare.Total
	}
	usage := o.Usage.ShareOf(total)
	had := seen.surplus != (resource.Share{})
	l.weigh(&seen.excess, o.Pool, usage, fair)
	if seen.surplus != (resource.Share{}) {
		l.seeProtection(seen, o, had)
	}
	if o.Needed.IsZero() || o.Ended {
		return
	}
	l.seeNeed(slot, o)
	for k := range fair {
		if fair[k]-usage[k] > least {
			l.sight.wanting = append(l.sight.wanting, slot)
			break
		}
	}
}

// seeWaiting adds what operations want that take no part to the pools above them.
func (l *Ledger) seeWaiting() {
	for slot := range int32(len(l.sight.operations)) {
		o := l.Core.Operation(slot)
		if !o.Alive || o.Ended || o.Needed.IsZero() || !takesNoPart(o) {
			continue
		}
		for p := o.Pool; p >= 0; p = l.Core.Pool(p).Parent {
			seen := &l.sight.pools[p]
			seen.waiting = seen.waiting.Add(o.Needed)
		}
	}
}

func takesNoPart(o *core.Operation) bool { return !o.Enabled() || o.Suspended }

// seeNeed adds what an operation wants to the pools above it.
func (l *Ledger) seeNeed(slot int32, o *core.Operation) {
	obstacle := l.Core.ObstacleOf(slot, l.sight.at)
	waits := takesNoPart(o)
	behind := int32(-1)
	if !o.Running && !o.Suspended {
		behind = l.waitsBehind(slot)
	}
	job, priority := l.smallestJob(slot), scheduling.NoPriority
	if obstacle == scheduling.NoObstacle {
		priority = l.Core.Scheduling().Priority(o.Element, scheduling.NoNode)
	}
	slots := max(o.Needed[resource.UserSlots], 1)
	for p := o.Pool; p >= 0; p = l.Core.Pool(p).Parent {
		seen := &l.sight.pools[p]
		switch {
		case behind >= 0:
			seen.pending = seen.pending.Add(o.Needed)
			if slots > seen.behindMost {
				seen.behindMost, seen.waitsBehind = slots, behind
			}
		case obstacle != scheduling.NoObstacle:
			seen.stopped = seen.stopped.Add(o.Needed)
			seen.stoppedBy[obstacle] += slots
		default:
			if seen.example < 0 {
				seen.example, seen.job = slot, job
			} else {
				seen.job = seen.job.Min(job)
			}
			seen.needed = seen.needed.Add(o.Needed)
			seen.priority = max(seen.priority, priority)
		}
		if waits {
			seen.waiting = seen.waiting.Add(o.Needed)
		}
	}
}

// mainObstacle is what stops the operations of a pool that want most, by the slots that they want.
func (s *poolSight) mainObstacle() (most scheduling.Obstacle) {
	for o, slots := range s.stoppedBy {
		if slots > s.stoppedBy[most] {
			most = scheduling.Obstacle(o)
		}
	}
	return most
}

// seeProtection finds out which stages may take the job of an operation that is easiest to take:
// its latest.
func (l *Ledger) seeProtection(seen *operationSight, o *core.Operation, had bool) {
	t, before := l.Core.Scheduling(), seen.guarded
	defer func() {
		for i, now := range seen.guarded {
			if !had || now != before[i] {
				seen.guardedFrom[i] = l.sight.at
			}
		}
	}()
	seen.node, seen.backsOffFrom = -1, scheduling.Never
	seen.guarded = [targets]protection{{scheduling.JobsNonPreemptible, core.Unknown}, {scheduling.JobsNonPreemptible, core.Unknown}}
	if !o.Enabled() {
		return
	}
	t.LatestJobs(o.Element, func(j scheduling.Job) bool {
		info := t.Job(j)
		if info.Preempted {
			return true
		}
		seen.node = int32(info.Node)
		if info.Node != scheduling.NoNode && !t.PreemptionAllowed(info.Node, int64(l.sight.at)) {
			seen.backsOffFrom = t.DescribeNode(info.Node).LastPreemptive
		}
		seen.guarded[normally] = l.protection(o, j, scheduling.Normal)
		seen.guarded[aggressively] = l.protection(o, j, scheduling.Aggressive)
		return false
	})
}

// protection says why the stage of a priority may not take a job.
func (l *Ledger) protection(o *core.Operation, j scheduling.Job, priority scheduling.Priority) protection {
	t := l.Core.Scheduling()
	candidacy, blocker := t.Candidacy(j, priority)
	own := t.Effective(o.Element)
	switch list := t.List(j); {
	case candidacy == scheduling.Unconditional:
		return protection{scheduling.IsPreemptible, core.Unknown}
	case o.Params.Graceful.Value:
		return protection{scheduling.JobsGraceful, core.Unknown}
	case list == scheduling.NonPreemptible:
		return protection{scheduling.JobsNonPreemptible, core.Unknown}
	case list == scheduling.AggressivelyPreemptible && !own.AllowsAggressivePreemption:
		return protection{scheduling.AggressiveForbidden, core.Unknown}
	case list == scheduling.AggressivelyPreemptible && priority == scheduling.Normal:
		return protection{scheduling.AggressiveOnly, core.Unknown}
	case blocker == scheduling.None:
		return protection{scheduling.JobsNonPreemptible, core.Unknown}
	case blocker == o.Element:
		if priority == scheduling.Normal && t.Describe(o.Element).NormalForbidden {
			return protection{scheduling.NormalForbidden, core.Unknown}
		}
		return protection{scheduling.Blocked, core.Unknown}
	}
	pool, _ := l.Core.Owner(blocker)
	return protection{scheduling.Blocked, pool}
}
