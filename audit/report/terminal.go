package report

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"poolproof/audit"
	"poolproof/core/spelling"
)

// shownIncidents bounds the number of incidents that are printed in full; the rest are in the run.
const shownIncidents = 10

// terminal writes the verdict on the run at runPath for a person.
func terminal(w io.Writer, v *audit.Verdict, runPath string) error {
	s := summarize(v)
	var b bytes.Buffer
	s.writeHead(&b)
	s.writeScorecard(&b)
	s.writePromises(&b)
	s.writeIncidents(&b, runPath)
	s.writeDamage(&b, runPath)
	s.writeGrades(&b)
	s.writeDoubts(&b)
	s.writeNoted(&b)
	if !s.Partial {
		fmt.Fprintf(&b, "\nEach rule and promise: %s\n", spelling.Command("report", []string{runPath}, "--output", "markdown"))
	}
	s.writeWords(&b)
	b.WriteByte('\n')
	lines := append(s.coverageLines(), s.agreements()...)
	for _, line := range append(lines, s.warnings()...) {
		fmt.Fprintf(&b, "%s\n", spelling.OneName(line))
	}
	s.writeEnd(&b, runPath)
	_, err := w.Write(b.Bytes())
	return err
}

// Line writes the verdict on the run at runPath in one line, for who wants no more.
func Line(w io.Writer, v *audit.Verdict, runPath string) error {
	s := summarize(v)
	parts := append([]string{s.headline()}, s.First()...)
	see := "See " + filepath.Join(runPath, pageName)
	if s.Partial {
		see = "" // the page tells of the audit of all
	}
	for _, text := range append(append([]string{s.worstLine()}, s.belowLines()...), s.compared(), see) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	_, err := fmt.Fprintln(w, strings.Join(parts, " "))
	return err
}

// writeHead says how it was altogether, when, and against the baseline.
func (s *summary) writeHead(b *bytes.Buffer) {
	for _, text := range s.First() {
		fmt.Fprintf(b, "%s\n", wrapped(text, ""))
	}
	fmt.Fprintf(b, "%s\n", s.headline())
	for _, text := range s.opening() {
		fmt.Fprintf(b, "%s\n", text)
	}
	for _, text := range s.differs() {
		fmt.Fprintf(b, "%s\n", spelling.OneName(text))
	}
	b.WriteByte('\n')
}

// writeEnd says where the run and its report are.
func (s *summary) writeEnd(b *bytes.Buffer, runPath string) {
	fmt.Fprintf(b, "Run: %s\n", runPath)
	if !s.Partial {
		fmt.Fprintf(b, "Report: %s\n", filepath.Join(runPath, pageName))
	}
	fmt.Fprintf(b, "%s\n", s.exitLine())
}

// isCalm reports whether a rule was kept, could not be judged, is not applicable or has
// only what is noted, so that there is no case to tell of.
func (p *promise) isCalm() bool {
	switch audit.Judgement(p.Word()) {
	case audit.OK, audit.Undecidable, audit.Idle, audit.Noted:
		return true
	}
	return false
}

// write writes a promise with what became of it, one line.
func (p *promise) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "  %-14s %s [%s: %s]\n", p.Word(), p.Promise, p.Severity, p.result())
}

// writePromises lists what was found of the rules, the worst first, and counts those of
// which there is no case to tell.
func (s *summary) writePromises(b *bytes.Buffer) {
	b.WriteString("Rules:\n")
	calm := map[string]int{}
	for _, p := range s.promises {
		if p.isCalm() {
			calm[p.Word()]++
			continue
		}
		p.write(b)
	}
	for _, c := range []struct {
		judgement audit.Judgement
		what      string
	}{{audit.OK, "in every case that was judged"}, {audit.Noted, "with cases that are legal"}, {audit.Undecidable, "since the log does not record enough"}, {audit.Idle, "since nothing happened that they are about"}} {
		if n := calm[string(c.judgement)]; n > 0 {
			fmt.Fprintf(b, "  %-14s %s, %s\n", c.judgement, count(n, "rule", "rules"), c.what)
		}
	}
}

// writeIncidents spells out the worst incidents that count, one paragraph each.
func (s *summary) writeIncidents(b *bytes.Buffer, runPath string) {
	worst, rest := s.worst(shownIncidents)
	if len(worst) > 0 {
		fmt.Fprintf(b, "\nIncidents, the worst first:\n")
	}
	for _, i := range worst {
		f := i.First()
		fmt.Fprintf(b, "\n  %s (%s, %s%s) %s %s in tree %s\n    %s\n", i.Word(), i.Severity, f.Invariant, i.mark(),
			i.CauseKind, spelling.OneName(i.Cause), spelling.OneName(i.Tree), spelling.OneName(f.Reason))
		if more := i.MoreOfIt(); more != "" {
			fmt.Fprintf(b, "    %s\n", more)
		}
		fmt.Fprintf(b, "    %s; finding %s\n", span(i.From, i.To), f.ID)
	}
	s.writeLeftOver(b, leftOver(len(worst), rest), askSQL(runPath, "SELECT verdict, subject, reason FROM findings"))
}

// writeLeftOver says how many findings are left over, if there are any, and the command that shows them.
func (s *summary) writeLeftOver(b *bytes.Buffer, text, command string) {
	switch {
	case text == "":
	case s.Partial:
		fmt.Fprintf(b, "\n  %s; --output csv has all.\n", text)
	default:
		fmt.Fprintf(b, "\n  %s: %s\n", text, command)
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

// writeGrades says which promises of the configuration could not be kept or verified,
// and why.
func (s *summary) writeGrades(b *bytes.Buffer) {
	if len(s.Promises) == 0 {
		return
	}
	var lines folding
	for _, p := range s.Promises {
		if p.Grade == audit.Impossible || p.Grade == audit.Unverifiable {
			lines.add(fmt.Sprintf("%-12s %s", p.Grade, strings.TrimSpace(p.Statement+" "+strings.TrimSpace(p.Reason+" "+p.Missing))), p.Tree)
		}
	}
	for n, l := range lines.all {
		if n == shownIncidents {
			fmt.Fprintf(b, "  And %d more.\n", len(lines.all)-n)
			break
		}
		if n == 0 {
			b.WriteString("\nPromises that could not be kept or verified:\n")
		}
		text := l.text()
		if len(l.trees) > 1 {
			text += " (" + treesText(l.trees, s.Trees) + ")"
		}
		fmt.Fprintf(b, "  %s\n", spelling.OneName(text))
	}
}

func total[K comparable](taken map[K]int) (n int) {
	for _, k := range taken {
		n += k
	}
	return n
}

// writeDoubts says what could not be judged, by the reason.
func (s *summary) writeDoubts(b *bytes.Buffer) {
	reasons := s.reasons()
	if len(reasons) == 0 {
		return
	}
	fmt.Fprintf(b, "\nNot judged, or only in part:\n")
	for _, r := range reasons {
		titles := strings.Join(r.titles[:min(len(r.titles), shownTitles)], "; ")
		if n := len(r.titles) - shownTitles; n > 0 {
			titles += fmt.Sprintf("; and %d more", n)
		}
		fmt.Fprintf(b, "  %s%s: %s\n", spelling.OneName(r.reason), spelling.OneName(r.where), titles)
	}
}
