package judge

import "poolproof/core/scheduling"

// A ListRecord is the number of preemptible jobs that the log states of an
// operation, and that of its jobs as they are known.
type ListRecord struct {
	Context
	Recorded, Cut [3]int64 // by scheduling.List
	Changed       bool     // usage or shares changed since the record's tick
}

// Judge judges LST-01. One job either way is within doubt.
func (l *ListRecord) Judge(rulings []Ruling) []Ruling {
	f := held(true)
	for _, list := range [...]scheduling.List{scheduling.AggressivelyPreemptible, scheduling.Preemptible} {
		recorded, cut := l.Recorded[list], l.Cut[list]
		if off := max(recorded-cut, cut-recorded); off > 0 {
			may := (f.holds || f.may) && (off <= 1 || l.Changed)
			f = compared(false, float64(recorded), float64(cut))
			f.may = may
		}
	}
	return append(rulings, l.rule(LST01, f))
}
