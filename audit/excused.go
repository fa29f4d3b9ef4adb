package audit

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

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
		p := piece{*c.From, *c.To}
		if t.From != nil && p.from.Before(*t.From) {
			p.from = *t.From
		}
		if t.To != nil && p.to.After(*t.To) {
			p.to = *t.To
		}
		pieces = append(pieces, p)
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
