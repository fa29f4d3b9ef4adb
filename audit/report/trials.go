package report

import (
	"fmt"
	"slices"
	"strings"

	"poolproof/audit"
	"poolproof/core/quantity"
)

// Trials are runs under several edits, a row each.
type Trials struct {
	Kind, Title string
	Heading     []string // sentences
	Measures    []audit.Measure
	Judges      bool // rows say whether a condition holds
	Rows        []TrialRow
	Believed    []Believed
}

// A TrialRow holds the results of some edits.
type TrialRow struct {
	Name   string
	Values []*audit.Change // by measure
	Holds  bool

	Refused []string // the rules by which a cluster refuses its configuration, so that it was not tried
	Notes   []string // what else a reader should know, as sentences
}

// Document makes a document of them.
func (t *Trials) Document() *Document {
	d := &Document{Kind: t.Kind, Name: t.Title, Heading: append([]string{t.Title}, t.Heading...)}
	p := d.add("trials", "What came of each")
	p.Table = &grid{columns: []column{{"edit", "", "edit"}}}
	for i, m := range t.Measures {
		unit := ""
		if len(t.Rows) > 0 {
			unit = t.Rows[0].Values[i].Unit
		}
		p.Table.columns = append(p.Table.columns, column{m.String(), unit, metricText(m.Metric) + " of " + m.Subject})
	}
	if t.Judges {
		p.Table.columns = append(p.Table.columns, column{"holds", "", "holds"})
	}
	refuses := slices.ContainsFunc(t.Rows, func(r TrialRow) bool { return len(r.Refused) > 0 })
	if refuses {
		p.Prose = []string{"A configuration that a cluster refuses was not tried."}
		p.Table.columns = append(p.Table.columns, column{"refused", "", "refused"})
	}
	for _, r := range t.Rows {
		row := []value{word(r.Name)}
		for _, c := range r.Values {
			row = append(row, amountOf(c.After, c.Unit))
		}
		if t.Judges {
			holds := value{r.Holds, yesNo(r.Holds)}
			if len(r.Refused) > 0 {
				holds = value{}
			}
			row = append(row, holds)
		}
		if refuses {
			row = append(row, word(strings.Join(r.Refused, "; ")))
		}
		p.Table.Rows = append(p.Table.Rows, row)
	}
	(&Compared{Believed: t.Believed}).believed(d)
	return d
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// Grades of a control, by the part of the usage of its tree that it has in common with the log, pool by
// pool over time.
const (
	goodControl = 0.9
	fairControl = 0.7
)

// gradeOf returns the grade of a control by the part of its usage that agrees with the log.
func gradeOf(part float64) string {
	switch {
	case part >= goodControl:
		return "good"
	case part >= fairControl:
		return "fair"
	}
	return "poor"
}

// CommonUsage says how well the control of each tree reproduces the log.
func CommonUsage(believed []Believed) (sentences []string) {
	for _, b := range believed {
		switch {
		case !b.Whole:
		case b.Part == nil:
			sentences = append(sentences, fmt.Sprintf("Nobody used anything in tree %s, neither in the control nor in the recorded log: how near they are cannot be said.", b.Tree))
		default:
			text := fmt.Sprintf("The control of tree %s reproduces the recorded log with grade %s: they have %s of their usage in common, pool by pool over time.", b.Tree, gradeOf(*b.Part), quantity.Share(*b.Part))
			if gradeOf(*b.Part) == "poor" {
				text += " What differs between the two runs says little about the cluster."
			}
			sentences = append(sentences, text)
		}
	}
	return sentences
}
