package judge

import (
	"math"

	"poolproof/core/scheduling"
)

// A ListRecord compares the recorded numbers of an operation's jobs by list with the recomputed
// ones. The log counts preemptible and aggressively preemptible jobs; the others are protected.
type ListRecord struct {
	Context
	Recorded JobCounts
	Stated   JobCounts // cut by the shares in the record (§13.3)
	Replayed JobCounts // cut by the shares of the replay
	Changed  bool      // usage, shares or thresholds changed since the record's tick
}

// JobCounts counts the jobs of an operation by scheduling.List.
type JobCounts [3]int64

// Judge judges the cuts of an operation's jobs (§8.1), reporting each fault once. LST-04: no more
// jobs are protected than the prefix up to and including the job that crosses the threshold.
// LST-01: any other fault of the two counts, the certain one or else the larger one. A difference
// of one job is within doubt. Of the two recomputed cuts, the one nearer to the record counts
// (two-sided evaluation, core/spec/invariants.md §1).
func (l *ListRecord) Judge(rulings []Ruling) []Ruling {
	faults := l.against(&l.Stated)
	if others := l.against(&l.Replayed); others.certainty() < faults.certainty() {
		faults = others
	}
	return append(rulings, l.rule(LST01, faults.counts), l.rule(LST04, faults.kept))
}

// listFaults holds the findings for LST-01 and LST-04.
type listFaults struct{ counts, kept finding }

// certainty returns 2 if a fault is certain, 1 if one is possible, and 0 if there is no fault.
func (l *listFaults) certainty() (most int) {
	for _, f := range [...]*finding{&l.counts, &l.kept} {
		switch {
		case f.holds:
		case f.may:
			most = max(most, 1)
		default:
			most = 2
		}
	}
	return most
}

// against compares the record with one cut.
func (l *ListRecord) against(cut *JobCounts) listFaults {
	counts, kept := held(true), held(true)
	tooMany := l.Recorded[scheduling.NonPreemptible] > cut[scheduling.NonPreemptible]
	if tooMany {
		kept = l.compare(cut, scheduling.NonPreemptible)
	}
	for _, list := range [...]scheduling.List{scheduling.AggressivelyPreemptible, scheduling.Preemptible} {
		off := l.Recorded[list] - cut[list]
		if off == 0 || off < 0 && tooMany { // the missing ones are among the protected
			continue
		}
		if f := l.compare(cut, list); counts.holds || f.isWorse(&counts) {
			counts = f
		}
	}
	return listFaults{counts, kept}
}

func (l *ListRecord) compare(cut *JobCounts, list scheduling.List) finding {
	recorded, allowed := l.Recorded[list], cut[list]
	return compared(false, float64(recorded), float64(allowed)).mayIf(l.Changed || max(recorded-allowed, allowed-recorded) <= 1)
}

// isWorse reports whether a fault is more certain than another, or as certain and larger.
func (f *finding) isWorse(than *finding) bool {
	if f.may != than.may {
		return than.may
	}
	return math.Abs(f.left-f.right) > math.Abs(than.left-than.right)
}
