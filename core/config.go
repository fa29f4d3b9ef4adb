package core

import (
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// Options of trees and pools and their rules are declared in pooltree.
type (
	// An Optional is a setting that may be absent, which differs from zero.
	Optional[T any] = pooltree.Optional[T]
	// A Mode selects how a pool divides its share among its children (option mode).
	Mode = pooltree.Mode
	// A FIFOKey is one of fifo_sort_parameters.
	FIFOKey = pooltree.FIFOKey
	// A GuaranteeType is the kind of a pool's integral guarantee.
	GuaranteeType = pooltree.GuaranteeType
	// A TreeConfig is one version of a tree's settings.
	TreeConfig = pooltree.TreeConfig
	// A ClusterConfig is one version of the settings above all trees.
	ClusterConfig = pooltree.ClusterConfig
)

// The values of these options.
const (
	FairShare = pooltree.FairShare
	FIFO      = pooltree.FIFO

	ByWeight      = pooltree.ByWeight
	ByStartTime   = pooltree.ByStartTime
	ByPendingJobs = pooltree.ByPendingJobs

	OrderSatisfaction = pooltree.OrderSatisfaction
	OrderFIFO         = pooltree.OrderFIFO

	NoIntegral = pooltree.NoIntegral
	Burst      = pooltree.Burst
	Relaxed    = pooltree.Relaxed
)

// Some returns a setting that is present.
func Some[T any](v T) Optional[T] { return pooltree.Some(v) }

// A PoolConfig is one version of a pool (core/spec/scheduling.md §3.2). The pool it
// describes is the Event's.
type PoolConfig struct {
	pooltree.PoolConfig
	Parent    PoolID // RootPool under the root
	Deleted   bool
	Ephemeral bool // the log records a pool that no configuration contains
	Dated     bool // the log says since when the version is in force
}

// OperationParams are an operation's own settings in one tree, or a change of
// them: what is absent stays as it was (core/spec/scheduling.md §3.3).
type OperationParams struct {
	pooltree.OperationSettings

	ResourceLimits      Optional[resource.Partial]
	StrongGuarantee     Optional[resource.Partial]
	TagFilter           *pooltree.Formula // scheduling_tag_filter; nil: absent
	Gang                Optional[bool]    // is_gang
	Graceful            Optional[bool]    // preemption_mode is graceful
	RequestsSSD         Optional[bool]    // asks for a medium of ssd_priority_preemption, whatever Media says
	Media               *pooltree.Media   // on which its jobs ask for disk quotas; nil: not known
	Modules             *[]string         // scheduling_segment_modules; nil: any
	ApplyLimitsToDemand Optional[bool]    // apply_specified_resource_limits_to_demand
}

// An OperationSpec holds what an operation's spec requests in one tree, granted or not
// (ingest/trace/FORMAT.md §1.5). Consumers may keep it and must not change it.
type OperationSpec struct {
	pooltree.OperationConfig                   // with the tree's own entry over the rest; Pool is the pool asked for, "" for none
	Trees                    pooltree.TreeSpec // the trees it asks for
}
