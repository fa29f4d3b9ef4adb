package scheduling

import "poolproof/core/resource"

// A Heartbeat is a node's report to which the scheduler responds with a decision.
type Heartbeat struct {
	Node Node
	Now  int64 // microseconds
	Skip bool  // scheduling is skipped: a job waits, the node is throttled (§9.1)

	Explain bool // the outcome lists every operation and job considered
}

// A Controller is the part of an operation that has jobs to start.
type Controller interface {
	// Offer asks an operation for a job that fits room on a node. The answer holds a job or a
	// refusal.
	Offer(operation Element, n Node, room resource.Vector) Answer
}

// An Answer is a job that a controller wants to start, or a refusal.
type Answer struct {
	Refusal   Refusal
	Resources resource.Vector
	SSD       bool // the job asks for a quota on an SSD medium
}

// A Refusal is a controller's reason for not starting a job.
type Refusal uint8

// The refusals. After Declined the controller is not asked for some time (§3.4,
// schedule_job_fail_backoff_time).
const (
	Accepted           Refusal = iota
	NotEnoughResources         // none of its jobs fits
	NothingPending             // it has no jobs to start
	Declined                   // for reasons of its own: locality, speculation, disk, ports
)

// An Outcome holds the decisions of a heartbeat. It belongs to the Tree and is valid until the next
// heartbeat.
type Outcome struct {
	Started   []Start
	Preempted []Preemption

	// Preemptive says whether preemptive stages ran, and StartedPreemptively
	// how many jobs they started: at most one.
	Preemptive          bool
	StartedPreemptively int

	Stages     []StageReport
	Priorities [priorities]int // how many enabled operations have each priority on the node
	Calls      []Call

	// Considered and Victims are filled on request.
	Considered []Consideration
	Victims    []Victim

	// Stopped is the reason why the regular stages ended before all operations were considered,
	// NoRoomLeft or MostStarted, else NoObstacle. It is filled on request.
	Stopped Obstacle

	discounts []Discount // of all stages
}

// A Start is a job that a heartbeat starts.
type Start struct {
	Job       Job
	Operation Element
	Resources resource.Vector
	Stage     Stage
}

// A Call is an offer to a controller.
type Call struct {
	Operation Element
	Stage     Stage
	Refusal   Refusal
}

// A StageReport summarizes the candidates of a preemptive stage.
type StageReport struct {
	Stage         Stage
	Unconditional resource.Vector // discount of the node
	Candidates    int             // unconditional ones
	Conditional   int             // conditional ones
	Discounts     []Discount      // on request: conditional discounts of the operations that the stage serves
}

// A Discount is the amount that conditional candidates would free for an operation.
type Discount struct {
	Operation Element
	Resources resource.Vector
}

// A Stage is a pass over the operations within a heartbeat (§9.4).
type Stage uint8

// The stages in their order.
const (
	RegularHigh Stage = iota
	RegularMedium
	PackingFallback // one job that packing had refused
	PreemptiveSSDAggressive
	PreemptiveSSDNormal
	PreemptiveAggressive
	PreemptiveNormal
)

var stageNames = [...]string{
	"regular_high_priority", "regular_medium_priority", "regular_packing_fallback", "preemptive_ssd_aggressive", "preemptive_ssd_normal",
	"preemptive_aggressive", "preemptive_normal",
}

func (s Stage) String() string { return stageNames[s] }

// Target returns the priority that a preemptive stage serves.
func (s Stage) Target() Priority {
	switch s {
	case PreemptiveSSDAggressive:
		return SSDAggressive
	case PreemptiveSSDNormal:
		return SSDNormal
	case PreemptiveAggressive:
		return Aggressive
	case PreemptiveNormal:
		return Normal
	}
	return NoPriority
}

// stage is the state of the heartbeat and stage under way.
type stage struct {
	Heartbeat
	kind       Stage
	controller Controller
	choice     *choice
	batch      []Element
	least      resource.Vector // smallest leftover that is offered

	unconditional resource.Vector // discount of the node
	maxDiscount   resource.Vector // greatest conditional discount of each kind
	jobs          int             // number of jobs on the node before the heartbeat: later ones are not candidates
	candidates    []candidate
	attached      []candidate // conditional candidates, with their blockers

	serial         int64           // counts heartbeats
	packingSamples []packingSample // free resources of the node at each operation's check for packing
	misfits        []Element       // refused by packing since the last start
	firstMisfit    int             // of the stage
}

// Decide runs a heartbeat: what to start and what to take away (§9.3). The
// decisions take effect in the tree.
func (t *Tree) Decide(h Heartbeat, c Controller) *Outcome {
	out := t.decide(h, c)
	t.Remember()
	return out
}

// decide is Decide without updating packing windows.
func (t *Tree) decide(h Heartbeat, c Controller) *Outcome {
	o := &t.out
	*o = Outcome{
		Started: o.Started[:0], Preempted: o.Preempted[:0], Stages: o.Stages[:0], Calls: o.Calls[:0],
		Considered: o.Considered[:0], Victims: o.Victims[:0], discounts: o.discounts[:0],
	}
	t.stage.Heartbeat, t.stage.controller = h, c
	t.Report(h.Node, h.Now)
	t.failures = t.failures[:0]
	t.stage.candidates, t.stage.attached = t.stage.candidates[:0], t.stage.attached[:0]
	t.stage.serial++
	t.stage.packingSamples, t.stage.misfits = t.stage.packingSamples[:0], t.stage.misfits[:0]
	t.stage.jobs = len(t.nodes[h.Node].jobs)
	t.preemptGracefully()
	if h.Skip {
		return o
	}
	t.makeLists()
	o.Priorities = t.lists.priorities[ssdIndex(t.nodes[h.Node].SSD)]
	t.runRegular()
	t.runPackingFallback()
	if t.PreemptionAllowed(h.Node, h.Now) {
		t.nodes[h.Node].lastPreemptive = h.Now
		t.runPreemptive()
	}
	if t.overcommitted() {
		t.preemptOvercommit()
	}
	t.releaseTaken()
	return o
}

func ssdIndex(ssd bool) int {
	if ssd {
		return 1
	}
	return 0
}

// mayContinue reports whether more jobs can be started (§9.2).
func (t *Tree) mayContinue() bool { return t.stops() == NoObstacle }

// stops returns why no more jobs can be started, NoObstacle if some can.
func (t *Tree) stops() Obstacle {
	s, most := &t.stage, t.options.MaxStartedPerHeartbeat
	switch {
	case most != 0 && len(t.out.Started) >= most:
		return MostStarted
	case !t.fitsNode(s.least, s.maxDiscount):
		return NoRoomLeft
	}
	return NoObstacle
}

// spare returns the least that must be free on a node before it is offered. Resources that the tree
// does not have, such as memory in a log without it, are not required.
func (t *Tree) spare(least resource.Vector) resource.Vector {
	for k := range least {
		if t.total[k] == 0 {
			least[k] = 0
		}
	}
	return least
}

// LeastOffered returns the least that must be free on a node for any start (§9.2).
func (t *Tree) LeastOffered() resource.Vector { return t.spare(t.options.MinSpare) }

// fitsNode reports whether r fits the node beside its jobs, less the discounts.
func (t *Tree) fitsNode(r, conditional resource.Vector) bool {
	n := &t.nodes[t.stage.Node]
	return n.held().Add(r).Sub(t.stage.unconditional).Sub(conditional).FitsIn(n.Limits)
}

// fitsSomebody reports whether a job of some operation may fit the node, given the least that any
// operation needs and with all candidates counted as gone. If none fits, operations are asked only
// for an explanation.
func (t *Tree) fitsSomebody(least resource.Vector) bool {
	s := &t.stage
	if s.Explain {
		return true
	}
	var credit resource.Vector
	for i := range s.attached {
		credit = credit.Add(t.jobs[s.attached[i].job].usage)
	}
	return t.fitsNode(least, credit)
}

// runRegular runs the regular stages (§9.4).
func (t *Tree) runRegular() {
	s := &t.stage
	s.kind, s.least = RegularMedium, t.spare(t.options.MinSpare)
	if t.out.Stopped = t.stops(); t.out.Stopped != NoObstacle {
		return
	}
	if !t.fitsSomebody(t.lists.least) {
		return
	}
	if !t.options.GuaranteePriority && t.options.BatchSize == 0 {
		t.runStage(RegularMedium, t.choose(everyone, t.lists.schedulable))
		return
	}
	high, medium := t.inStages()
	t.runBatches(RegularHigh, high)
	t.runBatches(RegularMedium, medium)
}

// runBatches runs a regular stage over operations, in batches if the tree says so. Once a batch has
// started a job, later batches require more free resources.
func (t *Tree) runBatches(kind Stage, operations []Element) {
	t.stage.kind = kind // the choice below already excludes by stage
	size := t.options.BatchSize
	if size == 0 {
		size = len(operations)
	}
	for len(operations) > 0 {
		n := min(size, len(operations))
		t.runStage(kind, t.chooseAmong(operations[:n]))
		operations = operations[n:]
		if len(t.out.Started) > 0 {
			t.stage.least = t.spare(t.options.BatchMinSpare)
		}
	}
}

// runStage offers the node to operations until nothing more fits or none is left; a preemptive
// stage and the packing fallback stop after one started job.
func (t *Tree) runStage(kind Stage, c *choice) (started bool) {
	s := &t.stage
	s.kind, s.choice, s.firstMisfit = kind, c, len(s.misfits)
	for t.mayContinue() {
		e := c.next()
		if e == None {
			break
		}
		t.touch(e)
		if t.attempt(e) {
			started = true
			if kind >= PackingFallback {
				break
			}
		}
	}
	if s.Explain && kind < PackingFallback && t.out.Stopped == NoObstacle && c.next() != None {
		t.out.Stopped = t.stops()
	}
	return started
}

// excluded reports whether an operation does not take part in the stage.
func (t *Tree) excluded(e Element) bool {
	reason := t.exclusion(e)
	if reason != NoObstacle {
		t.consider(e, reason, None)
	}
	return reason != NoObstacle
}

// TakesPart reports whether the stages of a heartbeat would consider an operation (§9.5), packing
// ignored.
func (t *Tree) TakesPart(h Heartbeat, e Element) bool {
	t.stage.Heartbeat = h
	return t.exclusion(e) == NoObstacle
}

// exclusion returns why an operation does not take part in the stage, NoObstacle if it does (§9.5).
func (t *Tree) exclusion(e Element) Obstacle {
	if own := t.ExclusionFromAll(e, t.stage.Now); own != NoObstacle {
		return own
	}
	return t.ExclusionFrom(e, t.stage.Node)
}

// ExclusionFromAll returns why an operation does not take part in the heartbeat of any node now,
// NoObstacle if it may take part in some (§9.5).
func (t *Tree) ExclusionFromAll(e Element, now int64) Obstacle {
	n := &t.elements[e]
	switch op := n.operation; {
	case op.failed != Never && now < op.failed+t.options.FailBackoff:
		return RecentlyFailed
	case op.Graceful && !t.below(n, &n.seen):
		return FairShareExceeded
	case now < op.saturated:
		return SaturatedInTentativeTree
	}
	return NoObstacle
}

// ForbidsRegularJobs reports whether a pool of an operation without an SSD request forbids such
// jobs on an SSD-priority node (§9.5).
func (t *Tree) ForbidsRegularJobs(e Element, at Node) bool {
	n := &t.elements[e]
	return t.nodes[at].SSD && !n.operation.RequestsSSD && n.own.SSDForbidden
}

// ExclusionFrom returns why an operation may not use a node, NoObstacle if it may (§9.5).
func (t *Tree) ExclusionFrom(e Element, at Node) Obstacle {
	switch op, own := t.elements[e].operation, &t.nodes[at]; {
	case t.ForbidsRegularJobs(e, at):
		return RegularJobOnSSDForbidden
	case !t.fits(op, own):
		return IncompatibleSegment
	case t.admits != nil && !t.admits(e, at):
		return UnmatchedTag
	}
	return NoObstacle
}
