package ingest

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"poolproof/ingest/extsort"
	"poolproof/ingest/input"
	"poolproof/ingest/parquetlog"
)

// batches are the rows of a table: of a file, or of all files in order.
type batches interface {
	NextFrom(row int) (*parquetlog.Batch, error)
	Close() error
}

// defaultSorting is the default of Memory.Sorting.
const defaultSorting = 64 << 20

// scratches counts the folders for what is sorted.
var scratches atomic.Int64

// sortedRows are the rows of a table whose files are not in order, in the order of (time, seq) and,
// where these are equal, of the files.
type sortedRows struct {
	*parquetlog.RecordReader
	sorter   *extsort.Sorter
	prefixes []extsort.Prefix
	scan     *extsort.Scan
	sources  []string
	origins  []origin // of the rows of the batch
}

// An origin locates a row.
type origin struct {
	file uint32
	row  int64
}

// The record of a row begins with its place: the time, whose first bytes are the sorter's prefix,
// seq, the file and the row in it.
const placeBytes = 8 + 8 + 4 + 8

// sortRows reads the files of a table and sorts their rows.
func (r *rows) sortRows() (*sortedRows, error) {
	scratch := filepath.Join(os.TempDir(), fmt.Sprintf("poolproof-sort-%d-%d", os.Getpid(), scratches.Add(1)))
	s := &sortedRows{sorter: extsort.New(extsort.Options{Memory: cmp.Or(r.stream.trace.memory.Sorting, defaultSorting), Scratch: scratch})}
	absent := make([]bool, len(r.table.Columns))
	for i := range absent {
		absent[i] = true
	}
	var rows int64
	for _, file := range r.files {
		n, err := s.addFile(r, file, absent)
		if err != nil {
			s.sorter.Close()
			return nil, err
		}
		rows += n
	}
	if err := s.sorter.Finish(); err != nil {
		s.sorter.Close()
		return nil, err
	}
	s.prefixes = s.sorter.Prefixes()
	s.RecordReader = parquetlog.NewRecordReader(r.table, r.columns, rows, absent, s.next)
	return s, nil
}

// addFile adds the rows of a file and clears absent of the columns that it has.
func (s *sortedRows) addFile(r *rows, file string, absent []bool) (rows int64, err error) {
	reader, err := parquetlog.Open(r.table, file, parquetlog.ReadOptions{Columns: r.columns, Interner: r.stream.intern})
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	number := uint32(len(s.sources))
	s.sources = append(s.sources, r.stream.trace.source(file))
	timeColumn, seqColumn := r.table.Column("time"), r.table.Column("seq")
	var record []byte
	for {
		b, err := reader.Next()
		if errors.Is(err, io.EOF) && !input.IsBad(err) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		for i := range b.Columns {
			absent[i] = absent[i] && b.Columns[i].Absent
		}
		for i := range b.Rows {
			record = appendPlace(record[:0], b.Columns[timeColumn].Int64s[i], b.Columns[seqColumn].Int64s[i], origin{number, b.First + int64(i)})
			if err := s.sorter.Add(b.AppendRow(record, i)); err != nil {
				return rows, err
			}
			rows++
		}
	}
}

func appendPlace(record []byte, time, seq int64, at origin) []byte {
	const sign = 1 << 63 // the bytes of negative numbers come first
	record = binary.BigEndian.AppendUint64(record, uint64(time)^sign)
	record = binary.BigEndian.AppendUint64(record, uint64(seq)^sign)
	record = binary.BigEndian.AppendUint32(record, at.file)
	return binary.BigEndian.AppendUint64(record, uint64(at.row))
}

// next returns the record of the next row, without its place.
func (s *sortedRows) next() ([]byte, error) {
	for s.scan == nil || !s.scan.Next() {
		if s.scan != nil && s.scan.Err() != nil {
			return nil, s.scan.Err()
		}
		if len(s.prefixes) == 0 {
			return nil, errors.New("sort rows: a row is missing")
		}
		s.scan = s.sorter.Scan(s.prefixes[0])
		s.prefixes = s.prefixes[1:]
	}
	record := s.scan.Record()
	s.origins = append(s.origins, origin{binary.BigEndian.Uint32(record[16:]), int64(binary.BigEndian.Uint64(record[20:]))})
	return record[placeBytes:], nil
}

// NextFrom is that of a parquetlog.Reader.
func (s *sortedRows) NextFrom(row int) (*parquetlog.Batch, error) {
	s.origins = s.origins[:copy(s.origins, s.origins[min(row, len(s.origins)):])]
	return s.RecordReader.NextFrom(row)
}

// Close removes what was sorted.
func (s *sortedRows) Close() error { return s.sorter.Close() }
