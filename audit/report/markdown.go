package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"poolproof/audit"
	"poolproof/core/spelling"
)

// Markdown writes the verdict on the run at runPath as a page.
func Markdown(w io.Writer, v *audit.Verdict, runPath string) error {
	s := summarize(v)
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n", cell(s.headline()))
	for _, text := range append(s.First(), s.opening()...) {
		fmt.Fprintf(&b, "%s\n\n", text)
	}
	fmt.Fprintf(&b, "Run: `%s`\n\n", runPath)
	for _, text := range s.differs() {
		fmt.Fprintf(&b, "%s\n\n", cell(text))
	}
	s.markdownScorecard(&b)
	s.markdownIncidents(&b)
	s.markdownDamage(&b)
	s.markdownGrades(&b)
	notes := append(s.coverageLines(), s.agreements()...)
	if doubts := append(notes, s.warnings()...); len(doubts) > 0 {
		b.WriteString("\n## Coverage and notices\n\n")
		for _, d := range doubts {
			fmt.Fprintf(&b, "- %s\n", cell(d))
		}
	}
	if doubts := s.doubts(); len(doubts) > 0 {
		b.WriteString("\n## Not judged, or only in part\n\n")
		for _, d := range doubts {
			fmt.Fprintf(&b, "- %s: %s%s\n", cell(d.title), cell(d.text()), cell(s.where(d)))
		}
	}
	b.WriteString("\n## All rules\n\n| verdict | severity | rule | what was found |\n| --- | --- | --- | --- |\n")
	for _, p := range s.promises {
		fmt.Fprintf(&b, "| %s | %s | %s (%s) | %s |\n", p.Word(), p.Severity, cell(p.Promise), strings.Join(p.Invariants, ", "), cell(p.result()))
	}
	verdicts, grades := s.used()
	b.WriteString("\n## Words of findings and rules\n\n")
	writeMeanings(&b, verdicts)
	if len(grades) > 0 {
		b.WriteString("\n## Words of promises\n\n")
		writeMeanings(&b, grades)
	}
	fmt.Fprintf(&b, "\n%s\n", s.exitLine())
	_, err := w.Write(b.Bytes())
	return err
}

func writeMeanings(b *bytes.Buffer, words []meaning) {
	for _, m := range words {
		fmt.Fprintf(b, "- %s: %s\n", m.Word, m.Means)
	}
}

func (s *summary) markdownIncidents(b *bytes.Buffer) {
	worst, rest := s.worst(shownIncidents)
	if len(worst) > 0 {
		b.WriteString("\n## Incidents, the worst first\n")
	}
	markdownRows(b, worst, rest)
	if len(s.Fixed) > 0 {
		b.WriteString("\n## Fixed since the baseline\n\n")
		for n, f := range s.Fixed {
			if n == shownIncidents {
				fmt.Fprintf(b, "- and %d more\n", len(s.Fixed)-n)
				break
			}
			fmt.Fprintf(b, "- %s (%s, tree %s)\n", cell(f.Reason), f.Invariant, cell(f.Tree))
		}
	}
}

// markdownRows lists incidents, and says how many findings are left over.
func markdownRows(b *bytes.Buffer, shown []incident, rest map[audit.Judgement]int) {
	if len(shown) > 0 {
		b.WriteString("\n| verdict | tree | subject | time | finding |\n| --- | --- | --- | --- | --- |\n")
	}
	for _, i := range shown {
		fmt.Fprintf(b, "| %s (%s%s) | %s | %s %s | %s | %s (%s) `%s` |\n",
			i.Word(), i.Severity, i.mark(), cell(i.Tree), i.CauseKind, cell(i.Cause), span(i.From, i.To), cell(i.text()), i.First().Invariant, i.First().ID)
	}
	if text := leftOver(len(shown), rest); text != "" {
		fmt.Fprintf(b, "\n%s: see the table `findings` of the run.\n", text)
	}
}

// markdownScorecard writes the scorecard without promises that were kept or not tested. It includes
// kept guarantees that were unmet for a long time.
func (s *summary) markdownScorecard(b *bytes.Buffer) {
	rest := 0
	head := "## Scorecard\n\n| grade | time kept | tree | pool | promise | trend | worst |\n| --- | --- | --- | --- | --- | --- | --- |\n"
	for _, r := range folded(s.scores()) {
		if !r.isBad() {
			rest += r.Count
			continue
		}
		fmt.Fprintf(b, "%s| %s | %s | %s | %s | %s | %s | %s |\n", head, r.Grade, r.Kept, cell(r.Trees), cell(r.Name), cell(r.Kind), r.Trend, cell(r.Short))
		head = ""
	}
	if head == "" {
		b.WriteString("\n" + timeKept + "\n")
	}
	if rest > 0 && head == "" {
		fmt.Fprintf(b, "\nAnd %s that were kept or never tested: the table `scorecard` of the run has all.\n", number(int64(rest)))
	}
}

// shownPromises bounds the number of promises of the configuration on a page.
const shownPromises = 200

func (s *summary) markdownGrades(b *bytes.Buffer) {
	if len(s.Promises) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## Promises of the configuration\n\n%s.\n\n| grade | tree | subject | promise | why |\n| --- | --- | --- | --- | --- |\n", s.Grades())
	rows := foldedPromises(s.Promises)
	for n, r := range rows {
		if n == shownPromises {
			fmt.Fprintf(b, "\nAnd %s more, none of them worse.\n", number(int64(len(rows)-n)))
			break
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", r.grade, cell(r.trees()), cell(r.who()), cell(r.statement.text()), cell(r.why.text()))
	}
}

// nameOf returns the owner of a promise, a pool by its path.
func nameOf(p audit.Promise) string {
	if p.Path != "" {
		return p.Path
	}
	return p.Subject
}

// cell escapes a text for Markdown, tables included. A line break within it is one of a sentence.
func cell(text string) string {
	return inMarkdown.Replace(spelling.OneName(strings.ReplaceAll(text, "\n", " ")))
}

var inMarkdown = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "|", `\|`, "<", "&lt;", "&", "&amp;", "`", "'", "*", `\*`, "_", `\_`, "~", `\~`)
