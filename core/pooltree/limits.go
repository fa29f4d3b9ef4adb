package pooltree

import "poolproof/core/resource"

// Demand returns what an operation wants in all. With
// apply_specified_resource_limits_to_demand it is capped by the operation's
// own limits, but never below usage (core/spec/scheduling.md §11.5).
func Demand(needed, usage resource.Vector, specified resource.Partial, apply bool) resource.Vector {
	demand := needed.Add(usage)
	if !apply {
		return demand
	}
	return demand.Min(specified.Or(resource.Unlimited)).Max(usage)
}

// TagTotalsWait is how long after the scheduler's start totals by tag begin to limit: at the
// earliest and at the latest (core/spec/scheduling.md §11.1).
func (c *TreeConfig) TagTotalsWait(p Profile) (least, most Milliseconds) {
	if c.TagTotalsDelay.Set {
		return c.TagTotalsDelay.Value, c.TagTotalsDelay.Value
	}
	return p.tagTotalsDelays()
}

// InterruptTimeout is how long a preempted job has to finish, at least and at most
// (job_interrupt_timeout).
func (c *TreeConfig) InterruptTimeout(p Profile) (least, most Milliseconds) {
	if c.JobInterruptTimeout.Set {
		return c.JobInterruptTimeout.Value, c.JobInterruptTimeout.Value
	}
	return p.InterruptTimeouts()
}
