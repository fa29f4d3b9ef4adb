package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"poolproof/audit"
	"poolproof/core/quantity"
)

// A Compared says how a comparison of two runs is to be told.
type Compared struct {
	*audit.Comparison
	Kind, Title string
	Names       [2]string // of the runs, as before and after
	Subjects    []string  // shown in full: pools, operations or trees by name, pools also after their tree and a slash

	Believed []Believed // of a what-if: how near its control is to the log
	Notes    []string   // what a reader should know, as sentences

	named []func(*audit.Change) bool // by subject
}

// A Believed is a measure of how near a control is to what was recorded.
type Believed struct {
	Tree, Measure, Unit string
	Recorded, Control   *float64
	Part                *float64 // of both that is the same; nil where there is nothing
	Whole               bool     // Part is of all that the tree used
}

// Document makes a document of a comparison.
func (c *Compared) Document() *Document {
	d := &Document{Kind: c.Kind, Name: c.Title, Heading: []string{c.Title}}
	d.Heading = append(d.Heading, c.answer()...)
	d.Heading = append(d.Heading, c.Notes...)
	c.subjects(d)
	c.trees(d)
	c.pools(d)
	c.operations(d)
	c.findings(d)
	c.first(d)
	c.believed(d)
	return d
}

// Tells reports whether a change is listed with a judgement: changes of trees and subjects are.
func (c *Compared) Tells(m *audit.Change) bool { return m.Kind == "tree" || c.isSubject(m) }

// answered are the metrics that the first sentences tell, in their order: what was got, then what was
// lacking of an entitlement.
var answered = []string{"violations", "unmet_demand", "wait", "duration", "preempted", "lost", "utilization", "starved", "owed_guarantee", "owed_fair_share"}

// answer returns the largest changes, in a sentence for each subject, or for each tree.
func (c *Compared) answer() (sentences []string) {
	if c.First == nil && !slices.ContainsFunc(c.Metrics, func(m audit.Change) bool { return m.Judged() != "same" }) {
		return []string{fmt.Sprintf("Nothing differs: %s and %s hold the same decisions and metrics.", c.Names[0], c.Names[1])}
	}
	for _, of := range grouped(c.Metrics) {
		if len(c.Subjects) == 0 && of[0].Kind != "tree" || len(c.Subjects) > 0 && !c.isSubject(&of[0]) {
			continue
		}
		var clauses []string
		for _, name := range answered {
			for i := range of {
				if m := &of[i]; m.Metric == name && matters(m) {
					clause := fmt.Sprintf("%s %s instead of %s", metricText(name), amountOf(m.After, m.Unit).text, amountOf(m.Before, m.Unit).text)
					if words := judgedText(m); words != "" {
						clause += " (" + words + ")"
					}
					clauses = append(clauses, clause)
				}
			}
		}
		if len(clauses) == 0 {
			clauses = []string{"what it missed, waited for and lost is the same, or nearly"}
		}
		sentences = append(sentences, fmt.Sprintf("%s: %s.", c.whom(&of[0]), strings.Join(clauses, ", ")))
	}
	return sentences
}

// matters reports whether a change is worth the first sentences: more than a hundredth.
func matters(m *audit.Change) bool {
	return math.Abs(m.Delta()) > 0 && math.Abs(m.Delta()) >= 0.01*max(math.Abs(*m.Before), math.Abs(*m.After))
}

// whom names what a change is about.
func (c *Compared) whom(m *audit.Change) string {
	if m.Kind == "tree" {
		return "Tree " + m.Tree
	}
	return fmt.Sprintf("%s %s of tree %s", strings.ToUpper(m.Kind[:1])+m.Kind[1:], m.Element, m.Tree)
}

func metricText(name string) string { return strings.ReplaceAll(name, "_", " ") }

func (c *Compared) isSubject(m *audit.Change) bool {
	if c.named == nil {
		for _, s := range c.Subjects {
			c.named = append(c.named, audit.Named(c.Metrics, s))
		}
	}
	return slices.ContainsFunc(c.named, func(is func(*audit.Change) bool) bool { return is(m) })
}

// grouped are changes by what they are about.
func grouped(all []audit.Change) (groups [][]audit.Change) {
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(m audit.Change) bool {
			return m.Kind != all[0].Kind || m.Tree != all[0].Tree || m.Element != all[0].Element
		})
		if n < 0 {
			n = len(all)
		}
		groups, all = append(groups, all[:n]), all[n:]
	}
	return groups
}

// believed says how near the control is to the log.
func (c *Compared) believed(d *Document) {
	if len(c.Believed) == 0 {
		return
	}
	p := d.add("control", "How near the control is to the recorded log")
	p.Prose = []string{"Both runs are decisions of the core, made of the same arrivals, work, nodes and configurations. The less the control is like the log, the less the difference between them says about the cluster. The grade is good from 90 % of usage in common on, fair from 70 %, and poor below."}
	p.Table = &grid{columns: []column{{"tree", "", "tree"}, {"measure", "", "measure"}, {"recorded", "", "recorded"},
		{"control", "", "control"}, {"unit", "", ""}, {"part", "", "the same"}, {"grade", "", "grade"}}}
	for _, b := range c.Believed {
		part, grade := value{}, value{}
		if b.Part != nil {
			part = value{*b.Part, quantity.Share(*b.Part)}
			if b.Whole {
				grade = word(gradeOf(*b.Part))
			}
		}
		p.Table.Rows = append(p.Table.Rows, []value{word(b.Tree), word(b.Measure), amountOf(b.Recorded, b.Unit), amountOf(b.Control, b.Unit), word(b.Unit), part, grade})
	}
}

// amountOf is an amount that may be missing.
func amountOf(x *float64, unit string) value {
	if x == nil {
		return value{}
	}
	return value{*x, amountText(*x, unit)}
}

// amountText is an amount in a table, in which near ones stay apart.
func amountText(x float64, unit string) string {
	switch {
	case unit == "s" && x < 60:
		return quantity.Seconds(x)
	case unit == "s" && x < 600:
		return quantity.Number(x, 1) + " s"
	case unit == "ratio":
		return quantity.Ratio(x)
	}
	return quantity.Of(x, unit)
}

// changed are the columns of a list of changes.
func (c *Compared) changed() *grid {
	return &grid{columns: []column{
		{"tree", "", "tree"}, {"element_kind", "", ""}, {"element", "", "of"}, {"metric", "", "metric"}, {"before", "", c.Names[0]}, {"after", "", c.Names[1]},
		{"unit", "", ""}, {"change", "", "change"}, {"judged", "", ""}, {"", "", "is"}, {"noise", "", ""},
	}}
}

func changeRow(m *audit.Change) []value {
	change := value{}
	if d := m.Delta(); m.Before != nil && m.After != nil {
		text := amountText(math.Abs(d), m.Unit)
		if change = (value{d, "+" + text}); d < 0 {
			change.text = "-" + text
		} else if d == 0 {
			change.text = ""
		}
	}
	return []value{
		word(m.Tree), word(m.Kind), word(m.Element), {m.Metric, metricText(m.Metric)}, amountOf(m.Before, m.Unit),
		amountOf(m.After, m.Unit), word(m.Unit), change,
		{m.Judged(), ""}, {nil, judgedText(m)}, noiseOf(m),
	}
}

// judgedText says whether a change is better or worse, or why it is neither.
func judgedText(m *audit.Change) string {
	switch j := m.Judged(); {
	case j == "better" || j == "worse":
		return j
	case j == "unclear":
		return "no clear difference"
	case m.Differs && m.Before != nil && m.After != nil:
		return "the " + againstText[m.Against] + " differs"
	}
	return ""
}

// againstText names what metrics are measured against.
var againstText = map[string]string{"guarantee": "guarantee", "fair_share": "fair share", "lost": "lost work"}

// noiseOf returns the change of a metric that counts as noise.
func noiseOf(m *audit.Change) value {
	if m.Noise == nil {
		return value{}
	}
	return value{*m.Noise, amountText(*m.Noise, m.Unit)}
}

// trees lists what changed of whole trees.
func (c *Compared) trees(d *Document) {
	c.list(d.add("trees", "The trees"), func(m *audit.Change) bool { return m.Kind == "tree" })
}

// subjects lists what changed of the subjects.
func (c *Compared) subjects(d *Document) {
	if len(c.Subjects) > 0 {
		c.list(d.add("subject", "The subject"), c.isSubject)
	}
}

// list lists those changes that are any.
func (c *Compared) list(p *passage, of func(m *audit.Change) bool) {
	p.Table = c.changed()
	same := 0
	for i := range c.Metrics {
		switch m := &c.Metrics[i]; {
		case !of(m):
		case m.Judged() == "same":
			same++
		default:
			p.Table.Rows = append(p.Table.Rows, changeRow(m))
		}
	}
	switch {
	case len(p.Table.Rows) == 0:
		p.Table = nil
		p.addLine(0, "No metric changed.")
	case same > 0:
		p.After = fmt.Sprintf("%s did not change.", count(same, "metric", "metrics"))
	}
}

// What is shown of a pool or an operation in a row of its own; more is for programs.
var (
	poolColumns      = []string{"violations", "starved", "owed_guarantee", "owed_fair_share", "unmet_demand", "wait", "preempted", "completed"}
	operationColumns = []string{"violations", "starved", "owed_fair_share", "unmet_demand", "wait", "duration", "preempted", "lost"}
)

const shownElements = 12

// pools lists the pools with differences, a row each, without the subjects.
func (c *Compared) pools(d *Document) {
	c.elements(d.add("pools", c.others("pools, each with those below it")), "pool", poolColumns)
}

func (c *Compared) operations(d *Document) {
	c.elements(d.add("operations", c.others("operations")), "operation", operationColumns)
}

// others is the title of a list in which subjects are not.
func (c *Compared) others(what string) string {
	if len(c.Subjects) > 0 {
		return "Everyone else: " + what
	}
	return strings.ToUpper(what[:1]) + what[1:]
}

// elements lists elements of a kind whose metrics differ, those first whose unmet demand changed most.
func (c *Compared) elements(p *passage, kind string, shown []string) {
	p.Table = &grid{columns: []column{{"tree", "", "tree"}, {"element", "", kind}}, shown: shownElements}
	type rated struct {
		row  []value
		rate float64
	}
	var rows []rated
	for _, of := range grouped(c.Metrics) {
		if of[0].Kind != kind || c.isSubject(&of[0]) {
			continue
		}
		if len(p.Table.columns) == 2 {
			p.Table.columns = append(p.Table.columns, metricColumns(of)...)
		}
		if !slices.ContainsFunc(of, func(m audit.Change) bool { return m.Judged() != "same" }) {
			continue
		}
		r := rated{row: []value{word(of[0].Tree), word(of[0].Element)}}
		for i := range of {
			m := &of[i]
			before, after := bare(m.Before), bare(m.After)
			text := after.text
			if m.Judged() != "same" {
				text = before.text + " → " + after.text
			}
			r.row = append(r.row, value{before.of, ""}, value{after.of, ""}, value{nil, text})
			if m.Metric == "unmet_demand" {
				r.rate = math.Abs(m.Delta())
			}
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b rated) int { return cmp.Compare(b.rate, a.rate) })
	for _, r := range rows {
		p.Table.Rows = append(p.Table.Rows, r.row)
	}
	p.Table.showChanged(shown)
	switch more := p.Table.more(); {
	case len(rows) == 0:
		p.Table = nil
		p.addLine(0, "None fares otherwise.")
	case more > 0:
		p.After = fmt.Sprintf("%d more fare otherwise, whose unmet demand changed less; --output json has all.", more)
	}
}

// bare is a number whose unit stands in the head of its column.
func bare(x *float64) value {
	if x == nil {
		return value{nil, "-"}
	}
	return value{*x, quantity.Number(*x, 2)}
}

// metricColumns are three for a metric: both numbers for programs and one text for people.
func metricColumns(of []audit.Change) (columns []column) {
	for i := range of {
		m := &of[i]
		columns = append(columns, column{m.Metric + "_before", m.Unit, ""}, column{m.Metric + "_after", m.Unit, ""}, column{"", m.Unit, ""})
	}
	return columns
}

// showChanged gives heads to those columns of metrics that are to be shown and in which a shown
// row differs.
func (g *grid) showChanged(metrics []string) {
	for i := 4; i < len(g.columns); i += 3 {
		name := strings.TrimSuffix(g.columns[i-1].name, "_after")
		if slices.Contains(metrics, name) && slices.ContainsFunc(g.cut(), func(row []value) bool { return row[i-2].of != row[i-1].of }) {
			g.columns[i].head = metricText(name) + ", " + g.columns[i].unit
		}
	}
}

// findings lists new and fixed findings.
func (c *Compared) findings(d *Document) {
	p := d.add("findings", "Findings")
	p.Prose = c.After.Baseline.Differs
	p.Table = &grid{columns: []column{{"status", "", "is"}, {"verdict", "", "verdict"}, {"severity", "", "severity"}, {"tree", "", "tree"}, {"subject_kind", "", ""}, {"subject", "", "of"}, {"audit", "", "audit"}, {"finding_id", "", "id"}, {"fingerprint", "", ""}, {"reason", "", ""}}, shown: shownElements}
	persisting := 0
	add := func(f *audit.Finding, status audit.Status) {
		p.Table.Rows = append(p.Table.Rows, []value{word(string(status)), word(verdictOf(*f)), word(string(f.Severity)), word(f.Tree), word(f.SubjectKind), word(f.Subject), word(f.Audit), word(f.ID), word(f.Fingerprint), word(f.Reason)})
	}
	for i := range c.After.Findings {
		switch f := &c.After.Findings[i]; {
		case !f.Alleges():
		case f.Status == audit.New:
			add(f, audit.New)
		default:
			persisting++
		}
	}
	for i := range c.After.Fixed {
		add(&c.After.Fixed[i], audit.Fixed)
	}
	if more := p.Table.more(); more > 0 {
		p.After = fmt.Sprintf("%d more; --output json has all. ", more)
	}
	p.After += fmt.Sprintf("%s in both runs.", count(persisting, "finding is", "findings are"))
	if len(p.Table.Rows) == 0 {
		p.Table = nil
		p.addLine(0, "None is new, and none is fixed.")
	}
}

// shownDifferences bounds the number of differences of a state in a text.
const shownDifferences = 15

// first tells of the first decision that differs and why.
func (c *Compared) first(d *Document) {
	p := d.add("first_decision", "The first decision that differs")
	f := c.First
	if f == nil {
		p.addLine(0, "All decisions are the same.")
		return
	}
	p.Prose = []string{fmt.Sprintf("At %s in tree %s:", stamp(&f.Time), f.Tree)}
	for i, decisions := range [][]audit.Decision{f.Before, f.After} {
		list := alikeDecisions(decisions)
		for _, x := range list[:min(len(list), shownDifferences)] {
			p.Facts = append(p.Facts, fact{"only in " + c.Names[i], decisionsText(x)})
		}
		if more := len(list) - shownDifferences; more > 0 {
			p.Facts = append(p.Facts, fact{"only in " + c.Names[i], fmt.Sprintf("%d more", more)})
		}
	}
	q := d.add("first_cause", "What differs before it")
	if len(f.Causes) == 0 {
		q.addLine(0, "Nothing that the runs hold: the scheduler decided otherwise in the same state.")
		return
	}
	q.Table = &grid{columns: []column{{"kind", "", "kind"}, {"of", "", "of"}, {"name", "", "what"},
		{"before", "", c.Names[0]}, {"after", "", c.Names[1]}}, shown: shownDifferences}
	for _, x := range f.Causes {
		q.Table.Rows = append(q.Table.Rows, []value{word(x.Kind), word(x.Of), word(cmp.Or(x.Name, "it")), word(cmp.Or(x.Before, "none")), word(cmp.Or(x.After, "none"))})
	}
	if more := q.Table.more(); more > 0 {
		q.After = fmt.Sprintf("%d more; --output json has all.", more)
	}
}
