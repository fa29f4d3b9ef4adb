package audit

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// excusedTime is how long something tested what a pool promised, and for how much of
// that it was not kept but excused. Where a promise counts in several pools the times of
// each are added up. Excuses of moments take no time, and what is promised of a whole
// tree has none: what befell one of its pools says little of the others.
func (t *promiseTerm) excusedTime(charges []charge, looked []look) (excused, tested time.Duration) {
	if t.SubjectKind != "pool" {
		return 0, 0
	}
	byPool := map[string][]charge{}
	for _, c := range charges {
		if c.verdict == Excused {
			byPool[c.subject] = append(byPool[c.subject], c)
		}
	}
	times := map[string]time.Duration{}
	for _, l := range looked {
		seen := map[string]time.Duration{} // by this audit
		for _, s := range l.spans {
			if l.Seen > 0 && s.missing == "" && t.meets(s.from, s.to) {
				seen[s.subject] += s.tested(t)
			}
		}
		for pool, long := range seen {
			times[pool] = max(times[pool], long) // several audits of one kind see the same time
		}
	}
	for pool, long := range times {
		covered := t.coveredBy(byPool[pool])
		excused, tested = excused+covered, tested+max(long, covered)
	}
	return excused, tested
}

// settleExcused grades a promise that is kept but for excuses: it is unverifiable if it
// was kept for less of the time that tested it than the policy asks, since a time full
// of excuses shows nothing of how it is kept.
func (t *promiseTerm) settleExcused(charges []charge, looked []look, minKept float64) {
	t.Grade, t.Reason = Kept, "Tested and not broken."
	excused, tested := t.excusedTime(charges, looked)
	if excused > 0 {
		kept := tested - excused
		t.Reason = fmt.Sprintf("Kept for %s of the %s that tested it.", spanText(kept), spanText(tested))
		if kept.Seconds() < minKept*tested.Seconds() {
			t.Grade = Unverifiable
			t.Missing = fmt.Sprintf("A night of which less is excused: it counts as kept if it was for %.4g %% of the time that tested it (min_kept_time of the policy).", 100*minKept)
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
		if cause := c.excuse(); cause != "" && !slices.Contains(causes, cause) {
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

// coveredBy is how much of the promise's time lies in a finding; what overlaps
// counts once.
func (t *promiseTerm) coveredBy(charges []charge) (sum time.Duration) {
	type piece struct{ from, to time.Time }
	var pieces []piece
	for _, c := range charges {
		if c.From == nil || c.To == nil {
			continue
		}
		from, to := t.clip(*c.From, *c.To)
		pieces = append(pieces, piece{from, to})
	}
	slices.SortFunc(pieces, func(a, b piece) int { return a.from.Compare(b.from) })
	var end time.Time
	for _, p := range pieces {
		if p.from.Before(end) {
			p.from = end
		}
		if p.to.After(p.from) {
			sum, end = sum+p.to.Sub(p.from), p.to
		}
	}
	return sum
}

// clip is what of a span lies in the time in which the promise was in force.
func (t *promiseTerm) clip(from, to time.Time) (time.Time, time.Time) {
	if t.From != nil && from.Before(*t.From) {
		from = *t.From
	}
	if t.To != nil && to.After(*t.To) {
		to = *t.To
	}
	return from, to
}

// within is how long a span is in that time; nothing where an end of it is not known.
func (t *promiseTerm) within(from, to *time.Time) time.Duration {
	if from == nil || to == nil {
		return 0
	}
	a, b := t.clip(*from, *to)
	return max(b.Sub(a), 0)
}

// excuseSaid finds what the sentence of a finding says that excuses it.
var excuseSaid = regexp.MustCompile(`Excused: (.*?)\.( |$)`)

// excuse is what excuses a finding, by its sentence or else its evidence; empty if
// neither says it.
func (f *Finding) excuse() string {
	if found := excuseSaid.FindStringSubmatch(f.Reason); found != nil {
		return found[1]
	}
	var evidence struct {
		Excuse     string `json:"excuse"`
		FirstCases []struct {
			Verdict Judgement `json:"verdict"`
			Excuse  string    `json:"excuse"`
		} `json:"first_cases"`
	}
	if json.Unmarshal(f.Evidence, &evidence) != nil {
		return ""
	}
	for _, c := range evidence.FirstCases {
		if evidence.Excuse == "" && c.Verdict == Excused {
			evidence.Excuse = c.Excuse
		}
	}
	return strings.ReplaceAll(evidence.Excuse, "_", " ")
}

// spanText is a span for a person, as the macro span_text has it.
func spanText(d time.Duration) string {
	s := int(d / time.Second)
	switch {
	case d < time.Second:
		return fmt.Sprintf("%.3f s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %02d min", s/3600, s/60%60)
}
