package audit

import (
	"fmt"
	"slices"
	"time"

	"poolproof/core/quantity"
)

// missedTime is how long something tested what a pool promised, and for how much of
// that charges of the wanted kind say that it was not kept. Where a promise counts in several pools the times of
// each are added up. Of a pool with an SLA only its days and hours count: nothing is
// promised in others. Excuses of moments take no time, and what is promised of a whole
// tree has none: one of its pools says little of the others.
func (t *promiseTerm) missedTime(charges []charge, looked []look, held heldHours, wanted func(*charge) bool) (missed, tested time.Duration) {
	if t.SubjectKind != "pool" {
		return 0, 0
	}
	times := map[string]time.Duration{} // that tested it, by pool
	for _, l := range looked {
		seen := map[string]time.Duration{} // by this audit
		for i := range l.spans {
			if s := &l.spans[i]; l.Seen > 0 && s.missing == "" && t.meets(s.from, s.to) {
				seen[s.subject] += s.tested(t, held(t.Tree, s.subject, l.Audit.ID))
			}
		}
		for pool, long := range seen {
			times[pool] = max(times[pool], long) // several audits of one kind see the same time
		}
	}
	stretches := map[string][]stretch{} // in which it was missed, by pool
	for _, c := range charges {
		if wanted(&c) && c.From != nil && c.To != nil {
			hours := held(t.Tree, c.subject, c.Audit)
			stretches[c.subject] = append(stretches[c.subject], hours.within(t.clip(stretch{*c.From, *c.To}))...)
		}
	}
	for pool, long := range times {
		covered := union(stretches[pool])
		missed, tested = missed+covered, tested+max(long, covered)
	}
	return missed, tested
}

// settleExcused grades a promise that is kept but for excuses, which its grade says where
// they took any time: it is unverifiable if it was kept for less of the time that tested it than the policy asks, since a time full
// of excuses shows nothing of how it is kept.
func (t *promiseTerm) settleExcused(charges []charge, looked []look, held heldHours, minKept float64) {
	t.Grade, t.Reason = Kept, "Tested and not broken."
	excused, tested := t.missedTime(charges, looked, held, func(c *charge) bool { return c.verdict == Excused })
	if excused > 0 {
		kept := tested - excused
		t.Grade = InPart
		t.Reason = fmt.Sprintf("Kept for %s of the %s that tested it.", spanText(kept), spanText(tested))
		if kept.Seconds() < minKept*tested.Seconds() {
			t.Grade = Unverifiable
			t.Missing = fmt.Sprintf("It takes a night with less excused time: the promise counts as excused, and not as unverifiable, if it was kept for %s of the time that tested it (min_kept_time of the policy).", quantity.Share(minKept))
		}
	}
	t.Reason += " " + t.excusedText(charges)
}

// excusedText says of a promise that is kept but for excuses for how long it was not
// kept, in how many findings and what excuses the first of them.
func (t *promiseTerm) excusedText(charges []charge) string {
	var excused []charge
	for _, c := range charges {
		if c.verdict == Excused {
			excused = append(excused, c)
		}
	}
	text := "It was not kept"
	if long := t.coveredBy(excused); long > 0 {
		text += " for " + spanText(long)
	}
	text += " (" + countText(len(excused), "finding", "findings") + "), which is excused"
	var causes []string
	for _, c := range excused {
		if cause := c.Excuse; cause != "" && !slices.Contains(causes, cause) {
			causes = append(causes, cause)
		}
	}
	if len(causes) > 0 {
		text += ": " + causes[0]
	}
	if len(causes) > 1 {
		text += fmt.Sprintf(", and %s", countText(len(causes)-1, "other excuse", "other excuses"))
	}
	return text + "."
}

// A stretch is a span of time with both ends known.
type stretch struct{ from, to time.Time }

func (s stretch) long() time.Duration { return max(s.to.Sub(s.from), 0) }

// coveredBy is how much of the promise's time lies in a finding; what overlaps
// counts once.
func (t *promiseTerm) coveredBy(charges []charge) time.Duration {
	var all []stretch
	for _, c := range charges {
		if c.From != nil && c.To != nil {
			all = append(all, t.clip(stretch{*c.From, *c.To}))
		}
	}
	return union(all)
}

// union is how long stretches are together; what overlaps counts once.
func union(all []stretch) (sum time.Duration) {
	slices.SortFunc(all, func(a, b stretch) int { return a.from.Compare(b.from) })
	var end time.Time
	for _, s := range all {
		if s.from.Before(end) {
			s.from = end
		}
		if s.to.After(s.from) {
			sum, end = sum+s.long(), s.to
		}
	}
	return sum
}

// clip is what of a stretch lies in the time in which the promise was in force.
func (t *promiseTerm) clip(s stretch) stretch {
	if t.From != nil && s.from.Before(*t.From) {
		s.from = *t.From
	}
	if t.To != nil && s.to.After(*t.To) {
		s.to = *t.To
	}
	return s
}

// spanText is a span for a person.
func spanText(d time.Duration) string { return quantity.Span(d.Seconds()) }
