package pooltree

// A Deviation is one rule by which the profile Documented differs from Baseline.
type Deviation struct {
	Rule                 string
	Baseline, Documented string
	Section              string // of core/spec/scheduling.md
	Where                string // the file of the core that decides it
}

// Deviations are all rules by which Documented differs from Baseline, those of
// other packages included. core/README.md lists the same.
var Deviations = []Deviation{
	{"max_running_operation_count_per_pool", "50 by default", "8 by default", "§17.1", "pooltree/profile.go"},
	{"fifo_pool_scheduling_order", "satisfaction by default", "fifo by default, ties by start time and id", "§17.1, §17.4", "pooltree/profile.go, scheduling/options.go"},
	{"aggressive_preemption_satisfaction_threshold", "0.2 by default", "0.5 by default, or the ordinary threshold if that is less", "§17.1, §17.3", "pooltree/profile.go, scheduling/options.go"},
	{"min_share_preemption_timeout", "ignored", "15 s by default, inherited by pools, with a clock of its own", "§17.1, §17.2", "pooltree/effective.go"},
	{"kinds of starvation", "one, below the fair share", "two, each with its own clock: below the own strong guarantee, and below the fair share", "§17.2", "scheduling/starvation.go"},
	{"timeouts and tolerance of an operation's spec", "without effect", "replace those of its pool", "§17.2", "pooltree/profile.go, pooltree/effective.go"},
	{"order of victims of one list", "in the lists for aggressive preemption jobs with unused cpu first; then latest start first", "latest start first", "§17.3", "scheduling/preempt.go"},
	{"max_share_ratio", "a fraction of the tree", "a fraction of what limits leave to the parent", "§17.4", "pooltree/profile.go, fairshare/inputs.go"},
	{"reported limits", "never above the tree's total", "specified limits and tag totals as they are", "§17.4", "fairshare/inputs.go"},
	{"weight", "2⁻²⁶ to 2²⁶", "any number from 0; 0 gets what it is guaranteed, and is last in a FIFO pool", "§17.4", "pooltree/profile.go, fairshare/build.go"},
	{"lightweight operations", "none", "vanilla operations in a FIFO pool that enables them", "§17.5", "pooltree/profile.go"},
	{"a job that names no cpu, or no user slot", "takes none", "takes one core, and always one user slot; recorded amounts stay as recorded", "§17.1", "simulate"},
}
