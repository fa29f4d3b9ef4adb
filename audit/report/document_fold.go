package report

import (
	"slices"
	"strings"

	"poolproof/core/spelling"
)

// forPeople are the heads and the texts of what a person is shown. Of a grid that folds, a row
// that says the same as the one before it is left out, which then holds on.
func (g *grid) forPeople() (heads []string, rows [][]string) {
	shown := g.forReading()
	for i, c := range g.columns {
		if shown[i] {
			heads = append(heads, c.head)
		}
	}
	if len(heads) == 1 && g.folds {
		return nil, nil // nothing changes
	}
	for n, row := range g.cut() {
		var texts []string
		for i, v := range row {
			if shown[i] {
				texts = append(texts, spelling.OneName(v.text))
			}
		}
		if g.folds && n > 0 && g.says(n) == g.says(n-1) {
			continue
		}
		rows = append(rows, texts)
	}
	return heads, rows
}

// forReading selects the columns for users: those with a head and some content, without the
// constant ones of a folding grid, which constant returns.
func (g *grid) forReading() []bool {
	shown := g.stable()
	for i, c := range g.columns {
		says := len(g.Rows) == 0 || slices.ContainsFunc(g.Rows, func(row []value) bool { return row[i].text != "" })
		shown[i] = c.head != "" && says && !shown[i]
	}
	return shown
}

// says returns the text of row n about its start: the mark before the time, and the rest.
func (g *grid) says(n int) string {
	texts := []string{g.Rows[n][0].text[:markWidth]}
	for i, v := range g.Rows[n] {
		if i > 0 && g.columns[i].head != "" {
			texts = append(texts, v.text)
		}
	}
	return strings.Join(texts, "\x00")
}

// markWidth is that of the mark before the times of a grid that folds.
const markWidth = 2

// constant tells what stays the same over all rows: "All the time: demand 12.0 %."
func (g *grid) constant() string {
	var parts []string
	for i, same := range g.stable() {
		if same {
			parts = append(parts, g.columns[i].head+" "+g.Rows[g.first()][i].text)
		}
	}
	switch {
	case parts == nil:
		return ""
	case g.hasGaps():
		return "All the time that it was there: " + strings.Join(parts, ", ") + "."
	}
	return "All the time: " + strings.Join(parts, ", ") + "."
}

// stable are the columns whose text is the same in all rows with values, where there are
// several. The first with values stays where others have none, since it says so.
func (g *grid) stable() []bool {
	same := make([]bool, len(g.columns))
	first := g.first()
	if !g.folds || first < 0 || len(g.Rows) < 2 {
		return same
	}
	saysSo := g.hasGaps()
	for i, c := range g.columns {
		if i == 0 || c.head == "" {
			continue
		}
		same[i] = !saysSo && !slices.ContainsFunc(g.Rows, func(row []value) bool {
			return !isGap(row) && row[i].text != g.Rows[first][i].text
		})
		saysSo = false
	}
	return same
}

// first is the first row with values; -1 without one.
func (g *grid) first() int {
	return slices.IndexFunc(g.Rows, func(row []value) bool { return !isGap(row) })
}

func (g *grid) hasGaps() bool { return slices.ContainsFunc(g.Rows, isGap) }

// isGap reports whether a row has nothing but its time.
func isGap(row []value) bool { return row[len(row)-1].of == nil }

// worded reports of the columns that a person is shown which of them hold texts alone; the
// first counts as one.
func (g *grid) worded() (all []bool) {
	for i, shown := range g.forReading() {
		if !shown {
			continue
		}
		all = append(all, len(all) == 0 || !slices.ContainsFunc(g.Rows, func(row []value) bool {
			_, isText := row[i].of.(string)
			return row[i].of != nil && !isText
		}))
	}
	return all
}
