package parquetlog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Options say how a file is cut. The zero value is the layout of
// ingest/trace/FORMAT.md §3.6.
type Options struct {
	RowGroupRows int // rows in a row group, 1<<20 if 0
	PageBytes    int // bytes of a page before encoding, 1 MiB if 0
}

func (o Options) withDefaults() Options {
	if o.RowGroupRows == 0 {
		o.RowGroupRows = 1 << 20
	}
	if o.PageBytes == 0 {
		o.PageBytes = 1 << 20
	}
	return o
}

// createdBy stands in every file. It never changes with the build, so that
// equal rows make equal bytes.
var createdBy = parquet.CreatedBy(ownPrefix, "1", "native")

// ownPrefix begins what a file of the Writer says of who made it.
const ownPrefix = "poolproof"

const (
	// writeRows is the number of rows that the writer turns into columns at a time. They
	// should stay in the cache while column after column is read from them.
	writeRows = 256
	// dictionaryBytes is the size from which on a dictionary costs more than it saves: the rest of
	// the column chunk is plain.
	dictionaryBytes = 1 << 20
)

// A Writer writes one file of a table. The file has its name only once Close
// has returned nil. Memory is bounded by a row group's compressed pages.
type Writer[T any] struct {
	table   *TableOf[T]
	options Options
	path    string
	file    *os.File // nil if the writer was given an io.Writer
	out     io.Writer
	parquet *parquet.GenericWriter[any] // nil until rows are handed to it: it holds much memory
	rows    []T                         // not yet handed to the columns
	values  []parquet.Value             // one column of them
	group   int                         // rows in the open row group
	count   int64
}

// Create opens a writer of the file path, which it makes under a temporary
// name beside it.
func Create[T any](table *TableOf[T], path string, o Options) (*Writer[T], error) {
	f, err := os.Create(path + ".tmp")
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	w := newWriter(table, f, o)
	w.path, w.file = path, f
	return w, nil
}

// newWriter returns a writer that writes the file's bytes to out.
func newWriter[T any](table *TableOf[T], out io.Writer, o Options) *Writer[T] {
	return &Writer[T]{table: table, options: o.withDefaults(), out: out}
}

// codec is that of all writers, so that they share their encoders.
var codec = &zstd.Codec{Level: zstd.SpeedDefault}

// makeColumns makes the columns, unless they exist.
func (w *Writer[T]) makeColumns() {
	if w.parquet != nil {
		return
	}
	options := []parquet.WriterOption{
		w.table.schema(), createdBy,
		parquet.Compression(codec),
		parquet.PageBufferSize(w.options.PageBytes),
		parquet.DictionaryMaxBytes(dictionaryBytes),
	}
	var blooms []parquet.BloomFilterColumn
	for _, c := range w.table.Columns {
		if c.Bloom {
			blooms = append(blooms, parquet.SplitBlockFilter(10, c.Name))
		}
	}
	options = append(options, parquet.BloomFilters(blooms...))
	w.parquet = parquet.NewGenericWriter[any](w.out, options...)
}

// Add appends a row. The writer keeps no pointer to it, but the bytes of its
// strings must stay as they are.
func (w *Writer[T]) Add(row *T) error {
	w.rows = append(w.rows, *row)
	w.count++
	if len(w.rows) == writeRows || w.group+len(w.rows) == w.options.RowGroupRows {
		return w.flush()
	}
	return nil
}

// Rows returns how many rows were added.
func (w *Writer[T]) Rows() int64 { return w.count }

// flush hands the rows to the columns, one column after the other, and ends
// the row group if it is full.
func (w *Writer[T]) flush() error {
	if len(w.rows) == 0 {
		return nil
	}
	w.makeColumns()
	for i, c := range w.parquet.ColumnWriters() {
		w.fill(i)
		if _, err := c.WriteRowValues(w.values); err != nil {
			return w.fail(err)
		}
	}
	w.group += len(w.rows)
	clear(w.rows) // lets go of the strings
	w.rows = w.rows[:0]
	if w.group < w.options.RowGroupRows {
		return nil
	}
	w.group = 0
	return w.fail(w.parquet.Flush())
}

// fill sets values to column i of the rows.
func (w *Writer[T]) fill(i int) {
	f, c := &w.table.fields[i], &w.table.Columns[i]
	w.values = slices.Grow(w.values[:0], len(w.rows))[:len(w.rows)]
	first := unsafe.Pointer(&w.rows[0])
	values(w.values, unsafe.Add(first, f.Offset), unsafe.Sizeof(w.rows[0]), c.Type)
	if !c.Nullable {
		return
	}
	set := unsafe.Add(first, f.Set)
	for r := range w.values {
		if *(*bool)(unsafe.Add(set, uintptr(r)*unsafe.Sizeof(w.rows[0]))) {
			w.values[r] = w.values[r].Level(0, 1, i)
		} else {
			w.values[r] = parquet.Value{}
		}
	}
}

// values sets to to the values at p, p+stride, ..., whose type Declare took
// from the row struct itself.
func values(to []parquet.Value, p unsafe.Pointer, stride uintptr, t Type) {
	switch t {
	case Int32:
		for r := range to {
			to[r] = parquet.Int32Value(*(*int32)(unsafe.Add(p, uintptr(r)*stride)))
		}
	case Int64, Time:
		for r := range to {
			to[r] = parquet.Int64Value(*(*int64)(unsafe.Add(p, uintptr(r)*stride)))
		}
	case Double:
		for r := range to {
			to[r] = parquet.DoubleValue(*(*float64)(unsafe.Add(p, uintptr(r)*stride)))
		}
	case Bool:
		for r := range to {
			to[r] = parquet.BooleanValue(*(*bool)(unsafe.Add(p, uintptr(r)*stride)))
		}
	case Text:
		for r := range to {
			s := *(*string)(unsafe.Add(p, uintptr(r)*stride))
			to[r] = parquet.ByteArrayValue(unsafe.Slice(unsafe.StringData(s), len(s)))
		}
	}
}

// Close completes the file and gives it its name.
func (w *Writer[T]) Close() error {
	err := w.flush()
	if err == nil {
		w.makeColumns()
		err = w.fail(w.parquet.Close())
	}
	if w.file == nil {
		return err
	}
	if err = errors.Join(err, w.file.Close()); err != nil {
		os.Remove(w.path + ".tmp")
		return err
	}
	return os.Rename(w.path+".tmp", w.path)
}

// Abort gives the file up and leaves nothing behind.
func (w *Writer[T]) Abort() {
	if w.file != nil {
		w.file.Close()
		os.Remove(w.path + ".tmp")
	}
}

func (w *Writer[T]) fail(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write table %s: %w", w.table.Name, err)
}
