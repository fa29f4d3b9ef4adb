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
	Recorded, Cut [3]int64 // by scheduling.List
	Changed       bool     // usage or shares changed since the record's tick
}

// Judge judges where an operation's jobs are cut (§8.1), each fault once: LST-04 that
// no more jobs are protected than the prefix that the rule protects with its last job,
// and LST-01 whatever else is wrong with the two counts: the one that is certain, or else
// the one that is further off. One job either way is within doubt.
func (l *ListRecord) Judge(rulings []Ruling) []Ruling {
	counts, kept := held(true), held(true)
	tooMany := l.Recorded[scheduling.NonPreemptible] > l.Cut[scheduling.NonPreemptible]
	if tooMany {
		kept = l.compare(scheduling.NonPreemptible)
	}
	for _, list := range [...]scheduling.List{scheduling.AggressivelyPreemptible, scheduling.Preemptible} {
		off := l.Recorded[list] - l.Cut[list]
		if off == 0 || off < 0 && tooMany { // those that lack are among the protected
			continue
		}
		if f := l.compare(list); counts.holds || f.isWorse(&counts) {
			counts = f
		}
	}
	return append(rulings, l.rule(LST01, counts), l.rule(LST04, kept))
}

func (l *ListRecord) compare(list scheduling.List) finding {
	recorded, cut := l.Recorded[list], l.Cut[list]
	f := compared(false, float64(recorded), float64(cut))
	f.may = l.Changed || max(recorded-cut, cut-recorded) <= 1
	return f
}

// isWorse reports whether a count is wrong more certainly than another, or as certainly and
// by more.
func (f *finding) isWorse(than *finding) bool {
	if f.may != than.may {
		return than.may
	}
	return math.Abs(f.left-f.right) > math.Abs(than.left-than.right)
}
