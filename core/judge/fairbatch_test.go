package judge

import (
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// Elements of fairBatch.
const (
	rich = iota
	donor
	poor
	needy
	other
)

func both(x float64) resource.Share { return resource.Share{x, x} }

func cores(n int64) resource.Vector { return resource.Vector{n, n * 100} }

// room is a node of that many cores.
func room(n int64) resource.Vector { return resource.Vector{n, n * 100, 0, 1 << 40, 1 << 40} }

// fairBatch is a heartbeat that did everything right in a tree of 20 cores: pool
// rich and its operation donor hold 12 of them, and are owed 5; pool poor with
// operation needy is owed 6 and has nothing. The node has four jobs of donor,
// the 1st, 4th, 9th and 12th, and one of the operation other, which is at its
// share. The last one of donor goes for a job of needy.
func fairBatch() *Batch {
	options := scheduling.DefaultOptions(scheduling.Baseline)
	options.AggressiveSatisfactionThreshold = pooltree.Some(0.5)
	b := &Batch{Decision: Decision{Context: plainContext(), At: 100 * second}, From: scheduling.Never}
	b.Evidence = Recorded
	b.Node = Node{Limits: room(5), SSDSince: scheduling.Never, Overcommitted: scheduling.Never, OvercommittedWithin: scheduling.Never, LastPreemptive: 90 * second}
	add := func(above int32, operation bool, fair, usage, demand float64) {
		e := Element{Above: above, Handle: scheduling.Element(len(b.States[0].Elements) + 1)}
		e.Operation, e.Schedulable, e.AggressivePreemption = operation, true, true
		e.Fair, e.Usage, e.Demand = both(fair), both(usage), both(demand)
		e.Amount = cores(20).Times(usage)
		e.Limits = resource.Unlimited
		e.Starvation = scheduling.Starvation{FairShare: scheduling.NewClock(), MinShare: scheduling.NewClock()}
		e.Timeouts = scheduling.Timeouts{Starving: 30 * second, Aggressive: 120 * second, AggressiveEnabled: true}
		e.MinShare = 15 * second
		b.States[0].Elements = append(b.States[0].Elements, e)
	}
	b.States = []State{{Options: &options, Total: cores(20)}}
	add(-1, false, 0.25, 0.6, 1)
	add(rich, true, 0.25, 0.6, 1)
	add(-1, false, 0.3, 0, 0.5)
	add(poor, true, 0.3, 0, 0.5)
	add(-1, true, 0.1, 0.1, 0.5)
	b.starve(poor, 50*second, scheduling.Starving)
	b.starve(needy, 50*second, scheduling.Starving)
	for _, place := range []int64{0, 3, 8, 11} {
		b.addPlaced(donor, place)
	}
	b.addPlaced(other, 1)
	b.Started = []Started{{Operation: needy, Usage: cores(1)}}
	b.Taken = []Taken{{Job: 3, Reason: scheduling.ForPreemption}}
	return b
}

// starve sets the clock and the status of an element.
func (b *Batch) starve(e int32, since int64, s scheduling.Status) {
	b.States[0].Elements[e].Starvation.FairShare = scheduling.Clock{Since: since, Status: s}
}

// addPlaced adds a job of one core that has some jobs of its operation ahead.
func (b *Batch) addPlaced(op int32, ahead int64) {
	b.Jobs = append(b.Jobs, Job{
		Handle: scheduling.Job(len(b.Jobs)), Operation: op, Usage: cores(1), Granted: cores(1), Start: ahead * second,
		Placed: true, Ahead: cores(ahead), Previous: cores(1),
	})
	b.cut()
}

// cut puts the jobs into their lists again.
func (b *Batch) cut() {
	s := &b.States[0]
	for i := range b.Jobs {
		j := &b.Jobs[i]
		j.List = scheduling.ListAfter(j.Ahead, s.Total, &s.Elements[j.Operation].ElementInfo, s.Options)
	}
}

func (b *Batch) at(e int32) *Element { return &b.States[0].Elements[e] }

func (b *Batch) settings() *scheduling.Options { return b.States[0].Options }

// aggressive makes everything of the batch aggressive: who starves, and why the
// job went.
func (b *Batch) aggressive() {
	for _, e := range []int32{poor, needy} {
		b.starve(e, -100*second, scheduling.AggressivelyStarving)
	}
	b.Taken[0].Reason = scheduling.ForAggressivePreemption
}

// onSSD makes the node an SSD-priority one that needy asks for.
func (b *Batch) onSSD(r scheduling.Reason) {
	b.Node.SSD, b.at(needy).RequestsSSD, b.Taken[0].Reason = true, true, r
}

func (b *Batch) nobody(limit int64) {
	b.Taken[0].Preemptor, b.Started, b.Node.Limits = NoPreemptor, nil, room(limit)
}

func (b *Batch) starveBoth(since int64, s scheduling.Status) {
	b.starve(poor, since, s)
	b.starve(needy, since, s)
}

// legacy makes the profile Legacy, where needy alone starves since a moment and has a
// guarantee.
func (b *Batch) legacy(since int64) {
	b.settings().Profile = scheduling.Legacy
	b.starve(poor, scheduling.Never, scheduling.NonStarving)
	b.starve(needy, since, scheduling.Starving)
	b.at(needy).Guarantee = both(0.3)
}

// place1 takes the second job, after moving it to a place in its operation.
func (b *Batch) place1(ahead int64) {
	b.Taken[0].Job, b.Jobs[1].Ahead = 1, cores(ahead)
	b.cut()
}

// heavy lets the jobs ahead of the second one use a share of the tree.
func (b *Batch) heavy(share float64) {
	b.Jobs[1].Ahead = resource.Vector{3, int64(share * 2000)}
	b.Jobs[1].Usage, b.Jobs[1].Previous = resource.Vector{}, resource.Vector{}
	b.at(donor).Demand[resource.UserSlots] = 0
	b.cut()
}

// addCompetitor makes the job of the other operation the one that goes first.
func (b *Batch) addCompetitor() {
	b.at(other).Usage, b.Jobs[4].Ahead, b.Jobs[4].Start = both(0.5), cores(8), 99*second
	b.cut()
}

// takeProtected has an aggressive stage take a job of donor's share, while the job that the
// other operation has beyond its own stays.
func (b *Batch) takeProtected() {
	b.aggressive()
	b.addCompetitor()
	b.place1(3)
	b.Jobs[2].Gone, b.Jobs[3].Gone = true, true
	b.Jobs[4].Start = b.Jobs[1].Start - second
}

// takeTwo has two jobs taken for one of two cores: the last one of donor, of as many, and one
// that started later, of a size, and has some cores ahead of it.
func (b *Batch) takeTwo(ahead, size int64) {
	b.Started[0].Usage = cores(2)
	b.Jobs[3].Usage, b.Jobs[1].Usage, b.Jobs[1].Start = cores(2), cores(size), 12*second
	b.Node.Limits = room(5 + size)
	b.Taken = append(b.Taken, Taken{Job: 1, Reason: scheduling.ForPreemption})
	b.Jobs[1].Ahead = cores(ahead)
	b.cut()
}

// takeEarlier has an earlier stage take most of what the other operation has, for nobody:
// the node is overfull.
func (b *Batch) takeEarlier() {
	b.addPlaced(other, 9)
	most := &b.Jobs[len(b.Jobs)-1]
	most.Usage, most.Granted, most.Start = cores(9), cores(9), 100*second
	b.Taken = []Taken{{Job: int32(len(b.Jobs) - 1), Reason: scheduling.ForAggressivePreemption, Preemptor: NoPreemptor}, b.Taken[0]}
}

func (b *Batch) protectGang() {
	b.settings().AggressiveForGangs = false
	b.at(donor).Gang, b.at(donor).AggressivePreemption = true, false
}

// limit makes the job go for a specified limit of its pool.
func (b *Batch) limit(v resource.Vector) {
	b.at(rich).Specified = resource.Partial{Amounts: v, Set: [resource.Kinds]bool{true, true}}
	b.Started, b.Taken[0] = nil, Taken{Job: 3, Reason: scheduling.ForViolatedLimits, Preemptor: NoPreemptor}
}

func (b *Batch) alsoTake(job int32) {
	b.Taken = append(b.Taken, Taken{Job: job, Reason: b.Taken[0].Reason, Preemptor: b.Taken[0].Preemptor})
}

// takeBefore has a stage take a job before all others.
func (b *Batch) takeBefore(job int32) {
	b.Taken = append([]Taken{{Job: job, Reason: scheduling.ForPreemption, Preemptor: NoPreemptor}}, b.Taken...)
}

func (b *Batch) grace() {
	b.at(donor).Graceful = true
	b.Started, b.Taken[0] = nil, Taken{Job: 3, Reason: scheduling.ForGracefulPreemption, Preemptor: NoPreemptor}
}

func (b *Batch) overfill(since int64) {
	b.Node.Limits, b.Node.Overcommitted, b.Node.OvercommittedWithin = room(4), since, since
	b.Started, b.Taken[0] = nil, Taken{Job: 3, Reason: scheduling.ForOvercommit, Preemptor: NoPreemptor}
}
