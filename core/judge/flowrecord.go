package judge

import "math"

// A FlowRecord summarizes the records of a relaxed pool over at least a saturation period in which
// it always demanded more than its fair share. Volumes are in seconds of the whole tree.
type FlowRecord struct {
	Context
	Granted float64 // share beyond its strong share, each record counted until the next
	Most    float64 // the same with the larger of two successive records between them
	Flowed  float64 // its resource_flow over the time
	Growth  float64 // of its accumulated volume; may be negative
	Spared  float64 // the part of Flowed for which the rules grant no more than it got
	Sparse  bool    // records were too far apart to show everything granted
	Changed bool    // the expected values were uncertain

	// The part of Flowed that rounding at each update may have dropped, and the same with the
	// shortest update period (RoundedVolume).
	Rounded, MayRound float64
}

// Judge judges GUA-10. Limits of the pool and its ancestors, and a tree exhausted by strong and
// burst guarantees, excuse what they kept from it.
func (r *FlowRecord) Judge(rulings []Ruling) []Ruling {
	owed := math.Max(0, r.Flowed-r.Growth)
	least := owed*(1-r.Slacks.OnUsage) - r.Slacks.Epsilon
	f := compared(r.Granted >= least-r.Rounded, r.Granted, owed)
	f = f.mayIf(r.Changed).unless(r.Most >= least-max(r.Rounded, r.MayRound), UpdatePeriod).unless(r.Sparse || r.Most >= least-r.Rounded, ShareRecords)
	if r.Spared > 0 && least-r.Most <= r.Spared {
		f.excuse = NothingLeft
	}
	return append(rulings, r.rule(GUA10, f))
}
