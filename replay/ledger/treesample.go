package ledger

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A treeSample is a sample of the whole tree, from which deficits are explained.
type treeSample struct {
	at           core.Time
	pools        []poolSample      // by slot
	operations   []operationSample // by slot
	gone         []operationSample // removed in this span
	classes      classes
	free         resource.Share  // in the tree
	freeCoverage resource.Share  // part of the operations' deficits that the free share would cover
	largest      resource.Vector // the tree in the window so far
	levels       []levelSample   // reused
	wanting      []int32         // operations with a deficit, reused
}

// A levelSample is a pool whose children have what an element below it lacks.
type levelSample struct {
	pool   int32
	weight float64
}

// A roomSample is the free room for jobs of an element, as shares of the tree.
type roomSample struct {
	fitting   resource.Share // room for whole jobs, capped at the deficit
	unoffered resource.Share // likewise, on nodes with less than the offered minimum free
	pieces    resource.Share // in pieces that are too small
	excluded  resource.Share // on nodes that tags, segments or modules keep its jobs from
	forSSD    resource.Share // on nodes for SSD, which a pool keeps its jobs from

	short  [resource.Kinds]int32 // number of nodes on which a job lacks each resource; for a pool, votes of its operations
	scarce int8                  // resource that a job lacks on most nodes, or -1
	spare  int8                  // resource below the offered minimum, or -1
}

// noRoom is the sample of an element without free room.
var noRoom = roomSample{scarce: -1, spare: -1}

// A poolSample is the sample of a pool.
type poolSample struct {
	roomSample
	excess
	deficits, surpluses resource.Share               // of its children
	job                 resource.Vector              // smallest pending job of the operations with a deficit
	needed              resource.Vector              // by schedulable operations
	waiting             resource.Vector              // by operations that do not take part
	pending             resource.Vector              // of that, behind limits of running operations
	stopped             resource.Vector              // by unschedulable operations
	stoppedBy           [scheduling.NoRoomLeft]int64 // user slots of those, by obstacle
	waitsBehind         int32                        // pool slot: of the largest part of pending
	behindMost          int64
	priority            scheduling.Priority
	example             int32 // slot of an operation with a deficit, or -1
}

// An operationSample is the sample of an operation.
type operationSample struct {
	roomSample
	excess
	id          core.OperationID
	pool        int32 // slot
	guarded     [targets]protection
	guardedFrom [targets]core.Time // time of the first sample with that protection
	node        int32              // of the job that is easiest to preempt, or -1

	backsOffFrom int64 // when preemptive stages ran on that node, if its backoff has not passed, else scheduling.Never
}

// An excess is the share of an element above its fair share.
type excess struct {
	surplus resource.Share
	sum     resource.Share // share·µs in the open span
}

// A protection is the reason why a stage may not take the jobs of an operation.
type protection struct {
	obstacle scheduling.Obstacle
	blocker  core.PoolID // of IsBlocked; core.Unknown if none
}

func (s *treeSample) grow(pools, operations int) {
	for len(s.pools) < pools {
		s.pools = append(s.pools, poolSample{})
	}
	for len(s.operations) < operations {
		s.operations = append(s.operations, operationSample{id: core.Unknown})
	}
}

// addSurpluses adds the surpluses to their sums up to an instant.
func (l *Ledger) addSurpluses(to core.Time) {
	s := &l.sample
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

// clearSurpluses resets the sums for another span.
func (s *treeSample) clearSurpluses() {
	for i := range s.pools {
		s.pools[i].sum = resource.Share{}
	}
	for i := range s.operations {
		s.operations[i].sum = resource.Share{}
	}
	s.gone = s.gone[:0]
}

// sampleTree samples the whole tree.
func (l *Ledger) sampleTree(at core.Time) {
	s, total := &l.sample, l.Core.ShareTotal()
	s.at = at
	s.largest = s.largest.Max(total)
	for i := range s.pools {
		s.pools[i] = poolSample{excess: excess{sum: s.pools[i].sum}, waitsBehind: -1, example: -1, roomSample: noRoom}
	}
	if !l.causes {
		l.sampleWaiting()
		return
	}
	s.wanting = s.wanting[:0]
	for slot := range s.operations {
		l.sampleOperation(int32(slot), total)
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
	l.sampleRoom(total)
}

// weigh compares usage with the fair share, for an element and its parent.
func (l *Ledger) weigh(x *excess, parent int32, usage, fair resource.Share) {
	above := &l.sample.pools[parent]
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

func (l *Ledger) sampleOperation(slot int32, total resource.Vector) {
	o, seen := l.Core.Operation(slot), &l.sample.operations[slot]
	if seen.id != core.Unknown && (seen.id != o.ID || !o.Alive) {
		if seen.surplus = (resource.Share{}); seen.sum != seen.surplus {
			l.sample.gone = append(l.sample.gone, *seen)
		}
		*seen = operationSample{id: core.Unknown}
	}
	if !o.Alive {
		return
	}
	seen.id, seen.pool = o.ID, o.Pool
	seen.roomSample = noRoom
	var fair resource.Share
	if shares := l.Published(o); shares != nil {
		fair = shares.FairShare.Total
	}
	usage := o.Usage.ShareOf(total)
	had := seen.surplus != (resource.Share{})
	l.weigh(&seen.excess, o.Pool, usage, fair)
	if seen.surplus != (resource.Share{}) {
		l.sampleProtection(seen, o, had)
	}
	if o.Needed.IsZero() || o.Ended {
		return
	}
	l.sampleNeed(slot, o)
	for k := range fair {
		if fair[k]-usage[k] > least {
			l.sample.wanting = append(l.sample.wanting, slot)
			break
		}
	}
}

// sampleWaiting adds the demand of operations that do not take part to their pools.
func (l *Ledger) sampleWaiting() {
	for slot := range int32(len(l.sample.operations)) {
		o := l.Core.Operation(slot)
		if !o.Alive || o.Ended || o.Needed.IsZero() || !takesNoPart(o) {
			continue
		}
		for p := o.Pool; p >= 0; p = l.Core.Pool(p).Parent {
			seen := &l.sample.pools[p]
			seen.waiting = seen.waiting.Add(o.Needed)
		}
	}
}

func takesNoPart(o *core.Operation) bool { return !o.Enabled() || o.Suspended }

// sampleNeed adds the need of an operation to its pools.
func (l *Ledger) sampleNeed(slot int32, o *core.Operation) {
	obstacle := l.Core.ObstacleOf(slot, l.sample.at)
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
		seen := &l.sample.pools[p]
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

// mainObstacle returns the obstacle that stops most of a pool's demand, by user slots.
func (s *poolSample) mainObstacle() (most scheduling.Obstacle) {
	for o, slots := range s.stoppedBy {
		if slots > s.stoppedBy[most] {
			most = scheduling.Obstacle(o)
		}
	}
	return most
}

// sampleProtection determines which stages may take the latest job of an operation, the easiest to
// preempt.
func (l *Ledger) sampleProtection(seen *operationSample, o *core.Operation, had bool) {
	t, before := l.Core.Scheduling(), seen.guarded
	defer func() {
		for i, now := range seen.guarded {
			if !had || now != before[i] {
				seen.guardedFrom[i] = l.sample.at
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
		if info.Node != scheduling.NoNode && !t.PreemptionAllowed(info.Node, int64(l.sample.at)) {
			seen.backsOffFrom = t.DescribeNode(info.Node).LastPreemptive
		}
		seen.guarded[normally] = l.protection(o, j, scheduling.Normal)
		seen.guarded[aggressively] = l.protection(o, j, scheduling.Aggressive)
		return false
	})
}

// protection returns why the stage of a priority may not take a job.
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
