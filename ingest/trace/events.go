package trace

import "poolproof/core"

// A Heartbeat is a row of heartbeats: a node reported and was answered.
type Heartbeat struct {
	Stamp
	Node           core.NodeID              `col:"node_ix" doc:"the node"`
	Kind           string                   `col:"kind" doc:"how it is known: recorded, reconstructed or sampled"`
	Skipped        core.Optional[bool]      `col:"skipped" doc:"whether the scheduler skipped scheduling"`
	Limit          Resources                `col:"limit" doc:"what the node has"`
	Usage          Resources                `col:"usage" enc:"memory=delta" doc:"what it uses before scheduling"`
	After          core.Optional[Resources] `col:"after" enc:"memory=delta" doc:"what it uses after scheduling"`
	Running        int32                    `col:"running" doc:"jobs on the node"`
	Started        int32                    `col:"started" doc:"jobs the answer started"`
	Preempted      int32                    `col:"preempted" doc:"jobs the answer preempted"`
	Aborted        int32                    `col:"aborted" doc:"jobs the answer aborted"`
	Finished       int32                    `col:"finished" doc:"jobs the node reported as finished"`
	WithPreemption core.Optional[bool]      `col:"with_preemption" doc:"whether preemptive stages ran"`
	ProcessUS      core.Optional[int32]     `col:"process_us" doc:"time it took the scheduler, microseconds"`
}

// An Allocation is a row of allocations: what a heartbeat carried, changes of
// state only.
type Allocation struct {
	Stamp
	Heartbeat    core.Optional[int64]            `col:"hb_seq" enc:"delta" doc:"seq of the heartbeat that carried it"`
	Node         core.NodeID                     `col:"node_ix" doc:"the node"`
	Job          core.JobID                      `col:"job_ix" enc:"delta" doc:"the job"`
	Op           core.OperationID                `col:"op_ix" doc:"its operation"`
	Action       string                          `col:"action" doc:"what changed: state, start, preempt, abort or usage"`
	State        core.Optional[string]           `col:"state" doc:"scheduled, waiting, running, finishing or finished"`
	Usage        core.Optional[Resources]        `col:"usage" enc:"memory=delta" doc:"resources it uses from now on"`
	Reason       core.Optional[string]           `col:"reason" doc:"the source's reason"`
	TimeoutMS    core.Optional[int64]            `col:"timeout_ms" doc:"time the job has to leave, milliseconds"`
	PreemptedFor core.Optional[core.OperationID] `col:"preempted_for_op_ix" doc:"operation it was preempted for"`
	ForJob       core.Optional[core.JobID]       `col:"preempted_for_job_ix" doc:"job it was preempted for"`
}

// A Job is a row of jobs, which stand in the order of their start. Its Stamp
// holds the start time. The fields from PreemptTime to Explanation are null
// unless it was preempted.
type Job struct {
	Stamp
	Job                core.JobID                      `col:"job_ix" enc:"delta" doc:"number of the job in this trace"`
	ID                 string                          `col:"job_id" enc:"plain" bloom:"yes" private:"id" doc:"id of the job in the source"`
	AllocationID       core.Optional[string]           `col:"allocation_id" enc:"plain" private:"id" doc:"id of its allocation in the source"`
	Op                 core.OperationID                `col:"op_ix" doc:"its operation"`
	Pool               core.Optional[core.PoolID]      `col:"pool_ix" doc:"pool of the operation at the start"`
	Node               core.NodeID                     `col:"node_ix" doc:"its node; negative if unknown"`
	Type               core.Optional[string]           `col:"job_type" doc:"type of the job, in the source's words"`
	Limits             Resources                       `col:"limits" doc:"resources granted to it"`
	StartUncertaintyUS core.Optional[int64]            `col:"start_uncertainty_us" doc:"how much later than time it may have started, microseconds; null if time is when it did"`
	StartedLogged      bool                            `col:"started_logged" doc:"whether its start was logged, not only its end"`
	FinishTime         core.Optional[core.Time]        `col:"finish_time" doc:"when it ended"`
	ReleaseUncertainty core.Optional[int64]            `col:"release_uncertainty_us" doc:"how much earlier than finish_time it may have given its resources back, microseconds; null if it held them until then"`
	EndKind            string                          `col:"end_kind" doc:"how it ended: completed, failed, aborted; running at the log's end; unknown"`
	AbortReason        core.Optional[string]           `col:"abort_reason" doc:"the source's reason for the abort"`
	InterruptionReason core.Optional[string]           `col:"interruption_reason" doc:"the source's reason for the interruption"`
	PreemptTime        core.Optional[core.Time]        `col:"preempt_time" doc:"when the scheduler took its resources"`
	PreemptReason      core.Optional[string]           `col:"preempt_reason" doc:"preemption, aggressive_preemption, ssd_preemption, ..., resource_limits_violated"`
	PreemptMode        core.Optional[string]           `col:"preempt_mode" doc:"abort, interrupt or graceful"`
	PreemptedFor       core.Optional[core.OperationID] `col:"preempted_for_op_ix" doc:"operation it made room for"`
	PreemptedForJob    core.Optional[string]           `col:"preempted_for_job_id" enc:"plain" private:"job" doc:"job it made room for"`
	TargetPriority     core.Optional[string]           `col:"target_priority" doc:"target priority of the stage"`
	PreemptorPriority  core.Optional[string]           `col:"preemptor_priority" doc:"the preemptor's own priority"`
	ProperlyStarving   core.Optional[bool]             `col:"properly_starving" doc:"whether the two priorities agree"`
	PreemptionLevel    core.Optional[string]           `col:"job_preemption_level" doc:"preemption level of the job"`
	Conditional        core.Optional[bool]             `col:"conditional" doc:"whether it was conditionally preemptible"`
	Forced             core.Optional[bool]             `col:"forced" doc:"whether it was preempted by force"`
	Explanation        core.Optional[string]           `col:"explanation" enc:"plain" private:"text" doc:"the scheduler's explanation"`
	SchedulingStage    core.Optional[string]           `col:"scheduling_stage" doc:"stage that started the job"`
	LostTimeMS         core.Optional[int64]            `col:"lost_time_ms" doc:"progress lost to preemption, milliseconds"`
	TotalTimeMS        core.Optional[int64]            `col:"total_time_ms" doc:"time it ran, milliseconds"`
	PredecessorJob     core.Optional[string]           `col:"predecessor_job_id" enc:"plain" private:"job" doc:"job it continues"`
	PredecessorType    core.Optional[string]           `col:"predecessor_type" doc:"how it continues that job"`
	Competition        core.Optional[string]           `col:"competition" doc:"none, speculative or probing"`
	SourceStart        core.Optional[int64]            `col:"src_start" enc:"delta" doc:"row of its start in the source"`
	SourceFinish       core.Optional[int64]            `col:"src_finish" enc:"delta" doc:"row of its end in the source"`
}

// An OpEvent is a row of op_events: a step in an operation's life in one tree.
// A started row carries all initial parameters; later rows carry what changed.
type OpEvent struct {
	Stamp
	Op                           core.OperationID           `col:"op_ix" doc:"the operation"`
	Event                        string                     `col:"event" doc:"what happened: started, prepared, materialized, running, pending, suspended, resumed, pool_changed, params_changed, rejected, erased_from_tree, banned_in_tree, revived, starvation_started, starvation_finished, completed, failed or aborted"`
	Pool                         core.Optional[core.PoolID] `col:"pool_ix" doc:"its pool from now on"`
	Weight                       core.Optional[float64]     `col:"weight" doc:"its weight from now on"`
	Limit                        PartialResources           `col:"limit" doc:"resource_limits"`
	MaxShareRatio                core.Optional[float64]     `col:"max_share_ratio" doc:"limit of its share"`
	SchedulingTagFilter          core.Optional[string]      `col:"scheduling_tag_filter" private:"formula" doc:"which nodes serve it"`
	Strong                       PartialResources           `col:"strong" doc:"strong_guarantee_resources"`
	FairShareStarvationTolerance core.Optional[float64]     `col:"fair_share_starvation_tolerance" doc:"part of the fair share below which it starves"`
	FairShareStarvationTimeoutMS core.Optional[int64]       `col:"fair_share_starvation_timeout_ms" doc:"time below it until starving, milliseconds"`
	MinSharePreemptionTimeoutMS  core.Optional[int64]       `col:"min_share_preemption_timeout_ms" doc:"time below the strong guarantee until starving, milliseconds"`
	EnableAggressiveStarvation   core.Optional[bool]        `col:"enable_aggressive_starvation" doc:"whether it can starve aggressively"`
	PreemptionMode               core.Optional[string]      `col:"preemption_mode" doc:"normal or graceful"`
	MaxUnpreemptibleJobs         core.Optional[int64]       `col:"max_unpreemptible_job_count" doc:"jobs that are not preempted"`
	ApplyLimitsToDemand          core.Optional[bool]        `col:"apply_limits_to_demand" doc:"whether its limits cap its demand"`
	ErrorCode                    core.Optional[int32]       `col:"error_code" doc:"code of the error, of rejections and failures"`
	Tentative                    core.Optional[bool]        `col:"tentative" doc:"whether the tree is tentative for it"`
	Probing                      core.Optional[bool]        `col:"probing" doc:"whether the tree is for probing"`
	Offloading                   core.Optional[bool]        `col:"offloading" doc:"whether the tree is for offloading"`
	SlotIndex                    core.Optional[int32]       `col:"slot_index" doc:"its slot in the tree"`
	StarvationStatus             core.Optional[string]      `col:"starvation_status" doc:"its status from now on"`
	FairShare                    core.Optional[Shares]      `col:"fair_share" doc:"its fair share at that moment"`
	Usage                        core.Optional[Shares]      `col:"usage" doc:"its usage share at that moment"`
	Who                          core.Optional[string]      `col:"who" private:"user" doc:"user who caused it"`
	Source                       core.Optional[int64]       `col:"src" enc:"delta" doc:"row in the source"`
}

// A Demand is a row of demand: from then on the operation could use Needed
// beyond its usage. Each later start lowers that by the job's resources, not
// below zero, until the next row.
type Demand struct {
	Stamp
	Op          core.OperationID         `col:"op_ix" doc:"the operation"`
	Needed      Resources                `col:"needed" doc:"what it could use beyond its usage"`
	MinNeeded   core.Optional[Resources] `col:"min_needed" doc:"resources of its smallest job"`
	PendingJobs core.Optional[int64]     `col:"pending_jobs" doc:"jobs that could start"`
	Source      string                   `col:"source" doc:"how it is known: recorded, snapshot or derived"`
}
