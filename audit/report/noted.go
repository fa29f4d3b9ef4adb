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

// used are the words with a meaning that the report has.
func (s *summary) used() (all []meaning) {
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
			all = append(all, m)
		}
	}
	for _, m := range gradeWords {
		if slices.ContainsFunc(s.Promises, func(p audit.Promise) bool { return string(p.Grade) == m.Word }) {
			all = append(all, m)
		}
	}
	return all
}

// writeWords explains the words of the report.
func (s *summary) writeWords(b *bytes.Buffer) {
	var parts []string
	for _, m := range s.used() {
		parts = append(parts, m.Word+": "+m.Means)
	}
	if len(parts) > 0 {
		fmt.Fprintf(b, "\n%s\n", wrapped("Words: "+strings.Join(parts, "; ")+".", ""))
	}
}
