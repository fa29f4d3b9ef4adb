package trace

import "poolproof/core"

// A SnapTree is a row of snap_tree: a tree as the scheduler itself saw it.
type SnapTree struct {
	Stamp
	Snapshot            string                   `col:"snapshot_id" enc:"plain" private:"snapshot" doc:"id of the snapshot"`
	Limits              Resources                `col:"total_limits" doc:"what the tree's nodes have"`
	Usage               core.Optional[Resources] `col:"total_usage" enc:"memory=delta" doc:"what the tree uses"`
	NodeCount           core.Optional[int64]     `col:"node_count" enc:"dict" doc:"nodes of the tree"`
	DistributedStrong   core.Optional[Resources] `col:"distributed_strong" doc:"strong guarantees given to pools"`
	UndistributedStrong core.Optional[Resources] `col:"undistributed_strong" doc:"strong guarantees left"`
	DistributedFlow     core.Optional[Resources] `col:"distributed_flow" doc:"resource flow given to pools"`
	UndistributedFlow   core.Optional[Resources] `col:"undistributed_flow" doc:"resource flow left"`
	SnapSettings
}

// SnapShares are the columns that snap_pools and snap_ops have in common. Logs before September
// 2020 record only the greatest component of each share (ingest/trace/FORMAT.md §1.9): there
// StrongRatio and FairRatio stand for StrongShare and FairTotal, which are null. UsageShare and
// DemandShare are null, too, since Usage and Demand imply them.
type SnapShares struct {
	Usage             Resources                `col:"usage" enc:"memory=delta" doc:"resources of live jobs"`
	Demand            Resources                `col:"demand" enc:"memory=delta" doc:"usage and what could be used at once"`
	Limits            core.Optional[Resources] `col:"limits" doc:"limits in force"`
	UsageShare        core.Optional[Shares]    `col:"usage_share" doc:"usage; null: that of the amounts"`
	DemandShare       core.Optional[Shares]    `col:"demand_share" doc:"demand; null: that of the amounts"`
	StrongShare       core.Optional[Shares]    `col:"strong_share" doc:"strong guarantee"`
	FairTotal         core.Optional[Shares]    `col:"fair_total" doc:"fair share"`
	StrongRatio       core.Optional[float64]   `col:"strong_ratio" doc:"greatest component of the strong guarantee, where the log records no more"`
	FairRatio         core.Optional[float64]   `col:"fair_ratio" doc:"greatest component of the fair share, where the log records no more"`
	FairStrong        core.Optional[Shares]    `col:"fair_strong" doc:"part of the fair share from strong guarantees"`
	FairIntegral      core.Optional[Shares]    `col:"fair_integral" doc:"part of it from integral guarantees"`
	FairWeight        core.Optional[Shares]    `col:"fair_weight" doc:"part of it by weight"`
	Dominant          string                   `col:"dominant_resource" doc:"dominant resource"`
	Satisfaction      core.Optional[float64]   `col:"satisfaction" doc:"satisfaction ratio"`
	LocalSatisfaction core.Optional[float64]   `col:"local_satisfaction" doc:"local satisfaction ratio"`
	StarvationStatus  string                   `col:"starvation_status" doc:"starvation status"`
}

// A SnapPool is a row of snap_pools.
type SnapPool struct {
	Stamp
	Snapshot string                     `col:"snapshot_id" enc:"plain" private:"snapshot" doc:"id of the snapshot"`
	Pool     core.PoolID                `col:"pool_ix" doc:"the pool"`
	Parent   core.Optional[core.PoolID] `col:"parent_ix" doc:"its parent; null if the root, -1 if unknown; without the column it is unknown"`
	Mode     string                     `col:"mode" doc:"how it shares among its children"`
	Weight   float64                    `col:"weight" doc:"weight in force; 0 where it is not recorded"`
	SnapShares
	AccumulatedRatioVolume core.Optional[float64] `col:"accumulated_ratio_volume" doc:"accumulated share, share-seconds"`
	AccumulatedVolume      core.Optional[Volume]  `col:"accumulated_volume" doc:"accumulated resources"`
	IntegralType           core.Optional[string]  `col:"integral_type" doc:"kind of integral guarantee"`
	RunningOperations      core.Optional[int64]   `col:"running_operations" enc:"dict" doc:"operations marked running below it"`
	Operations             core.Optional[int64]   `col:"operations" enc:"dict" doc:"operations below it"`
	LightweightRunning     core.Optional[int64]   `col:"lightweight_running" enc:"dict" doc:"lightweight operations running below it"`
	Schedulable            core.Optional[bool]    `col:"schedulable" doc:"whether it can get jobs"`
	OwnOperations          core.Optional[int64]   `col:"own_operations" enc:"dict" doc:"operations directly in it of which the snapshot has a record, if it is whole; null where that is unknown"`
	SnapSettings
}

// A SnapOp is a row of snap_ops.
type SnapOp struct {
	Stamp
	Snapshot string                 `col:"snapshot_id" enc:"plain" private:"snapshot" doc:"id of the snapshot"`
	Op       core.OperationID       `col:"op_ix" doc:"the operation"`
	Pool     core.PoolID            `col:"pool_ix" doc:"its pool"`
	Weight   core.Optional[float64] `col:"weight" doc:"weight in force"`
	SnapShares
	SlotIndex             core.Optional[int32]     `col:"slot_index" doc:"its slot in the tree"`
	MinNeeded             core.Optional[Resources] `col:"min_needed" doc:"resources of its smallest job"`
	PreemptibleJobs       core.Optional[int64]     `col:"preemptible_jobs" enc:"dict" doc:"jobs that may be preempted"`
	AggressivePreemptible core.Optional[int64]     `col:"aggressively_preemptible_jobs" enc:"dict" doc:"jobs that may be preempted aggressively"`
	StarvingSince         core.Optional[core.Time] `col:"starving_since" doc:"since when it starves"`
	UnschedulableReason   core.Optional[string]    `col:"unschedulable_reason" doc:"why it cannot get jobs"`
	FIFOIndex             core.Optional[int32]     `col:"fifo_index" doc:"its place in a FIFO pool"`
	SchedulingIndex       core.Optional[int32]     `col:"scheduling_index" doc:"its place in the scheduling order"`
	Declines              core.Optional[int64]     `col:"declines" doc:"how often its controller had declined to start a job"`
	InterruptTimeoutMS    core.Optional[int64]     `col:"interrupt_timeout_ms" doc:"time that its preempted jobs have to finish, milliseconds"`
	GracefulTimeoutMS     core.Optional[int64]     `col:"graceful_timeout_ms" doc:"time that its jobs have to finish that are preempted gracefully, milliseconds"`
	BestAllocation        core.Optional[Shares]    `col:"best_allocation" doc:"the most that its jobs can fill, by the nodes' memory"`
	SnapSettings
}

// An Accumulated is a row of accumulated: resource-time since the last report.
type Accumulated struct {
	Stamp
	Op     core.OperationID         `col:"op_ix" doc:"the operation"`
	Pool   core.PoolID              `col:"pool_ix" doc:"its pool"`
	Volume Volume                   `col:"volume" doc:"used since the last report"`
	Since  core.Optional[core.Time] `col:"since" doc:"when the last report of the tree was"`
	// Of a scheduler that records no distribution both are null.
	Fair    core.Optional[Volume] `col:"fair" doc:"fair share of the tree's total since the last report"`
	Deficit core.Optional[Volume] `col:"deficit" doc:"what the usage was below the fair share since the last report; a surplus offsets nothing"`
}
