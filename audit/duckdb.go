package audit

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/arrow/memory/mallocator"
	"github.com/marcboeker/go-duckdb"

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

// noExtensions keeps DuckDB from fetching code.
const noExtensions = "autoinstall_known_extensions=false&autoload_known_extensions=false&allow_community_extensions=false"

// allocator keeps batches outside the Go heap: their addresses are handed to C.
var allocator memory.Allocator = mallocator.NewMallocator()

// openDatabase opens a database file, or one in memory if path is empty.
func openDatabase(path string, settings ...string) (*sql.DB, error) {
	if strings.Contains(path, "?") {
		return nil, fmt.Errorf("open %s: DuckDB cannot open a path with a question mark; rename the directory", path)
	}
	dsn := path + "?" + noExtensions
	for _, s := range settings {
		dsn += "&" + s
	}
	db, err := sql.Open("duckdb", dsn)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return db, nil
}

// A tableSource is a table to be loaded, with its files.
type tableSource struct {
	name   string
	schema *arrow.Schema
	files  []string
}

// newTableSource finds the files of a table in a run directory.
func newTableSource(dir string, t *tables.Table) (tableSource, error) {
	files, err := tables.Files(dir, t.Name)
	fields := make([]arrow.Field, len(t.Columns))
	for i, c := range t.Columns {
		fields[i] = arrow.Field{Name: c.Name, Type: c.Type, Nullable: c.Nullable}
	}
	return tableSource{t.Name, arrow.NewSchema(fields, nil), files}, err
}

// loadTables copies tables into the new database file at path and compares
// what arrived with what was sent.
func loadTables(ctx context.Context, path string, sources []tableSource, workers int) (rows int64, err error) {
	db, err := openDatabase("", fmt.Sprintf("threads=%d", max(workers, 1)))
	if err != nil {
		return 0, err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	// The optimizers that push columns and filters into a stream, which ignores
	// them: a second belt, nothing here needs them.
	for _, q := range []string{
		"SET disabled_optimizers = 'filter_pushdown,unused_columns'",
		"ATTACH " + quoteText(path) + " AS out",
	} {
		if _, err := conn.ExecContext(ctx, q); err != nil {
			return 0, fmt.Errorf("create %s: %w", path, err)
		}
	}
	for _, s := range sources {
		n, err := loadTable(ctx, conn, s)
		if err != nil {
			return 0, fmt.Errorf("load table %s: %w", s.name, err)
		}
		rows += n
	}
	if _, err := conn.ExecContext(ctx, "DETACH out"); err != nil {
		return 0, fmt.Errorf("close %s: %w", path, err)
	}
	return rows, nil
}

// loadTable copies one table into the attached database.
func loadTable(ctx context.Context, conn *sql.Conn, s tableSource) (int64, error) {
	memory := &arena{under: allocator}
	defer memory.freeAll()
	stream := newStream(s, memory)
	table := "out." + quoteName(s.name)
	if err := copyStream(ctx, conn, stream, table); err != nil {
		if stream.err != nil {
			return 0, stream.err // says more than what DuckDB makes of it
		}
		return 0, err
	}
	return stream.rows, verifyTable(ctx, conn, table, stream)
}

// copyStream copies a stream into a new table and releases it.
func copyStream(ctx context.Context, conn *sql.Conn, stream array.RecordReader, table string) error {
	defer stream.Release()
	release := func() {}
	err := conn.Raw(func(c any) error {
		a, err := duckdb.NewArrowFromConn(c.(driver.Conn))
		if err != nil {
			return err
		}
		rel, err := a.RegisterView(stream, "_stream")
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
	_, err = conn.ExecContext(ctx, "CREATE TABLE "+table+" AS SELECT * FROM _stream")
	_, dropped := conn.ExecContext(context.WithoutCancel(ctx), "DROP VIEW _stream")
	return errors.Join(err, dropped)
}

// verifyTable compares a loaded table with the stream that was sent.
func verifyTable(ctx context.Context, conn *sql.Conn, table string, sent *stream) error {
	q := "SELECT count(*), hash(NULL)"
	for _, f := range sent.schema.Fields() {
		c := quoteName(f.Name)
		q += fmt.Sprintf(", count(%s), (coalesce(sum(hash(%s)), 0) %% 18446744073709551616)::UBIGINT", c, c)
	}
	var rows, null uint64
	got := make([]checksum, len(sent.sums))
	into := []any{&rows, &null}
	for i := range got {
		into = append(into, &got[i].values, &got[i].sum)
	}
	if err := conn.QueryRowContext(ctx, q+" FROM "+table).Scan(into...); err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if rows != uint64(sent.rows) {
		return fmt.Errorf("%w: %d rows were sent and %d arrived", errCorrupted, sent.rows, rows)
	}
	for i, want := range sent.sums {
		name := sent.schema.Field(i).Name
		got[i].sum -= (rows - got[i].values) * null
		if got[i].values != want.values {
			return fmt.Errorf("%w: column %s was sent %d values and holds %d", errCorrupted, name, want.values, got[i].values)
		}
		if got[i] != want {
			return fmt.Errorf("%w: the values of column %s are not those that were sent", errCorrupted, name)
		}
	}
	return nil
}

// errCorrupted is the fault of a table that is not what was sent.
var errCorrupted = errors.New("the loaded table differs from its files")

// A stream reads the files of a table, one batch after the other, and notes
// what it sent.
type stream struct {
	refs   atomic.Int64
	schema *arrow.Schema
	files  []string
	memory memory.Allocator

	file   *os.File
	reader *ipc.FileReader
	next   int // batch of reader
	words  map[int]hashedWords
	record arrow.Record
	err    error

	rows int64
	sums []checksum // per column
}

func newStream(s tableSource, mem memory.Allocator) *stream {
	t := &stream{schema: s.schema, files: s.files, memory: mem, sums: make([]checksum, s.schema.NumFields())}
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
		var err error
		if s.record, err = s.reader.Record(s.next); err != nil {
			s.err = s.damaged(err)
			return false
		}
		s.next++
		s.note()
		return true
	}
	return false
}

func (s *stream) openFile() error {
	var err error
	if s.file, err = os.Open(s.files[0]); err != nil {
		return err
	}
	if s.reader, err = ipc.NewFileReader(s.file, ipc.WithAllocator(s.memory)); err != nil {
		s.reader = nil
		return s.damaged(err)
	}
	s.next, s.words = 0, map[int]hashedWords{}
	if !sameColumns(s.reader.Schema(), s.schema) {
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
	return &FileError{Path: s.files[0], Err: err}
}

func (s *stream) closeFile() {
	if s.reader != nil {
		s.reader.Close()
	}
	if s.file != nil {
		s.file.Close()
	}
	s.file, s.reader, s.record = nil, nil, nil
}

// note adds the batch to what was sent.
func (s *stream) note() {
	s.rows += s.record.NumRows()
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

// An arena frees what was allocated through it and never given back: the
// reader of Arrow files forgets the dictionaries.
type arena struct {
	under memory.Allocator
	mu    sync.Mutex
	live  map[*byte][]byte
}

func (a *arena) keep(b []byte) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.live == nil {
		a.live = map[*byte][]byte{}
	}
	a.live[unsafe.SliceData(b)] = b
	return b
}

func (a *arena) drop(b []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.live, unsafe.SliceData(b))
}

func (a *arena) Allocate(size int) []byte { return a.keep(a.under.Allocate(size)) }

func (a *arena) Reallocate(size int, b []byte) []byte {
	a.drop(b)
	return a.keep(a.under.Reallocate(size, b))
}

func (a *arena) Free(b []byte) {
	a.drop(b)
	a.under.Free(b)
}

func (a *arena) freeAll() {
	for _, b := range a.live {
		a.under.Free(b)
	}
	a.live = nil
}
