package env

import (
	"cmp"
	"errors"
	"slices"

	"poolproof/core"
	"poolproof/replay/lane"
	"poolproof/replay/tables"
)

// An Output holds the result tables of one tree. Recorders open the tables that they fill. A
// separate goroutine (a lane) writes the rows. The first error is kept: adding rows does not check
// it, the run checks it periodically.
type Output struct {
	dir, tree    string
	dictionaries *tables.Dictionaries
	all          []closer
	lane         *lane.Lane[sheets]
	Err          error
}

type closer interface {
	Close() (tables.File, error)
	Abort()
}

// NewOutput returns an output that writes below a directory, which must be stopped.
func NewOutput(dir, tree string, d *tables.Dictionaries) *Output {
	return &Output{dir: dir, tree: tree, dictionaries: d}
}

// sheets is a batch of sheets for the lane, and the first error so far.
type sheets struct {
	all []interface {
		write() error
		giveBack()
	}
	err error
}

// sheetRows is the number of rows of a table that are handed over at a time.
const sheetRows = 128

// A sheet is a sequence of rows of a table.
type sheet[Row any] struct {
	table *table[Row]
	rows  []Row
}

func (s *sheet[Row]) write() error {
	for i := range s.rows {
		if err := s.table.writer.Append(&s.rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// giveBack returns the empty sheet to its table.
func (s *sheet[Row]) giveBack() {
	clear(s.rows)
	s.rows = s.rows[:0]
	s.table.spare = append(s.table.spare, s)
}

// A Table is one result table of a tree, open for writing.
type Table[Row any] struct{ *table[Row] }

type table[Row any] struct {
	out    *Output
	writer *tables.Writer[Row]
	open   *sheet[Row]
	spare  []*sheet[Row]
}

// Holds reports whether the table of a kind of row will have one of the given columns.
func Holds[Row any](o *Output, columns ...string) bool {
	return tables.Holds[Row](o.dictionaries.Extract, columns...)
}

// Open opens the table of a kind of row.
func Open[Row any](o *Output) Table[Row] {
	t := Table[Row]{&table[Row]{out: o}}
	t.open = &sheet[Row]{table: t.table}
	if o.Err != nil {
		return t
	}
	if t.writer, o.Err = tables.NewWriter[Row](o.dir, o.tree, o.dictionaries); o.Err == nil {
		o.all = append(o.all, t.table)
	}
	return t
}

// Add appends a row and keeps the first error.
func (t *table[Row]) Add(row *Row) {
	if t.out.Err != nil {
		return
	}
	if len(t.open.rows) == sheetRows {
		t.handSheet()
	}
	t.open.rows = append(t.open.rows, *row)
}

// handSheet passes the open sheet to the lane, and opens another one.
func (t *table[Row]) handSheet() {
	o := t.out
	if o.lane == nil {
		o.lane = lane.Start(writeSheets())
	}
	o.lane.Batch.all = append(o.lane.Batch.all, t.open)
	o.lane.Hand()
	o.takeBack()
	if last := len(t.spare) - 1; last >= 0 {
		t.open, t.spare = t.spare[last], t.spare[:last]
	} else {
		t.open = &sheet[Row]{table: t, rows: make([]Row, 0, sheetRows)}
	}
}

// writeSheets returns the work function of the lane, which stops writing at the first error.
func writeSheets() func(*sheets) {
	var first error
	return func(b *sheets) {
		for _, s := range b.all {
			if first == nil {
				first = s.write()
			}
		}
		b.err = first
	}
}

// takeBack recycles the sheets of the batch that the lane has returned.
func (o *Output) takeBack() {
	b := o.lane.Batch
	for _, s := range b.all {
		s.giveBack()
	}
	clear(b.all)
	b.all = b.all[:0]
	o.Err = cmp.Or(o.Err, b.err)
}

// Close completes the file.
func (t *table[Row]) Close() (tables.File, error) {
	if err := t.open.write(); err != nil {
		t.Abort()
		return tables.File{}, err
	}
	return t.writer.Close()
}

// Abort discards the file.
func (t *table[Row]) Abort() { t.writer.Abort() }

// Close completes the files, in the order in which they were opened.
func (o *Output) Close() ([]tables.File, error) {
	if o.lane != nil {
		o.lane.Wait()
		o.takeBack()
	}
	o.Stop()
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

// Stop ends the writing and discards unwritten rows.
func (o *Output) Stop() {
	if o.lane != nil {
		o.lane.Stop()
		o.lane = nil
	}
}

// Abort discards the written files.
func (o *Output) Abort() {
	o.Stop()
	for _, w := range o.all {
		w.Abort()
	}
	o.all = nil
	o.Err = cmp.Or(o.Err, errAborted)
}

var errAborted = errors.New("the tables were given up")

// A Batch holds the rows of a table that close at one instant, to write them in the order of their
// elements.
type Batch[Row any] struct {
	table   Table[Row]
	rows    []Row
	order   []int32 // of the rows, which are too wide to be sorted in place
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

// WriteTable writes the rows of a table in one file. Problems of the trace itself are in a file
// without a tree.
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
