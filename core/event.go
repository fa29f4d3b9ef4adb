package core

import (
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// Time is an instant: microseconds since the Unix epoch, UTC.
type Time int64

// Second is one second of Time.
const Second Time = 1_000_000

// Never is the time of the last occurrence of something that has not occurred. It is before any
// log; zero is a valid time.
const Never Time = -1 << 62

// The ids of one trace are dense numbers from zero, the *_ix columns of
// ingest/trace/FORMAT.md §3.2. A negative id is unknown.
type (
	PoolID      int32
	OperationID int32
	NodeID      int32
	JobID       int64
)

// Unknown is the id of an object that the log does not name. RootPool is the id of the tree's root.
const (
	Unknown  = -1
	RootPool = PoolID(-2)
)

// A Kind says which fact an Event states. The kinds are ordered by cause:
// events of one instant apply in the order of their kinds
// (ingest/trace/FORMAT.md §3.2).
type Kind uint8

// The scheduler's own records come first: they state the previous tick, on which the decisions of
// the instant are based.
const (
	ProcessChanged    Kind = iota + 1 // the scheduler started, lost or found its master, raised or cleared an alert
	TreeRecorded                      // a snapshot of the scheduler begins: its view of the tree
	PoolRecorded                      // its view of a pool
	OperationRecorded                 // its view of an operation
	VolumesRecorded                   // what it accumulated of an operation since its report before
	ClusterConfigured                 // a version of the settings above all trees took effect
	TreeConfigured                    // a version of the tree's settings took effect
	PoolConfigured                    // a version of a pool took effect, its removal included
	NodeChanged                       // a node joined, left or changed size or tags
	OperationChanged                  // a step in an operation's life; Event.Step says which
	DemandChanged                     // an operation's unmet need was set
	JobFinished                       // a job ended; one that was preempted before stopped
	HeartbeatReceived                 // a node reported, and the scheduler answered
	JobReported                       // a heartbeat carried news of a job: what it uses, its state, how long it may stay
	JobPreempted                      // the scheduler took a job's resources away
	JobStarted                        // the scheduler granted resources to a job
)

// A Step is an event in an operation's life (OperationChanged), in the vocabulary of op_events
// (ingest/trace/FORMAT.md §3.4).
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
	StepErased
	StepBanned // banned_in_tree: erased, and the tree gets no more jobs of it
	StepRevived
	StepCompleted
	StepFailed
	StepAborted
	StepStarvationStarted  // the scheduler declared it starving; Event.Status says how
	StepStarvationFinished // and no longer
)

// A Role says how an operation uses a tree (core/spec/scheduling.md §2.4).
type Role uint8

const (
	RoleUnknown Role = iota // the log does not say
	RoleRegular
	RoleTentative  // until the operation is banned there
	RoleProbing    // for jobs that try it out
	RoleOffloading // added by the offloading settings of the operation's pool in another tree, not by its spec
)

// An EndKind classifies the end of a job.
type EndKind uint8

const (
	EndUnknown EndKind = iota // not recorded: closed at the first event that implies an end
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
	// Preemptor is the operation for which a job was preempted (JobPreempted).
	Preemptor OperationID

	// PreemptorJob is the job, by its id in the source, that was started in place of a preempted
	// job, "" if not recorded. Preemption holds what else the log records of the preemption, or nil
	// (JobPreempted).
	PreemptorJob string
	Preemption   *PreemptionRecord
	// Stage is the word of the source for the stage that started a job, "" if it
	// gives none (JobStarted).
	Stage string
	// StartsWithin is the longest time after Time by which a job may have started; 0 if its start
	// is recorded (JobStarted).
	StartsWithin Time
	// ReleasesWithin is the longest time before Finish by which a job may have released its
	// resources; 0 if it held them until its end or preemption (JobStarted).
	ReleasesWithin Time
	// SSD says that a job holds a quota on a medium of ssd_priority_preemption
	// (JobStarted).
	SSD bool

	// Predecessor is the job whose work this one begins again, by its id in the
	// source, nil if none is recorded; valid as long as Name. Competes says that the
	// job does work that another does as well (JobStarted).
	Predecessor []byte
	Competes    bool

	// Limits are a node's resources (NodeChanged, HeartbeatReceived) or a job's grant (JobStarted).
	// Usage is a node's reported usage before scheduling (HeartbeatReceived) or a job's usage from
	// now on (JobReported with Uses).
	Limits, Usage resource.Vector
	Uses          bool

	// State is the job's new state, "" if not recorded. Timeout is the time that a job which was
	// asked to stop may stay, 0 if it was not (JobReported; JobPreempted of a simulation).
	State   string
	Timeout Time

	// Needed is the operation's demand beyond its usage, MinNeeded its smallest pending job, zero
	// if not recorded, and PendingJobs the number of pending jobs, -1 if not recorded
	// (DemandChanged).
	Needed, MinNeeded resource.Vector
	PendingJobs       int64

	Online bool // NodeChanged
	// Undescribed says that from now on the log records neither the node's resources nor its tags
	// (NodeChanged).
	Undescribed bool
	Tags        pooltree.Tags // NodeChanged
	Segment     string        // scheduling_segment (NodeChanged)
	Module      string        // data_center (NodeChanged)
	Network     string        // infiniband_cluster (NodeChanged)

	// Skipped says that scheduling was skipped, Preemptive that preemptive
	// stages ran (HeartbeatReceived).
	Skipped, Preemptive Optional[bool]

	Step   Step             // OperationChanged
	Params *OperationParams // OperationChanged: what the row changes; nil if nothing
	// Role is the tree's role for the operation, as far as the row states it or its spec implies it
	// (OperationChanged).
	Role Role
	// Spec holds the operation's spec, nil if the log has none (OperationChanged: StepStarted,
	// StepRevived, StepRejected).
	Spec *OperationSpec
	// ErrorCode is that of a rejection or failure, 0 if not recorded, and Status
	// the starvation_status that the row states, "" if none (OperationChanged).
	ErrorCode int32
	Status    string

	// Process is the word of process_events, Alert the alert it raises or clears
	// (ProcessChanged).
	Process, Alert string

	// The scheduler's own records, valid until the stream's next event (TreeRecorded, PoolRecorded,
	// OperationRecorded).
	TreeRecord      *TreeRecord
	PoolRecord      *PoolRecord
	OperationRecord *OperationRecord
	VolumeRecord    *VolumeRecord // likewise (VolumesRecorded)

	Cluster *ClusterConfig // ClusterConfigured
	Tree    *TreeConfig    // TreeConfigured
	Config  *PoolConfig    // PoolConfigured
	// Attributes are the options of the version under their documented names, from which Tree or
	// Config was read; nil where the log holds none. Consumers may keep them and must not change
	// them (TreeConfigured, PoolConfigured).
	Attributes pooltree.Attributes
	// Doubled lists the options that a version states under two of their names (TreeConfigured,
	// PoolConfigured).
	Doubled []*pooltree.RuleError

	// Finish and End state when and how the job ends, as far as recorded; Finish is absent if it is
	// not. JobStarted carries them too, so that a result row can be opened complete (JobStarted,
	// JobFinished, JobPreempted).
	Finish Optional[Time]
	End    EndKind
	// Untimed says that the log does not record when the job was preempted; its end, the latest
	// possible moment, is used instead (JobStarted, JobPreempted).
	Untimed bool
}
