package scheduling

import "poolproof/core/resource"

// precision is the width of "demand is covered", "preemption is off" and
// "satisfaction reaches the threshold" (eps of core/spec/scheduling.md §1.3).
const precision = 1e-4

// Dominates reports whether left exceeds right in what an element with this
// fair share and demand can still use: in every resource that its fair share
// does not cover, or, where all are covered, in some resource (§1.4).
func Dominates(fairShare, demand, left, right resource.Share) bool {
	blocked, some, every := true, false, true
	for k := range fairShare {
		above := left[k] > right[k]
		some = some || above
		if fairShare[k] < demand[k] {
			blocked = false
			every = every && above
		}
	}
	if blocked {
		return some
	}
	return every
}

// Equal is the tolerance for recorded shares, which were read from decimals (§1.3). The scheduler
// itself compares exactly.
const Equal = 1e-12

// DominatesClearly is Dominates with tolerance Equal, for judging records.
func DominatesClearly(fairShare, demand, left, right resource.Share) bool {
	return Dominates(fairShare, demand, left, right.Plus(Equal))
}

// BelowShare reports whether usage stays below the entitlement, or below
// demand where that is less (§7.1, §17.2).
func BelowShare(fairShare, demand, usage, entitlement resource.Share) bool {
	return Dominates(fairShare, demand, entitlement.Min(demand), usage)
}

// Covered reports whether an operation's fair share covers its demand, so that
// it is given no tolerance (§7.1).
func Covered(fairShare, demand resource.Share) bool {
	return demand.FitsIn(fairShare.Plus(precision))
}

// preemptionOff reports whether the fair share of an operation covers its demand, so that none of
// its jobs is preemptible (§8.1).
func preemptionOff(fairShare, demand resource.Share) bool {
	wanted := false
	for k := range fairShare {
		if d := fairShare[k] - demand[k]; d > precision || d < -precision {
			return false
		}
		wanted = wanted || demand[k] > precision
	}
	return wanted
}

// strictlyAbove reports whether every amount of a exceeds that of b (§1.2).
func strictlyAbove(a, b resource.Vector) bool {
	for k := range a {
		if a[k] <= b[k] {
			return false
		}
	}
	return true
}
