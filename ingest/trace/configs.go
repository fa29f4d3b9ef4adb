package trace

import "poolproof/core"

// A Stamp orders the rows of a tree's event tables (ingest/trace/FORMAT.md
// §3.2).
type Stamp struct {
	Time core.Time `col:"time" doc:"when it happened, or took effect"`
	Seq  int64     `col:"seq" enc:"delta" doc:"number of the event, unique in its tree; orders rows of equal time"`
}

func (s *Stamp) stamp() *Stamp { return s }

// A stamped row has a Stamp.
type stamped interface{ stamp() *Stamp }

// A TreeConfig is a row of tree_config: one version of a tree's settings. A column holds the option of its name, in
// milliseconds if it ends in _ms, or the one that its tag names.
type TreeConfig struct {
	Stamp
	ValidTo                         core.Optional[core.Time] `col:"valid_to" doc:"end of this version; null if the next row ends it"`
	Source                          string                   `col:"source" doc:"where it is from: export, event, or assumed if the source holds no configuration"`
	NodesFilter                     core.Optional[string]    `col:"nodes_filter" private:"formula" doc:"which nodes serve the tree"`
	DefaultParentPool               core.Optional[string]    `col:"default_parent_pool" private:"pool" doc:"parent of ephemeral pools"`
	MainResource                    core.Optional[string]    `col:"main_resource" doc:"resource that guarantees must name"`
	FairShareStarvationTolerance    core.Optional[float64]   `col:"fair_share_starvation_tolerance" doc:"part of the fair share below which an element starves"`
	FairShareStarvationTimeoutMS    core.Optional[int64]     `col:"fair_share_starvation_timeout_ms" doc:"time below it until starving, milliseconds"`
	AggressiveStarvationTimeoutMS   core.Optional[int64]     `col:"fair_share_aggressive_starvation_timeout_ms" doc:"time until aggressively starving, milliseconds"`
	MinSharePreemptionTimeoutMS     core.Optional[int64]     `col:"min_share_preemption_timeout_ms" doc:"time below the strong guarantee until starving, milliseconds"`
	PreemptionSatisfaction          core.Optional[float64]   `col:"preemption_satisfaction_threshold" doc:"satisfaction above which jobs may be preempted"`
	AggressiveSatisfaction          core.Optional[float64]   `col:"aggressive_preemption_satisfaction_threshold" doc:"the same for aggressive preemption"`
	EnableAggressiveStarvation      core.Optional[bool]      `col:"enable_aggressive_starvation" doc:"whether elements can starve aggressively"`
	EnablePoolStarvation            core.Optional[bool]      `col:"enable_pool_starvation" doc:"whether pools can starve"`
	PreemptiveSchedulingBackoffMS   core.Optional[int64]     `col:"preemptive_scheduling_backoff_ms" doc:"least time between preemptive heartbeats of a node, milliseconds"`
	PreemptTimeoutMS                core.Optional[int64]     `col:"preempt_timeout_ms" option:"job_interrupt_timeout" doc:"time a preempted job has to leave (job_interrupt_timeout), milliseconds"`
	GracefulPreemptTimeoutMS        core.Optional[int64]     `col:"graceful_preempt_timeout_ms" option:"job_graceful_interrupt_timeout" doc:"the same for graceful preemption, milliseconds"`
	MaxOperationCount               core.Optional[int64]     `col:"max_operation_count" doc:"operations the tree may hold"`
	MaxOperationCountPerPool        core.Optional[int64]     `col:"max_operation_count_per_pool" doc:"default of the pools' max_operation_count"`
	MaxRunningOperationCount        core.Optional[int64]     `col:"max_running_operation_count" doc:"operations that may run in the tree"`
	MaxRunningOperationCountPerPool core.Optional[int64]     `col:"max_running_operation_count_per_pool" doc:"default of the pools' max_running_operation_count"`
	MaxEphemeralPoolsPerUser        core.Optional[int64]     `col:"max_ephemeral_pools_per_user" doc:"ephemeral pools a user may have"`
	ForbidImmediateInRoot           core.Optional[bool]      `col:"forbid_immediate_operations_in_root" doc:"whether operations directly under the root are refused"`
	InferWeightMultiplier           core.Optional[float64]   `col:"infer_weight_multiplier" option:"infer_weight_from_guarantees_share_multiplier" doc:"infer_weight_from_guarantees_share_multiplier"`
	NonPreemptible                  PartialResources         `col:"non_preemptible" option:"non_preemptible_resource_usage_threshold" doc:"usage up to which jobs are not preempted"`
	SmoothPeriodMS                  core.Optional[int64]     `col:"integral_smooth_period_ms" option:"integral_guarantees/smooth_period" doc:"smooth period of integral guarantees, milliseconds"`
	SaturationPeriodMS              core.Optional[int64]     `col:"integral_pool_capacity_saturation_period_ms" option:"integral_guarantees/pool_capacity_saturation_period" doc:"time after which an idle integral pool is full, milliseconds"`
	FIFOTruncation                  core.Optional[bool]      `col:"fifo_truncation" option:"enable_fair_share_truncation_in_fifo_pool" doc:"enable_fair_share_truncation_in_fifo_pool"`
	EnableConditionalPreemption     core.Optional[bool]      `col:"enable_conditional_preemption" doc:"whether conditional preemption is on"`
	ConfigJSON                      string                   `col:"config_json" enc:"plain" private:"options" doc:"further options by their documented names, JSON; empty if none"`
}

// A PoolConfig is a row of pool_config: one version of a pool, or its removal.
type PoolConfig struct {
	Stamp
	ValidTo                      core.Optional[core.Time]   `col:"valid_to" doc:"end of this version; null if the next row ends it"`
	Source                       core.Optional[string]      `col:"source" doc:"event if the log holds the version from this time on; null if an export does, or nothing says when it took effect"`
	Pool                         core.PoolID                `col:"pool_ix" doc:"the pool"`
	Parent                       core.Optional[core.PoolID] `col:"parent_ix" doc:"its parent; null if the root"`
	Deleted                      bool                       `col:"deleted" doc:"whether this row removes the pool"`
	Ephemeral                    bool                       `col:"is_ephemeral" doc:"whether it exists only while it has operations"`
	Mode                         string                     `col:"mode" doc:"how it shares among its children: fair_share or fifo"`
	Weight                       core.Optional[float64]     `col:"weight" doc:"weight among its siblings"`
	MaxShareRatio                core.Optional[float64]     `col:"max_share_ratio" doc:"limit of its share"`
	Strong                       PartialResources           `col:"strong" option:"strong_guarantee_resources" doc:"strong_guarantee_resources"`
	Limit                        PartialResources           `col:"limit" option:"resource_limits" doc:"resource_limits"`
	IntegralType                 string                     `col:"integral_type" option:"integral_guarantees/guarantee_type" doc:"kind of integral guarantee: none, burst or relaxed"`
	Flow                         PartialResources           `col:"flow" option:"integral_guarantees/resource_flow" doc:"resource_flow"`
	Burst                        PartialResources           `col:"burst" option:"integral_guarantees/burst_guarantee_resources" doc:"burst_guarantee_resources"`
	RelaxedShareMultiplierLimit  core.Optional[float64]     `col:"relaxed_share_multiplier_limit" option:"integral_guarantees/relaxed_share_multiplier_limit" doc:"cap of a relaxed pool's share in multiples of its flow"`
	MaxOperationCount            core.Optional[int64]       `col:"max_operation_count" doc:"operations it may hold"`
	MaxRunningOperationCount     core.Optional[int64]       `col:"max_running_operation_count" doc:"operations that may run in it"`
	FIFOSortParameters           core.Optional[string]      `col:"fifo_sort_parameters" doc:"order of a FIFO pool, joined by commas"`
	FIFOPoolSchedulingOrder      core.Optional[string]      `col:"fifo_pool_scheduling_order" doc:"order in which a FIFO pool schedules: satisfaction or fifo"`
	ForbidImmediateOperations    bool                       `col:"forbid_immediate_operations" doc:"whether operations directly in it are refused"`
	CreateEphemeralSubpools      core.Optional[bool]        `col:"create_ephemeral_subpools" doc:"whether each user gets a subpool"`
	EphemeralSubpoolJSON         core.Optional[string]      `col:"ephemeral_subpool_json" option:"ephemeral_subpool_config" enc:"plain" private:"options" doc:"ephemeral_subpool_config, JSON"`
	FairShareStarvationTolerance core.Optional[float64]     `col:"fair_share_starvation_tolerance" doc:"part of the fair share below which it starves"`
	FairShareStarvationTimeoutMS core.Optional[int64]       `col:"fair_share_starvation_timeout_ms" doc:"time below it until starving, milliseconds"`
	MinSharePreemptionTimeoutMS  core.Optional[int64]       `col:"min_share_preemption_timeout_ms" doc:"time below the strong guarantee until starving, milliseconds"`
	EnableAggressiveStarvation   core.Optional[bool]        `col:"enable_aggressive_starvation" doc:"whether it can starve aggressively"`
	AllowAggressivePreemption    core.Optional[bool]        `col:"allow_aggressive_preemption" doc:"whether its jobs may be preempted aggressively"`
	AllowNormalPreemption        core.Optional[bool]        `col:"allow_normal_preemption" doc:"whether its jobs may be preempted at all"`
	NonPreemptible               PartialResources           `col:"non_preemptible" option:"non_preemptible_resource_usage_threshold" doc:"usage up to which jobs are not preempted"`
	EnableLightweightOperations  core.Optional[bool]        `col:"enable_lightweight_operations" doc:"whether lightweight operations are taken"`
	FIFOTruncation               core.Optional[bool]        `col:"fifo_truncation" option:"enable_fair_share_truncation_in_fifo_pool" doc:"enable_fair_share_truncation_in_fifo_pool"`
	SchedulingTagFilter          core.Optional[string]      `col:"scheduling_tag_filter" private:"formula" doc:"which nodes serve it"`
	Preset                       core.Optional[string]      `col:"preset" option:"config_preset" private:"preset" doc:"config_preset"`
	ABC                          core.Optional[string]      `col:"abc" private:"account" doc:"accounting id"`
	ConfigJSON                   string                     `col:"config_json" enc:"plain" private:"options" doc:"further options by their documented names, JSON; empty if none"`
}

// A NodeState is a row of node_state: a node joined, left or changed. The same
// table under global/ holds nodes while they belong to no tree or to several.
type NodeState struct {
	Stamp
	Node              core.NodeID           `col:"node_ix" doc:"the node"`
	Online            bool                  `col:"online" doc:"whether it serves the tree"`
	Limit             Resources             `col:"limit" doc:"what it has"`
	Tags              string                `col:"tags" private:"tags" doc:"its tags, sorted, joined by commas"`
	DataCenter        core.Optional[string] `col:"data_center" private:"module" doc:"its data center"`
	InfinibandCluster core.Optional[string] `col:"infiniband_cluster" private:"module" doc:"its InfiniBand cluster"`
	SchedulingSegment core.Optional[string] `col:"scheduling_segment" doc:"its scheduling segment"`
	Source            string                `col:"source" doc:"where it is from: nodes_info, heartbeat or export"`
	Undescribed       core.Optional[bool]   `col:"undescribed" doc:"whether the log does not record from then on what it has, nor its tags: limit and tags mean nothing then; null: it does"`
}

// A ClusterConfig is a row of global/cluster_config: one version of the
// settings above all trees.
type ClusterConfig struct {
	Stamp
	DefaultTree             core.Optional[string] `col:"default_tree" private:"tree" doc:"tree of operations that name none"`
	Trees                   string                `col:"trees" private:"trees" doc:"the trees, joined by commas"`
	MaxOperationCount       core.Optional[int64]  `col:"max_operation_count" doc:"operations the cluster may hold"`
	FairShareUpdatePeriodMS core.Optional[int64]  `col:"fair_share_update_period_ms" doc:"time between fair share updates, milliseconds"`
	WatchersUpdatePeriodMS  core.Optional[int64]  `col:"watchers_update_period_ms" doc:"time until a new configuration is seen, milliseconds"`
	ConfigJSON              string                `col:"config_json" enc:"plain" private:"options" doc:"further options, JSON; empty if none"`
}

// A ProcessEvent is a row of global/process_events. Between master_disconnected
// and master_connected nothing is scheduled or logged.
type ProcessEvent struct {
	Stamp
	Event   string                `col:"event" doc:"scheduler_started, master_connected, master_disconnected, alert_raised or alert_cleared"`
	Address core.Optional[string] `col:"address" private:"node" doc:"address of the process"`
	Alert   core.Optional[string] `col:"alert" doc:"the alert"`
}

// A Problem is a row of global/problems: a record of the source that could not
// be used.
type Problem struct {
	Source string                `col:"source" private:"source" doc:"file the record stands in"`
	Row    int64                 `col:"row" enc:"delta" doc:"zero-based record in the file; -1 if the file as a whole is meant"`
	Column core.Optional[string] `col:"column" doc:"column or key at fault; null if the record as a whole is"`
	Code   string                `col:"code" doc:"stable code of the problem"`
	Value  core.Optional[string] `col:"value" enc:"plain" private:"text" doc:"the value at fault, as text"`
}
