package pooltree

// Unmodelled is a set of what schedulers with certain options do otherwise than the replay
// (core/spec/scheduling.md §3.7): rules that depend on it are undecidable.
type Unmodelled uint8

// What options that are not modelled change.
const (
	UnmodelledShares  Unmodelled = 1 << iota // fair shares
	UnmodelledStage                          // a further preemptive stage, for jobs that take all GPUs of a node
	UnmodelledLists                          // which job is the first of a list
	UnmodelledModules                        // how long an operation keeps its module
)

// beforeCurrent are the profiles of schedulers that do not know options of 2024 and later.
var beforeCurrent = []Profile{Documented, Baseline, Legacy}

// UnmodelledSwitches are the options of a tree that change what is not modelled while they are on.
type UnmodelledSwitches struct {
	ImprovedShares   Optional[bool] // enable_improved_fair_share_by_fit_factor_computation
	WholeJobShares   Optional[bool] // enable_discretized_fair_share
	FIFOReordering   Optional[bool] // enable_fifo_children_reordering_for_guarantee_utilization
	FullHost         Optional[bool] // default_gpu_full_host_preemption/enable
	BoundPreemptible Optional[bool] // consider_allocation_on_fair_share_bound_preemptible
}

// Unmodelled returns what the options of the tree change that is not modelled.
func (c *TreeConfig) Unmodelled() (changes Unmodelled) {
	if c.ImprovedShares.Value || c.WholeJobShares.Value || c.FIFOReordering.Value {
		changes |= UnmodelledShares
	}
	if c.FullHost.Value {
		changes |= UnmodelledStage
	}
	if c.BoundPreemptible.Value {
		changes |= UnmodelledLists
	}
	return changes
}

// Unmodelled returns what the options of the pool change that is not modelled: the average of usage of
// the past is another one in schedulers of the profile current.
// Operations of a pool with priority may take a module from others.
func (c *PoolConfig) Unmodelled(p Profile) (changes Unmodelled) {
	if p == Current && c.InferFromHistory {
		changes |= UnmodelledShares
	}
	if c.PriorityModules {
		changes |= UnmodelledModules
	}
	return changes
}

// fullHostOptions are the options of default_gpu_full_host_preemption.
var fullHostOptions = []option[bool]{
	flagOption("enable", func(on *bool) *bool { return on }),
	checked[bool]("max_preemption_penalty", realIn(0, maxFinite)),
	checked[bool]("timeout", duration),
}
