package ytsaurus

// A key is a name in a row that the importer reads: of a column, or of an entry of one. The zero
// key is any other name.
type key uint8

// The names, old and new ones of the same meaning as one key
// (ingest/trace/FORMAT.md §1.3, §1.9).
const (
	keyOther key = iota

	// Columns.
	keyTimestamp
	keyEventType
	keyOperationID
	keyOperationType
	keySpec
	keyUser
	keyPool
	keyTreeInfo
	keyStartTime
	keyFinishTime
	keyError
	keyRuntimeParameters
	keyTree
	keyJob
	keyLimits
	keyAddress
	keyJobType
	keyReason
	keyPreemptedFor
	keyCompetition
	keyProbingCompetition
	keyPredecessorType
	keyPredecessorJob
	keyInterruption
	keyAnnotations
	keySnapshot
	keyPools
	keyOperations
	keyDistribution
	keyNodes
	keySample
	keyStarvation
	keyStarvingSince
	keyCurrentFairShare
	keyCurrentUsage
	keyAllocation
	keyCategory
	keyDistributionPerTree

	// Columns of the operations archive.
	keyIDHi
	keyIDLo
	keyOperationIDHi
	keyOperationIDLo
	keyJobHi
	keyJobLo
	keyAllocationHi
	keyAllocationLo
	keyState
	keyTransientState
	keyControllerState
	keyEvents
	keyControllerStart
	keyControllerFinish
	keyInterruptionInfo
	keyPoolByTree
	keyResult
	columnKeys // how many keys columns have

	// Entries.
	keyCode
	keyMessage
	keyTitle
	keyAlias
	keyJobCount
	keyIsGang
	keyTasks
	keyAncestors
	keyOptionsPerTree
	keyErasedTrees
	keySingleTree
	keyWeight
	keyMaxShareRatio
	keyTentative
	keyProbing
	keyOffloading
	keyTagFilter
	keyAssignments
	keyUserSlots
	keyCPU
	keyGPU
	keyUserMemory
	keyMemory
	keyNetwork
	keyMode
	keyEphemeral
	keyParent
	keyRunningCount
	keyOperationCount
	keyOwnOperationCount
	keyLightweightRunning
	keyIntegralType
	keyRatioVolume
	keyVolume
	keyUsage
	keyDemand
	keyUsageShare
	keyDemandShare
	keyStrongShare
	keyUsageRatio
	keyDemandRatio
	keyFairRatio
	keyMinRatio
	keyDetailed
	keyDetailedStrong
	keyDetailedIntegral
	keyDetailedWeight
	keyDetailedTotal
	keyDominant
	keySatisfaction
	keyLocalSatisfaction
	keyStarving
	keySchedulable
	keySlotIndex
	keyMinNeeded
	keyPreemptible
	keyAggressivelyPreemptible
	keyUnschedulable
	keyFIFOIndex
	keySchedulingIndex
	keyBestAllocation
	keyDeactivations
	keyScheduleFailed
	keyInterruptTimeout
	keyGracefulTimeout
	keyMinShareResources
	keyStrong
	keyBurst
	keyFlow
	keySchedulerState
	keyMasterState
	keyTags
	keyDataCenter
	keyInfiniband
	keyNodeTree
	keySegment
	keyAccumulated
	keyAccumulatedDistribution
	keyFairResources
	keyUsed
	keyUsageDeficit
	keyDistributedStrong
	keyUndistributedStrong
	keyDistributedFlow
	keyUndistributedFlow
	keyPoolTrees
	keyTime
	keyAttributes
	keyInnerErrors
	keyAbortReason
	keyPreemptionReason
	keyInterruptionReason
	keyScheduler
	keyFairShareInfo
	keyEffectiveTolerance
	keyEffectiveTimeout
	keyEffectiveAggressive
	keyEffectiveThreshold
)

// A role says how much of a column is kept.
type role uint8

const (
	skipped  role = iota
	whole         // with all that is in it
	entities      // a map of named things; of each the known entries are kept
)

// columns are those that the importer reads.
var columns = map[string]struct {
	key  key
	role role
}{
	"timestamp": {keyTimestamp, whole}, "event_type": {keyEventType, whole}, "operation_id": {keyOperationID, whole},
	"operation_type": {keyOperationType, whole}, "spec": {keySpec, whole}, "authenticated_user": {keyUser, whole}, "pool": {keyPool, whole},
	"scheduling_info_per_tree": {keyTreeInfo, whole}, "start_time": {keyStartTime, whole}, "finish_time": {keyFinishTime, whole},
	"error": {keyError, whole}, "runtime_parameters": {keyRuntimeParameters, whole}, "runtime_params": {keyRuntimeParameters, whole},
	"tree_id": {keyTree, whole}, "job_id": {keyJob, whole}, "allocation_id": {keyAllocation, whole}, "resource_limits": {keyLimits, whole},
	"node_address": {keyAddress, whole}, "address": {keyAddress, whole}, "job_type": {keyJobType, whole}, "reason": {keyReason, whole},
	"preempted_for": {keyPreemptedFor, whole}, "job_competition_id": {keyCompetition, whole},
	"probing_job_competition_id": {keyProbingCompetition, whole}, "predecessor_type": {keyPredecessorType, whole},
	"predecessor_job_id": {keyPredecessorJob, whole}, "interruption_reason": {keyInterruption, whole},
	"trimmed_annotations": {keyAnnotations, whole}, "tree_snapshot_id": {keySnapshot, whole},
	"pools": {keyPools, entities}, "operations": {keyOperations, entities}, "resource_distribution_info": {keyDistribution, whole},
	"nodes": {keyNodes, entities}, "nodes_info_event_id": {keySample, whole}, "starvation_status": {keyStarvation, whole},
	"category": {keyCategory, whole}, // of structured logs
	"accumulated_resource_distribution_per_tree": {keyDistributionPerTree, whole},
	"starving_since": {keyStarvingSince, whole}, "current_fair_share": {keyCurrentFairShare, whole}, "current_usage": {keyCurrentUsage, whole},

	// Of the operations archive.
	"id_hi": {keyIDHi, whole}, "id_lo": {keyIDLo, whole}, "operation_id_hi": {keyOperationIDHi, whole}, "operation_id_lo": {keyOperationIDLo, whole},
	"job_id_hi": {keyJobHi, whole}, "job_id_lo": {keyJobLo, whole}, "allocation_id_hi": {keyAllocationHi, whole}, "allocation_id_lo": {keyAllocationLo, whole},
	"type": {keyJobType, whole}, "state": {keyState, whole}, "transient_state": {keyTransientState, whole}, "controller_state": {keyControllerState, whole},
	"events": {keyEvents, whole}, "controller_start_time": {keyControllerStart, whole}, "controller_finish_time": {keyControllerFinish, whole},
	"interruption_info": {keyInterruptionInfo, whole}, "pool_tree": {keyTree, whole}, "pool_tree_to_pool": {keyPoolByTree, whole},
	"result": {keyResult, whole}, "annotations": {keyAnnotations, whole},
}

// entries are the names below columns.
var entries = map[string]key{
	"operation_id": keyOperationID, "job_id": keyJob, "allocation_id": keyAllocation, "pool": keyPool, "start_time": keyStartTime,
	"code": keyCode, "message": keyMessage, "title": keyTitle, "alias": keyAlias, "job_count": keyJobCount, "is_gang": keyIsGang, "tasks": keyTasks,
	"ancestor_pools": keyAncestors, "scheduling_options_per_pool_tree": keyOptionsPerTree, "erased_trees": keyErasedTrees, "schedule_in_single_tree": keySingleTree,
	"weight": keyWeight, "max_share_ratio": keyMaxShareRatio, "tentative": keyTentative, "probing": keyProbing, "offloading": keyOffloading,
	"scheduling_tag_filter": keyTagFilter, "resource_limits": keyLimits, "annotations": keyAnnotations,
	"user_slots": keyUserSlots, "cpu": keyCPU, "gpu": keyGPU, "user_memory": keyUserMemory, "memory": keyMemory, "network": keyNetwork,
	"mode": keyMode, "is_ephemeral": keyEphemeral, "parent": keyParent, "running_operation_count": keyRunningCount,
	"operation_count": keyOperationCount, "pool_operation_count": keyOwnOperationCount, "lightweight_running_operation_count": keyLightweightRunning, "integral_guarantee_type": keyIntegralType,
	"accumulated_resource_ratio_volume": keyRatioVolume, "integral_resource_volume": keyRatioVolume, "accumulated_resource_volume": keyVolume,
	"resource_usage": keyUsage, "resource_demand": keyDemand, "usage_share": keyUsageShare, "demand_share": keyDemandShare,
	"strong_guarantee_share": keyStrongShare, "usage_ratio": keyUsageRatio, "demand_ratio": keyDemandRatio, "fair_share_ratio": keyFairRatio,
	"min_share_ratio": keyMinRatio, "detailed_fair_share": keyDetailed, "strong_guarantee": keyDetailedStrong, "integral_guarantee": keyDetailedIntegral,
	"weight_proportional": keyDetailedWeight, "total": keyDetailedTotal, "min_share_guarantee_ratio": keyDetailedStrong,
	"integral_guarantee_ratio": keyDetailedIntegral, "weight_proportional_ratio": keyDetailedWeight, "dominant_resource": keyDominant,
	"satisfaction_ratio": keySatisfaction, "local_satisfaction_ratio": keyLocalSatisfaction, "starvation_status": keyStarvation, "starving": keyStarving,
	"starving_since": keyStarvingSince, "schedulable": keySchedulable, "slot_index": keySlotIndex, "aggregated_min_needed_job_resources": keyMinNeeded,
	"aggregated_min_needed_resources": keyMinNeeded,
	"preemptible_job_count":           keyPreemptible, "preemptable_job_count": keyPreemptible, "aggressively_preemptible_job_count": keyAggressivelyPreemptible,
	"aggressively_preemptable_job_count": keyAggressivelyPreemptible, "unschedulable_reason": keyUnschedulable, "fifo_index": keyFIFOIndex,
	"scheduling_index": keySchedulingIndex, "best_allocation_share": keyBestAllocation,
	"allocation_preemption_timeout": keyInterruptTimeout, "allocation_graceful_preemption_timeout": keyGracefulTimeout,
	"deactivation_reasons": keyDeactivations, "schedule_job_failed": keyScheduleFailed, "schedule_allocation_failed": keyScheduleFailed, "min_share_resources": keyMinShareResources, "strong_guarantee_resources": keyStrong,
	"burst_guarantee_resources": keyBurst, "resource_flow": keyFlow, "state": keyState, "scheduler_state": keySchedulerState, "master_state": keyMasterState,
	"tags": keyTags, "assignments": keyAssignments, "pool_trees": keyPoolTrees, "data_center": keyDataCenter, "infiniband_cluster": keyInfiniband, "tree": keyNodeTree, "scheduling_segment": keySegment,
	"accumulated_resource_distribution": keyAccumulatedDistribution, "fair_resources": keyFairResources, "usage": keyUsed, "usage_deficit": keyUsageDeficit,
	"accumulated_resource_usage": keyAccumulated, "distributed_strong_guarantee_resources": keyDistributedStrong,
	"undistributed_strong_guarantee_resources": keyUndistributedStrong, "distributed_resource_flow": keyDistributedFlow,
	"undistributed_resource_flow": keyUndistributedFlow,
	"time":                        keyTime, "attributes": keyAttributes, "inner_errors": keyInnerErrors, "error": keyError, "abort_reason": keyAbortReason, "preemption_reason": keyPreemptionReason,
	"interruption_reason": keyInterruptionReason, "preempted_for": keyPreemptedFor,
	"effective_fair_share_starvation_tolerance": keyEffectiveTolerance, "effective_fair_share_starvation_timeout": keyEffectiveTimeout,
	"effective_aggressive_starvation_enabled": keyEffectiveAggressive, "effective_non_preemptible_resource_usage_threshold": keyEffectiveThreshold,

	// Of Orchid dumps.
	"scheduler": keyScheduler, "scheduling_info_per_pool_tree": keyPoolTrees, "fair_share_info": keyFairShareInfo, "timestamp": keyTimestamp,
	"pools": keyPools, "operations": keyOperations, "nodes": keyNodes, "resource_distribution_info": keyDistribution,
}
