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
