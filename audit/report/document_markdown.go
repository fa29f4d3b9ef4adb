package report

import (
	"bytes"
	"fmt"
	"strings"
)

// markdown writes a document as a page.
func (d *Document) markdown(b *bytes.Buffer) {
	for i, text := range d.Heading {
		if i == 0 {
			text = "# " + cell(text)
		} else {
			text = cell(text)
		}
		fmt.Fprintf(b, "%s\n\n", text)
	}
	for _, p := range d.Passages {
		p.markdown(b)
	}
}

func (p *passage) markdown(b *bytes.Buffer) {
	fmt.Fprintf(b, "## %s\n\n", cell(p.Title))
	for _, text := range p.Prose {
		fmt.Fprintf(b, "%s\n\n", cell(text))
	}
	if p.Table == nil {
		for _, l := range p.Lines {
			fmt.Fprintf(b, "%s- %s\n", strings.Repeat("  ", l.Depth), cell(l.Text))
		}
		if len(p.Lines) > 0 {
			b.WriteByte('\n')
		}
	}
	if len(p.Facts) > 0 {
		var rows [][]string
		for _, f := range p.Facts {
			rows = append(rows, []string{f.Name, f.Text})
		}
		markdownTable(b, []string{"", ""}, rows)
	}
	if p.Table != nil {
		if text := p.Table.constant(); text != "" {
			fmt.Fprintf(b, "%s\n\n", text)
		}
		heads, rows := p.Table.forPeople()
		if len(rows) > 0 {
			markdownTable(b, heads, rows)
		}
	}
	if p.After != "" {
		fmt.Fprintf(b, "%s\n\n", cell(p.After))
	}
	if len(p.Commands) > 0 {
		b.WriteString("```sh\n")
		for _, c := range p.Commands {
			b.WriteString(c.Text)
			if c.Note != "" {
				b.WriteString("  # " + c.Note)
			}
			b.WriteByte('\n')
		}
		b.WriteString("```\n\n")
	}
}

func markdownTable(b *bytes.Buffer, heads []string, rows [][]string) {
	for i, row := range append([][]string{heads}, rows...) {
		for _, text := range row {
			fmt.Fprintf(b, "| %s ", strings.TrimSpace(cell(text)))
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
		}
	}
	b.WriteByte('\n')
}
