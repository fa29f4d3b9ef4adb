package pooltree

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
