package env

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// Below says which of its shares an element is below.
type Below struct{ Fair, MinShare bool }

// Entitlement holds the shares that determine what an element is below.
type Entitlement struct{ Fair, Demand, Strong resource.Share }

// EntitlementOf returns the entitlement in a record of the scheduler.
func EntitlementOf(x *core.RecordedState) Entitlement {
	return Entitlement{x.FairShare, x.DemandShare, x.StrongShare}
}

// UpTo returns the entitlement of an element with at most the given demand, which also caps its
// fair share (GUA-09).
func (m Entitlement) UpTo(demand resource.Share) Entitlement {
	m.Demand = m.Demand.Min(demand)
	m.Fair = m.Fair.Min(m.Demand)
	return m
}

// BelowAt returns which shares a usage is below (core/spec/scheduling.md §7.1, §7.6, §17.2).
func (e *Env) BelowAt(m Entitlement, usage resource.Share, operation bool, tolerance float64) Below {
	if operation && scheduling.Covered(m.Fair, m.Demand) {
		tolerance = 1
	}
	if e.Log.Profile == core.Legacy {
		kind := scheduling.LegacyStatus(usage.Dominant(), m.Fair.Dominant(), m.Demand.Dominant(), m.Strong.Dominant(), tolerance)
		return Below{Fair: kind != scheduling.Nothing, MinShare: kind == scheduling.MinShare}
	}
	return Below{
		Fair:     scheduling.BelowShare(m.Fair, m.Demand, usage, m.Fair.Scale(tolerance)),
		MinShare: scheduling.BelowShare(m.Fair, m.Demand, usage, m.Strong),
	}
}
