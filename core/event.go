package core

import "poolproof/core/resource"

// Time is an instant: microseconds since the Unix epoch, UTC.
type Time int64

// Second is one second of Time.
const Second Time = 1_000_000

// The ids of one trace are dense numbers from zero, the *_ix columns of
// spec/trace-formats.md §3.2. A negative id is unknown.
type (
	PoolID      int32
	OperationID int32
	NodeID      int32
	JobID       int64
)

// Unknown is the id of what the log does not name. RootPool stands where a
// pool is expected and the tree's root is meant.
const (
	Unknown  = -1
	RootPool = PoolID(-2)
)

// A Kind says which fact an Event states. The kinds are ordered by cause:
// events of one instant apply in the order of their kinds
// (spec/trace-formats.md §3.2).
type Kind uint8

const (
	TreeConfigured    Kind = iota + 1 // a version of the tree's settings took effect
	PoolConfigured                    // a version of a pool took effect, its removal included
	NodeChanged                       // a node joined, left or changed size
	OperationChanged                  // a step in an operation's life; Event.Step says which
	DemandChanged                     // an operation's unmet need was set
	JobFinished                       // a job ended otherwise than by preemption
	HeartbeatReceived                 // a node reported, and the scheduler answered
	JobPreempted                      // the scheduler took a job's resources away
	JobStarted                        // the scheduler granted resources to a job
)

// A Step is what happened to an operation in an OperationChanged event: the
// vocabulary of op_events (spec/trace-formats.md §3.4).
type Step uint8

const (
	StepOther Step = iota // recorded, and without effect on the state
	StepStarted
	StepMaterialized
	StepRunning
	StepPending
	StepSuspended
	StepResumed
	StepPoolChanged
	StepParamsChanged
	StepRejected
	StepErased // erased_from_tree and banned_in_tree
	StepRevived
	StepCompleted
	StepFailed
	StepAborted
)

// An EndKind is how a job ended.
type EndKind uint8

const (
	EndUnknown EndKind = iota // the log never says: closed at the first thing that implies an end
	EndRunning                // still running where the log stops
	EndCompleted
	EndFailed
	EndAborted
	EndPreempted // aborted or interrupted to make room
)

// An Event is one past-tense fact of the log. It is one wide struct and not an
// interface so that a stream reuses a single value and allocates nothing per
// event: a consumer reads what its Kind fills and keeps no pointer to it.
type Event struct {
	Time Time
	Kind Kind
	Seq  int64 // unique in its tree; orders events of equal time and kind

	Pool      PoolID      // PoolConfigured, OperationChanged (Unknown: unchanged), JobStarted (Unknown: the operation's)
	Operation OperationID // OperationChanged, DemandChanged, Job*
	Node      NodeID      // NodeChanged, HeartbeatReceived, Job*
	Job       JobID       // Job*

	// Name is the job's id in the source (JobStarted). Its bytes are valid until
	// the stream's next event.
	Name []byte
	// Reason is the source's word for why a job ended or was taken, "" if it
	// gives none (JobFinished, JobPreempted, JobStarted).
	Reason string
	// For is the operation that a preempted job made room for (JobPreempted).
	For OperationID

	// Limits is what a node has (NodeChanged, HeartbeatReceived) or what a job
	// was granted (JobStarted). Usage is what a node reports to use before
	// scheduling (HeartbeatReceived).
	Limits, Usage resource.Vector

	// Needed is what an operation could use beyond its usage, MinNeeded the
	// smallest job it waits for, zero if not recorded, and PendingJobs how many
	// jobs it waits for, -1 if not recorded (DemandChanged).
	Needed, MinNeeded resource.Vector
	PendingJobs       int64

	Online bool // NodeChanged

	Step   Step             // OperationChanged
	Params *OperationParams // OperationChanged: what the row changes; nil if nothing

	Tree   *TreeConfig // TreeConfigured
	Config *PoolConfig // PoolConfigured

	// Finish and End say how the job will end, as far as the log knows:
	// Finish is 0 if it does not. They stand in JobStarted too, so that a result
	// row can be opened with what is known (JobStarted, JobFinished, JobPreempted).
	Finish Time
	End    EndKind
}
