package judge

import "math"

// A FlowRecord is what the records of a relaxed pool say of a time of at least a
// saturation period. The pool demanded more than its fair share throughout.
// Volumes are in seconds of the whole tree.
type FlowRecord struct {
	Context
	Granted float64 // what it was given beyond its strong share, each record until the next
	Most    float64 // the same, of two records the one that grants more between them
	Flowed  float64 // its resource_flow over the time
	Growth  float64 // of its accumulated volume; negative if that shrank
	Spared  float64 // the part of Flowed in which the rules give it no more than it was given
	Sparse  bool    // records lay too far apart to show all that was granted
	Changed bool    // what they are held against was uncertain

	// The part of Flowed that rounding at each update may have left out, and the same if the
	// scheduler updates as often as it may (RoundedVolume).
	Rounded, MayRound float64
}

// Judge judges GUA-10. The pool's limits, those above it, and a tree that strong
// and burst guarantees use up excuse what they kept from it.
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
