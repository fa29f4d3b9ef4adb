package env

import (
	"cmp"
	"errors"
	"slices"

	"poolproof/core"
	"poolproof/replay/tables"
)

// An Output is the result tables of one tree. The rooms open the tables that they fill. The first
// error sticks: adding rows does not check it, the run does so now and then.
type Output struct {
	dir, tree    string
	dictionaries *tables.Dictionaries
	all          []closer
	Err          error
}

type closer interface {
	Close() (tables.File, error)
	Abort()
}

// NewOutput returns an output that writes below a directory.
func NewOutput(dir, tree string, d *tables.Dictionaries) *Output {
	return &Output{dir: dir, tree: tree, dictionaries: d}
}

// A Table is one result table of a tree, open for writing.
type Table[Row any] struct {
	out    *Output
	writer *tables.Writer[Row]
}

// Open opens the table of a kind of row.
func Open[Row any](o *Output) Table[Row] {
	t := Table[Row]{out: o}
	if o.Err != nil {
		return t
	}
	if t.writer, o.Err = tables.NewWriter[Row](o.dir, o.tree, o.dictionaries); o.Err == nil {
		o.all = append(o.all, t.writer)
	}
	return t
}

// Add appends a row and keeps the first error.
func (t *Table[Row]) Add(row *Row) {
	if t.out.Err == nil {
		t.out.Err = t.writer.Append(row)
	}
}

// Close completes the files, in the order in which they were opened.
func (o *Output) Close() ([]tables.File, error) {
	if o.Err != nil {
		return nil, o.Err
	}
	var files []tables.File
	for len(o.all) > 0 {
		w := o.all[0]
		o.all = o.all[1:]
		file, err := w.Close()
		if err != nil {
			o.Abort()
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// Abort gives up what was written.
func (o *Output) Abort() {
	for _, w := range o.all {
		w.Abort()
	}
	o.all = nil
	o.Err = cmp.Or(o.Err, errAborted)
}

var errAborted = errors.New("the tables were given up")

// A Batch holds the rows of a table that close at one instant, to write them in the order
// of their elements (design §6).
type Batch[Row any] struct {
	table   Table[Row]
	rows    []Row
	order   []int32 // of the rows, which are too wide to be moved about
	to      core.Time
	compare func(a, b *Row) int
}

// OpenBatch opens the table of a kind of row, whose rows are written in an order.
func OpenBatch[Row any](o *Output, compare func(a, b *Row) int) Batch[Row] {
	return Batch[Row]{table: Open[Row](o), compare: compare}
}

// Add adds a row that closes at an instant.
func (b *Batch[Row]) Add(to core.Time, row *Row) {
	if to != b.to {
		b.Flush()
		b.to = to
	}
	b.rows = append(b.rows, *row)
}

// Flush writes the rows of the instant.
func (b *Batch[Row]) Flush() {
	b.order = b.order[:0]
	for i := range b.rows {
		b.order = append(b.order, int32(i))
	}
	slices.SortStableFunc(b.order, func(x, y int32) int { return b.compare(&b.rows[x], &b.rows[y]) })
	for _, i := range b.order {
		b.table.Add(&b.rows[i])
	}
	b.rows = b.rows[:0]
}

// WriteTable writes the rows of a table in one file. Problems of the trace itself
// stand in a file of no tree.
func WriteTable[Row any](dir, tree string, d *tables.Dictionaries, rows []Row) (tables.File, error) {
	w, err := tables.NewWriter[Row](dir, tree, d)
	if err != nil {
		return tables.File{}, err
	}
	for i := range rows {
		if err := w.Append(&rows[i]); err != nil {
			w.Abort()
			return tables.File{}, err
		}
	}
	return w.Close()
}
