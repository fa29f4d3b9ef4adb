package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"poolproof/audit"
)

// A promise is one audit over all trees.
type promise struct {
	*audit.Audit
	verdict  audit.Judgement // the worst over the trees
	outcomes []audit.Outcome
	counts   map[audit.Judgement]int // of its findings
	seen     int64
	unit     string
}

// A summary is a verdict in the order in which a person reads it.
type summary struct {
	*audit.Verdict
	promises []*promise // the worst first
	findings []audit.Finding
}

func summarize(v *audit.Verdict) *summary {
	s := &summary{Verdict: v, findings: v.Findings}
	byID := map[string]*promise{}
	for _, a := range v.Audits {
		p := &promise{Audit: a, counts: map[audit.Judgement]int{}}
		byID[a.ID] = p
		s.promises = append(s.promises, p)
	}
	for _, o := range v.Outcomes {
		p := byID[o.Audit.ID]
		p.outcomes = append(p.outcomes, o)
		p.seen += o.Seen
		p.unit = cmp.Or(o.SeenUnit, p.unit)
	}
	for _, f := range v.Findings {
		byID[f.Audit].counts[f.Verdict]++
	}
	for _, p := range s.promises {
		p.settle()
	}
	slices.SortStableFunc(s.promises, func(a, b *promise) int {
		return cmp.Or(cmp.Compare(a.verdict.Rank(), b.verdict.Rank()),
			cmp.Compare(slices.Index(audit.Severities, a.Severity), slices.Index(audit.Severities, b.Severity)))
	})
	return s
}

// settle finds the promise's verdict: the worst over the trees in which it could
// be judged, and unknown if there are none.
func (p *promise) settle() {
	p.verdict = audit.Undecidable
	found := false
	for _, o := range p.outcomes {
		if o.Seen > 0 || o.Verdict == audit.Failed {
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
		if o.Seen > 0 {
			n++
		}
	}
	return n
}

// words are what the verdicts are called in a report.
var words = map[audit.Judgement]string{
	audit.Failed: "FAILED", audit.Violated: "BROKEN", audit.Suspect: "suspect",
	audit.Undecidable: "unknown", audit.Excused: "excused", audit.OK: "kept",
}

// word is what the promise's verdict is called in a report.
func (p *promise) word() string {
	if p.verdict == audit.Violated && p.Severity == audit.Info {
		return "noted" // legal, and worth attention
	}
	return words[p.verdict]
}

// headline says in one line how the night was: of the promises that could be
// judged, how many were broken, and which cases accuse nobody for certain.
func (s *summary) headline() string {
	var broken, violations, failed, unknown, suspect, excused int
	for _, p := range s.promises {
		suspect += p.counts[audit.Suspect]
		excused += p.counts[audit.Excused]
		switch {
		case p.verdict == audit.Failed:
			failed++
		case p.counts[audit.Violated] > 0 && p.Severity != audit.Info:
			broken++
			violations += p.counts[audit.Violated]
		case p.verdict == audit.Undecidable:
			unknown++
		}
	}
	judged := len(s.promises) - failed - unknown
	var parts []string
	switch {
	case broken > 0 && judged == 1:
		parts = append(parts, "BROKEN: the one judged promise, in "+count(violations, "case", "cases"))
	case broken > 0:
		parts = append(parts, fmt.Sprintf("BROKEN: %d of %d judged promises, in %s", broken, judged, count(violations, "case", "cases")))
	case failed > 0:
		parts = append(parts, fmt.Sprintf("FAILED: %s did not run", count(failed, "audit", "audits")))
	case judged == 0:
		parts = append(parts, "UNKNOWN: no promise could be judged from this log")
	case judged == 1:
		parts = append(parts, "KEPT: the one judged promise")
	default:
		parts = append(parts, fmt.Sprintf("KEPT: all %d judged promises", judged))
	}
	switch {
	case suspect > 0 && excused > 0:
		parts = append(parts, fmt.Sprintf("%s suspect, %s excused", count(suspect, "case is", "cases are"), number(int64(excused))))
	case suspect > 0:
		parts = append(parts, count(suspect, "case is", "cases are")+" suspect")
	case excused > 0:
		parts = append(parts, count(excused, "case is", "cases are")+" excused")
	}
	if broken > 0 && failed > 0 {
		parts = append(parts, count(failed, "audit", "audits")+" did not run")
	}
	if unknown > 0 && judged > 0 {
		parts = append(parts, fmt.Sprintf("%d more could not be judged", unknown))
	}
	return strings.Join(parts, "; ") + "."
}

// result says what became of a promise.
func (p *promise) result() string {
	if p.verdict == audit.Failed {
		return "its audit did not run"
	}
	var parts []string
	if found := tally(p.counts); found != "" {
		parts = append(parts, found)
	}
	if p.seen > 0 {
		parts = append(parts, fmt.Sprintf("%s judged: %s", p.unit, number(p.seen)))
	} else if p.verdict == audit.Undecidable {
		parts = append(parts, "nothing judged")
	}
	if n := len(p.outcomes) - p.judgedTrees(); n > 0 && n < len(p.outcomes) {
		parts = append(parts, fmt.Sprintf("not in %s", count(n, "tree", "trees")))
	}
	return strings.Join(parts, "; ")
}

// tally says how many findings there are of each verdict, the worst first.
func tally(counts map[audit.Judgement]int) string {
	var parts []string
	for _, v := range []audit.Judgement{audit.Violated, audit.Suspect, audit.Undecidable, audit.Excused} {
		if n := counts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", number(int64(n)), v))
		}
	}
	return strings.Join(parts, ", ")
}

// A doubt is a reason for which promises could not be judged, with the trees.
type doubt struct {
	title, reason string
	trees         []string
}

// doubts are what could not be judged and why.
func (s *summary) doubts() []doubt {
	var all []doubt
	for _, p := range s.promises {
		for _, o := range p.outcomes {
			if o.Reason == "" {
				continue
			}
			i := slices.IndexFunc(all, func(d doubt) bool { return d.title == p.Title && d.reason == o.Reason })
			if i < 0 {
				i = len(all)
				all = append(all, doubt{title: p.Title, reason: o.Reason})
			}
			all[i].trees = append(all[i].trees, o.Tree)
		}
	}
	return all
}

// where names the trees of a doubt, unless it is about all.
func (s *summary) where(d doubt) string {
	if len(d.trees) == len(s.Trees) {
		return ""
	}
	if len(d.trees) > 3 {
		return fmt.Sprintf(" (%s and %d more trees)", strings.Join(d.trees[:3], ", "), len(d.trees)-3)
	}
	return fmt.Sprintf(" (%s)", strings.Join(d.trees, ", "))
}

// span is the time of a finding for a person; the day stands once.
func span(f audit.Finding) string {
	const day, clock = "2006-01-02", "15:04:05"
	switch {
	case f.From == nil:
		return "at an unknown time"
	case f.To == nil:
		return f.From.Format(day+" "+clock) + " until an unknown time, UTC"
	case f.To.Equal(*f.From):
		return f.From.Format(day+" "+clock) + " UTC"
	case f.To.Truncate(24 * time.Hour).Equal(f.From.Truncate(24 * time.Hour)):
		return f.From.Format(day+" "+clock) + " to " + f.To.Format(clock) + " UTC"
	}
	return f.From.Format(day+" "+clock) + " to " + f.To.Format(day+" "+clock) + " UTC"
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(int64(n)) + " " + many
}

// number writes a count with thousands apart: 17,898.
func number(n int64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
