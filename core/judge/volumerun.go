package judge

import "math"

// A VolumeRun bounds the volume of a pool since the first of several successive records, in seconds
// of the whole tree. Between two records a volume may be off by the movement of one update, which
// can exceed the expected movement; over all of them it is off by no more than that, either.
//
// For example with a flow of 0.2 and a burst of 0.5: after one second 0.2 are due, and 0.5 may be missing; after
// ten seconds 2.0 are due, and 0.5 may be missing.
type VolumeRun struct {
	Least, Most       float64 // without rounding and the movement of one update
	Rounded, MayRound float64 // sums of those of VolumeRecord
	Fastest           float64 // the most that an update moves per second
	Records           int     // without the first
	Shared            bool    // volume of other pools may have been added
}

// Extend adds the next record of the run.
func (r *VolumeRun) Extend(v *VolumeRecord) {
	if r.Records == 0 {
		*r = VolumeRun{Least: v.Before, Most: v.Before}
	}
	r.Records++
	r.Least = max(0, math.Min(r.Least+(v.Capacity/v.Saturation-v.Spent)*v.Seconds, v.Capacity))
	r.Most = math.Min(r.Most+v.Flow*v.Seconds, max(r.Most, v.Kept, v.Widest))
	r.Rounded, r.MayRound = r.Rounded+v.Rounded, r.MayRound+v.MayRound
	r.Fastest = max(r.Fastest, v.Flow, v.Dearest, v.Spent)
	r.Shared = r.Shared || v.Shared
}

// moved compares the volume with the bounds of the run, widened by rounding.
func (r *VolumeRun) moved(v *VolumeRecord, rounded float64) finding {
	slack := v.slack() + r.Fastest*float64(v.Slacks.Tick)/second + rounded
	switch {
	case v.After < r.Least-slack:
		return compared(false, v.After, r.Least)
	case v.After > r.Most+slack && !r.Shared:
		return compared(false, v.After, r.Most)
	}
	return held(true)
}
