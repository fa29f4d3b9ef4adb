package pooltree

import "poolproof/core/resource"

// An Optional is an option that may be absent, which differs from zero.
type Optional[T any] struct {
	Value T
	Set   bool
}

// Some returns an option that is present.
func Some[T any](v T) Optional[T] { return Optional[T]{v, true} }

// Or returns the option, or fallback if it is absent.
func (o Optional[T]) Or(fallback T) T {
	if o.Set {
		return o.Value
	}
	return fallback
}

// orElse returns the first of two options that is present.
func (o Optional[T]) orElse(fallback Optional[T]) Optional[T] {
	if o.Set {
		return o
	}
	return fallback
}

// Milliseconds is a duration as configurations write it
// (core/spec/scheduling.md §1.6).
type Milliseconds int64

// Micros returns the duration in microseconds, by which time is counted.
func (m Milliseconds) Micros() int64 { return int64(m) * 1000 }

// A Mode is how a pool shares among its children.
type Mode uint8

// The modes of a pool.
const (
	FairShare Mode = iota
	FIFO
)

func (m Mode) String() string { return modeNames[m] }

// A FIFOKey is one of fifo_sort_parameters (core/spec/scheduling.md §9.6).
type FIFOKey uint8

// The keys by which a FIFO pool sorts its operations.
const (
	ByWeight FIFOKey = iota
	ByStartTime
	ByPendingJobs
)

// A FIFOOrder is what picks the next operation of a FIFO pool.
type FIFOOrder uint8

// The values of fifo_pool_scheduling_order.
const (
	OrderSatisfaction FIFOOrder = iota
	OrderFIFO
)

func (o FIFOOrder) String() string { return orderNames[o] }

// A Scope says whose starvation entitles an operation to preempt.
type Scope uint8

// The values of scheduling_preemption_priority_scope.
const (
	OperationAndAncestors Scope = iota
	OperationOnly
)

// A GuaranteeType is the kind of a pool's integral guarantee.
type GuaranteeType uint8

// The values of integral_guarantees/guarantee_type.
const (
	NoIntegral GuaranteeType = iota
	Burst
	Relaxed
)

var (
	modeNames      = []string{"fair_share", "fifo"}
	keyNames       = []string{"weight", "start_time", "pending_job_count"}
	orderNames     = []string{"satisfaction", "fifo"}
	guaranteeNames = []string{"none", "burst", "relaxed"}
	scopeNames     = []string{"operation_and_ancestors", "operation_only"}
	graceNames     = []string{"normal", "graceful"}                 // of preemption_mode
	averageNames   = []string{"none", "exponential_moving_average"} // of historic_usage_config
)

// A TreeConfig holds the options of a tree (core/spec/scheduling.md §3.1). Absent
// options have the profile's defaults.
type TreeConfig struct {
	// Assumed: the source holds no configuration, so that defaults are no
	// promise and limits that only a default states are not in force.
	Assumed bool
	// PoolsAssumed: the source holds no configuration of pools, so that limits of
	// pools that only a default states are not in force.
	PoolsAssumed bool
	// Dated: the log says since when this version is in force. An export says what is
	// in force when it is taken.
	Dated bool
	// Learned: the source has another version, which records of the scheduler contradict.
	Learned bool

	NodesFilter       Formula
	DefaultParentPool string // "": the root
	UseUserParents    bool   // use_user_default_parent_pool_map
	MainResource      Optional[resource.Kind]

	MaxOperationCount               Optional[int64]
	MaxRunningOperationCount        Optional[int64]
	MaxOperationCountPerPool        Optional[int64]
	MaxRunningOperationCountPerPool Optional[int64]
	MaxEphemeralPoolsPerUser        Optional[int64]

	FairShareStarvationTolerance Optional[float64]
	FairShareStarvationTimeout   Optional[Milliseconds]
	AggressiveStarvationTimeout  Optional[Milliseconds]
	MinSharePreemptionTimeout    Optional[Milliseconds]
	EnableAggressiveStarvation   Optional[bool]
	EnablePoolStarvation         Optional[bool]

	PreemptionSatisfaction       Optional[float64]      // preemption_satisfaction_threshold
	AggressiveSatisfaction       Optional[float64]      // aggressive_preemption_satisfaction_threshold
	NonPreemptibleThreshold      resource.Partial       // non_preemptible_resource_usage_threshold
	MaxUnpreemptibleJobs         Optional[int64]        // max_unpreemptible_running_job_count
	JobCountCoefficient          Optional[float64]      // job_count_preemption_timeout_coefficient
	CheckStarvation              Optional[bool]         // preemption_check_starvation
	CheckSatisfaction            Optional[bool]         // preemption_check_satisfaction
	ConditionalPreemption        Optional[bool]         // enable_conditional_preemption
	PreemptFromStarving          Optional[bool]         // allow_preemption_from_starving_operations; current only
	PriorityScope                Optional[Scope]        // scheduling_preemption_priority_scope
	PreemptiveBackoff            Optional[Milliseconds] // preemptive_scheduling_backoff
	AggressivePreemptionForGangs Optional[bool]         // allow_aggressive_preemption_for_gang_operations
	GangsInFIFOOnly              Optional[bool]         // allow_gang_operations_only_in_fifo_pools, current only

	FIFOOrder                Optional[FIFOOrder]
	FIFOTruncation           Optional[bool]
	PoolSatisfaction         Optional[bool] // use_pool_satisfaction_for_scheduling
	InferWeightMultiplier    Optional[float64]
	Integral                 TreeIntegral    // integral_guarantees
	DistributeFreeVolume     Optional[bool]  // should_distribute_free_volume_among_children
	MaxSchedulableInFIFOPool Optional[int64] // max_schedulable_element_count_in_fifo_pool
	GuaranteePriority        Optional[bool]  // enable_guarantee_priority_scheduling
	MinChildHeapSize         Optional[int64]
	Batch                    Batch    // batch_operation_scheduling
	Segments                 Segments // scheduling_segments
	Packing                  Packing
	LimitingAncestorCheck    Optional[bool]         // enable_limiting_ancestor_check
	TagTotalsDelay           Optional[Milliseconds] // total_resource_limits_consider_delay
	BestAllocationPeriod     Optional[Milliseconds] // best_allocation_ratio_update_period
	NonTentativeTypes        []string               // non_tentative_operation_types; nil: the default list
	SSD                      SSDPreemption
	Presets                  []Preset // pool_config_presets, by name
	WaitingJobTimeout        Optional[Milliseconds]
	JobInterruptTimeout      Optional[Milliseconds]
	GracefulInterruptTimeout Optional[Milliseconds] // job_graceful_interrupt_timeout
	SaturationDeactivation   Optional[Milliseconds] // tentative_tree_saturation_deactivation_period
	ForbidOperationsInRoot   Optional[bool]         // forbid_immediate_operations_in_root: refuses nothing (§5.2)
	EnableSchedulingTags     Optional[bool]
	ThresholdExplicitlyNull  bool // non_preemptible_resource_usage_threshold is null, which is illegal
}

// A TreeIntegral is the option integral_guarantees of a tree.
type TreeIntegral struct {
	SmoothPeriod     Optional[Milliseconds]
	SaturationPeriod Optional[Milliseconds] // pool_capacity_saturation_period
	RelaxedLimit     Optional[float64]      // relaxed_share_multiplier_limit
}

// A Batch is the option batch_operation_scheduling.
type Batch struct {
	Size     int64            // 0: no batches
	MinSpare resource.Partial // fallback_min_spare_job_resources
}

// SSDPreemption is the option ssd_priority_preemption.
type SSDPreemption struct {
	Enable bool
	Filter Formula  // node_tag_filter
	Media  []string // medium_names
}

// A Preset is an entry of pool_config_presets (core/spec/scheduling.md §4.4).
type Preset struct {
	Name   string
	Config PoolConfig
}

// A PoolConfig holds the options of a pool (core/spec/scheduling.md §3.2). The zero
// value is a pool with default options.
type PoolConfig struct {
	Mode     Optional[Mode]
	FIFOSort []FIFOKey // nil: the default, weight then start time
	Weight   Optional[float64]

	MaxOperationCount        Optional[int64]
	MaxRunningOperationCount Optional[int64]
	ForbidImmediate          bool              // forbid_immediate_operations
	CreateSubpools           bool              // create_ephemeral_subpools
	Subpools                 Optional[Subpool] // ephemeral_subpool_config
	LightweightOps           Optional[bool]    // enable_lightweight_operations
	AlwaysAllowGangs         bool              // always_allow_gang_operations, current only

	ResourceLimits  resource.Partial
	MaxShareRatio   Optional[float64]
	StrongGuarantee resource.Partial
	Integral        IntegralConfig
	TagFilter       Formula // scheduling_tag_filter

	FairShareStarvationTolerance Optional[float64]
	FairShareStarvationTimeout   Optional[Milliseconds]
	MinSharePreemptionTimeout    Optional[Milliseconds]
	EnableAggressiveStarvation   Optional[bool]
	AllowAggressivePreemption    Optional[bool]
	AllowNormalPreemption        Optional[bool]
	AllowRegularJobsOnSSD        Optional[bool]
	NonPreemptibleThreshold      Optional[resource.Partial] // a map, even an empty one, replaces the parent's

	FIFOOrder        Optional[FIFOOrder]
	FIFOTruncation   Optional[bool]
	PoolSatisfaction Optional[bool]

	PromisedGuarantee bool              // compute_promised_guarantee_fair_share
	InferFromHistory  bool              // infer_children_weights_from_historic_usage
	HistoryAlpha      Optional[float64] // historic_usage_config: decay per second; absent: no history

	Presets    []string // config_preset, or the list config_presets
	Offloading []Offload
	Owner      bool // abc is set
	Metering   bool // metering_tags are set
}

// mode returns the pool's mode.
func (c *PoolConfig) mode() Mode { return c.Mode.Or(FairShare) }

// IntegralConfig is the option integral_guarantees of a pool.
type IntegralConfig struct {
	Type         GuaranteeType
	Flow         resource.Partial  // resource_flow
	Burst        resource.Partial  // burst_guarantee_resources
	RelaxedLimit Optional[float64] // relaxed_share_multiplier_limit

	AcceptFreeVolume     Optional[bool] // can_accept_free_volume
	DistributeFreeVolume Optional[bool] // should_distribute_free_volume_among_children
}

// A Subpool is the option ephemeral_subpool_config: the settings of the
// ephemeral pools below a pool (core/spec/scheduling.md §5.1).
type Subpool struct {
	Mode                     Optional[Mode]
	MaxOperationCount        Optional[int64]
	MaxRunningOperationCount Optional[int64]
	ResourceLimits           resource.Partial
}

// config returns the settings of an ephemeral pool below the pool.
func (s *Subpool) config() PoolConfig {
	return PoolConfig{
		Mode: s.Mode, MaxOperationCount: s.MaxOperationCount,
		MaxRunningOperationCount: s.MaxRunningOperationCount, ResourceLimits: s.ResourceLimits,
	}
}

// An Offload is an entry of offloading_settings (core/spec/scheduling.md §2.4).
type Offload struct {
	Tree string
	Pool string // "": the pool the operation has at home
}
