package audit

import (
	"fmt"
	"slices"
	"time"

	"poolproof/core/quantity"
)

// missedTime returns how long a promise to a pool was tested, and for how much of that charges of
// the wanted kind say that it was not kept. Where a promise counts in several pools the times of
// each are added up. Of a pool with an SLA only its days and hours count: nothing is promised in
// others. Excuses of moments take no time, and what is promised of a whole tree has none: one of
// its pools says little of the others. Beside what charges say, the pool itself missed it in the
// stretches of also.
func (t *promiseTerm) missedTime(charges []charge, looked []look, held heldHours, wanted func(*charge) bool, also []stretch) (missed, tested time.Duration) {
	if t.SubjectKind != "pool" {
		return 0, 0
	}
	times := map[string]time.Duration{} // that tested it, by pool
	demanded := slices.ContainsFunc(looked, func(l look) bool { return l.Audit.ID == unmetAudits[t.Kind] && t.sees(l.spans) })
	for _, l := range looked {
		if demanded && l.Audit.ID != unmetAudits[t.Kind] {
			continue // of a guarantee the time counts in which it was demanded, not that of records
		}
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
	if len(also) > 0 {
		stretches[t.Subject] = append(stretches[t.Subject], also...)
		times[t.Subject] = max(times[t.Subject], 0) // it was tested then, if no audit says so
	}
	for pool, long := range times {
		covered := union(stretches[pool])
		missed, tested = missed+covered, tested+max(long, covered)
	}
	return missed, tested
}

// sees reports whether a span lies in the time in which the promise was in force.
func (t *promiseTerm) sees(spans []testedSpan) bool {
	return slices.ContainsFunc(spans, func(s testedSpan) bool { return t.meets(s.from, s.to) })
}

// settleExcused grades a promise that was not broken: it is excused if excuses took any time.
func (t *promiseTerm) settleExcused(charges []charge, looked []look, held heldHours, short *shortage) {
	t.Grade, t.Reason = Kept, "Tested and not broken."
	also := short.excused
	if !t.Delivery.TooLong() {
		also = nil // what is no longer than is allowed takes no excuse
	}
	excused, _ := t.missedTime(charges, looked, held, func(c *charge) bool { return c.verdict == Excused }, also)
	switch {
	case excused > 0:
		t.Grade = InPart
		t.Reason = fmt.Sprintf("Kept for %s of the %s that tested it.", quantity.Span(t.Kept), quantity.Span(t.Tested))
	case t.Delivery.TooLong():
		t.Grade, t.Reason, t.Missing = Unverifiable, "No audit could judge why it was unmet.", "See the outcomes of its audits."
		return
	}
	t.Reason += " " + t.excusedText(charges, also)
}

// excusedText says of a promise that was not kept, and not broken, for how long it was not, in
// how many findings, and what excuses that.
func (t *promiseTerm) excusedText(charges []charge, also []stretch) string {
	var excused []charge
	for _, c := range charges {
		if c.verdict == Excused {
			excused = append(excused, c)
		}
	}
	text := "It was not kept"
	if long := union(append(t.stretchesOf(excused), also...)); long > 0 {
		text += " for " + spanText(long)
	}
	if len(excused) > 0 {
		text += " (" + countText(len(excused), "finding", "findings") + ")"
	}
	text += ", which is excused"
	if len(also) > 0 {
		return text + ": " + t.Delivery.Excuse + "."
	}
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

// stretchesOf are the parts of the promise's time in which findings lie.
func (t *promiseTerm) stretchesOf(charges []charge) (all []stretch) {
	for _, c := range charges {
		if c.From != nil && c.To != nil {
			all = append(all, t.clip(stretch{*c.From, *c.To}))
		}
	}
	return all
}

// union returns the total length of stretches; overlaps count once.
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

// clip returns the part of a stretch in which the promise was in force.
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
