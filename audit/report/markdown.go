package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"poolproof/audit"
)

// Markdown writes the verdict on the run at runPath as a page.
func Markdown(w io.Writer, v *audit.Verdict, runPath string) error {
	s := summarize(v)
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s to %s, %s, profile %s; %.0f %% of what was asked could be judged. Run: `%s`\n\n",
		cell(s.headline()), v.From, v.To, count(len(v.Trees), "tree", "trees"), v.Profile, 100*v.Coverage(), runPath)
	b.WriteString("| verdict | severity | promise | what was found |\n| --- | --- | --- | --- |\n")
	for _, p := range s.promises {
		fmt.Fprintf(&b, "| %s | %s | %s (%s) | %s |\n", p.word(), p.Severity, cell(p.Promise), strings.Join(p.Invariants, ", "), cell(p.result()))
	}
	worst, rest := s.worst()
	if len(worst) > 0 {
		b.WriteString("\n## The worst first\n\n| verdict | tree | subject | time | finding |\n| --- | --- | --- | --- | --- |\n")
		for _, f := range worst {
			fmt.Fprintf(&b, "| %s (%s) | %s | %s %s | %s | %s `%s` |\n",
				words[f.Verdict], f.Severity, cell(f.Tree), f.SubjectKind, cell(f.Subject), span(f), cell(f.Reason), f.ID)
		}
	}
	if text := leftOver(len(worst), rest); text != "" {
		fmt.Fprintf(&b, "\n%s: see the table `findings` of the run.\n", text)
	}
	if doubts := s.doubts(); len(doubts) > 0 {
		b.WriteString("\n## Not judged, or not wholly\n\n")
		for _, d := range doubts {
			fmt.Fprintf(&b, "- %s: %s%s\n", cell(d.title), cell(d.reason), cell(s.where(d)))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// cell escapes a text for Markdown, tables included.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "`", "'", "\n", " ", "*", `\*`, "_", `\_`).Replace(text)
}
