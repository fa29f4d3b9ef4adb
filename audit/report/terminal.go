package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"poolproof/audit"
)

// shownFindings is how many findings are spelled out; the rest are in the run.
const shownFindings = 10

// Terminal writes the verdict on the run at runPath for a person.
func Terminal(w io.Writer, v *audit.Verdict, runPath string) error {
	s := summarize(v)
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n", s.headline())
	s.writePromises(&b)
	s.writeFindings(&b, runPath)
	s.writeDoubts(&b)
	fmt.Fprintf(&b, "\n%s to %s, %s, profile %s, %.0f %% of what was asked could be judged.\n",
		v.From, v.To, count(len(v.Trees), "tree", "trees"), v.Profile, 100*v.Coverage())
	fmt.Fprintf(&b, "Run: %s\n", runPath)
	_, err := w.Write(b.Bytes())
	return err
}

// writePromises lists the promises, the broken ones first.
func (s *summary) writePromises(b *bytes.Buffer) {
	for _, p := range s.promises {
		fmt.Fprintf(b, "  %-8s %s [%s: %s]\n", p.word(), p.Promise, p.Severity, p.result())
	}
}

// writeFindings spells out the worst findings that count, one paragraph each.
func (s *summary) writeFindings(b *bytes.Buffer, runPath string) {
	worst, rest := s.worst()
	if len(worst) > 0 {
		fmt.Fprintf(b, "\nThe worst first:\n")
	}
	for _, f := range worst {
		fmt.Fprintf(b, "\n  %s (%s, %s) %s %s in tree %s\n    %s\n    %s; finding %s\n",
			words[f.Verdict], f.Severity, f.Invariant, f.SubjectKind, f.Subject, f.Tree, f.Reason, span(f), f.ID)
	}
	if text := leftOver(len(worst), rest); text != "" {
		fmt.Fprintf(b, "\n  %s: poolproof query %s \"SELECT verdict, subject, reason FROM findings\"\n", text, quoted(runPath))
	}
}

// worst returns the findings to be spelled out, violated and suspect ones with
// every promise among them, and how many findings of each verdict are left over.
func (s *summary) worst() (shown []audit.Finding, rest map[audit.Judgement]int) {
	taken := map[string]int{}
	picked := make([]bool, len(s.findings))
	// At most a few of one promise, so that a flood of one hides no other.
	for _, most := range []int{3, shownFindings} {
		for i, f := range s.findings {
			counts := f.Verdict == audit.Violated || f.Verdict == audit.Suspect
			if counts && !picked[i] && total(taken) < shownFindings && taken[f.Audit] < most {
				picked[i] = true
				taken[f.Audit]++
			}
		}
	}
	rest = map[audit.Judgement]int{}
	for i, f := range s.findings {
		if picked[i] {
			shown = append(shown, f)
		} else {
			rest[f.Verdict]++
		}
	}
	return shown, rest
}

// leftOver counts the findings that are not spelled out, by verdict; it is
// empty if there are none.
func leftOver(shown int, rest map[audit.Judgement]int) string {
	n := total(rest)
	switch {
	case n == 0:
		return ""
	case shown == 0:
		return fmt.Sprintf("%s not spelled out (%s)", count(n, "finding is", "findings are"), tally(rest))
	}
	return fmt.Sprintf("And %s more (%s)", number(int64(n)), tally(rest))
}

// quoted is a path as a shell takes it for one word.
func quoted(path string) string {
	plain := func(r rune) bool {
		return r > unicode.MaxASCII && unicode.IsLetter(r) || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || strings.ContainsRune("/._-+=:,@%", r)
	}
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

func total[K comparable](taken map[K]int) (n int) {
	for _, k := range taken {
		n += k
	}
	return n
}

// writeDoubts says what could not be judged and why.
func (s *summary) writeDoubts(b *bytes.Buffer) {
	doubts := s.doubts()
	if len(doubts) == 0 {
		return
	}
	fmt.Fprintf(b, "\nNot judged, or not wholly:\n")
	for _, d := range doubts {
		fmt.Fprintf(b, "  %s: %s%s\n", d.title, d.reason, s.where(d))
	}
}
