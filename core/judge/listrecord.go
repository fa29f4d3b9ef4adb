package judge

import (
	"math"

	"poolproof/core/scheduling"
)

// A ListRecord is how many jobs of an operation are in which list, as the log states
// it and as its jobs are known. The log counts what may be taken; what it protects are
// the others.
type ListRecord struct {
	Context
	Recorded JobCounts
	Stated   JobCounts // as the shares that the record states cut the jobs (§13.3)
	Replayed JobCounts // as those of the replay do
	Changed  bool      // usage, shares or what is protected changed since the record's tick
}

// JobCounts are the jobs of an operation by scheduling.List.
type JobCounts [3]int64

// Judge judges where an operation's jobs are cut (§8.1), each fault once: LST-04 that
// no more jobs are protected than the prefix that the rule protects with its last job,
// and LST-01 whatever else is wrong with the two counts: the one that is certain, or else
// the one that is further off. One job either way is within doubt. Of the two cuts the one
// that says less against the record counts (two-sided evaluation, core/spec/invariants.md §1).
func (l *ListRecord) Judge(rulings []Ruling) []Ruling {
	faults := l.against(&l.Stated)
	if others := l.against(&l.Replayed); others.say() < faults.say() {
		faults = others
	}
	return append(rulings, l.rule(LST01, faults.counts), l.rule(LST04, faults.kept))
}

// listFaults are what is found of LST-01 and of LST-04.
type listFaults struct{ counts, kept finding }

// say is how much is found: 2 if any of it is certain, 1 if it is but doubtful, 0 if it is
// nothing.
func (l *listFaults) say() (most int) {
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

// against compares what is recorded with one cut.
func (l *ListRecord) against(cut *JobCounts) listFaults {
	counts, kept := held(true), held(true)
	tooMany := l.Recorded[scheduling.NonPreemptible] > cut[scheduling.NonPreemptible]
	if tooMany {
		kept = l.compare(cut, scheduling.NonPreemptible)
	}
	for _, list := range [...]scheduling.List{scheduling.AggressivelyPreemptible, scheduling.Preemptible} {
		off := l.Recorded[list] - cut[list]
		if off == 0 || off < 0 && tooMany { // those that lack are among the protected
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

// isWorse reports whether a count is wrong more certainly than another, or as certainly and
// by more.
func (f *finding) isWorse(than *finding) bool {
	if f.may != than.may {
		return than.may
	}
	return math.Abs(f.left-f.right) > math.Abs(than.left-than.right)
}
