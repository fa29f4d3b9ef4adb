package tables

import (
	"reflect"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// Saturated is the most that a sum of share·seconds holds, 4.6e9 share·seconds: a sum
// that would be larger is this.
const Saturated = 1 << 62

// The rows of the result tables. A struct here is the whole declaration of its
// table: a field is a column, named and explained by its tags. A
// resource.Vector or resource.Share field becomes one column per resource, with
// the resource's name appended; a core.Optional is a nullable column; ids
// become the text of the trace's dictionaries.
//
// Every table starts with the column tree, which the writer fills.

// A Tree is the row of one replayed pool tree.
type Tree struct {
	Profile        string          `col:"profile" doc:"policy profile that judged the tree"`
	MainResource   resource.Kind   `col:"main_resource" doc:"resource that guarantees are inferred from"`
	FromTime       core.Time       `col:"from_time" unit:"time" doc:"start of the judged window"`
	ToTime         core.Time       `col:"to_time" unit:"time" doc:"end of the judged window"`
	Configured     bool            `col:"configured" doc:"whether the trace holds the tree's configuration; without one nothing is promised"`
	Total          resource.Vector `col:"total" doc:"resources of the tree's online nodes at the window's end"`
	MinSpare       resource.Vector `col:"min_spare_resources" doc:"least that had to be free on a node at the window's end for anything to be started on it"`
	Nodes          int64           `col:"node_count" unit:"nodes" doc:"nodes that served the tree"`
	Pools          int64           `col:"pool_count" unit:"pools" doc:"pools seen in the tree, its root left out"`
	Operations     int64           `col:"operation_count" unit:"operations" doc:"operations seen in the tree"`
	Jobs           int64           `col:"job_count" unit:"jobs" doc:"jobs started in the tree"`
	Events         int64           `col:"event_count" unit:"events" doc:"events replayed, those before the window included"`
	Updates        int64           `col:"update_count" unit:"updates" doc:"fair share updates computed"`
	RefusedUpdates int64           `col:"refused_update_count" unit:"updates" doc:"fair share updates that the rules refuse; shares stayed as they were"`
	RefusedTime    int64           `col:"refused_us" unit:"µs" doc:"time in the window during which shares were older than the state because the rules refused an update"`
}

// A TreeVersion is the row of one span in which the settings of a tree did not
// change, of those that promise something. They are as the configuration states
// them; null where it does not.
type TreeVersion struct {
	FromTime    core.Time `col:"from_time" unit:"time" doc:"when the version took effect"`
	ToTime      core.Time `col:"to_time" unit:"time" doc:"when another did, exclusive"`
	ClippedFrom bool      `col:"clipped_from" doc:"whether the version took effect before the window"`
	ClippedTo   bool      `col:"clipped_to" doc:"whether the version goes on after the window"`
	Assumed     bool      `col:"assumed" doc:"whether the trace does not hold the configuration of this time, so that the settings are not known"`

	MaxOperations        core.Optional[int64]   `col:"max_operation_count" unit:"operations" doc:"most operations in the tree"`
	MaxRunning           core.Optional[int64]   `col:"max_running_operation_count" unit:"operations" doc:"most running operations in the tree"`
	MaxOperationsPerPool core.Optional[int64]   `col:"max_operation_count_per_pool" unit:"operations" doc:"most operations of a pool without a setting of its own"`
	MaxRunningPerPool    core.Optional[int64]   `col:"max_running_operation_count_per_pool" unit:"operations" doc:"most running operations of a pool without a setting of its own"`
	MaxEphemeralPools    core.Optional[int64]   `col:"max_ephemeral_pools_per_user" unit:"pools" doc:"most ephemeral pools of a user"`
	StarvationTimeout    core.Optional[int64]   `col:"fair_share_starvation_timeout_ms" unit:"ms" doc:"time below the fair share until starving"`
	MinShareTimeout      core.Optional[int64]   `col:"min_share_preemption_timeout_ms" unit:"ms" doc:"time below the strong guarantee until starving"`
	AggressiveTimeout    core.Optional[int64]   `col:"fair_share_aggressive_starvation_timeout_ms" unit:"ms" doc:"time below the fair share until aggressively starving"`
	Threshold            core.Optional[float64] `col:"preemption_satisfaction_threshold" unit:"ratio" doc:"part of its fair share that preemption leaves to an operation"`
	AggressiveThreshold  core.Optional[float64] `col:"aggressive_preemption_satisfaction_threshold" unit:"ratio" doc:"part of its fair share that aggressive preemption leaves to an operation"`
	CheckStarvation      core.Optional[bool]    `col:"preemption_check_starvation" doc:"whether preemption spares what starves"`
	GangsAggressively    core.Optional[bool]    `col:"allow_aggressive_preemption_for_gang_operations" doc:"whether gangs may be preempted aggressively"`
	GangsInFIFOOnly      core.Optional[bool]    `col:"allow_gang_operations_only_in_fifo_pools" doc:"whether gangs start in FIFO pools only"`
	Backoff              core.Optional[int64]   `col:"preemptive_scheduling_backoff_ms" unit:"ms" doc:"least time between preemptive attempts on a node"`
	InterruptTimeout     core.Optional[int64]   `col:"job_interrupt_timeout_ms" unit:"ms" doc:"time that a preempted job has to finish"`
	GracefulTimeout      core.Optional[int64]   `col:"job_graceful_interrupt_timeout_ms" unit:"ms" doc:"time that a gracefully preempted job has to finish"`

	NonPreemptible    core.Optional[resource.Partial] `col:"non_preemptible" doc:"non_preemptible_resource_usage_threshold of pools without their own; null where not named"`
	GuaranteePriority core.Optional[bool]             `col:"enable_guarantee_priority_scheduling" doc:"whether operations below what their pools were promised go first"`
	SchedulableInFIFO core.Optional[int64]            `col:"max_schedulable_element_count_in_fifo_pool" unit:"operations" doc:"most operations of a FIFO pool that are schedulable without a fair share"`
}

// A Pool is the row of one pool, with the last version of its settings.
type Pool struct {
	Pool            core.PoolID                     `col:"pool" doc:"name of the pool, unique in its tree"`
	Path            string                          `col:"path" doc:"names from below the root to the pool, joined by /"`
	Parent          core.PoolID                     `col:"parent" doc:"name of the parent pool; <Root> on the first level"`
	Depth           int32                           `col:"depth" unit:"levels" doc:"distance from the root, whose depth is 0"`
	Mode            core.Mode                       `col:"mode" doc:"how the pool shares among its children"`
	Ephemeral       bool                            `col:"is_ephemeral" doc:"whether the pool exists only while it has operations"`
	Configured      bool                            `col:"configured" doc:"whether the trace holds the pool's configuration"`
	FirstSeen       core.Time                       `col:"first_seen" unit:"time" doc:"first version of the pool"`
	LastSeen        core.Optional[core.Time]        `col:"last_seen" unit:"time" doc:"removal of the pool; null while it exists"`
	Weight          core.Optional[float64]          `col:"weight" unit:"weight" doc:"configured weight"`
	MaxShareRatio   core.Optional[float64]          `col:"max_share_ratio" unit:"share" doc:"configured max_share_ratio"`
	StrongGuarantee core.Optional[resource.Partial] `col:"strong_guarantee" doc:"configured strong_guarantee_resources; null where not named"`
	ResourceLimits  core.Optional[resource.Partial] `col:"resource_limits" doc:"configured resource_limits; null where not named"`
	MaxRunning      core.Optional[int64]            `col:"max_running_operation_count" unit:"operations" doc:"limit in force, inherited defaults included; null if nothing states one"`
	OwnRunning      core.Optional[int64]            `col:"own_max_running_operation_count" unit:"operations" doc:"limit that the pool itself is configured with; null if none"`
	OwnOperations   core.Optional[int64]            `col:"own_max_operation_count" unit:"operations" doc:"limit that the pool itself is configured with; null if none"`
	MaxOperations   core.Optional[int64]            `col:"max_operation_count" unit:"operations" doc:"limit in force, inherited defaults included; null if nothing states one"`

	IntegralType        pooltree.GuaranteeType          `col:"integral_guarantee_type" doc:"configured guarantee_type of integral_guarantees"`
	Flow                core.Optional[resource.Partial] `col:"resource_flow" doc:"configured resource_flow of integral_guarantees; null where not named"`
	Burst               core.Optional[resource.Partial] `col:"burst_guarantee" doc:"configured burst_guarantee_resources of integral_guarantees; null where not named"`
	StarvationTimeout   core.Optional[int64]            `col:"fair_share_starvation_timeout_ms" unit:"ms" doc:"configured time below the fair share until starving"`
	MinShareTimeout     core.Optional[int64]            `col:"min_share_preemption_timeout_ms" unit:"ms" doc:"configured time below the strong guarantee until starving"`
	StarvationTolerance core.Optional[float64]          `col:"fair_share_starvation_tolerance" unit:"ratio" doc:"configured part of the fair share below which usage counts as too low"`

	Aggressively    core.Optional[bool]             `col:"allow_aggressive_preemption" doc:"configured allow_aggressive_preemption; null if the pools above say"`
	Normally        core.Optional[bool]             `col:"allow_normal_preemption" doc:"configured allow_normal_preemption; null if not named"`
	RegularOnSSD    core.Optional[bool]             `col:"allow_regular_jobs_on_ssd_nodes" doc:"configured allow_regular_jobs_on_ssd_nodes; null if not named"`
	NonPreemptible  core.Optional[resource.Partial] `col:"non_preemptible" doc:"configured non_preemptible_resource_usage_threshold; null where not named"`
	TagFilter       string                          `col:"scheduling_tag_filter" doc:"configured scheduling_tag_filter; empty if none"`
	ForbidImmediate bool                            `col:"forbid_immediate_operations" doc:"whether operations may not be placed directly in the pool"`
	Lightweight     core.Optional[bool]             `col:"enable_lightweight_operations" doc:"configured enable_lightweight_operations; null if not named"`
}

// A PoolVersion is the row of one configured pool and of one span in which its
// settings were in force without a change, those above it in the tree included that
// it takes over.
type PoolVersion struct {
	Pool
	FromTime    core.Time `col:"from_time" unit:"time" doc:"when the version took effect"`
	ToTime      core.Time `col:"to_time" unit:"time" doc:"when another did or the pool was removed, exclusive"`
	ClippedFrom bool      `col:"clipped_from" doc:"whether the version took effect before the window"`
	ClippedTo   bool      `col:"clipped_to" doc:"whether the version goes on after the window"`
}

// An Operation is the row of one operation in one tree.
type Operation struct {
	Operation          core.OperationID                `col:"operation" doc:"id of the operation"`
	Type               string                          `col:"operation_type" doc:"type of the operation, in the source's words"`
	User               string                          `col:"user_name" doc:"user who started the operation"`
	Pool               core.PoolID                     `col:"pool" doc:"last pool of the operation in this tree"`
	StartTime          core.Time                       `col:"start_time" unit:"time" doc:"when the operation was started"`
	RunningTime        core.Optional[core.Time]        `col:"running_time" unit:"time" doc:"when it could first get jobs; null if never"`
	FirstJobTime       core.Optional[core.Time]        `col:"first_job_time" unit:"time" doc:"start of its first job; null if it got none"`
	FinishTime         core.Optional[core.Time]        `col:"finish_time" unit:"time" doc:"when it ended; null if alive at the window's end"`
	State              string                          `col:"final_state" doc:"completed, failed, aborted, rejected, erased or banned from the tree; running or pending if alive at the window's end; ended if it was over before the window and only a job of it came late"`
	Weight             core.Optional[float64]          `col:"weight" unit:"weight" doc:"last weight set on the operation"`
	ResourceLimits     core.Optional[resource.Partial] `col:"resource_limits" doc:"last resource_limits set on the operation; null where not named"`
	MaxShareRatio      core.Optional[float64]          `col:"max_share_ratio" unit:"ratio" doc:"last max_share_ratio set on the operation; null if none"`
	Ignored            string                          `col:"ignored_options" doc:"options of its own that a scheduler of the profile ignores, after commas; empty if none"`
	Segment            string                          `col:"scheduling_segment" doc:"last segment of the operation: default or large_gpu; empty where the tree has no segments or the log does not record it"`
	Module             string                          `col:"scheduling_segment_module" doc:"module in which its jobs ran last, of one in the segment large_gpu; empty if none"`
	TagFilter          string                          `col:"scheduling_tag_filter" doc:"last scheduling_tag_filter of its own; empty if none"`
	RequestsSSD        bool                            `col:"requests_ssd" doc:"whether it asked last for a medium of ssd_priority_preemption"`
	SmallestJob        core.Optional[resource.Vector]  `col:"smallest_job" doc:"least of each resource that a job takes for which it waited last; null if the log never records it"`
	Jobs               int64                           `col:"job_count" unit:"jobs" doc:"jobs started"`
	Preempted          int64                           `col:"preempted_job_count" unit:"jobs" doc:"jobs lost to preemption"`
	UnschedulableCheck UnschedulableCheck              `col:"unschedulable_check" doc:"whether the replay checked, while it waited for jobs, that its limits can hold one of them: on, also if at times only; unsized if the log never recorded its smallest job then; off if the tree or its spec always switched the check off; empty if it did not wait"`
}

// A Node is the row of one span in which a node served a tree with constant
// resources, tags and segment.
type Node struct {
	Node        core.NodeID     `col:"node" doc:"address of the node"`
	FromTime    core.Time       `col:"from_time" unit:"time" doc:"start of the span"`
	ToTime      core.Time       `col:"to_time" unit:"time" doc:"end of the span, exclusive"`
	ClippedFrom bool            `col:"clipped_from" doc:"whether the span began before the window"`
	ClippedTo   bool            `col:"clipped_to" doc:"whether the span goes on after the window"`
	Limits      resource.Vector `col:"limit" doc:"resources of the node"`
	Tags        string          `col:"tags" doc:"tags of the node, joined by commas"`
	Segment     string          `col:"scheduling_segment" doc:"scheduling segment of the node: default or large_gpu; empty where the log does not record it"`
	Undescribed bool            `col:"is_undescribed" doc:"whether the log does not record what the node has, nor its tags: both mean nothing then, and the total of the tree is unknown"`
	SSD         bool            `col:"is_ssd" doc:"whether the tags match the filter of ssd_priority_preemption when the span begins"`
}

// A Job is the row of one job, written when it ends.
type Job struct {
	Job          string                          `col:"job" doc:"id of the job in the source"`
	JobIx        core.JobID                      `col:"job_ix" unit:"number" doc:"number of the job in the trace"`
	Operation    core.OperationID                `col:"operation" doc:"operation the job works for"`
	Pool         core.PoolID                     `col:"pool" doc:"pool of the operation when the job started"`
	Node         core.Optional[core.NodeID]      `col:"node" doc:"node the job ran on; null if the source does not say"`
	StartTime    core.Time                       `col:"start_time" unit:"time" doc:"when the job was granted its resources"`
	EndTime      core.Optional[core.Time]        `col:"end_time" unit:"time" doc:"when it gave them back: its end, or the moment it was preempted; null if unknown"`
	End          core.EndKind                    `col:"end_kind" doc:"how the job ended"`
	Reason       string                          `col:"end_reason" doc:"the source's reason for the end; empty if it gives none"`
	For          core.Optional[core.OperationID] `col:"preempted_for" doc:"operation the job was preempted for; null if none is recorded"`
	Resources    resource.Vector                 `col:"resources" doc:"resources granted to the job"`
	InOrder      bool                            `col:"in_fifo_order" doc:"whether the job started in a FIFO pool that the log's configuration has schedule in order"`
	Overtook     core.Optional[core.OperationID] `col:"overtook_operation" doc:"first operation before this one in the order of their FIFO pool that still needed resources when the job started, and took part by the last records; null if none did"`
	OvertookFits core.Optional[bool]             `col:"overtook_fits" doc:"whether the job's node had room for a job of the overtaken operation in this job's place; null if node or job size is unknown, packing may have passed the operation over, or another order may have been in force"`
}

// An Interval holds the columns that the interval tables of pools and operations share. A row is a span
// in which shares moved by no more than the resolution.
type Interval struct {
	FromTime    core.Time `col:"from_time" unit:"time" doc:"start of the span"`
	ToTime      core.Time `col:"to_time" unit:"time" doc:"end of the span, exclusive"`
	ClippedFrom bool      `col:"clipped_from" doc:"whether the span began before the window"`
	ClippedTo   bool      `col:"clipped_to" doc:"whether the span goes on after the window"`

	Usage  resource.Vector `col:"resource_usage" doc:"resources of live jobs when the span opened"`
	Demand resource.Vector `col:"resource_demand" doc:"usage and unmet need when the span opened"`
	Limits resource.Vector `col:"resource_limits" doc:"limits in force: specified, tag totals and max share together; the total where nothing limits"`

	UsageShare  resource.Share `col:"usage_share" unit:"share" doc:"usage as a fraction of the tree when the span opened"`
	DemandShare resource.Share `col:"demand_share" unit:"share" doc:"demand as a fraction of the tree when the span opened"`
	LimitsShare resource.Share `col:"limits_share" unit:"share" doc:"limits in force as a fraction of the tree"`
	StrongShare resource.Share `col:"strong_guarantee_share" unit:"share" doc:"strong guarantee in force as a fraction of the tree"`
	FairShare   resource.Share `col:"fair_share" unit:"share" doc:"share granted by the policy when the span opened"`

	UsageRatio    float64 `col:"usage_ratio" unit:"share" doc:"dominant usage share when the span opened"`
	DemandRatio   float64 `col:"demand_ratio" unit:"share" doc:"dominant demand share when the span opened"`
	MinShareRatio float64 `col:"min_share_ratio" unit:"share" doc:"dominant strong guarantee share"`
	FairRatio     float64 `col:"fair_share_ratio" unit:"share" doc:"dominant fair share when the span opened"`

	UsageRatioMin  float64 `col:"usage_ratio_min" unit:"share" doc:"least usage ratio in the span"`
	UsageRatioMax  float64 `col:"usage_ratio_max" unit:"share" doc:"greatest usage ratio in the span"`
	DemandRatioMin float64 `col:"demand_ratio_min" unit:"share" doc:"least demand ratio in the span"`
	DemandRatioMax float64 `col:"demand_ratio_max" unit:"share" doc:"greatest demand ratio in the span"`
	FairRatioMin   float64 `col:"fair_share_ratio_min" unit:"share" doc:"least fair share ratio in the span"`
	FairRatioMax   float64 `col:"fair_share_ratio_max" unit:"share" doc:"greatest fair share ratio in the span"`

	UsageSeconds  int64 `col:"usage_ratio_seconds" unit:"1e-9 share·s" doc:"usage ratio summed over the span's time"`
	DemandSeconds int64 `col:"demand_ratio_seconds" unit:"1e-9 share·s" doc:"demand ratio summed over the span's time"`
	FairSeconds   int64 `col:"fair_share_ratio_seconds" unit:"1e-9 share·s" doc:"fair share ratio summed over the span's time"`

	FairOverDemand float64 `col:"fair_share_over_demand" unit:"share" doc:"greatest excess of fair share over the demand it was computed from, over all resources of the span; 0 if none"`
	FairOverLimits float64 `col:"fair_share_over_limits" unit:"share" doc:"greatest excess of fair share over the limits share it was computed from, over all resources of the span; 0 if none"`
}

// A PoolInterval is a span of one pool; the root is the pool <Root>.
type PoolInterval struct {
	Pool core.PoolID `col:"pool" doc:"name of the pool; <Root> is the tree itself"`
	Interval
	Status        scheduling.Status    `col:"starvation_status" doc:"how the pool starved, as recomputed"`
	For           scheduling.Kind      `col:"starving_for" doc:"what it starved for: min_share or fair_share; empty if nothing"`
	Satisfaction  float64              `col:"satisfaction_ratio" unit:"ratio" doc:"local satisfaction ratio at the last update before the span: usage by fair share; 1e9 without fair share"`
	Running       int64                `col:"running_operation_count" unit:"operations" doc:"operations marked running in the pool's subtree"`
	Operations    int64                `col:"operation_count" unit:"operations" doc:"operations registered in the pool's subtree"`
	Lightweight   int64                `col:"lightweight_running_operation_count" unit:"operations" doc:"lightweight operations marked running in the pool's subtree; not among the running ones"`
	MaxRunning    core.Optional[int64] `col:"max_running_operation_count" unit:"operations" doc:"limit in force; null if nothing states one"`
	MaxOperations core.Optional[int64] `col:"max_operation_count" unit:"operations" doc:"limit in force; null if nothing states one"`

	Volume   core.Optional[float64] `col:"accumulated_resource_ratio_volume" unit:"s" doc:"accumulated volume when the span opened, in seconds of the whole tree; null without an integral guarantee"`
	Flow     core.Optional[float64] `col:"resource_flow_ratio" unit:"share" doc:"resource_flow as a fraction of the tree when the span opened; null without an integral guarantee"`
	Burst    core.Optional[float64] `col:"burst_ratio" unit:"share" doc:"burst_guarantee_resources as a fraction of the tree, scaled where overcommitted, when the span opened; null without an integral guarantee"`
	Integral core.Optional[float64] `col:"integral_share_ratio" unit:"share" doc:"part of the dominant fair share that the integral guarantee gives, when the span opened; null without an integral guarantee"`
}

// An OperationInterval is a span of one operation in one tree.
type OperationInterval struct {
	Operation core.OperationID `col:"operation" doc:"id of the operation"`
	Pool      core.PoolID      `col:"pool" doc:"pool of the operation in the span"`
	Interval
	Status       scheduling.Status    `col:"starvation_status" doc:"how the operation starved, as recomputed"`
	For          scheduling.Kind      `col:"starving_for" doc:"what it starved for: min_share or fair_share; empty if nothing"`
	Satisfaction float64              `col:"satisfaction_ratio" unit:"ratio" doc:"local satisfaction ratio at the last update before the span: usage by fair share; 1e9 without fair share"`
	Running      bool                 `col:"running" doc:"whether the operation could get jobs"`
	Jobs         int64                `col:"job_count" unit:"jobs" doc:"live jobs when the span opened"`
	FIFOIndex    core.Optional[int32] `col:"fifo_index" unit:"position" doc:"place in the order of its FIFO pool, from 0; null elsewhere"`
}

// A GuaranteeEpisode is a maximal span in which a pool's usage stayed below
// what it was guaranteed and demanded, by the relation of core/spec/scheduling.md §1.4
// over the resources that the guarantee names. An integral guarantee is good for
// what it adds to the fair share, which volume and flow allow; what is less than a
// job that the pool waits for is not missed.
type GuaranteeEpisode struct {
	Kind                  GuaranteeKind            `col:"guarantee_kind" doc:"which guarantee: strong, burst or relaxed"`
	Pool                  core.PoolID              `col:"pool" doc:"pool whose guarantee went unmet"`
	FromTime              core.Time                `col:"from_time" unit:"time" doc:"start of the episode"`
	ToTime                core.Time                `col:"to_time" unit:"time" doc:"end of the episode, exclusive"`
	ClippedFrom           bool                     `col:"clipped_from" doc:"whether the episode began before the window"`
	ClippedTo             bool                     `col:"clipped_to" doc:"whether the episode goes on after the window"`
	Resource              resource.Kind            `col:"resource" doc:"resource of the greatest gap"`
	Guarantee             float64                  `col:"guarantee_share" unit:"share" doc:"share of that resource that was guaranteed then: the strong guarantee, or with an integral one what both are good for"`
	Demand                float64                  `col:"demand_share" unit:"share" doc:"demand share of that resource then"`
	Usage                 float64                  `col:"usage_share" unit:"share" doc:"usage share of that resource then"`
	Gap                   float64                  `col:"gap" unit:"share" doc:"greatest difference between the owed and the delivered share"`
	GapTime               core.Time                `col:"gap_time" unit:"time" doc:"first instant of the greatest gap"`
	Owed                  int64                    `col:"owed_share_seconds" unit:"1e-9 share·s" doc:"min(guarantee, demand) of the resource that lacked most, or what the integral guarantee adds to that, summed over the episode's time"`
	Delivered             int64                    `col:"delivered_share_seconds" unit:"1e-9 share·s" doc:"part of it that usage covered"`
	Others                int64                    `col:"others_above_us" unit:"µs" doc:"time in the episode during which a pool outside this one's path used more than its fair share"`
	Limited               int64                    `col:"limited_us" unit:"µs" doc:"time in the episode during which the pool or an ancestor stood at a specified resource limit"`
	Withheld              int64                    `col:"withheld_us" unit:"µs" doc:"time in the episode during which another pool was above its fair share and no specified limit held this one back"`
	Preemptible           int64                    `col:"preemptible_us" unit:"µs" doc:"longest unbroken stretch of that time in which preemption could have made room on a node for a job that the pool waited for, checked every 10 s once the episode is a minute old. The size is the one that the log records of the operation, the least of each resource or an average; its jobs may all be larger"`
	PreemptibleFrom       core.Optional[core.Time] `col:"preemptible_from_time" unit:"time" doc:"when that stretch began; null if there was none"`
	SurelyPreemptible     int64                    `col:"surely_preemptible_us" unit:"µs" doc:"the same, of operations whose size of a job the log records, while shares do not depend on what happened before the log"`
	SurelyPreemptibleFrom core.Optional[core.Time] `col:"surely_preemptible_from_time" unit:"time" doc:"when that stretch began; null if there was none"`
	Ends
}

// Ends are the stretches of preemptible time at the two ends of an episode. Where the window cuts
// an episode, the last stretch before the cut and the first one after it are one.
type Ends struct {
	PreemptibleUntil       core.Optional[core.Time] `col:"preemptible_until_time" unit:"time" doc:"until when the first such stretch lasted, if it began with the row; null otherwise"`
	PreemptibleSince       core.Optional[core.Time] `col:"preemptible_since_time" unit:"time" doc:"since when the last such stretch lasted, if it goes on at the end of the row, or may, since nothing was checked in it; null otherwise"`
	SurelyPreemptibleUntil core.Optional[core.Time] `col:"surely_preemptible_until_time" unit:"time" doc:"the same of the first stretch of surely_preemptible_us"`
	SurelyPreemptibleSince core.Optional[core.Time] `col:"surely_preemptible_since_time" unit:"time" doc:"the same of the last one"`
}

// A StarvationEpisode is a maximal span in which a pool or an operation starved
// for one kind of share, as recomputed (core/spec/scheduling.md §7, §17.2). Those of two
// kinds may overlap.
type StarvationEpisode struct {
	Element     ElementKind                     `col:"element_kind" doc:"pool or operation"`
	Pool        core.PoolID                     `col:"pool" doc:"the pool, or the operation's pool"`
	Operation   core.Optional[core.OperationID] `col:"operation" doc:"the operation, if it is one"`
	For         scheduling.Kind                 `col:"starving_for" doc:"what it starved for: min_share, its strong guarantee, or fair_share"`
	Status      scheduling.Status               `col:"starvation_status" doc:"strongest status reached for that share"`
	Since       core.Time                       `col:"since_time" unit:"time" doc:"since when it was below its share"`
	FromTime    core.Time                       `col:"from_time" unit:"time" doc:"when its timeout had passed: from then on it starved by the rules, whenever the scheduler announced it"`
	Aggressive  core.Optional[core.Time]        `col:"aggressive_time" unit:"time" doc:"when it began to starve aggressively; null if it never did"`
	ToTime      core.Time                       `col:"to_time" unit:"time" doc:"when it starved no longer, exclusive"`
	ClippedFrom bool                            `col:"clipped_from" doc:"whether the episode began before the window"`
	ClippedTo   bool                            `col:"clipped_to" doc:"whether the episode goes on after the window"`
	Timeout     int64                           `col:"timeout_us" unit:"µs" doc:"timeout in force when it began to starve, scaled by the jobs it waited for"`
	Tolerance   float64                         `col:"tolerance" unit:"ratio" doc:"fair_share_starvation_tolerance in force when it began to starve; 1 for min_share"`
	End         StarvationEnd                   `col:"end_cause" doc:"how the episode ended: recovered, it was no longer below its share, also because its last waiting job had started; kind_changed, the one clock of the profile legacy went on for the other share; finished; not_running; suspended; no_demand, it waited for no more jobs without having got one; restarted, a restart of the scheduler or another parent reset it; or window_end, it goes on"`
	Resource    resource.Kind                   `col:"resource" doc:"resource of the greatest gap"`
	Gap         float64                         `col:"gap" unit:"share" doc:"greatest difference between the owed and the delivered share"`
	GapTime     core.Time                       `col:"gap_time" unit:"time" doc:"first instant of the greatest gap"`
	Owed        int64                           `col:"owed_share_seconds" unit:"1e-9 share·s" doc:"what it was entitled to and demanded, in the resource that lacked most, summed over the episode's time"`
	Delivered   int64                           `col:"delivered_share_seconds" unit:"1e-9 share·s" doc:"part of it that usage covered"`
	Limited     int64                           `col:"limited_us" unit:"µs" doc:"time in the episode during which it or an ancestor stood at a specified resource limit"`

	Preemptible     core.Optional[int64]     `col:"preemptible_us" unit:"µs" doc:"of an operation, longest unbroken stretch of the time that it starved for either share until the episode ended, in which preemption could have made room on a node for the smallest job that it waited for, checked every 10 s (256 operations at a time) once it has starved for a minute. The size is the one that the log records, the least of each resource or an average; its jobs may all be larger. Null if the replay did not check, and of pools"`
	PreemptibleFrom core.Optional[core.Time] `col:"preemptible_from_time" unit:"time" doc:"when that stretch began; null if there was none"`

	SurelyPreemptible     core.Optional[int64]     `col:"surely_preemptible_us" unit:"µs" doc:"the same, where the log records the size of a job of the operation, while shares do not depend on what happened before the log"`
	SurelyPreemptibleFrom core.Optional[core.Time] `col:"surely_preemptible_from_time" unit:"time" doc:"when that stretch began; null if there was none"`
	Ends
}

// A LimitEpisode is a maximal span in which one limit of one element was
// exceeded.
type LimitEpisode struct {
	Element     ElementKind                     `col:"element_kind" doc:"what was over its limit"`
	Node        core.Optional[core.NodeID]      `col:"node" doc:"the node, if it is one"`
	Pool        core.Optional[core.PoolID]      `col:"pool" doc:"the pool, or the operation's pool"`
	Operation   core.Optional[core.OperationID] `col:"operation" doc:"the operation, if it is one"`
	Limit       LimitKind                       `col:"limit_kind" doc:"which limit"`
	Resource    core.Optional[resource.Kind]    `col:"resource" doc:"resource of the limit; null for counts"`
	FromTime    core.Time                       `col:"from_time" unit:"time" doc:"start of the episode"`
	ToTime      core.Time                       `col:"to_time" unit:"time" doc:"end of the episode, exclusive"`
	ClippedFrom bool                            `col:"clipped_from" doc:"whether the episode began before the window"`
	ClippedTo   bool                            `col:"clipped_to" doc:"whether the episode goes on after the window"`
	LimitValue  int64                           `col:"limit_value" unit:"amount" doc:"the limit at the greatest excess, in the resource's unit (cpu: hundredths of a core) or operations"`
	Value       int64                           `col:"value" unit:"amount" doc:"what stood against it at the greatest excess, in the same unit"`
	PeakTime    core.Time                       `col:"peak_time" unit:"time" doc:"first instant of the greatest excess"`
	Cause       Cause                           `col:"cause" doc:"what began the episode"`
	CauseJob    core.Optional[core.JobID]       `col:"cause_job_ix" unit:"number" doc:"the job whose start began it, if one did"`
	Jobs        string                          `col:"jobs" doc:"ids of the first 100 jobs counted at the greatest excess, in start order, as a JSON list; empty for counts and pools"`
	JobCount    core.Optional[int64]            `col:"job_count" unit:"jobs" doc:"jobs counted at the greatest excess; null for counts and pools"`
	Allowed     int64                           `col:"allowed_us" unit:"µs" doc:"of a node, the longest allowed_node_resources_overcommit_duration and job_interrupt_timeout together that were seen in force in the episode; 0 of others"`
	Interval    int64                           `col:"interval_us" unit:"µs" doc:"of a node, the longest time that had passed between two of its heartbeats by the end of the episode; 0 of others, and if none is known"`
	Doubtful    int64                           `col:"doubtful_us" unit:"µs" doc:"time in the episode in which the limit may have held: jobs or operations may have left whose departure the log does not record exactly, or the node may already have had the larger size that the log records later"`
	Unanswered  int64                           `col:"unanswered_us" unit:"µs" doc:"of a node, time in the episode in which a heartbeat was due and none was answered, since it was silent, its heartbeats were skipped, or the scheduler was away; 0 of others; if the log does not hold all heartbeats, only the time until the scheduler came back"`
}

// A Coverage row states one thing that the trace lets a reader judge, or not.
type Coverage struct {
	Aspect string `col:"aspect" doc:"what the row is about. By the manifest: heartbeats, demand, preemption_details, tree_config, pool_config, operation_states, operations, node_states, and of each resource capacity, usage and unit, as capacity.cpu. By what was seen: placement, the nodes of jobs; tree_totals, what the scheduler recorded as the tree's total; specs, what operations set for themselves; smallest_jobs, what the smallest job that an operation waits for takes; nodes_filter and tag_filters, the tags of nodes that these go by; scheduling_policy, the policy that decides in the tree (classic, gpu or unknown); share_options, whether all options that fair shares follow are modelled; other_trees, what the log records of the cluster's other trees"`
	State  string `col:"state" doc:"how it is known, in the manifest's words: recorded, reconstructed, requested, assumed, none, ..."`
	Seen   int64  `col:"seen" unit:"rows" doc:"how many facts of it the replay saw"`
}

// A Problem is one row of input that could not be used.
type Problem struct {
	Source string `col:"source" doc:"file the row stands in, relative to the trace"`
	Row    int64  `col:"row_number" unit:"row" doc:"zero-based row in the file; -1 if the file as a whole is meant"`
	Column string `col:"column_name" doc:"column at fault; empty if the row as a whole is"`
	Code   string `col:"code" doc:"stable code of the problem"`
	Value  string `col:"value" doc:"the value at fault, as text"`
}

// An ElementKind says what an episode is about.
type ElementKind uint8

const (
	ElementNode ElementKind = iota
	ElementPool
	ElementOperation
)

// A GuaranteeKind says which of its guarantees a pool lacks.
type GuaranteeKind uint8

const (
	StrongGuarantee GuaranteeKind = iota
	BurstGuarantee
	RelaxedGuarantee
)

// A UnschedulableCheck says whether the replay checked that the limits above an operation can
// hold a job of it (core/spec/scheduling.md §5.9). More informative values are greater.
type UnschedulableCheck uint8

const (
	SchedulabilityNeverWaited UnschedulableCheck = iota
	SchedulabilityUnchecked                      // enable_limiting_ancestor_check was off
	SchedulabilityUnsized                        // the log did not record its smallest job
	SchedulabilityChecked
)

// A LimitKind says which limit an episode exceeded.
type LimitKind uint8

const (
	NodeCapacity LimitKind = iota
	ResourceLimits
	MaxOperationCount
	MaxRunningOperationCount
)

// A Cause is the event by which a limit came to be exceeded.
type Cause uint8

const (
	CauseJobStarted Cause = iota
	CauseOperation        // an operation was registered, activated or moved
	CauseLimit            // the limit came down, or the node shrank
	CausePoolMoved        // a pool was moved below, with its counts and usage
	CauseRevived          // an operation was registered again after a restart, without checks
)

// A StarvationEnd is the reason for the end of a starvation episode.
type StarvationEnd uint8

const (
	StarvationRecovered  StarvationEnd = iota // it was not below its share any more, perhaps since it got all that it wanted
	StarvationChanged                         // in Legacy: the clock that both kinds share went on for the other
	StarvationFinished                        // the operation or pool was over
	StarvationNotRunning                      // the operation was made pending
	StarvationSuspended                       // the operation was suspended
	StarvationNoDemand                        // it wanted no more jobs, and had not got one since the update before
	StarvationForgotten                       // the scheduler started anew or was disconnected, or it has another parent: the clock began anew
	StarvationGoesOn                          // it still starved at the window's end
)

// enumWords are the texts of the enumerations in the tables, by type, in the order of their
// meaning, by which DuckDB and pandas sort them.
var enumWords = map[reflect.Type][]string{
	reflect.TypeFor[core.Mode]():              {"fair_share", "fifo"},
	reflect.TypeFor[pooltree.GuaranteeType](): {"none", "burst", "relaxed"},
	reflect.TypeFor[core.EndKind]():           {"unknown", "running", "completed", "failed", "aborted", "preempted"},
	reflect.TypeFor[scheduling.Status]():      {"non_starving", "starving", "aggressively_starving"},
	reflect.TypeFor[scheduling.Kind]():        {"", "min_share", "fair_share"},
	reflect.TypeFor[ElementKind]():            {"node", "pool", "operation"},
	reflect.TypeFor[GuaranteeKind]():          {"strong", "burst", "relaxed"},
	reflect.TypeFor[UnschedulableCheck]():     {"", "off", "unsized", "on"},
	reflect.TypeFor[DebtLevel]():              {"guarantee", "fair_share", "demand"},
	reflect.TypeFor[DebtCause]():              debtCauseWords[:],
	reflect.TypeFor[scheduling.Obstacle]():    scheduling.LedgerWords(),
	reflect.TypeFor[LimitKind]():              {"node_capacity", "resource_limits", "max_operation_count", "max_running_operation_count"},
	reflect.TypeFor[Cause]():                  {"job_started", "operation", "limit_changed", "pool_moved", "revived"},
	reflect.TypeFor[StarvationEnd]():          {"recovered", "kind_changed", "finished", "not_running", "suspended", "no_demand", "restarted", "window_end"},
}

// textWords are the words of texts in the tables, by the key words of their fields: those of
// verdicts and severities are sorted as in the verdict of a run, the worst first.
var textWords = map[string][]string{
	"verdict":      {"violated", "suspect", "undecidable", "excused", "ok"},
	"severity":     {"critical", "major", "minor", "info"},
	"judged":       {"recorded", "recomputed", "possible", ""},
	"list":         {"", "non_preemptible", "aggressively_preemptible", "preemptible"},
	"level":        {"", "ssd_non_preemptible", "ssd_aggressively_preemptible", "non_preemptible", "aggressively_preemptible", "preemptible"},
	"starving_for": {"", "min_share", "fair_share"},
	"priority":     {"none", "normal", "aggressive", "ssd_normal", "ssd_aggressive"},
}
