package tables

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// ShareSeconds are sums of share × time of each resource, in 1e-9 share·seconds.
type ShareSeconds [resource.Kinds]int64

// A ShareDebt is the row of one cause of one deficit: share that a pool or an operation was to
// have in a span and did not have, and who or what had it. The rows of one element, level and
// span sum to its deficit exactly.
type ShareDebt struct {
	Element   ElementKind                     `col:"element_kind" doc:"whose deficit: pool or operation"`
	Pool      core.PoolID                     `col:"pool" doc:"the pool, or the operation's pool"`
	Operation core.Optional[core.OperationID] `col:"operation" doc:"the operation, if it is one"`
	Level     DebtLevel                       `col:"level" doc:"what usage is compared with: guarantee, the least of strong guarantee and demand; fair_share; or demand, what is wanted beyond the fair share and not more than the tree has, so that it is not owed"`
	FromTime  core.Time                       `col:"from_time" unit:"time" doc:"start of the span"`
	ToTime    core.Time                       `col:"to_time" unit:"time" doc:"end of the span, exclusive"`
	Deficit   int64                           `col:"deficit_share_seconds" unit:"1e-9 share·s" doc:"the whole deficit of the span, of the resource that was lacking most: the sum of owed_share_seconds over the rows of the element, level and span"`
	Lacking   int64                           `col:"lacking_us" unit:"µs" doc:"time in the span during which there was such a deficit, whatever its cause"`
	Resource  resource.Kind                   `col:"resource" doc:"resource that was lacking most in the span"`
	Cause     DebtCause                       `col:"cause" doc:"why the share was lacking: the first cause in the order of this list that accounts for it. less_than_a_job, own_limit, ancestor_limit, operation_count, not_schedulable, fragmentation, excluded_nodes, scheduling_delay, others_over_fair_share, spent_volume, zero_weight, lost_nodes, fair_shares_of_others or unexplained"`
	Owed      int64                           `col:"owed_share_seconds" unit:"1e-9 share·s" doc:"what is booked to the cause, of the resource that was lacking most; 0 for an operation that waits for admission if the log does not record what it wants"`
	Vector    ShareSeconds                    `col:"owed_share_seconds" unit:"1e-9 share·s" doc:"what is booked to the cause, by resource"`

	Nested     int64 `col:"nested_share_seconds" unit:"1e-9 share·s" doc:"of a pool, how much of owed_share_seconds the pools below it lack as well, whatever the cause: a sum over pools leaves it out"`
	NestedHeld int64 `col:"nested_held_share_seconds" unit:"1e-9 share·s" doc:"likewise what they lack since the same holder had it: a sum over pools by holder leaves it out"`

	Holder          core.Optional[core.PoolID]      `col:"holder_pool" doc:"of others_over_fair_share, the pool that had the share, null if the row stands for several that have no pool in common but one of the element; of ancestor_limit and operation_count, the pool whose limit held the element back; of zero_weight, the pool whose weight is 0, null if it is the operation's own"`
	HolderOperation core.Optional[core.OperationID] `col:"holder_operation" doc:"of others_over_fair_share, the operation that had the share; null if the row stands for several"`
	Limiting        core.Optional[resource.Kind]    `col:"limiting_resource" doc:"of a limit, the resource that it limits; of fragmentation, the one that keeps the job from most nodes, or of which less is free than is ever offered"`
	Obstacle        scheduling.Obstacle             `col:"obstacle" doc:"of others_over_fair_share, why preemption did not take the share back: not_starving, timeout_not_over, excluded_nodes, non_preemptible, aggressive_only, aggressive_preemption_forbidden, normal_preemption_forbidden, graceful, blocked by a pool or an operation that needs its share itself, backoff, if the node of the jobs had its preemptive stages last before the element starved and their backoff was not over, or preemptible, if nothing was in the way; of not_schedulable, why the operation got no jobs: is_not_running, suspended, no_pending_jobs, throttled, fifo_limit, fair_share_exceeded, if it is graceful, or saturated_in_tentative_tree; of excluded_nodes, regular_job_on_ssd_node_forbidden if the nodes were for SSD; of fragmentation, min_spare_resources if jobs would fit in, but less was free than is ever offered; else empty"`
	From            core.Time                       `col:"cause_from_time" unit:"time" doc:"first moment of the span at which the cause held with this obstacle, as far as the looks of every 10 s tell"`
	Blocker         core.Optional[core.PoolID]      `col:"blocking_pool" doc:"of the obstacle blocked, the pool that protects the jobs; null if the operation itself does"`
}

// A DebtLevel says what usage is compared with.
type DebtLevel uint8

// The levels.
const (
	ToGuarantee DebtLevel = iota
	ToFairShare
	ToDemand

	DebtLevels = 3 // how many there are
)

// A DebtCause says why share was lacking.
type DebtCause uint8

// The causes, in the order in which they are booked: each only for what the earlier ones leave.
const (
	LessThanAJob DebtCause = iota
	OwnLimit
	AncestorLimit
	OperationCount
	NotSchedulable
	Fragmentation
	ExcludedNodes
	SchedulingDelay
	OthersOverFairShare
	SpentVolume
	ZeroWeight
	LostNodes
	FairSharesOfOthers
	Unexplained

	debtCauses = iota // how many there are
)

var debtCauseWords = [debtCauses]string{
	"less_than_a_job", "own_limit", "ancestor_limit", "operation_count", "not_schedulable", "fragmentation", "excluded_nodes",
	"scheduling_delay", "others_over_fair_share", "spent_volume", "zero_weight", "lost_nodes", "fair_shares_of_others", "unexplained",
}
