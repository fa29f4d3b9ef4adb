package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"poolproof/audit"
)

// timelineOf is a grid of a time and two columns; a row is three words, "-" is a gap.
func timelineOf(rows ...string) *grid {
	g := &grid{folds: true, columns: []column{{"from_time", "UTC", "  from"}, {"usage_ratio", "share", "usage"}, {"demand_ratio", "share", "demand"}}}
	for _, row := range rows {
		texts := strings.Split(row, ",")
		of := []value{{texts[0], texts[0]}, {1.0, texts[1]}, {2.0, texts[2]}}
		if texts[1] == "-" {
			of[1], of[2] = value{nil, "not there"}, value{}
		}
		g.Rows = append(g.Rows, of)
	}
	return g
}

func TestWhatStaysConstantIsToldOnce(t *testing.T) {
	for name, c := range map[string]struct {
		rows []string
		want string
	}{
		"a column": {[]string{"  1,5 %,9 %", "  2,6 %,9 %"}, `
  All the time: demand 9 %.
    from  usage
    1       5 %
    2       6 %
`},
		"rows, which hold on": {[]string{"  1,5 %,9 %", "  2,5 %,9 %", "  3,6 %,8 %"}, `
    from  usage  demand
    1       5 %     9 %
    3       6 %     8 %
`},
		"not over a mark": {[]string{"  1,5 %,9 %", "> 2,5 %,9 %", "> 3,5 %,9 %", "  4,6 %,9 %"}, `
  All the time: demand 9 %.
    from  usage
    1       5 %
  > 2       5 %
    4       6 %
`},
		"everything": {[]string{"  1,5 %,9 %", "  2,5 %,9 %"}, `
  All the time: usage 5 %, demand 9 %.
`},
		"but for gaps": {[]string{"  1,-,-", "  2,5 %,9 %", "  3,5 %,9 %", "  4,-,-", "  5,-,-"}, `
  All the time that it was there: demand 9 %.
    from      usage
    1     not there
    2           5 %
    4     not there
`},
		"nothing of one row": {[]string{"  1,5 %,9 %"}, `
    from  usage  demand
    1       5 %     9 %
`},
	} {
		var b bytes.Buffer
		timelineOf(c.rows...).text(&b)
		if got := b.String(); got != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

// A program gets all rows and columns, and never what is no number.
func TestTheRowsOfAProgram(t *testing.T) {
	g := timelineOf("  1,5 %,9 %", "  2,5 %,9 %", "  3,-,-")
	g.columns = append(g.columns, column{"", "", "for people"}, column{"satisfaction", "", ""})
	for i, x := range []float64{math.Inf(1), math.NaN(), 0.5} {
		g.Rows[i] = append(g.Rows[i], value{1.0, "x"}, value{of: x})
	}
	text, err := json.Marshal((&passage{Table: g}).json().Rows)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"from_time":"  1","usage_ratio":1,"demand_ratio":2,"satisfaction":null},` +
		`{"from_time":"  2","usage_ratio":1,"demand_ratio":2,"satisfaction":null},` +
		`{"from_time":"  3","usage_ratio":null,"demand_ratio":null,"satisfaction":0.5}]`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// On the page of explain, too, ids are short and whole, and what stands beside them is escaped.
func TestIDsOfAnExplanationAreShortened(t *testing.T) {
	const id, short = "40648247-b4cb44af-852e63e8-90ff8620", ">40648247<i>-b4cb44af-852e63e8-</i>90ff8620</code>"
	g := timelineOf("  1,5 %,9 %")
	g.Rows[0][1].text = "job " + id
	d := Document{Heading: []string{"operation " + id, "<b> " + id}, Passages: []*passage{{Title: "about " + id, Prose: []string{id}, Lines: []line{{0, "a line, in place of which the page has a table"}}, Facts: []fact{{"job", id}}, Table: g, After: "after " + id,
		Commands: []command{{"poolproof explain run " + id, ""}}}, {Title: "lines", Lines: []line{{0, id}}}}}
	var b bytes.Buffer
	if err := WriteDocuments(&b, "html", &audit.Verdict{}, []*Document{&d}); err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(b.String(), "<main>")
	if n := strings.Count(page, short); n != 8 {
		t.Errorf("%d ids are short, want 8:\n%s", n, page)
	}
	if n := strings.Count(page, id); n != 8+2 { // as titles, in the command and in the name of the table
		t.Errorf("%d ids are whole, want 10", n)
	}
	if strings.Contains(page, "<b> ") {
		t.Error("a text is not escaped")
	}
}
