package judge

import (
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A Batch is what one heartbeat took away on one node, with the evidence to
// judge it: the state before anything was started or taken.
//
// Fill it by hand, or with Look, Start and Take from a scheduling.Tree.
type Batch struct {
	Decision
	Jobs    []Job // of the node, in the order they came
	Started []Started
	Taken   []Taken
	Regular resource.Vector // of jobs that the heartbeat started without preemption
	NoTicks bool            // the log does not record of preemptive stages that took nothing
	Untimed bool            // it tells at the latest when they ran last

	// From is when the log begins, scheduling.Never if all before is known: a
	// clock that ran at that moment may have run for longer, or for less long.
	From int64

	followed bool            // Look saw a tree, whose statuses follow from its clocks
	before   resource.Vector // used of the node, before the preemptive stages
	order    []int32

	turn   int // the victim that the rules judge of now
	victim *Job
	stage  scheduling.Priority // of the stage that took it, by which they judge
	later  hypothesis          // that is tried, with some victims gone

	// protective are the elements of the best estimate that protect what is below
	// them from the stages of starvation and of aggressive starvation, as far as
	// was asked since Look.
	protective [][2]answer
	tree       *scheduling.Tree // that Look saw; job places are fetched from it when they matter
}

// A Node is the node of a batch.
type Node struct {
	Limits         resource.Vector
	Asked          resource.Vector // of resources whose use is known only as jobs asked for it, at most too much; zero if there are none
	Disabled       bool            // it is online without user slots
	SSD            bool            // matches the filter of ssd_priority_preemption
	SSDSince       int64           // when other tags made it match or cease to, scheduling.Never if not known to
	Overcommitted  int64           // since when its usage had not fitted, scheduling.Never if it fitted
	Crowded        int64           // likewise if it was more by what reports may be off
	Interval       int64           // the longest time that was seen between two of its heartbeats, 0 if none
	LastPreemptive int64           // when preemptive stages ran last, scheduling.Never if not yet
}

// A State is what the scheduler may have gone by: settings, and what a tick
// published. All states of a batch list the same elements.
type State struct {
	Options  *scheduling.Options
	Total    resource.Vector
	Node     *Node     // online, as a row just after tells; nil: that of the batch or the start
	Elements []Element // parents first; the root is left out. Element completes those that Look lists

	WithoutEnding bool // jobs of the node that are Ending are gone

	tree   *scheduling.Tree // that Look saw
	places []int32          // by handle, where an element stands if it is listed
}

// An Element is a pool or an operation of a batch.
type Element struct {
	scheduling.ElementInfo
	Handle scheduling.Element // in the tree it was described by
	Above  int32              // index of its parent, -1 for the root
	Doubt  resource.Vector    // of its Amount, what jobs use that may have been gone, or not be there yet

	// Dropped is, of a batch that repaired limits, what the element used more of each
	// resource at some moment within the lag of usage.
	Dropped resource.Vector

	// Elsewhere is what jobs of it used that may still count, as they ended within the slack
	// of clocks before, and what heartbeats of other nodes took that may run at the same time:
	// within the slack of clocks, or within the time between two of them where the batch
	// repaired limits.
	Elsewhere resource.Vector

	lacks part // of ElementInfo: yet to be fetched from the tree
}

// A Job is a job that was on the node.
type Job struct {
	Handle         scheduling.Job
	Operation      int32 // index of the element
	List           scheduling.List
	Usage, Granted resource.Vector
	Start          int64
	SSD            bool // holds a quota on an SSD medium
	SSDUnknown     bool // or may, for the log does not record
	Forced         bool // its segment does not fit the node
	ForcedUnknown  bool // or may not
	Interrupted    bool // asked to finish before
	Gone           bool // preempted before
	Ending         bool // gone in the states without those that the log ends a moment later

	// Placed says that the job's place among those of its operation is known:
	// what the jobs ahead of it use, and the last of them. It is needed to
	// judge a boundary that may be off by a job. The log does not record the
	// order of jobs that started at the same time (core/spec/scheduling.md §16): Previous is with those of them that
	// may stand behind instead, Tied is what those behind use that may stand ahead.
	Placed                bool
	Ahead, Previous, Tied resource.Vector
}

// A Started is a job that the heartbeat started with preemption.
type Started struct {
	Operation int32 // index of the element, -1 if it is over, or not known yet
	Usage     resource.Vector
	Disk      bool // it asks for a disk quota, which the log does not record
}

// A Taken is a job that the heartbeat took away.
type Taken struct {
	Job     int32 // index in Jobs
	Reason  scheduling.Reason
	For     int32 // index in Started, or one of the following
	Unnamed bool  // the log does not name the job that it was taken for, whatever operation it names
}

// What a preemption may say of its beneficiary otherwise.
const (
	ForNobody    int32 = -1 // the log says that there is none
	ForUnknown   int32 = -2 // the log does not record
	ForElsewhere int32 = -3 // it names a job that started on another node or at another time
	ForDangling  int32 = -4 // it names a job that the log does not hold
	ForGone      int32 = -5 // it names an operation that ended before its job could start
)

// taken returns a victim and what was recorded of it.
func (b *Batch) taken(k int) (*Taken, *Job) {
	t := &b.Taken[k]
	return t, &b.Jobs[t.Job]
}

// beneficiary returns the operation a victim was taken for, -1 if none is known.
func (b *Batch) beneficiary() int32 {
	if f := b.Taken[b.turn].For; f >= 0 {
		return b.Started[f].Operation
	}
	return -1
}

// isTaken reports whether the batch took a job.
func (b *Batch) isTaken(job int32) bool {
	for k := range b.Taken {
		if b.Taken[k].Job == job {
			return true
		}
	}
	return false
}

// read begins to judge.
func (b *Batch) read() {
	b.best, b.before = hypothesis{State: &b.States[0]}, b.Regular
	for j := range b.Jobs {
		if !b.Jobs[j].Gone {
			b.before = b.before.Add(b.Jobs[j].Usage)
		}
	}
}

// usageAt is the node's usage when it was victim k's turn: with what was
// started, without what went first.
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

// repairedBefore is what the repair of limits had taken of the node, of the victims
// that stand before victim k.
func (b *Batch) repairedBefore(k int) (sum resource.Vector) {
	for i := range k {
		if t, job := b.taken(i); t.Reason == scheduling.ForViolatedLimits && !job.Gone {
			sum = sum.Add(job.Usage)
		}
	}
	return sum
}

// earlier is how many victims stages before that of the victim took: what they left is
// what its own stage looked at (§10.4).
func (b *Batch) earlier() (n int) {
	stage, known := b.Taken[b.turn].Reason.Stage()
	for i := range b.turn {
		if before, ok := b.Taken[i].Reason.Stage(); known && ok && before < stage {
			n = i + 1
		}
	}
	return n
}

// startedBy is what the heartbeat started within an element, in place of others.
func (b *Batch) startedBy(e int32) (sum resource.Vector) {
	for i := range b.Started {
		if b.isWithin(b.Started[i].Operation, e) {
			sum = sum.Add(b.Started[i].Usage)
		}
	}
	return sum
}

// lostBy is what an element had lost to the batch when it was victim k's turn.
func (b *Batch) lostBy(e int32, k int) (sum resource.Vector) {
	for i := range k {
		if t, job := b.taken(i); t.Reason != scheduling.ForGracefulPreemption && b.isWithin(job.Operation, e) {
			sum = sum.Add(job.Usage)
		}
	}
	return sum
}

// isWithin reports whether an element is another, or below it.
func (b *Batch) isWithin(e, above int32) bool {
	for ; e >= 0; e = b.States[0].Elements[e].Above {
		if e == above {
			return true
		}
	}
	return false
}
