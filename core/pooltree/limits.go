package pooltree

import "poolproof/core/resource"

// OwnLimits are the limits that an element itself has.
type OwnLimits struct {
	Specified resource.Partial // resource_limits
	TagTotal  resource.Vector  // of the nodes its tag filter matches; the tree's total without one
	MaxShare  Optional[float64]
}

// RootCap returns what the root leaves to its children: of every resource that
// the tree has, all.
func RootCap(total resource.Vector) resource.Share { return total.ShareOf(total) }

// Limits returns the limits of an element, the component-wise least of what is
// specified, of the totals by tag, and of its max_share_ratio. That is a
// fraction of the tree's total, in documented of what the parent leaves of it;
// the second result is what the element leaves to its own children
// (core/spec/scheduling.md §11.1, §17.4).
func Limits(p Profile, total resource.Vector, parentCap resource.Share, own OwnLimits) (resource.Vector, resource.Share) {
	limits := own.Specified.Or(resource.Unlimited).Min(own.TagTotal)
	if ratio := own.MaxShare; ratio.Set && ratio.Value < 1 {
		cap := RootCap(total)
		if p.sharesNest() {
			cap = parentCap
		}
		limits = limits.Min(total.TimesShare(cap.Scale(ratio.Value)))
	}
	return limits, limits.Min(total).ShareOf(total).Min(parentCap)
}

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
