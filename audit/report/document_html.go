package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"poolproof/audit"
	"poolproof/core/spelling"
)

//go:embed page/explain.html
var explainTemplate string

//go:embed page/stack.html
var stackTemplate string

var explainHTML = template.Must(template.New("explain").Funcs(template.FuncMap{
	"plain":    spelling.OneName,
	"ids":      func(text string) template.HTML { return shortIDs(spelling.OneName(text)) },
	"isLong":   func(text string) bool { return len(text) > 40 }, // a sentence, which may break
	"constant": (*grid).constant,
	"heads":    func(g *grid) []string { heads, _ := g.forPeople(); return heads },
	"trimmed":  strings.TrimSpace,
	"rows":     func(g *grid) [][]string { _, rows := g.forPeople(); return rows },
}).Parse(explainTemplate + stackTemplate))

// An explainPage holds the data of explain's template.
type explainPage struct {
	Cluster   string
	Documents []*Document
	Policy    template.HTML
	Style     template.CSS
}

// Sentences returns the lines except placeholders of tables.
func (p *passage) Sentences() []line {
	if p.Table != nil {
		return nil
	}
	return p.Lines
}

// explanationPage writes documents as one page that needs nothing else and runs no
// script.
func explanationPage(b *bytes.Buffer, v *audit.Verdict, documents []*Document) error {
	style := chartStyle + pageStyle
	page := explainPage{Cluster: v.Cluster, Documents: documents, Style: template.CSS(style),
		Policy: template.HTML(fmt.Sprintf("default-src 'none'; style-src '%s'", digestOf(style)))}
	if err := explainHTML.Execute(b, page); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
