package tables

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// Directory is the folder of the tables in a run directory.
const Directory = "tables"

// batchRows is the length of a batch: the row group of DuckDB, which loads
// others at half the speed.
const batchRows = 122_880

// manyRows is the number of rows from which on a table uses large batches: one of a wide
// table takes some fifty megabytes, which small trees need not touch.
const manyRows = batchRows / 16

// batchText ends a batch early: that many bytes of text in one column. The
// offsets of a text column are 32 bits wide.
const batchText = 64 << 20

// FileName returns where the table of a tree stands, relative to Directory.
func FileName(table, tree string) string {
	return path.Join(table, "tree="+url.PathEscape(tree)+".arrow")
}

// NoPartition stands in the path of a partition for a value that is not known.
const NoPartition = "__HIVE_DEFAULT_PARTITION__"

// Partition names the folder of a partition as Hive, Spark and DuckDB do: key=value. What a
// path or a pattern takes for something else is percent-encoded.
func Partition(key, value string) string {
	if value == "" {
		return key + "=" + NoPartition
	}
	return key + "=" + strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
}

// A Writer writes the rows of one table and tree. It is for one goroutine, and
// exactly one of Close and Abort ends it.
type Writer[Row any] struct {
	table   *Table
	name    string
	file    *os.File
	counted *countedFile
	ipc     *ipc.FileWriter
	schema  *arrow.Schema
	cells   []cells
	own     *dictionary
	n       int
	rows    int64
}

// NewWriter begins the file of a tree under dir, the directory of the tables.
func NewWriter[Row any](dir, tree string, d *Dictionaries) (*Writer[Row], error) {
	return newWriter[Row](of[Row](), dir, tree, d)
}

// WriteEmpty writes the file of a table and tree without rows.
func (t *Table) WriteEmpty(dir, tree string, d *Dictionaries) (File, error) {
	w, err := newWriter[struct{}](t, dir, tree, d)
	if err != nil {
		return File{}, err
	}
	return w.Close()
}

func newWriter[Row any](table *Table, dir, tree string, d *Dictionaries) (*Writer[Row], error) {
	columns := table.chosen(d.Extract)
	w := &Writer[Row]{table: table, name: FileName(table.Name, tree), schema: table.schema(columns)}
	full := filepath.Join(dir, filepath.FromSlash(w.name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return nil, w.wrap("make the folder of", err)
	}
	var err error
	if w.file, err = os.Create(full); err != nil {
		return nil, w.wrap("create", err)
	}
	w.counted = &countedFile{file: w.file}
	options := []ipc.Option{ipc.WithSchema(w.schema)}
	if d.Extract == nil {
		w.counted.sum = sha256.New()
		options = append(options, ipc.WithLZ4(), ipc.WithCompressConcurrency(1))
	}
	if w.ipc, err = ipc.NewFileWriter(w.counted, options...); err != nil {
		w.Abort()
		return nil, w.wrap("begin", err)
	}
	mine := d.forTree(tree)
	w.own = mine.tree
	for _, c := range columns {
		w.cells = append(w.cells, c.cells(mine))
	}
	return w, nil
}

// Append adds a row. It keeps nothing of it.
func (w *Writer[Row]) Append(row *Row) error {
	if w.rows == manyRows && w.table.frequent {
		// The whole batch at once: a replay of a large tree is as large at its start
		// as it will ever be, and little is copied while it grows.
		for _, c := range w.cells {
			c.reserve(batchRows)
		}
	}
	full := false
	for _, c := range w.cells {
		full = c.add(unsafe.Pointer(row)) > batchText || full
	}
	w.rows++
	if w.n++; w.n < batchRows && !full {
		return nil
	}
	return w.flush(false)
}

// flush writes the buffered rows as one batch. The first batch decides which words the
// dictionaries of the file hold: all of the run, or if it is the only one its own.
func (w *Writer[Row]) flush(last bool) error {
	alone := last && w.rows == int64(w.n)
	columns := make([]arrow.Array, len(w.cells))
	for i, c := range w.cells {
		columns[i] = c.array(w.n, alone)
	}
	record := array.NewRecord(w.schema, columns, int64(w.n))
	err := w.ipc.Write(record)
	record.Release()
	for i, c := range w.cells {
		columns[i].Release()
		c.reset()
	}
	w.n = 0
	if err != nil {
		return w.wrap("write", err)
	}
	return nil
}

// Close writes what is buffered and completes the file.
func (w *Writer[Row]) Close() (File, error) {
	var err error
	if w.n > 0 { // polars panics at a compressed batch without rows
		err = w.flush(true)
	}
	if err == nil {
		if err = w.ipc.Close(); err != nil {
			err = w.wrap("complete", err)
		}
	}
	if err != nil {
		w.Abort()
		return File{}, err
	}
	w.own.array.Release()
	if err := w.file.Close(); err != nil {
		os.Remove(w.file.Name())
		return File{}, w.wrap("complete", err)
	}
	return File{Path: path.Join(Directory, w.name), Rows: w.rows, SHA256: w.counted.digest()}, nil
}

// Abort removes the file.
func (w *Writer[Row]) Abort() {
	w.file.Close()
	os.Remove(w.file.Name())
}

func (w *Writer[Row]) wrap(verb string, err error) error {
	return fmt.Errorf("%s table %s: %w", verb, w.table.Name, err)
}

// A countedFile is a file that is written in one go, with its digest, if one is wanted.
type countedFile struct {
	file *os.File
	sum  hash.Hash
	at   int64
}

func (f *countedFile) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	if f.sum != nil {
		f.sum.Write(p[:n])
	}
	f.at += int64(n)
	return n, err
}

func (f *countedFile) digest() string {
	if f.sum == nil {
		return ""
	}
	return hex.EncodeToString(f.sum.Sum(nil))
}

// Seek answers where the file stands; the format is written front to back.
func (f *countedFile) Seek(offset int64, whence int) (int64, error) {
	if offset == 0 && whence == 1 {
		return f.at, nil
	}
	return f.at, fmt.Errorf("seek to %d: the file is written front to back", offset)
}
