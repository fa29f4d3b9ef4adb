package judge

import (
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A Batch holds the preemptions of one heartbeat on one node, and the evidence to judge them: the
// state before the heartbeat started or preempted anything.
//
// Fill it by hand, or with LookAt, Start and AddVictim from a scheduling.Tree.
type Batch struct {
	Decision
	Jobs                []Job // of the node, in the order they came
	Started             []Started
	Taken               []Taken
	Regular             resource.Vector // of jobs that the heartbeat started without preemption
	NoTicks             bool            // the log does not record preemptive stages without victims
	LastRunIsUpperBound bool            // Node.LastPreemptive is an upper bound

	// From is the time when the log begins, scheduling.Never if the earlier state is known. A clock
	// that was running then may have run for a longer or a shorter time.
	From int64

	// DemandLag is the time between records where only records tell demand: a clock may have run
	// that much longer than recomputed. 0 if demand is known at all times.
	DemandLag int64

	followed bool            // LookAt read a tree, whose statuses follow from its clocks
	before   resource.Vector // usage of the node before the preemptive stages
	order    []int32

	turn   int // index of the victim that is being judged
	victim *Job
	stage  scheduling.Priority // of the stage that took it
	later  hypothesis          // the one under test, with some victims gone

	// protective caches, for the best estimate, whether an element protects the jobs below it from
	// the normal and the aggressive stage.
	protective [][2]answer
	tree       *scheduling.Tree // the tree of LookAt; places of jobs are fetched from it on demand
}

// A Node is the node of a batch.
type Node struct {
	Limits              resource.Vector
	Asked               resource.Vector // usage of resources known only by what jobs requested, an upper bound; zero if all are measured
	Disabled            bool            // it is online without user slots
	SSD                 bool            // matches the filter of ssd_priority_preemption
	SSDSince            int64           // when other tags last made it match or cease to match, or scheduling.Never
	Overcommitted       int64           // since when its usage exceeded its limits, scheduling.Never if it fitted
	OvercommittedWithin int64           // likewise with the tolerance of reported usage added
	Interval            int64           // the longest observed time between two of its heartbeats, or 0
	LastPreemptive      int64           // when preemptive stages last ran, or scheduling.Never
}

// A State is a state on which the scheduler may have based a decision: settings, and the results of
// a tick. All states of a batch list the same elements.
type State struct {
	Options  *scheduling.Options
	Total    resource.Vector
	Node     *Node     // online, as a row just after records; nil: that of the batch or the start
	Elements []Element // parents first, without the root. Element completes the entries of LookAt

	WithoutEnding bool // jobs of the node that are Ending have left

	tree   *scheduling.Tree // the tree of LookAt
	places []int32          // index of a listed element, by handle
}

// An Element is a pool or an operation of a batch.
type Element struct {
	scheduling.ElementInfo
	Handle scheduling.Element // in the tree of its description
	Above  int32              // index of its parent, -1 for the root
	Doubt  resource.Vector    // the part of Amount used by jobs that may have left or not started

	// Dropped is, for a batch that repaired limits, how much more of each resource the element used
	// at some time within the lag of usage.
	Dropped resource.Vector

	// Elsewhere is usage that may or may not count: of jobs that ended within the slack of clocks
	// before, and of victims of heartbeats of other nodes that may have run at the same time,
	// within the slack of clocks or, for a batch that repaired limits, within the time between two
	// heartbeats.
	Elsewhere resource.Vector

	lacks part // part of ElementInfo that is yet to be fetched
}

// A Job is a job that was on the node.
type Job struct {
	Handle         scheduling.Job
	Operation      int32 // index of the element
	List           scheduling.List
	Usage, Granted resource.Vector
	Start          int64
	SSD            bool // holds a quota on an SSD medium
	SSDUnknown     bool // not recorded: it may hold one
	Forced         bool // its segment does not fit the node
	ForcedUnknown  bool // the segment may or may not fit
	Interrupted    bool // asked to finish before
	Gone           bool // preempted before
	Ending         bool // absent in states with WithoutEnding: the log ends it shortly after

	// Placed says that the job's place in its operation's list is known: Ahead is the usage of the
	// jobs before it, Previous that of the last of them. It is needed for a boundary that may be
	// off by one job. The log does not record the order of jobs that started at the same time
	// (core/spec/scheduling.md §16): Previous includes those before the job that may be behind it,
	// and Tied is the usage of those behind it that may be before it.
	Placed                bool
	Ahead, Previous, Tied resource.Vector
}

// A Started is a job that the heartbeat started by preemption.
type Started struct {
	Operation int32 // index of the element, -1 if it has ended or is not known yet
	Usage     resource.Vector
	Disk      bool // it asks for a disk quota, which the log does not record
}

// A Taken is a victim of the heartbeat.
type Taken struct {
	Job       int32 // index in Jobs
	Reason    scheduling.Reason
	Preemptor int32 // index in Started, or one of the following
	Unnamed   bool  // the log does not name the preemptor's job, though it may name its operation
}

// Values of Taken.Preemptor for preemptions without a known preemptor job.
const (
	NoPreemptor        int32 = -1 // the log records that there was no preemptor
	PreemptorUnknown   int32 = -2 // the log does not record
	PreemptorElsewhere int32 = -3 // it names a job that started on another node or at another time
	PreemptorDangling  int32 = -4 // it names a job that the log does not hold
	PreemptorEnded     int32 = -5 // it names an operation that ended before its job could start
)

// taken returns a victim and its record.
func (b *Batch) taken(k int) (*Taken, *Job) {
	t := &b.Taken[k]
	return t, &b.Jobs[t.Job]
}

// preemptor returns the operation for which the victim was preempted, or -1.
func (b *Batch) preemptor() int32 {
	if f := b.Taken[b.turn].Preemptor; f >= 0 {
		return b.Started[f].Operation
	}
	return -1
}

// isTaken reports whether a job is a victim of the batch.
func (b *Batch) isTaken(job int32) bool {
	for k := range b.Taken {
		if b.Taken[k].Job == job {
			return true
		}
	}
	return false
}

// readBatch prepares the batch for judging.
func (b *Batch) readBatch() {
	b.best, b.before = hypothesis{State: &b.States[0]}, b.Regular
	for j := range b.Jobs {
		if !b.Jobs[j].Gone {
			b.before = b.before.Add(b.Jobs[j].Usage)
		}
	}
}

// usageAt returns the node's usage at victim k's turn: with the started jobs, without earlier
// victims.
func (b *Batch) usageAt(k int) resource.Vector {
	sum := b.before
	for i := range b.Started {
		sum = sum.Add(b.Started[i].Usage)
	}
	for i := range k {
		if t, job := b.taken(i); t.Reason != scheduling.ForGracefulPreemption && !job.Gone {
			sum = sum.Sub(job.Usage)
		}
	}
	return sum
}

// repairedBefore returns the usage of the victims before victim k that were taken to repair limits.
func (b *Batch) repairedBefore(k int) (sum resource.Vector) {
	for i := range k {
		if t, job := b.taken(i); t.Reason == scheduling.ForViolatedLimits && !job.Gone {
			sum = sum.Add(job.Usage)
		}
	}
	return sum
}

// earlier returns the number of victims of earlier stages than the victim's: its own stage saw the
// state that they left (§10.4).
func (b *Batch) earlier() (n int) {
	stage, known := b.Taken[b.turn].Reason.Stage()
	for i := range b.turn {
		if before, ok := b.Taken[i].Reason.Stage(); known && ok && before < stage {
			n = i + 1
		}
	}
	return n
}

// startedBy returns the resources of jobs below an element that the heartbeat started by
// preemption.
func (b *Batch) startedBy(e int32) (sum resource.Vector) {
	for i := range b.Started {
		if b.isWithin(b.Started[i].Operation, e) {
			sum = sum.Add(b.Started[i].Usage)
		}
	}
	return sum
}

// lostBy returns what an element had lost to the batch at victim k's turn.
func (b *Batch) lostBy(e int32, k int) (sum resource.Vector) {
	for i := range k {
		if t, job := b.taken(i); t.Reason != scheduling.ForGracefulPreemption && b.isWithin(job.Operation, e) {
			sum = sum.Add(job.Usage)
		}
	}
	return sum
}

// isWithin reports whether an element equals another or is below it.
func (b *Batch) isWithin(e, above int32) bool {
	for ; e >= 0; e = b.States[0].Elements[e].Above {
		if e == above {
			return true
		}
	}
	return false
}
