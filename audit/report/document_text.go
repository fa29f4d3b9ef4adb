package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"poolproof/core/spelling"
)

// text writes a document for a terminal.
func (d *Document) text(b *bytes.Buffer) {
	for _, text := range d.Heading {
		fmt.Fprintf(b, "%s\n", spelling.OneName(text))
	}
	for _, p := range d.Passages {
		p.text(b)
	}
}

// text writes a passage, indented below its title.
func (p *passage) text(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n%s\n", spelling.OneName(p.Title))
	for _, text := range p.Prose {
		fmt.Fprintf(b, "  %s\n", wrapped(text, "  "))
	}
	for _, l := range p.Lines {
		fmt.Fprintf(b, "  %s%s\n", strings.Repeat("  ", l.Depth), spelling.OneName(l.Text))
	}
	width := 24
	for _, f := range p.Facts {
		width = min(max(width, utf8.RuneCountInString(f.Name)), 36)
	}
	for _, f := range p.Facts {
		fmt.Fprintf(b, "  %-*s %s\n", width, spelling.OneName(f.Name), wrapped(f.Text, strings.Repeat(" ", width+3)))
	}
	if p.Table != nil && len(p.Lines) == 0 {
		p.Table.text(b)
	}
	if p.After != "" {
		fmt.Fprintf(b, "  %s\n", spelling.OneName(p.After))
	}
	for _, c := range p.Commands {
		fmt.Fprintf(b, "  %s\n", c.Text)
		if c.Note != "" {
			fmt.Fprintf(b, "    %s\n", c.Note)
		}
	}
}

// text writes the columns that have a head, texts at the left and numbers at the right of
// their column.
func (g *grid) text(b *bytes.Buffer) {
	if text := g.constant(); text != "" {
		fmt.Fprintf(b, "  %s\n", text)
	}
	columns, rows := g.forPeople()
	if len(rows) == 0 {
		return
	}
	width := make([]int, len(columns))
	for i, head := range columns {
		width[i] = utf8.RuneCountInString(head)
		for _, row := range rows {
			width[i] = max(width[i], utf8.RuneCountInString(row[i]))
		}
	}
	left := g.worded()
	for _, row := range append([][]string{columns}, rows...) {
		var line strings.Builder
		for i, text := range row {
			space := strings.Repeat(" ", width[i]-utf8.RuneCountInString(text))
			if left[i] {
				line.WriteString("  " + text + space)
			} else {
				line.WriteString("  " + space + text)
			}
		}
		fmt.Fprintf(b, "%s\n", strings.TrimRight(line.String(), " "))
	}
}
