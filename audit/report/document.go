package report

import (
	"fmt"
	"time"

	"poolproof/audit"
)

// A Document tells of one finding or subject, whatever the format: lines that say which,
// then passages.
type Document struct {
	Kind     string         // finding, operation, pool, tree, node or job
	Name     string         // id of the finding, the operation or the job, else the name
	Tree     string         // its tree
	From, To *time.Time     // the time it tells of; nil where the log does not record it
	Finding  *audit.Finding // what it tells of, if that is a finding

	Heading  []string // the first is the title
	Passages []*passage
}

// A passage is a part of a document under a title. What it has stands in the order of
// the fields.
type passage struct {
	Key, Title string
	Prose      []string
	Lines      []line // of a table what a terminal shows in its place
	Facts      []fact
	Picture    *stack // of a page, above the table
	Table      *grid
	After      string
	Commands   []command
}

// A line is one sentence, at a depth: what belongs to the line above is one deeper.
type line struct {
	Depth int
	Text  string
}

// A command is a command line that shows more, and what it shows.
type command struct{ Text, Note string }

// A grid is a table: for a person the columns with a head, the rows that are shown and
// the texts of the values; for a program all of it, and the values.
type grid struct {
	columns []column
	Rows    [][]value
	shown   int  // most rows that a person is shown; 0 is all
	folds   bool // what stays the same is shown to a person once; the first column is the time from which a row holds
}

// A column is one of a grid; its name and unit are those of the result tables. One
// without a name is for people alone, one without a head for programs.
type column struct{ name, unit, head string }

// A value is one of a grid: of a program, nil where there is none, and of a person.
type value struct {
	of   any
	text string
}

// add begins a passage.
func (d *Document) add(key, title string) *passage {
	p := &passage{Key: key, Title: title}
	d.Passages = append(d.Passages, p)
	return p
}

func (p *passage) addLine(depth int, format string, args ...any) {
	p.Lines = append(p.Lines, line{depth, fmt.Sprintf(format, args...)})
}

func (p *passage) show(text, note string) { p.Commands = append(p.Commands, command{text, note}) }

// cut are the rows that a person is shown.
func (g *grid) cut() [][]value {
	if g.shown > 0 && len(g.Rows) > g.shown {
		return g.Rows[:g.shown]
	}
	return g.Rows
}

// more returns the number of rows that are not shown.
func (g *grid) more() int { return len(g.Rows) - len(g.cut()) }

// word is a value that reads the same for a person and a program.
func word(text string) value { return value{text, text} }

// wordOrNone is a word; none where it is empty.
func wordOrNone(text string) value {
	if text == "" {
		return value{}
	}
	return word(text)
}

// moment is an instant of the log.
func moment(t time.Time) value { return value{stamp(&t), clock(t)} }

// instantOrNone is an instant; none where the log does not record it.
func instantOrNone(t *time.Time) value {
	if t == nil {
		return value{}
	}
	return moment(*t)
}
