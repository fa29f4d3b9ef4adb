package report

import (
	"fmt"
	"slices"
	"strings"

	"poolproof/audit"
)

// A promise is one audit over all trees.
type promise struct {
	*audit.Audit
	verdict    audit.Judgement // the worst over the trees
	outcomes   []audit.Outcome
	counts     map[audit.Judgement]int // of its findings, without the suppressed
	suppressed int                     // of its findings that the policy suppresses
	seen       int64
	unit       string
}

// setVerdict finds the promise's verdict: the worst over the trees in which it could
// be judged; if there are none, not applicable where nothing happened in any, else
// undecidable.
func (p *promise) setVerdict() {
	p.verdict = audit.Undecidable
	if !slices.ContainsFunc(p.outcomes, func(o audit.Outcome) bool { return o.Verdict != audit.Idle }) {
		p.verdict = audit.Idle
	}
	found := false
	for _, o := range p.outcomes {
		if o.Judged() || o.Verdict == audit.Failed {
			if !found || o.Verdict.Rank() < p.verdict.Rank() {
				p.verdict = o.Verdict
			}
			found = true
		}
	}
}

// judgedTrees is in how many trees the promise could be judged.
func (p *promise) judgedTrees() (n int) {
	for _, o := range p.outcomes {
		if o.Judged() {
			n++
		}
	}
	return n
}

// Word returns the word for the promise's verdict in a report.
func (p *promise) Word() string {
	if p.suppressed > 0 && len(p.counts) == 0 && p.verdict != audit.Failed {
		return "suppressed" // all that was found is suppressed
	}
	return string(p.verdict)
}

// result says what became of a promise.
func (p *promise) result() string {
	if p.verdict == audit.Failed {
		return "its audit did not run"
	}
	return strings.Join(slices.DeleteFunc([]string{p.FoundText(), p.JudgedText()}, func(part string) bool { return part == "" }), "; ")
}

// FoundText counts the findings of a promise; empty without one.
func (p *promise) FoundText() string {
	text := tally(p.counts)
	if p.suppressed == 0 {
		return text
	}
	if text != "" {
		text += "; "
	}
	return text + number(int64(p.suppressed)) + " suppressed"
}

// JudgedText says how much of a promise was judged, and in how many trees it was not.
func (p *promise) JudgedText() string {
	var parts []string
	switch {
	case p.verdict == audit.Failed:
		return "its audit did not run"
	case p.seen > 0:
		parts = append(parts, seenText(p.unit, p.seen))
	case p.verdict == audit.Undecidable:
		parts = append(parts, "nothing judged")
	case p.verdict == audit.Idle:
		parts = append(parts, "nothing happened")
	}
	if n := len(p.outcomes) - p.judgedTrees(); n > 0 && n < len(p.outcomes) {
		parts = append(parts, fmt.Sprintf("not in %s", count(n, "tree", "trees")))
	}
	return strings.Join(parts, "; ")
}

// Rank and SeverityRank are the places of a promise's verdict and severity among all, the
// worst first; Found and Seen are how many findings it has and how much of it was judged.
func (p *promise) Rank() int         { return audit.Gravity(p.verdict, audit.Critical, false) }
func (p *promise) SeverityRank() int { return slices.Index(audit.Severities, p.Severity) }
func (p *promise) Found() int        { return total(p.counts) + p.suppressed }
func (p *promise) Seen() int64       { return p.seen }

// seenText says how much was judged. Rule checks are judgements themselves.
func seenText(unit string, n int64) string {
	if !strings.HasPrefix(unit, "rule checks") {
		unit += " judged"
	}
	return unit + ": " + number(n)
}

// findingVerdicts are the verdicts that a finding can have, the worst first.
var findingVerdicts = []audit.Judgement{audit.Violated, audit.Suspect, audit.Damaged, audit.Undecidable, audit.Excused, audit.Noted}

// tally says how many findings there are of each verdict, the worst first.
func tally(counts map[audit.Judgement]int) string {
	var parts []string
	for _, v := range findingVerdicts {
		if n := counts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", number(int64(n)), v))
		}
	}
	return strings.Join(parts, ", ")
}
