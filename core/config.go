package core

import "poolproof/core/resource"

// An Optional is a setting that may be absent, which differs from zero.
type Optional[T any] struct {
	Value T
	Set   bool
}

// Some returns a setting that is present.
func Some[T any](v T) Optional[T] { return Optional[T]{v, true} }

// Or returns the setting, or fallback if it is absent.
func (o Optional[T]) Or(fallback T) T {
	if o.Set {
		return o.Value
	}
	return fallback
}

// A Mode is how a pool shares among its children (option mode).
type Mode uint8

const (
	FairShare Mode = iota
	FIFO
)

func (m Mode) String() string { return [...]string{"fair_share", "fifo"}[m] }

// A FIFOKey is one of fifo_sort_parameters (spec/fair-share.md §2.7).
type FIFOKey uint8

const (
	ByWeight FIFOKey = iota
	ByStartTime
	ByPendingJobs
)

// A FIFOOrder is what picks the next operation of a FIFO pool (option
// fifo_pool_scheduling_order, spec/scheduling.md §9.6).
type FIFOOrder uint8

const (
	OrderSatisfaction FIFOOrder = iota
	OrderFIFO
)

// A GuaranteeType is the kind of a pool's integral guarantee.
type GuaranteeType uint8

const (
	NoIntegral GuaranteeType = iota
	Burst
	Relaxed
)

// A TreeConfig is one version of a tree's settings (spec/scheduling.md §3.1).
// A setting that the source does not name is absent; the profile's default
// stands in for it but is no promise.
type TreeConfig struct {
	Assumed                         bool // the source holds no configuration: nothing here is a promise
	NodesFilter                     string
	DefaultParentPool               string
	MainResource                    Optional[resource.Kind]
	MaxOperationCount               Optional[int64]
	MaxRunningOperationCount        Optional[int64]
	MaxOperationCountPerPool        Optional[int64]
	MaxRunningOperationCountPerPool Optional[int64]
	FairShareStarvationTolerance    Optional[float64]
	FairShareStarvationTimeout      Optional[Time]
	AggressiveStarvationTimeout     Optional[Time]
	MinSharePreemptionTimeout       Optional[Time]
	PreemptionSatisfaction          Optional[float64]
	AggressiveSatisfaction          Optional[float64]
	InferWeightMultiplier           Optional[float64]
	SmoothPeriod                    Optional[Time]
	SaturationPeriod                Optional[Time]
	FIFOTruncation                  Optional[bool]
	FIFOOrder                       Optional[FIFOOrder] // fifo_pool_scheduling_order
}

// A PoolConfig is one version of a pool (spec/scheduling.md §3.2). The pool it
// describes is the Event's.
type PoolConfig struct {
	Parent    PoolID // RootPool under the root
	Deleted   bool
	Ephemeral bool

	Mode            Mode
	Weight          Optional[float64]
	MaxShareRatio   Optional[float64]
	StrongGuarantee resource.Partial // strong_guarantee_resources
	ResourceLimits  resource.Partial
	FIFOSort        []FIFOKey // nil: the default, weight then start time
	FIFOTruncation  Optional[bool]
	FIFOOrder       Optional[FIFOOrder] // fifo_pool_scheduling_order; absent: inherited
	TagFilter       string
	Integral        GuaranteeType
	ResourceFlow    resource.Partial
	BurstGuarantee  resource.Partial
	RelaxedLimit    Optional[float64] // relaxed_share_multiplier_limit
	CreateSubpools  bool              // create_ephemeral_subpools
	ForbidImmediate bool              // forbid_immediate_operations
	LightweightOps  bool              // enable_lightweight_operations

	MaxOperationCount        Optional[int64]
	MaxRunningOperationCount Optional[int64]

	FairShareStarvationTolerance Optional[float64]
	FairShareStarvationTimeout   Optional[Time]
	MinSharePreemptionTimeout    Optional[Time]
	EnableAggressiveStarvation   Optional[bool]
	AllowAggressivePreemption    Optional[bool]
}

// OperationParams are an operation's own settings in one tree, or a change of
// them: what is absent stays as it was (spec/scheduling.md §3.3).
type OperationParams struct {
	Weight              Optional[float64]
	MaxShareRatio       Optional[float64]
	ResourceLimits      Optional[resource.Partial]
	StrongGuarantee     Optional[resource.Partial]
	TagFilter           Optional[string]
	Gang                Optional[bool]
	ApplyLimitsToDemand Optional[bool] // apply_specified_resource_limits_to_demand
	StartTime           Optional[Time] // when it was started, where that is earlier than the row
}
