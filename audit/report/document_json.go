package report

import (
	"bytes"
	"encoding/json"
	"math"

	"poolproof/audit"
)

// ExplanationVersion is the version of the format of explain --output json. It goes up
// when a key changes its meaning or goes away; new keys leave it.
const ExplanationVersion = 2

// An explanationFile is the answer of explain in JSON, explained in audit/FINDINGS.md.
type explanationFile struct {
	SchemaVersion int            `json:"schema_version"`
	Cluster       string         `json:"cluster"`
	Profile       string         `json:"profile"`
	From          string         `json:"from"`
	To            string         `json:"to"`
	Explanations  []documentJSON `json:"explanations"`
}

type documentJSON struct {
	Kind     string         `json:"kind"`
	Name     string         `json:"name"`
	Tree     string         `json:"tree"`
	From     *string        `json:"from_time"`
	To       *string        `json:"to_time"`
	Heading  []string       `json:"heading"`
	Finding  *audit.Finding `json:"finding"`
	Sections []sectionJSON  `json:"sections"`
}

type sectionJSON struct {
	Section  string        `json:"section"`
	Title    string        `json:"title"`
	Text     []string      `json:"text"`
	Facts    []factJSON    `json:"facts"`
	Columns  []columnJSON  `json:"columns"`
	Rows     []rowJSON     `json:"rows"`
	Commands []commandJSON `json:"commands"`
}

type factJSON struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

type columnJSON struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
}

type commandJSON struct {
	Command string `json:"command"`
	Note    string `json:"note"`
}

// A rowJSON is an object of the named columns in their order.
type rowJSON struct {
	columns []column
	values  []value
}

func (r rowJSON) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i, c := range r.columns {
		if c.name == "" {
			continue // for people
		}
		b.WriteByte("{,"[min(b.Len(), 1)])
		if err := e.Encode(c.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(finite(r.values[i].of)); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// finite converts a value for JSON: NaN and infinities become null.
func finite(x any) any {
	if f, ok := x.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return nil
	}
	return x
}

// explanationJSON writes the answer of explain for programs.
func explanationJSON(b *bytes.Buffer, v *audit.Verdict, documents []*Document) error {
	f := explanationFile{SchemaVersion: ExplanationVersion, Cluster: v.Cluster, Profile: v.Profile, From: v.From, To: v.To, Explanations: []documentJSON{}}
	for _, d := range documents {
		f.Explanations = append(f.Explanations, d.json())
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false) // <Root> is a pool, and this is not a web page
	e.SetIndent("", "  ")
	return e.Encode(f)
}

// json is a document for programs: of its tables all rows.
func (d *Document) json() documentJSON {
	of := documentJSON{Kind: d.Kind, Name: d.Name, Tree: d.Tree, Heading: d.Heading, Finding: d.Finding, Sections: []sectionJSON{}}
	if d.From != nil {
		from := stamp(d.From)
		of.From = &from
	}
	if d.To != nil {
		to := stamp(d.To)
		of.To = &to
	}
	for _, p := range d.Passages {
		of.Sections = append(of.Sections, p.json())
	}
	return of
}

func (p *passage) json() sectionJSON {
	s := sectionJSON{p.Key, p.Title, append([]string{}, p.Prose...), []factJSON{}, []columnJSON{}, []rowJSON{}, []commandJSON{}}
	for _, f := range p.Facts {
		s.Facts = append(s.Facts, factJSON(f))
	}
	if g := p.Table; g != nil {
		for _, c := range g.columns {
			if c.name != "" {
				s.Columns = append(s.Columns, columnJSON{c.name, c.unit})
			}
		}
		for _, row := range g.Rows {
			s.Rows = append(s.Rows, rowJSON{g.columns, row})
		}
	} else {
		for _, l := range p.Lines {
			s.Text = append(s.Text, l.Text)
		}
	}
	for _, c := range p.Commands {
		s.Commands = append(s.Commands, commandJSON{c.Text, c.Note})
	}
	return s
}
