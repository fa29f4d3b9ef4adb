package scheduling

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A Profile says whose rules a tree follows where schedulers differ
// (core/spec/scheduling.md §1.1, §15, §17).
type Profile uint8

// The profiles, the default first.
const (
	Documented Profile = iota // the user documentation, then Baseline
	Baseline                  // builds of late 2023
	Current                   // builds of 2025 and 2026
	Legacy                    // builds of 2018 to 2020
)

// A Scope says whose starvation entitles an operation to preempt
// (option scheduling_preemption_priority_scope, §10.1).
type Scope uint8

// The scopes.
const (
	OperationAndAncestors Scope = iota
	OperationOnly
)

// Options are the settings of a whole tree that scheduling depends on
// (core/spec/scheduling.md §3.1, §3.4). Durations are in microseconds. Take
// DefaultOptions and change what the configuration names: the zero value is
// not a default.
type Options struct {
	Profile Profile

	StarvationTimeout           int64   // fair_share_starvation_timeout
	AggressiveStarvationTimeout int64   // fair_share_aggressive_starvation_timeout
	MinShareTimeout             int64   // min_share_preemption_timeout; Documented and Legacy only
	StarvationTolerance         float64 // fair_share_starvation_tolerance
	AggressiveStarvation        bool    // enable_aggressive_starvation
	PoolStarvation              bool    // enable_pool_starvation
	JobCountCoefficient         float64 // job_count_preemption_timeout_coefficient

	SatisfactionThreshold           float64            // preemption_satisfaction_threshold
	AggressiveSatisfactionThreshold fairshare.Optional // aggressive_preemption_satisfaction_threshold; unset = that of the profile
	NonPreemptible                  resource.Partial   // non_preemptible_resource_usage_threshold
	MaxUnpreemptibleJobs            fairshare.Optional // max_unpreemptible_running_job_count: fills the slots of NonPreemptible

	CheckStarvation       bool // preemption_check_starvation
	CheckSatisfaction     bool // preemption_check_satisfaction
	ConditionalPreemption bool // enable_conditional_preemption
	AggressiveForGangs    bool // allow_aggressive_preemption_for_gang_operations
	Scope                 Scope

	PreemptiveBackoff      int64 // preemptive_scheduling_backoff, per node
	InterruptTimeout       int64 // job_interrupt_timeout
	GracefulTimeout        int64 // job_graceful_interrupt_timeout
	OvercommitDuration     int64 // allowed_node_resources_overcommit_duration
	FailBackoff            int64 // schedule_job_fail_backoff_time
	MaxStartedPerHeartbeat int   // max_started_jobs_per_heartbeat; 0 = unset
	MinSpare               resource.Vector
	MinChildHeapSize       int // min_child_heap_size
	ScheduleFIFOInOrder    bool
	UsePoolSatisfaction    bool
	GuaranteePriority      bool // enable_guarantee_priority_scheduling
	BatchSize              int  // batch_operation_scheduling/batch_size; 0 = no batches
	BatchMinSpare          resource.Vector
	Segments               bool // scheduling_segments/mode = large_gpu
	Packing                Packing
	PreemptFromStarving    bool // Current: allow_preemption_from_starving_operations
}

// second is one second of a duration.
const second = 1_000_000

// DefaultOptions returns what a tree has that configures nothing
// (core/spec/scheduling.md §3.1, §3.4, §17.1).
func DefaultOptions(p Profile) Options {
	return Options{
		Profile:                     p,
		StarvationTimeout:           30 * second,
		AggressiveStarvationTimeout: 120 * second,
		MinShareTimeout:             15 * second,
		StarvationTolerance:         0.8,
		PoolStarvation:              true,
		JobCountCoefficient:         1,
		SatisfactionThreshold:       1,
		CheckStarvation:             true,
		CheckSatisfaction:           true,
		ConditionalPreemption:       true,
		AggressiveForGangs:          true,
		PreemptiveBackoff:           5 * second,
		InterruptTimeout:            10 * second,
		GracefulTimeout:             60 * second,
		OvercommitDuration:          15 * second,
		FailBackoff:                 second / 10,
		MinSpare:                    resource.Vector{1, resource.CentsPerCore, 0, 256 << 20, 0},
		MinChildHeapSize:            16,
		ScheduleFIFOInOrder:         p == Documented,
		Packing:                     DefaultPacking(),
		BatchMinSpare:               resource.Vector{1, 5 * resource.CentsPerCore, 0, 1 << 30, 0},
	}
}

// AggressiveThreshold is the threshold of aggressive preemption in force: one
// half of the fair share is what the documentation promises, but no default
// exceeds the ordinary threshold (§17.1).
func (o *Options) AggressiveThreshold() float64 {
	if o.Profile == Documented {
		return o.AggressiveSatisfactionThreshold.Or(min(0.5, o.SatisfactionThreshold))
	}
	return o.AggressiveSatisfactionThreshold.Or(0.2)
}

// threshold is the tree's non-preemptible threshold (§8.2).
func (o *Options) threshold() resource.Partial {
	p := o.NonPreemptible
	if o.MaxUnpreemptibleJobs.Set && !p.Set[resource.UserSlots] {
		p.Set[resource.UserSlots] = true
		p.Amounts[resource.UserSlots] = int64(o.MaxUnpreemptibleJobs.Value)
	}
	return p
}
