package env

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// Bounds are the shares that an element is below.
type Bounds struct{ Fair, MinShare bool }

// Measures are the shares that say what an element is below.
type Measures struct{ Fair, Demand, Strong resource.Share }

// MeasuresOf returns the measures that a record of the scheduler states.
func MeasuresOf(x *core.RecordedState) Measures {
	return Measures{x.FairShare, x.DemandShare, x.StrongShare}
}

// UpTo are the measures of an element that demands no more than that, and is then due
// no more either (GUA-09).
func (m Measures) UpTo(demand resource.Share) Measures {
	m.Demand = m.Demand.Min(demand)
	m.Fair = m.Fair.Min(m.Demand)
	return m
}

// BoundsAbove are those of the shares that some usage is below (core/spec/scheduling.md
// §7.1, §7.6, §17.2).
func (e *Env) BoundsAbove(m Measures, usage resource.Share, operation bool, tolerance float64) Bounds {
	if operation && scheduling.Covered(m.Fair, m.Demand) {
		tolerance = 1
	}
	if e.Log.Profile == core.Legacy {
		kind := scheduling.LegacyStatus(usage.Dominant(), m.Fair.Dominant(), m.Demand.Dominant(), m.Strong.Dominant(), tolerance)
		return Bounds{Fair: kind != scheduling.Nothing, MinShare: kind == scheduling.MinShare}
	}
	return Bounds{
		Fair:     scheduling.BelowShare(m.Fair, m.Demand, usage, m.Fair.Scale(tolerance)),
		MinShare: scheduling.BelowShare(m.Fair, m.Demand, usage, m.Strong),
	}
}
