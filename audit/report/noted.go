package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"poolproof/audit"
)

// writeNoted counts what is noted, rule by rule, in one paragraph.
func (s *summary) writeNoted(b *bytes.Buffer) {
	var parts []string
	n := 0
	for _, p := range s.promises {
		if k := p.counts[audit.Noted]; k > 0 {
			n += k
			parts = append(parts, fmt.Sprintf("%s (%s)", p.Title, number(int64(k))))
		}
	}
	if n > 0 {
		fmt.Fprintf(b, "\n%s\n", wrapped(fmt.Sprintf("Noted, and legal: %s: %s.", count(n, "finding", "findings"), strings.Join(parts, "; ")), ""))
	}
}

// used are the words with a meaning that the report has: of findings and rules, and of
// promises. A word of both (excused) means something else of each.
func (s *summary) used() (verdicts, grades []meaning) {
	has := map[string]bool{}
	for _, p := range s.promises {
		has[p.Word()] = true
		for v, n := range p.counts {
			has[string(v)] = has[string(v)] || n > 0
		}
		has["suppressed"] = has["suppressed"] || p.suppressed > 0
	}
	for _, m := range verdictWords {
		if has[m.Word] {
			verdicts = append(verdicts, m)
		}
	}
	for _, m := range gradeWords {
		if slices.ContainsFunc(s.Promises, func(p audit.Promise) bool { return string(p.Grade) == m.Word }) {
			grades = append(grades, m)
		}
	}
	return verdicts, grades
}

// writeWords explains the words of the report.
func (s *summary) writeWords(b *bytes.Buffer) {
	verdicts, grades := s.used()
	write := func(head string, words []meaning) {
		var parts []string
		for _, m := range words {
			parts = append(parts, m.Word+": "+m.Means)
		}
		if len(parts) > 0 {
			fmt.Fprintf(b, "\n%s\n", wrapped(head+strings.Join(parts, "; ")+".", ""))
		}
	}
	write("Words of findings and rules: ", verdicts)
	write("Words of promises: ", grades)
}
