package simulate

import (
	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// A Plan holds everything that happens to a cluster without being decided by its scheduler. Ids
// index the slices: they are those of Dimensions.
type Plan struct {
	Profile    core.Profile
	Dimensions *core.Dimensions
	Window     core.Span

	UpdatePeriod    core.Time // between updates of the fair shares
	SnapshotPeriod  core.Time // between snapshots, a multiple of UpdatePeriod; 0 for none
	HeartbeatPeriod core.Time // between reports of a node
	ScanPeriod      core.Time // between scans of the pending operations (core/spec/scheduling.md §5.5)
	Rebalances      bool      // the manager of segments moves nodes; otherwise they go where the facts say
	MaxOperations   int64     // live operations that the cluster may hold; 0 for any number

	Trees      []Tree
	Operations []Operation
	Phases     []core.Time // by node: its first report, counted from the window's start

	// Outcome says how long a job runs and whether it fails then, by the work it
	// does and how often that was begun. The same question has the same answer.
	Outcome func(w Work) (runs core.Time, fails bool)
	// Stop says how a job stops that is asked to; gracefully, if the first request to it was that
	// (core/spec/scheduling.md §10.6). The same question has the same answer.
	Stop func(w Work, gracefully bool) Stopping
	// AppendJobName appends the id of a job in the log to a text.
	AppendJobName func(to []byte, j Named) []byte

	// Refused is called for changes of pool that the scheduler does not allow, which are not
	// recorded. It may be nil.
	Refused func(at core.Time, tree int, o core.OperationID, why error)

	FaultInjector FaultInjector
	// Each calls f for every number below n and returns when all have returned;
	// nil: one after the other.
	Each func(n int, f func(i int))
}

// jobName is the id of a job in the log.
func (p *Plan) jobName(j Named) string { return string(p.AppendJobName(nil, j)) }

// A Tree holds the facts of a pool tree: configurations, nodes and actions of users on operations,
// in the order (time, kind, seq).
type Tree struct {
	Name  string
	Facts []core.Event
}

// An Operation is submitted to one or several trees. It completes once its tasks are
// done, one without any as soon as it can get jobs.
type Operation struct {
	Submit      core.Time
	Turn        int       // among those submitted in the same instant: the least first, of equals that with the least id
	Preparation core.Time // from the moment it may run until it can get jobs
	Requests    []Request
	Tasks       []Task

	Eligibility pooltree.Eligibility // of its tentative trees (tentative_tree_eligibility)

	Unnamed    bool // its spec names no tree: without a default tree it is refused
	Erases     bool // it gives up trees that are full (erase_trees_with_pool_limit_violations)
	SingleTree bool // it keeps one of its trees (schedule_in_single_tree)
}

// A Request asks for an operation in a tree. Started is the fact to record when it is granted; its
// pool is not decided yet. An offloaded operation starts in the other tree with the same fact
// except for its role, without a request in the plan.
type Request struct {
	Tree    int
	Pool    string // "" for the user's
	Started core.Event
	Slow    float64 // how many times as long its jobs run there; 0 for no difference
}

// tentative reports whether the tree is one that the operation tries out.
func (r *Request) tentative() bool { return r.Started.Role == core.RoleTentative }

func (r *Request) gang() bool { return r.Started.Params != nil && r.Started.Params.Gang.Value }

// A Task is a number of jobs of one size. One of no jobs keeps its operation until
// its time has come.
type Task struct {
	Jobs      int
	Resources resource.Vector
	After     core.Time // from the moment that the operation can get jobs until it wants these
}

// A Work is the piece of an operation that a job does. Attempt counts from 0
// how often it was begun before.
type Work struct {
	Operation            core.OperationID
	Task, Index, Attempt int
}

// A Named is a job that is to be named. Its id counts the jobs of all trees that are decided
// together, in the order in which they start, and its number those of its tree alone, which what
// other trees do does not change.
type Named struct {
	ID     core.JobID
	Tree   int
	Number int64
}

// A Stopping describes how a job stops on request. An Interruptible job stops after saving its
// state, which takes the given time; if that is negative, it stops when its work is done. Other
// jobs stop when their node has ended them. No job stays beyond its deadline.
type Stopping struct {
	Interruptible bool
	Takes         core.Time
}

// An Ending describes the end of a preempted job.
type Ending struct {
	After         core.Time // from the preemption
	Interruptible bool      // it was asked to put away what it had done, and not just aborted
	Completed     bool      // it did so in time; otherwise it was aborted
	Failed        bool      // it came to its own end in time, which was a failure
	Lost          bool      // its work is not done again, which no scheduler should allow
}

// A Recorder receives everything that happens.
type Recorder interface {
	// Begin is called before all else, with what may be read of every tree.
	BeginTrees(trees []*core.Tree) error
	// Record is called for every event, in the order of (time, kind) within a tree, after the tree
	// has followed it. Seq is that of the plan's fact, or 0.
	Record(tree int, e *core.Event) error
	// Snapshot is called at every snapshot, before all events of its instant.
	Snapshot(tree int, at core.Time) error
}
