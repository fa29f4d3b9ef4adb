package report

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"poolproof/audit"
)

// shownIncidents is how many incidents are spelled out; the rest are in the run.
const shownIncidents = 10

// Terminal writes the verdict on the run at runPath for a person.
func Terminal(w io.Writer, v *audit.Verdict, runPath string) error {
	s := summarize(v)
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n", s.headline())
	if text := s.compared(); text != "" {
		fmt.Fprintf(&b, "%s\n", text)
	}
	b.WriteByte('\n')
	s.writePromises(&b)
	s.writeIncidents(&b, runPath)
	s.writeGrades(&b)
	s.writeDoubts(&b)
	fmt.Fprintf(&b, "\n%s\n", s.window())
	for _, line := range append(s.coverageLines(), s.warnings()...) {
		fmt.Fprintf(&b, "%s\n", OneLine(line))
	}
	fmt.Fprintf(&b, "Run: %s\nReport: %s\n", runPath, filepath.Join(runPath, PageName))
	fmt.Fprintf(&b, "%s\n", s.exitLine())
	_, err := w.Write(b.Bytes())
	return err
}

// writePromises lists what the audits promise, the broken ones first.
func (s *summary) writePromises(b *bytes.Buffer) {
	for _, p := range s.promises {
		fmt.Fprintf(b, "  %-10s %s [%s: %s]\n", p.Word(), p.Promise, p.Severity, p.Result())
	}
}

// writeIncidents spells out the worst incidents that count, one paragraph each.
func (s *summary) writeIncidents(b *bytes.Buffer, runPath string) {
	worst, rest := s.worst(shownIncidents)
	if len(worst) > 0 {
		fmt.Fprintf(b, "\nThe worst first:\n")
	}
	for _, i := range worst {
		f := i.findings[0]
		fmt.Fprintf(b, "\n  %s (%s, %s%s) %s %s in tree %s\n    %s\n", i.Word(), i.Severity, f.Invariant, i.mark(), i.CauseKind, OneLine(i.Cause), OneLine(i.Tree), OneLine(f.Reason))
		if n := len(i.findings); n > 1 {
			fmt.Fprintf(b, "    And %s of the same cause; %s altogether.\n", count(n-1, "more case", "more cases"), totals(i.Totals))
		}
		fmt.Fprintf(b, "    %s; finding %s\n", span(i.From, i.To), f.ID)
	}
	if text := leftOver(len(worst), rest); text != "" {
		fmt.Fprintf(b, "\n  %s: poolproof query %s \"SELECT verdict, subject, reason FROM findings\"\n", text, quoted(runPath))
	}
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

// writeGrades says what became of the promises of the configuration: how many
// of each grade, and which could not be kept or told.
func (s *summary) writeGrades(b *bytes.Buffer) {
	if len(s.Promises) == 0 {
		return
	}
	fmt.Fprintf(b, "\nPromises of the configuration: %s.\n", s.Grades())
	shown := 0
	for _, p := range s.Promises {
		if p.Grade != audit.Impossible && p.Grade != audit.Unverifiable {
			continue
		}
		if shown++; shown > shownIncidents {
			continue
		}
		fmt.Fprintf(b, "  %-12s %s %s\n", p.Grade, OneLine(p.Statement), OneLine(strings.TrimSpace(p.Reason+" "+p.Missing)))
	}
	if shown > shownIncidents {
		fmt.Fprintf(b, "  And %d more.\n", shown-shownIncidents)
	}
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
		fmt.Fprintf(b, "  %s: %s%s\n", d.title, OneLine(d.reason), OneLine(s.where(d)))
	}
}
