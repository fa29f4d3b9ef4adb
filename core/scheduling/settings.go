package scheduling

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A Pool is the configuration of a pool that scheduling depends on
// (core/spec/scheduling.md §3.2). What is not set is inherited from the parent. The
// zero value is a pool with default options.
type Pool struct {
	StarvationSettings

	FIFO                bool             // mode = fifo
	ScheduleInFIFOOrder fairshare.Switch // fifo_pool_scheduling_order = fifo
	UsePoolSatisfaction fairshare.Switch // use_pool_satisfaction_for_scheduling
	ResourceLimits      resource.Partial // specified limits

	AggressivePreemption   fairshare.Switch // allow_aggressive_preemption
	ForbidNormalPreemption bool             // allow_normal_preemption is off
	ForbidRegularJobsOnSSD bool             // allow_regular_jobs_on_ssd_nodes is off
	NonPreemptible         resource.Partial // non_preemptible_resource_usage_threshold; replaces the inherited map
	HasNonPreemptible      bool             // the map is set, if only to be empty
}

// StarvationSettings are the settings of starvation that pools have, and in the
// profiles Documented and Legacy operations, too (§7, §17.2). Durations are
// in microseconds.
type StarvationSettings struct {
	Timeout         Duration           // fair_share_starvation_timeout
	MinShareTimeout Duration           // min_share_preemption_timeout
	Tolerance       fairshare.Optional // fair_share_starvation_tolerance
	Aggressive      fairshare.Switch   // enable_aggressive_starvation
}

// A Duration is a number of microseconds that a configuration may leave out.
type Duration struct {
	Value int64
	Set   bool
}

// Or returns the duration, or fallback where it is not set.
func (d Duration) Or(fallback int64) int64 {
	if d.Set {
		return d.Value
	}
	return fallback
}

// An Operation is the configuration of an operation that scheduling depends on
// (core/spec/scheduling.md §3.3).
type Operation struct {
	StarvationSettings

	ResourceLimits       resource.Partial   // specified limits
	MaxUnpreemptibleJobs fairshare.Optional // max_unpreemptible_job_count
	NonPreemptible       resource.Partial   // Current: non_preemptible_resource_usage_threshold; replaces the inherited map
	HasNonPreemptible    bool               // the map is set, if only to be empty
	Graceful             bool               // preemption_mode = graceful
	Gang                 bool               // is_gang
	RequestsSSD          bool               // asks for a medium of ssd_priority_preemption
	Segment              Segment
	Module               int32 // where a LargeGPU operation runs; 0 = none assigned yet
}

// Needs are what an operation waits for. Scheduling sees them from the next
// update on (§6.1).
type Needs struct {
	// Jobs is how many jobs it waits for at least, where slots do not tell.
	Jobs int64
	// Waits is how many it waits for at this moment, which the next update may not see; 0 if
	// that is not known.
	Waits         int64
	Smallest      []resource.Vector // the minimal job of each kind; copied
	Unschedulable Obstacle          // why it takes no part (§6.2)
}
