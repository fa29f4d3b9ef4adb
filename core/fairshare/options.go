package fairshare

import "poolproof/core/resource"

// A Profile says whose rules a tree follows where schedulers differ.
type Profile uint8

const (
	// Documented follows the user documentation (core/spec/scheduling.md §17.4):
	// max_share_ratio is a fraction of the parent's limit share, and any weight
	// that is not negative is legal.
	Documented Profile = iota
	// Baseline follows core/spec/fair-share.md to the letter, and with it every
	// scheduler of the profiles baseline, current and legacy.
	Baseline
)

// An Optional is a number that a configuration may leave out.
type Optional struct {
	Value float64
	Set   bool
}

// Some returns a number that is set.
func Some(value float64) Optional { return Optional{Value: value, Set: true} }

// Or returns the number, or fallback where it is not set.
func (o Optional) Or(fallback float64) float64 {
	if o.Set {
		return o.Value
	}
	return fallback
}

// A Switch is a yes or no that a configuration may leave out: the tree's
// value holds then.
type Switch uint8

// The values of a Switch.
const (
	Inherit Switch = iota // not set here
	Off
	On
)

// SwitchOf returns On for true and Off for false.
func SwitchOf(on bool) Switch {
	if on {
		return On
	}
	return Off
}

// Or returns whether the switch is on, or fallback where it is not set.
func (s Switch) Or(fallback bool) bool { return s == On || s == Inherit && fallback }

// Options are the settings of a whole tree (core/spec/fair-share.md §2.1). Periods
// are in microseconds. The zero value of a period or of the multiplier limit
// stands for its default.
type Options struct {
	Profile      Profile
	MainResource resource.Kind // the kind from which missing guarantees are inferred; UserSlots is a legal value, so name it

	SmoothPeriod                 int64   // default one minute
	PoolCapacitySaturationPeriod int64   // default one day
	RelaxedShareMultiplierLimit  float64 // default 3
	InferWeightMultiplier        float64 // 0 = weights are not inferred from guarantees

	DistributeFreeVolume         bool // should_distribute_free_volume_among_children; the root obeys only its own switch
	TruncateFIFO                 bool // enable_fair_share_truncation_in_fifo_pool
	StepFunctionForGangs         bool // enable_step_function_for_gang_operations
	UsePoolSatisfaction          bool // use_pool_satisfaction_for_scheduling
	ScheduleFIFOPoolsInFIFOOrder bool // fifo_pool_scheduling_order = fifo

	// MaxSchedulableInFIFOPool is max_schedulable_element_count_in_fifo_pool;
	// 0 = unset.
	MaxSchedulableInFIFOPool int

	// Name names an element in errors; nil numbers them.
	Name func(Element) string
}

// Default periods, in microseconds, and limits (core/spec/fair-share.md §2.1).
const (
	defaultSmoothPeriod     = 60 * 1_000_000
	DefaultSaturationPeriod = 86_400 * 1_000_000
	DefaultMultiplierLimit  = 3.0
)

// withDefaults returns o with the defaults filled in.
func (o Options) withDefaults() Options {
	if o.SmoothPeriod == 0 {
		o.SmoothPeriod = defaultSmoothPeriod
	}
	if o.PoolCapacitySaturationPeriod == 0 {
		o.PoolCapacitySaturationPeriod = DefaultSaturationPeriod
	}
	if o.RelaxedShareMultiplierLimit == 0 {
		o.RelaxedShareMultiplierLimit = DefaultMultiplierLimit
	}
	return o
}

// Settings holds the settings common to pools and operations.
type Settings struct {
	Weight          Optional         // unset = inferred, or 1
	MaxShareRatio   Optional         // in [0, 1]; unset = 1
	ResourceLimits  resource.Partial // absent = unlimited
	TagLimits       resource.Partial // totals of the nodes that the element's tag filter matches; empty = no filter
	StrongGuarantee resource.Partial // absent = inferred from the main resource
}

// A Mode selects how a pool divides its share among its children.
type Mode uint8

// The modes of a pool.
const (
	FairShare Mode = iota // by weight, all at once
	FIFO                  // one after the other; operations only
)

// A GuaranteeType is the kind of a pool's integral guarantee.
type GuaranteeType uint8

// The kinds of integral guarantee.
const (
	NoGuarantee GuaranteeType = iota
	Burst
	Relaxed
)

// Integral is the integral guarantee of a pool (core/spec/fair-share.md §2.3).
type Integral struct {
	Type                        GuaranteeType
	ResourceFlow                resource.Partial // amounts per second of time
	BurstGuarantee              resource.Partial
	RelaxedShareMultiplierLimit Optional // unset = tree value
	RefuseFreeVolume            bool     // can_accept_free_volume is off
	DistributeFreeVolume        Switch   // unset = tree value
}

// A FIFOKey is one parameter by which a FIFO pool sorts its operations.
type FIFOKey uint8

// The parameters of fifo_sort_parameters. The zero value ends a list.
const (
	noKey         FIFOKey = iota
	ByWeight              // larger effective weight first
	ByStartTime           // earlier start first
	ByPendingJobs         // fewer pending jobs first
)

// A Pool is the configuration of a pool that shares depend on
// (core/spec/fair-share.md §2.2). The zero value is a pool with default options.
type Pool struct {
	Settings
	Mode     Mode
	Integral Integral
	FIFOSort [3]FIFOKey // empty = weight, then start time

	TruncateFIFO             Switch // enable_fair_share_truncation_in_fifo_pool
	StepFunctionForGangs     Switch // enable_step_function_for_gang_operations; On adds nothing to the tree's value
	ComputePromisedGuarantee bool   // compute_promised_guarantee_fair_share

	// PriorityGuarantee and GuaranteeDonor are enable_priority_strong_guarantee_adjustment and
	// enable_priority_strong_guarantee_adjustment_donorship (§5.3).
	PriorityGuarantee, GuaranteeDonor bool

	// InferWeightsFromHistory and HistoryAlpha are infer_children_weights_from_historic_usage and
	// the decay per second of the exponential moving average; without a set alpha nothing is
	// aggregated, and historic usage stays 0.
	InferWeightsFromHistory bool
	HistoryAlpha            Optional

	UsePoolSatisfaction Switch // unset = inherited from the parent
	ScheduleInFIFOOrder Switch // fifo_pool_scheduling_order; unset = inherited
}

// An Operation is the configuration of an operation that shares depend on
// (core/spec/fair-share.md §2.4).
type Operation struct {
	Settings
	Gang                bool           // all or nothing, where FIFO pools truncate or gangs have a step function
	StartTime           int64          // microseconds
	ID                  int64          // the last tie-break of FIFO order
	PendingJobs         int64          // needed user slots
	BestAllocationShare resource.Share // the most that fits the nodes' memory, see BestAllocation
	HasBestAllocation   bool           // otherwise that share is 1

	// Place is the fifo_index, counted from 1, that a record gave the operation last; 0 if none did. It decides
	// between operations of a FIFO pool that the sort parameters leave equal.
	Place         int32
	Unschedulable bool // not running, suspended, nothing pending: left out of satisfaction
}
