package audit

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/arrow/memory/mallocator"
	"github.com/marcboeker/go-duckdb"

	wholefile "poolproof/ingest/atomicdir"
	"poolproof/ingest/input"
	"poolproof/replay/tables"
)

// This file is the only one that knows DuckDB's driver and Arrow, so that
// either can be replaced here.
//
// A registered Arrow stream is treacherous in this version of the driver: it
// can be scanned once, a query that names columns or filters reads the wrong
// ones without an error, the view would be saved into a database file and crash
// whoever opens that, and releasing it forgets one reference. So a stream is
// registered in a catalog in memory, copied whole by one CREATE TABLE AS SELECT
// * into the attached file, dropped, and released twice; then rows and
// checksums of the table are compared with those of the stream.

// allocator keeps batches outside the Go heap: their addresses are handed to C.
var allocator memory.Allocator = mallocator.NewMallocator()

// connect opens DuckDB with the given options; every connection begins with the
// statements.
func connect(options string, statements []string) (*sql.DB, error) {
	connector, err := duckdb.NewConnector("?"+options, func(c driver.ExecerContext) error {
		for _, statement := range statements {
			if _, err := c.ExecContext(context.Background(), statement, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("start DuckDB: %w", err)
	}
	return sql.OpenDB(connector), nil
}

// isIO reports whether DuckDB failed at a file or a lock. A commit or a checkpoint that fails at a
// file is of another type, and so is all that follows it.
func isIO(err error) bool { return isOf(err, duckdb.ErrorTypeIO) || isRefused(err) }

// isRefused reports whether the system refused to read or write a file of DuckDB's, as a full disk
// does. Errors of queries are of other types: their texts hold what users write.
func isRefused(err error) bool {
	var of *duckdb.Error
	if !errors.As(err, &of) || !slices.Contains([]duckdb.ErrorType{
		duckdb.ErrorTypeIO, duckdb.ErrorTypeTransaction, duckdb.ErrorTypeFatal, duckdb.ErrorTypeInternal, duckdb.ErrorTypeSerialization,
	}, of.Type) {
		return false
	}
	text := strings.ToLower(of.Msg)
	return slices.ContainsFunc([]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EROFS, syscall.EIO},
		func(no syscall.Errno) bool { return strings.Contains(text, no.Error()) })
}

// isMemory reports whether DuckDB had too little memory.
func isMemory(err error) bool { return isOf(err, duckdb.ErrorTypeOutOfMemory) }

func isOf(err error, kind duckdb.ErrorType) bool {
	var of *duckdb.Error
	return errors.As(err, &of) && of.Type == kind
}

// A tableSource is a table to be loaded, with its files.
type tableSource struct {
	whole  *arrow.Schema // of the files
	schema *arrow.Schema // of the columns that are loaded
	chosen []int         // which those are
	files  []string
}

// newTableSource is a table with its files, of which some columns are read. Extracted
// files have no others.
func newTableSource(t *tables.Table, read readColumns, extracted bool, files []string) tableSource {
	s := tableSource{files: files}
	var whole, some []arrow.Field
	for i, c := range t.Columns {
		f, wanted := arrow.Field{Name: c.Name, Type: c.Type, Nullable: c.Nullable}, read.wants(t, i)
		if wanted {
			some, s.chosen = append(some, f), append(s.chosen, len(whole))
		}
		if wanted || !extracted {
			whole = append(whole, f)
		}
	}
	s.whole, s.schema = arrow.NewSchema(whole, nil), arrow.NewSchema(some, nil)
	return s
}

// copyStream copies a stream into a new table and releases it. While it does so the stream is a
// view of a name that no other one has. What replace says of columns keeps all of them in their
// order.
func copyStream(ctx context.Context, conn *sql.Conn, stream array.RecordReader, view, table, replace string) error {
	defer stream.Release()
	release := func() {}
	err := conn.Raw(func(c any) error {
		a, err := duckdb.NewArrowFromConn(c.(driver.Conn))
		if err != nil {
			return err
		}
		rel, err := a.RegisterView(stream, view)
		if err != nil {
			return fmt.Errorf("register the stream: %w", err)
		}
		release = func() {
			rel()
			stream.Release() // the reference that the driver took and forgets
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer release()
	_, err = conn.ExecContext(ctx, "CREATE TABLE "+table+" AS SELECT * "+replace+"FROM memory."+quoteName(view))
	_, dropped := conn.ExecContext(context.WithoutCancel(ctx), "DROP VIEW memory."+quoteName(view))
	return errors.Join(err, dropped)
}

// typeInSQL returns DuckDB's type for the type of a column.
func typeInSQL(of arrow.DataType) string {
	switch of.ID() {
	case arrow.INT64:
		return "BIGINT"
	case arrow.INT32:
		return "INTEGER"
	case arrow.FLOAT64:
		return "DOUBLE"
	case arrow.BOOL:
		return "BOOLEAN"
	case arrow.TIMESTAMP:
		return "TIMESTAMP"
	case arrow.STRING, arrow.DICTIONARY:
		return "VARCHAR"
	}
	panic(fmt.Sprintf("no type of SQL for %v", of))
}

// A stream reads the files of a table, one batch after the other, and notes
// what it sent.
type stream struct {
	refs atomic.Int64
	tableSource
	memory memory.Allocator

	file   *os.File
	reader *ipc.FileReader
	next   int // batch of reader
	words  map[int]hashedWords
	record arrow.Record
	err    error

	rows     int64
	sums     []checksum // per column
	unsummed bool       // the sums are not needed
}

func newStream(s tableSource, mem memory.Allocator) *stream {
	t := &stream{tableSource: s, memory: mem, sums: make([]checksum, s.schema.NumFields())}
	t.refs.Store(1)
	return t
}

func (s *stream) Schema() *arrow.Schema { return s.schema }
func (s *stream) Record() arrow.Record  { return s.record }
func (s *stream) Err() error            { return s.err }
func (s *stream) Retain()               { s.refs.Add(1) }

func (s *stream) Release() {
	if s.refs.Add(-1) == 0 {
		s.closeFile()
	}
}

// Next reads the next batch. It runs on a thread of DuckDB's, which a panic of
// the Arrow reader over a damaged file would take down with the process.
func (s *stream) Next() (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			s.err, ok = s.damaged(fmt.Errorf("%v", p)), false
		}
	}()
	for s.err == nil {
		if s.reader == nil {
			if len(s.files) == 0 {
				return false
			}
			if s.err = s.openFile(); s.err != nil {
				return false
			}
		}
		if s.next == s.reader.NumRecords() {
			s.closeFile()
			s.files = s.files[1:]
			continue
		}
		record, err := s.reader.Record(s.next)
		if err != nil {
			s.err = s.damaged(err)
			return false
		}
		s.takeRecord(record)
		s.next++
		s.noteBatch()
		return true
	}
	return false
}

// takeRecord makes the wanted columns of a record, which the reader keeps until its next one, the one at hand.
func (s *stream) takeRecord(record arrow.Record) {
	s.leave()
	columns := make([]arrow.Array, len(s.chosen))
	for i, of := range s.chosen {
		columns[i] = record.Column(of)
	}
	s.record = array.NewRecord(s.schema, columns, record.NumRows())
}

// leave gives back the record at hand.
func (s *stream) leave() {
	if s.record != nil {
		s.record.Release()
		s.record = nil
	}
}

// drain reads the files for no one.
func (s *stream) drain() {
	defer s.Release()
	for s.Next() {
	}
}

func (s *stream) openFile() error {
	var err error
	if s.file, err = input.Open(s.files[0]); err != nil {
		return err
	}
	if s.reader, err = ipc.NewFileReader(s.file, ipc.WithAllocator(s.memory)); err != nil {
		s.reader = nil
		return s.damaged(err)
	}
	s.next, s.words = 0, map[int]hashedWords{}
	if !sameColumns(s.reader.Schema(), s.whole) {
		return s.damaged(errors.New("its columns are not those of this program's tables"))
	}
	return nil
}

// sameColumns compares names and types; units and sentences may differ.
func sameColumns(a, b *arrow.Schema) bool {
	return slices.EqualFunc(a.Fields(), b.Fields(), func(a, b arrow.Field) bool {
		return a.Name == b.Name && arrow.TypeEqual(a.Type, b.Type)
	})
}

func (s *stream) damaged(err error) error {
	return runErrorf(s.files[0], "is damaged: %w; replay the trace again", err)
}

func (s *stream) closeFile() {
	s.leave()
	if s.reader != nil {
		s.reader.Close()
	}
	if s.file != nil {
		s.file.Close()
	}
	s.file, s.reader = nil, nil
}

// noteBatch adds the batch to what was sent.
func (s *stream) noteBatch() {
	s.rows += s.record.NumRows()
	if s.unsummed {
		return
	}
	for i, column := range s.record.Columns() {
		sum := &s.sums[i]
		hash := s.hasher(i, column)
		if column.NullN() == 0 {
			for row := range column.Len() {
				sum.add(hash(row))
			}
			continue
		}
		for row := range column.Len() {
			if column.IsValid(row) {
				sum.add(hash(row))
			}
		}
	}
}

// ofWords reports whether a column holds words out of a dictionary.
func (s *stream) ofWords(i int) bool { return s.schema.Field(i).Type.ID() == arrow.DICTIONARY }

// hashedWords are the hashes of a column's dictionary.
type hashedWords []uint64

// hasher returns the hash of a column's value in a row.
func (s *stream) hasher(i int, column arrow.Array) func(row int) uint64 {
	switch c := column.(type) {
	case *array.Int64:
		v := c.Int64Values()
		return func(row int) uint64 { return hashInteger(uint64(v[row])) }
	case *array.Int32:
		v := c.Int32Values()
		return func(row int) uint64 { return hashInteger(uint64(uint32(v[row]))) }
	case *array.Timestamp:
		v := c.TimestampValues()
		return func(row int) uint64 { return hashInteger(uint64(v[row])) }
	case *array.Float64:
		v := c.Float64Values()
		return func(row int) uint64 { return hashDouble(v[row]) }
	case *array.Boolean:
		return func(row int) uint64 {
			if c.Value(row) {
				return hashInteger(1)
			}
			return hashInteger(0)
		}
	case *array.String:
		return func(row int) uint64 { return hashText(c.Value(row)) }
	case *array.Dictionary:
		words, ok := s.words[i] // one dictionary per file and column
		if !ok {
			dictionary := c.Dictionary().(*array.String)
			for w := range dictionary.Len() {
				words = append(words, hashText(dictionary.Value(w)))
			}
			s.words[i] = words
		}
		indexes := c.Indices().(*array.Int32).Int32Values()
		return func(row int) uint64 { return words[indexes[row]] }
	}
	panic(fmt.Sprintf("column %s: no checksum for %v", s.schema.Field(i).Name, column.DataType()))
}

// appendRows adds rows to a table of the attached file.
func appendRows(conn *sql.Conn, schema, table string, rows [][]any) error {
	return conn.Raw(func(c any) (err error) {
		a, err := duckdb.NewAppenderFromConn(c.(driver.Conn), schema, table)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, a.Close()) }()
		for _, row := range rows {
			values := make([]driver.Value, len(row))
			for i, v := range row {
				values[i] = v
			}
			if err := a.AppendRow(values...); err != nil {
				return err
			}
		}
		return nil
	})
}

// plainOfDriver is plain for the driver's own types.
func plainOfDriver(v any) any {
	switch v := v.(type) {
	case duckdb.Decimal:
		return v.Float64()
	case duckdb.Interval:
		return fmt.Sprintf("%d months %d days %d us", v.Months, v.Days, v.Micros)
	case duckdb.Map:
		object := make(map[string]any, len(v))
		for k := range v {
			object[fmt.Sprint(k)] = plain(v[k])
		}
		return object
	}
	return v
}

// queryArrow answers a query with Arrow batches.
func queryArrow(ctx context.Context, conn *sql.Conn, query string, use func(array.RecordReader) error) error {
	return conn.Raw(func(c any) error {
		a, err := duckdb.NewArrowFromConn(c.(driver.Conn))
		if err != nil {
			return err
		}
		r, err := a.QueryContext(ctx, query)
		if err != nil {
			return &UsageError{err}
		}
		defer r.Release()
		return use(r)
	})
}

// writeArrow writes an answer as an Arrow IPC stream.
func writeArrow(ctx context.Context, conn *sql.Conn, query string, w io.Writer, _ Memory) error {
	return queryArrow(ctx, conn, query, func(r array.RecordReader) error {
		out := ipc.NewWriter(w, ipc.WithSchema(r.Schema()))
		for r.Next() {
			if err := out.Write(r.Record()); err != nil {
				return fmt.Errorf("write the answer: %w", err)
			}
		}
		return errors.Join(r.Err(), out.Close())
	})
}

// writeParquet writes an answer as a Parquet file. The connection to the run
// must not write files, so another database does.
func writeParquet(ctx context.Context, conn *sql.Conn, query string, w io.Writer, memory Memory) error {
	scratch, err := wholefile.NewScratch(os.TempDir(), "poolproof")
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	defer scratch.Remove()
	dir := scratch.Path
	file := filepath.Join(dir, "answer.parquet")
	err = queryArrow(ctx, conn, query, func(r array.RecordReader) error {
		db, err := database{loading: true, threads: queryThreads, memory: memory, spill: filepath.Join(dir, "spill")}.open()
		if err != nil {
			return err
		}
		defer db.Close()
		writer, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer writer.Close()
		r.Retain() // copyStream releases it
		if err := copyStream(ctx, writer, r, "_answer", "answer", ""); err != nil {
			return err
		}
		_, err = writer.ExecContext(ctx, "COPY answer TO "+quoteText(file)+" (FORMAT PARQUET, COMPRESSION ZSTD)")
		return err
	})
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	defer f.Close()
	if _, err := io.Copy(w, f); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}
