package scheduling

import (
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// A Profile selects the rules of a tree where schedulers differ
// (core/spec/scheduling.md §1.1, §15, §17).
type Profile = pooltree.Profile

// The profiles, the default first.
const (
	Documented = pooltree.Documented // the user documentation, then Baseline
	Baseline   = pooltree.Baseline   // builds of late 2023
	Current    = pooltree.Current    // builds of 2025 and 2026
	Legacy     = pooltree.Legacy     // builds of 2018 to 2020
)

// A Scope selects whose starvation entitles an operation to preempt
// (option scheduling_preemption_priority_scope, §10.1).
type Scope = pooltree.Scope

// The scopes.
const (
	OperationAndAncestors = pooltree.OperationAndAncestors
	OperationOnly         = pooltree.OperationOnly
)

// Unmodelled is a set of what options do that is not modelled (§3.7).
type Unmodelled = pooltree.Unmodelled

// What options that are not modelled change.
const (
	UnmodelledShares  = pooltree.UnmodelledShares
	UnmodelledStage   = pooltree.UnmodelledStage
	UnmodelledLists   = pooltree.UnmodelledLists
	UnmodelledModules = pooltree.UnmodelledModules
)

// Options are the settings of a whole tree that scheduling depends on, with the defaults of what the
// configuration leaves out (core/spec/scheduling.md §3.1, §3.4). Durations are in microseconds.
type Options struct {
	Profile Profile
	Root    pooltree.Effective // what elements have in force that nothing above sets any for

	AggressiveStarvationTimeout int64   // fair_share_aggressive_starvation_timeout
	PoolStarvation              bool    // enable_pool_starvation
	JobCountCoefficient         float64 // job_count_preemption_timeout_coefficient

	SatisfactionThreshold           float64                    // preemption_satisfaction_threshold
	AggressiveSatisfactionThreshold pooltree.Optional[float64] // aggressive_preemption_satisfaction_threshold; unset = that of the profile

	CheckStarvation       bool // preemption_check_starvation
	CheckSatisfaction     bool // preemption_check_satisfaction
	ConditionalPreemption bool // enable_conditional_preemption
	AggressiveForGangs    bool // allow_aggressive_preemption_for_gang_operations
	Scope                 Scope

	PreemptiveBackoff      int64 // preemptive_scheduling_backoff, per node
	InterruptTimeout       int64 // job_interrupt_timeout
	LeastInterruptTimeout  int64 // the least that it may be where it is not configured and builds differ
	GracefulTimeout        int64 // job_graceful_interrupt_timeout
	OvercommitDuration     int64 // allowed_node_resources_overcommit_duration
	FailBackoff            int64 // schedule_job_fail_backoff_time
	MaxStartedPerHeartbeat int   // max_started_jobs_per_heartbeat; 0 = unset
	MinSpare               resource.Vector
	MinChildHeapSize       int  // min_child_heap_size
	GuaranteePriority      bool // enable_guarantee_priority_scheduling
	BatchSize              int  // batch_operation_scheduling/batch_size; 0 = no batches
	BatchMinSpare          resource.Vector
	Segments               bool // scheduling_segments/mode = large_gpu
	Packing                Packing
	PreemptFromStarving    bool // Current: allow_preemption_from_starving_operations
	GPUPolicy              bool // the GPU policy decides, not the classic one (§18)
	InfiniteOvercommit     bool // enable_infinite_resource_limits_overcommit
}

// second is one second of a duration.
const second = 1_000_000

// OptionsOf returns the settings of a tree, and of those above all trees, that heartbeats, starvation
// and preemption depend on, with the defaults of core/spec/scheduling.md §3.1, §3.4 and §17.1.
func OptionsOf(p Profile, c *pooltree.TreeConfig, above *pooltree.ClusterConfig) Options {
	shortest, longest := c.InterruptTimeout(p)
	o := Options{
		Profile:                         p,
		Root:                            pooltree.EffectiveRoot(p, c),
		AggressiveStarvationTimeout:     c.AggressiveStarvationTimeout.Or(120_000).Micros(),
		PoolStarvation:                  c.EnablePoolStarvation.Or(true),
		JobCountCoefficient:             c.JobCountCoefficient.Or(1),
		SatisfactionThreshold:           c.PreemptionSatisfaction.Or(1),
		AggressiveSatisfactionThreshold: c.AggressiveSatisfaction,
		CheckStarvation:                 c.CheckStarvation.Or(true),
		CheckSatisfaction:               c.CheckSatisfaction.Or(true),
		ConditionalPreemption:           c.ConditionalPreemption.Or(true),
		AggressiveForGangs:              c.AggressivePreemptionForGangs.Or(true),
		Scope:                           c.PriorityScope.Or(OperationAndAncestors),
		PreemptiveBackoff:               c.PreemptiveBackoff.Or(5_000).Micros(),
		InterruptTimeout:                longest.Micros(),
		LeastInterruptTimeout:           shortest.Micros(),
		GracefulTimeout:                 c.GracefulInterruptTimeout.Or(60_000).Micros(),
		OvercommitDuration:              above.OvercommitDuration.Or(15_000).Micros(),
		FailBackoff:                     above.FailBackoff.Or(100).Micros(),
		MaxStartedPerHeartbeat:          int(above.MaxStartedPerHeartbeat.Or(0)),
		MinSpare:                        resource.Vector{1, resource.CentsPerCore, 0, 256 << 20, 0},
		MinChildHeapSize:                int(c.MinChildHeapSize.Or(16)),
		GuaranteePriority:               c.GuaranteePriority.Or(false),
		BatchSize:                       int(c.Batch.Size),
		BatchMinSpare:                   resource.Vector{1, 5 * resource.CentsPerCore, 0, 1 << 30, 0},
		Segments:                        c.Segments.Enable,
		Packing:                         packingOf(&c.Packing),
		PreemptFromStarving:             c.PreemptFromStarving.Or(false),
		GPUPolicy:                       c.HasGPUPolicy(),
		InfiniteOvercommit:              c.InfiniteOvercommit,
	}
	if above.MinSpare.Set {
		o.MinSpare = above.MinSpare.Value.Or(resource.Vector{})
	}
	if !c.Batch.MinSpare.IsEmpty() {
		o.BatchMinSpare = c.Batch.MinSpare.Or(resource.Vector{})
	}
	return o
}

// DefaultOptions returns what a tree has that configures nothing.
func DefaultOptions(p Profile) Options {
	return OptionsOf(p, &pooltree.TreeConfig{}, &pooltree.ClusterConfig{})
}

// AggressiveThreshold returns the threshold of aggressive preemption in force. The documentation
// promises one half of the fair share, but no default exceeds the ordinary threshold (§17.1).
func (o *Options) AggressiveThreshold() float64 {
	if o.Profile == Documented {
		return o.AggressiveSatisfactionThreshold.Or(min(0.5, o.SatisfactionThreshold))
	}
	return o.AggressiveSatisfactionThreshold.Or(0.2)
}
