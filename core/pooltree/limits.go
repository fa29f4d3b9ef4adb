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

// defaultTagTotalsDelay is that of total_resource_limits_consider_delay.
const defaultTagTotalsDelay = Milliseconds(60_000)

// TagTotalsWait is how long after the scheduler's start totals by tag begin to
// limit (core/spec/scheduling.md §11.1).
func (c *TreeConfig) TagTotalsWait() Milliseconds { return c.TagTotalsDelay.Or(defaultTagTotalsDelay) }
