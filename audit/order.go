package audit

import (
	"cmp"
	"slices"
)

// The worst first: all lists of findings, incidents and rules, in every format, go by
// this one order. FINDINGS.md tells it for those who read findings.json.
//
//  1. What the policy suppresses comes after all else, since somebody answers for it.
//  2. What is alleged comes first: violated, then suspect, then damaged; then what could not be judged,
//     then what is excused, and at the end what is noted, since it is legal.
//  3. Of these the severity counts: critical, major, minor, info.
//  4. Magnitudes have units of their own and are compared within one audit and unit
//     alone, the greatest first; audits go by their names.
//
// What is alike in all this goes by tree, time, subject and id.

// Gravity is the place of a case in the order, by 1 to 3: the least is the worst.
func Gravity(v Judgement, s Severity, suppressed bool) int {
	place := 2 * v.Rank()
	if v == Noted {
		place = 2*Excused.Rank() + 1
	}
	if suppressed {
		place += 2 * len(worstFirst)
	}
	return place*len(Severities) + slices.Index(Severities, s)
}

// sortFindings puts the worst first, in an order that is total.
func sortFindings(findings []Finding) {
	gravity := func(f *Finding) int { return Gravity(f.Verdict, f.Severity, f.Suppressed != nil) }
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(gravity(&a), gravity(&b)),
			cmp.Compare(a.Audit, b.Audit), cmp.Compare(a.Unit, b.Unit), cmp.Compare(size(b.Magnitude), size(a.Magnitude)),
			cmp.Compare(a.Tree, b.Tree), cmp.Compare(timeText(a.From), timeText(b.From)),
			cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Aspect, b.Aspect), cmp.Compare(a.ID, b.ID))
	})
}

// size is a magnitude, 0 where there is none.
func size(magnitude *float64) float64 {
	if magnitude == nil {
		return 0
	}
	return *magnitude
}

// CompareIncidents puts the worst first; of one audit's, those whose magnitudes come to
// most.
func CompareIncidents(a, b Incident) int {
	total := func(i Incident) Amount {
		if len(i.Totals) == 0 {
			return Amount{}
		}
		return i.Totals[0]
	}
	return cmp.Or(
		cmp.Compare(Gravity(a.Verdict, a.Severity, a.Suppressed), Gravity(b.Verdict, b.Severity, b.Suppressed)),
		cmp.Compare(a.Audit, b.Audit), cmp.Compare(total(a).Unit, total(b).Unit), cmp.Compare(total(b).Magnitude, total(a).Magnitude))
}
