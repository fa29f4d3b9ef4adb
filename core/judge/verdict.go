package judge

// A Verdict is the outcome of judging one invariant once (core/spec/invariants.md
// §1). The constants are ordered: of several, the greatest sums them up.
type Verdict uint8

// The verdicts.
const (
	OK          Verdict = iota
	Undecidable         // an input is missing
	Excused             // wrong, but a listed excuse applies
	Suspect             // wrong in some of the states the scheduler may have been in
	Violated            // wrong in all of them
)

var verdictNames = [...]string{"ok", "undecidable", "excused", "suspect", "violated"}

func (v Verdict) String() string { return verdictNames[v] }

// An Evidence says how an input was obtained (core/spec/invariants.md §1).
type Evidence uint8

// The levels of evidence, the best first. A ruling based on Possible is never Violated.
const (
	Recorded   Evidence = iota // the log states it
	Recomputed                 // the replay reconstructs it
	Possible                   // only bounds are known
)

var evidenceNames = [...]string{"recorded", "recomputed", "possible"}

func (e Evidence) String() string { return evidenceNames[e] }

// An Excuse names why a correct scheduler may break a rule for a while.
type Excuse string

// The excuses.
const (
	NoExcuse            Excuse = ""
	Reconnecting        Excuse = "scheduler_reconnecting" // until 60 s after a reconnect
	TreesUpdating       Excuse = "trees_updating"
	PoolsAlert          Excuse = "update_pools_alert"
	CheckDisabled       Excuse = "check_disabled" // preemption_check_* is off
	SSDStage            Excuse = "ssd_stage"      // an SSD stage against a job without SSD
	ThresholdBelowOne   Excuse = "threshold_below_one"
	AggressiveStage     Excuse = "aggressive_stage"
	MinSpare            Excuse = "min_spare" // the regular stage skips nodes with less than min_spare_resources
	DiskQuota           Excuse = "disk_quota"
	PreemptorGone       Excuse = "beneficiary_gone"
	Revival             Excuse = "revival"
	RoomUnannounced     Excuse = "room_without_notification" // room that no leave event announced (§5.5)
	Deactivated         Excuse = "candidates_deactivated"
	TimeoutRaised       Excuse = "timeout_raised"
	KindChanged         Excuse = "starvation_kind_changed" // in Legacy the single clock began to count another share
	StarvationFrozen    Excuse = "pool_starvation_off"
	Unschedulable       Excuse = "unschedulable"
	QueueChanged        Excuse = "pool_changed"
	ModuleReset         Excuse = "module_reset"               // after a long time of unsatisfied demand
	Packing             Excuse = "packing"                    // the regular stage refuses nodes that suit the job badly
	ShareBelowGuarantee Excuse = "fair_share_below_guarantee" // limits keep it there: an element with its fair share is not protected
	OneHeartbeat        Excuse = "one_heartbeat"              // satisfaction is not recomputed between its victims
	PoolsUnprotected    Excuse = "pools_unprotected"          // in the profile current pools protect nothing
	NodeLost            Excuse = "node_lost"
	NodeOverfull        Excuse = "node_overfull" // nodes abort jobs that do not fit
	OperationOver       Excuse = "operation_over"
	WaitingTimeout      Excuse = "waiting_timeout"
	NothingLeft         Excuse = "limits_or_exhausted_tree" // the rules give no more
)

// An Input names a missing input of a ruling, or one without which it is not certain.
type Input string

// The inputs.
const (
	NothingMissing    Input = ""
	PreemptedFor      Input = "preempted_for"
	ReasonCode        Input = "preemption_reason"
	NodeName          Input = "node"
	FairShares        Input = "fair_shares"
	Configuration     Input = "configuration"
	Segments          Input = "segments"   // of the node, or the operation's smallest job or spec
	Media             Input = "disk_media" // that the operation's spec asks for
	StarvationSince   Input = "starvation_clock"
	ShareRecords      Input = "frequent_records"      // of shares: they are further apart than the time that is judged
	OperationRows     Input = "records_of_operations" // of a snapshot: it has fewer than its pools count
	LastPreemptive    Input = "previous_heartbeat"
	OperationState    Input = "operation_state"
	OperationDemand   Input = "demand"
	OperationPool     Input = "operation_pool"
	PoolParent        Input = "parent_pool" // below which a record has its pool
	NodeTags          Input = "node_tags"
	TreeTotal         Input = "tree_total"  // resources of all nodes of the tree
	Competitors       Input = "competitors" // operations that could have started instead
	User              Input = "user"
	Spec              Input = "spec" // the operation's spec
	ErrorCode         Input = "error_code"
	OperationSpec     Input = "spec"
	PreemptMode       Input = "preempt_mode" // whether a job can be interrupted
	PreemptTime       Input = "preempt_time" // when a job was asked to stop
	AbortReason       Input = "abort_reason" // how a job ended, and why it was aborted
	JobStates         Input = "job_states"
	JobEnds           Input = "job_ends"    // when jobs left
	JobRows           Input = "job_rows"    // of all jobs: some are lost
	Heartbeats        Input = "heartbeats"  // as they were
	Controllers       Input = "controllers" // their answers
	QueueScans        Input = "queue_scans"
	QueueMoves        Input = "queue_moves" // from a pool's queue to that of another of its chain
	Movers            Input = "movers"      // of nodes: the scheduler, or people
	SettingChanges    Input = "setting_changes"
	UnmodelledOptions Input = "unmodelled_options" // of a tree or a pool
	VolumeReports     Input = "volume_reports"     // of all that an operation accumulated in the time that is compared
	Allocations       Input = "allocations"        // of jobs: one may serve several
	ChildOrder        Input = "child_order"        // decides the division of shares when a limit is met exactly
	ShareInputs       Input = "share_inputs"       // all inputs of an update of shares
	UpdatePeriod      Input = "update_period"      // between two updates of shares
)
