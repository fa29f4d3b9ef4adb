package scheduling

import (
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// An Operation is the configuration of an operation that scheduling depends on
// (core/spec/scheduling.md §3.3).
type Operation struct {
	pooltree.OperationSettings

	ResourceLimits resource.Partial // specified limits
	Graceful       bool             // preemption_mode = graceful
	Gang           bool             // is_gang
	RequestsSSD    bool             // asks for a medium of ssd_priority_preemption
	Segment        Segment
	Module         int32 // where a LargeGPU operation runs; 0 = none assigned yet
}

// Needs describes the pending jobs of an operation. Scheduling uses it from the next update on
// (§6.1).
type Needs struct {
	// Jobs is the least number of pending jobs, used if the demand has no slots.
	Jobs int64
	// Waits is the current number of pending jobs, which may change before the next update; 0 if
	// unknown.
	Waits         int64
	Smallest      []resource.Vector // the minimal job of each kind; copied
	Unschedulable Obstacle          // why it does not take part (§6.2)
}
