package parquetlog

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"poolproof/ingest/input"
)

// ReadOptions say what to read of a file.
type ReadOptions struct {
	Columns  []string  // the columns wanted; nil for all
	Interner *Interner // of the stream; nil for one of its own
	// Before leaves out the row groups at the end of the file whose column time
	// is nowhere below it, microseconds since the epoch; 0 for none. Rows at or
	// after it can still appear.
	Before int64
	// Rows is the number of rows in a batch, 4096 if 0. A table of large texts needs fewer.
	Rows int
	// Kept says that the caller keeps the texts of all batches, so that they count
	// against the budget of the Interner.
	Kept bool
}

// A Reader reads one file of a table, batch after batch. It is for one
// goroutine.
type Reader struct {
	name    string
	file    io.Closer
	cursors []cursor
	wanted  []int // column of the table, by cursor
	batch   Batch
	full    int   // rows of a batch
	rows    int64 // to be read
	next    int64
	err     error
	intern  *Interner
	kept    bool
}

// Open opens the file path of a table. A file that is not what the table
// declares gives a *FormatError. A file of no bytes has no rows: some writers
// make such files of empty tables (ingest/trace/FORMAT.md §2).
func Open(table *Table, path string, o ReadOptions) (*Reader, error) {
	f, err := input.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open table: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open table: %w", err)
	}
	r, err := newReader(table, path, f, info.Size(), o)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.file = f
	return r, nil
}

// newReader returns a reader of the size bytes of in. Name stands for the file
// in errors.
func newReader(table *Table, name string, in io.ReaderAt, size int64, o ReadOptions) (r *Reader, err error) {
	r = &Reader{name: name, full: cmp.Or(o.Rows, batchRows), batch: Batch{Columns: make([]Vector, len(table.Columns))}}
	if size == 0 {
		return r, nil
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer guard(name, &err)
	f, err := open(in, size)
	if err != nil {
		return nil, wrap(r.name, err)
	}
	groups := beginning(f, o.Before)
	if r.rows, err = rowsOf(groups, size); err != nil {
		return nil, wrap(name, err)
	}
	if o.Interner == nil {
		o.Interner = NewInterner(0)
	}
	r.intern, r.kept = o.Interner, o.Kept
	for i := range table.Columns {
		c := &table.Columns[i]
		found, err := r.find(f, c)
		if err != nil {
			return nil, err
		}
		if o.Columns != nil && !slices.Contains(o.Columns, c.Name) {
			continue
		}
		at, err := r.cursor(f, groups, c, found, in, size)
		if err != nil {
			return nil, err
		}
		at.intern, at.buffer = o.Interner, bufferOf(size, len(table.Columns))
		r.cursors = append(r.cursors, at)
		r.wanted = append(r.wanted, i)
		r.batch.Columns[i].grow(c, r.full)
	}
	return r, nil
}

// open reads a file's footer.
func open(in io.ReaderAt, size int64) (*parquet.File, error) {
	if err := checkFooter(in, size); err != nil {
		return nil, err
	}
	return parquet.OpenFile(in, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
}

// rowsOf returns how many rows row groups of a file of that size have.
func rowsOf(groups []parquet.RowGroup, size int64) (rows int64, err error) {
	for _, g := range groups {
		n := g.NumRows()
		if n < 0 || rows > math.MaxInt64-n {
			return 0, errors.New("a row group has a negative number of rows")
		}
		rows += n
	}
	if most := size*rowsPerByte + fewRows; rows > most {
		return 0, fmt.Errorf("it says that it has %d rows, and a file of %d bytes has at most %d", rows, size, most)
	}
	return rows, nil
}

// How much of a column is read from the file at a time: each column that is being
// read holds as much.
const (
	readBuffer  = 1 << 18
	leastBuffer = 1 << 12
)

// bufferOf is the buffer for a column of a file: what the columns take on average,
// where that is less than the usual.
func bufferOf(size int64, columns int) int {
	buffer := leastBuffer
	for buffer < readBuffer && int64(buffer)*int64(columns) < size {
		buffer *= 2
	}
	return buffer
}

// checkFooter refuses a file whose footer cannot be one before anybody makes room for
// what it says.
func checkFooter(in io.ReaderAt, size int64) error {
	const least = 12 // magic, footer length, magic
	var end [8]byte
	if size < least {
		return errors.New("it is too short")
	}
	if _, err := in.ReadAt(end[:], size-int64(len(end))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(end[4:]) != "PAR1" {
		return nil // the library says what it is
	}
	length := int64(binary.LittleEndian.Uint32(end[:4]))
	switch {
	case length > size-least:
		return errors.New("its footer is longer than the file")
	case length > largestFooter:
		return fmt.Errorf("its footer has %d bytes, and at most %d are read", length, largestFooter)
	}
	footer := make([]byte, length)
	if _, err := in.ReadAt(footer, size-int64(len(end))-length); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if _, err := walkStruct(footer); err != nil {
		return err
	}
	var meta format.FileMetaData
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(footer)).Decode(&meta); err != nil {
		return err
	}
	// The library follows the nesting of columns.
	if n := len(meta.Schema); n > mostColumns {
		return fmt.Errorf("it has %d columns, and at most %d are read", n, mostColumns)
	}
	return nil
}

// beginning returns the file's row groups without those at its end that lie
// wholly at or after a time.
func beginning(f *parquet.File, before int64) []parquet.RowGroup {
	groups := f.RowGroups()
	column := f.Root().Column("time")
	if before == 0 || column == nil || !column.Leaf() {
		return groups
	}
	for len(groups) > 0 {
		chunk, ok := groups[len(groups)-1].ColumnChunks()[column.Index()].(*parquet.FileColumnChunk)
		if !ok {
			break
		}
		least, _, ok := chunk.Bounds()
		if !ok || least.Kind() != parquet.Int64 || least.Int64() < before {
			break
		}
		groups = groups[:len(groups)-1]
	}
	return groups
}

// find returns the column of the file for a declared one, nil if it has none. A column
// of another type is an error whether it is wanted or not: what is in it is not known.
func (r *Reader) find(f *parquet.File, c *Column) (*parquet.Column, error) {
	found := f.Root().Column(c.Name)
	if found == nil {
		return nil, nil
	}
	if wrong := match(found, c); wrong != "" {
		return nil, &FormatError{File: r.name, Column: c.Name, Found: "it " + wrong + ", not " + c.Type.String(), Advice: c.advice()}
	}
	return found, nil
}

// cursor returns the cursor of a column of the file, which has none if found is nil.
func (r *Reader) cursor(f *parquet.File, groups []parquet.RowGroup, c *Column, found *parquet.Column, in io.ReaderAt, size int64) (at cursor, err error) {
	at = cursor{column: c}
	if found == nil {
		if c.Nullable {
			return at, nil
		}
		return at, &FormatError{File: r.name, Column: c.Name, Found: "the file has no such column, and it is required",
			Advice: fmt.Sprintf("Write it (%s): %s", c.Type, c.Doc)}
	}
	at.pages = newPages(physicalOf(found), r.intern.budget)
	at.chunks = make([]chunk, len(groups))
	for i := range groups {
		// The groups that are read are the file's first ones.
		if at.chunks[i], err = chunkOf(f, i, found, kinds[c.Type], in, size); err != nil {
			return at, wrapColumn(r.name, err, c.Name)
		}
	}
	return at, nil
}

// Rows returns how many rows the reader hands out in all.
func (r *Reader) Rows() int64 { return r.rows }

// Next returns the next batch, and io.EOF after the last. All batches but the
// last have the same size, however the file's row groups are cut. Any other
// error ends the reading.
func (r *Reader) Next() (*Batch, error) { return r.NextFrom(r.batch.Rows) }

// NextFrom is Next, and the batch begins with the rows of the last one from row on.
// With ReadOptions.Kept their texts would count twice.
func (r *Reader) NextFrom(row int) (b *Batch, err error) {
	if r.err != nil {
		return nil, r.err
	}
	if r.intern != nil && r.intern.err != nil {
		r.err = wrap(r.name, r.intern.err)
		return nil, r.err
	}
	kept := r.batch.Rows - row
	n := int(min(int64(r.full-kept), r.rows-r.next))
	if n == 0 {
		r.err = io.EOF
		return nil, io.EOF
	}
	defer func() { r.err = err }()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer guard(r.name, &err)
	b = &r.batch
	for i := range r.cursors {
		v := &b.Columns[r.wanted[i]]
		v.keepFrom(row, b.Rows)
		if err := r.cursors[i].fill(v, kept, n); err != nil {
			return nil, wrapColumn(r.name, err, r.cursors[i].column.Name)
		}
		if err := r.account(v); err != nil {
			return nil, wrapColumn(r.name, err, r.cursors[i].column.Name)
		}
	}
	b.First, b.Of, b.Rows = r.next-int64(kept), r.rows, kept+n
	r.next += int64(n)
	return b, nil
}

// account says whether the texts of a column of a batch were too much.
func (r *Reader) account(v *Vector) error {
	if r.intern.err != nil {
		return r.intern.err
	}
	have := int64(len(v.data))
	if !r.kept {
		if have <= v.held {
			return nil
		}
		have, v.held = have-v.held, have
	}
	return r.intern.budget.reserve(have)
}

// Close ends the reading.
func (r *Reader) Close() error {
	for i := range r.cursors {
		if p := r.cursors[i].pages; p != nil {
			p.close()
			r.cursors[i].pages = nil
			r.intern.budget.release(r.batch.Columns[r.wanted[i]].held)
		}
	}
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// guard turns a panic of the Parquet library into an error. The library takes
// much of a file on trust, and a damaged file must not end the program; a fault
// of memory in its assembly is a panic, too, where Next and newReader run.
func guard(name string, err *error) {
	if p := recover(); p != nil {
		if fault, ok := p.(error); ok {
			var re runtime.Error
			if !errors.As(fault, &re) {
				*err = wrap(name, fault)
				return
			}
		}
		*err = wrap(name, fmt.Errorf("%v", p))
	}
}

// wrap names the file. Errors of the file system stay what they are: they say
// nothing about the file's content.
func wrap(name string, err error) error {
	var path *fs.PathError
	var format *FormatError
	switch {
	case errors.As(err, &format):
		format.File = name
		if format.Advice == "" {
			format.Advice = damagedAdvice
		}
		return format
	case errors.As(err, &path):
		return fmt.Errorf("read table: %w", err)
	}
	return &FormatError{File: name, Found: "it is not a whole Parquet file: " + err.Error(), Advice: damagedAdvice, Err: err}
}

func wrapColumn(name string, err error, column string) error {
	err = wrap(name, err)
	var format *FormatError
	if errors.As(err, &format) && format.Column == "" {
		format.Column = column
	}
	return err
}

const damagedAdvice = "It may be cut short or damaged: copy it again, or import the log again."
