package parquetlog

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go"

	"poolproof/ingest/input"
)

// InOrder reports whether the rows of a table's files, one after the other, are in the order of
// its columns time and seq, so far that a batch puts the rest right: rows of one time may stand in
// any order within a batch. Files of this package's Writer, whose users write in order, are not
// read: their footers say where they begin and end.
func InOrder(table *Table, files []string, memory Memory) (bool, error) {
	last := int64(math.MinInt64)
	for _, file := range files {
		own, from, to, err := boundsOf(file)
		switch {
		case err != nil:
			return false, err
		case own && from > to: // no rows
		case !own || from <= last:
			return timesInOrder(table, files, memory)
		default:
			last = to
		}
	}
	return true, nil
}

// timesInOrder reads the times of all rows.
func timesInOrder(table *Table, files []string, memory Memory) (bool, error) {
	var last orderMark
	for _, file := range files {
		if ok, err := last.addFile(table, file, memory); !ok || err != nil {
			return ok, err
		}
	}
	return true, nil
}

// CountRows returns how many rows the files of a table have by their footers. An empty file has none.
func CountRows(files []string) (n int64, err error) {
	for _, path := range files {
		rows, err := countRows(path)
		if err != nil {
			return 0, err
		}
		n += rows
	}
	return n, nil
}

func countRows(path string) (n int64, err error) {
	f, err := input.Open(path)
	if err != nil {
		return 0, fmt.Errorf("open table: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("open table: %w", err)
	}
	if info.Size() == 0 {
		return 0, nil
	}
	defer guard(path, &err)
	file, err := open(f, info.Size())
	if err != nil {
		return 0, wrap(path, err)
	}
	return file.NumRows(), nil
}

// boundsOf reads from a footer whether the file is one of the Writer, and its first and last time.
func boundsOf(path string) (own bool, from, to int64, err error) {
	f, err := input.Open(path)
	if err != nil {
		return false, 0, 0, fmt.Errorf("open table: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, 0, 0, fmt.Errorf("open table: %w", err)
	}
	from, to = math.MaxInt64, math.MinInt64
	if info.Size() == 0 {
		return true, from, to, nil
	}
	defer guard(path, &err)
	file, err := open(f, info.Size())
	if err != nil {
		return false, 0, 0, wrap(path, err)
	}
	column := file.Root().Column("time")
	if !strings.HasPrefix(file.Metadata().CreatedBy, ownPrefix) || column == nil || !column.Leaf() {
		return false, 0, 0, nil
	}
	for i, g := range file.RowGroups() {
		chunk, ok := g.ColumnChunks()[column.Index()].(*parquet.FileColumnChunk)
		if !ok {
			return false, 0, 0, nil
		}
		least, most, ok := chunk.Bounds()
		if !ok || least.Kind() != parquet.Int64 || i > 0 && least.Int64() < to {
			return false, 0, 0, nil
		}
		from, to = min(from, least.Int64()), most.Int64()
	}
	return true, from, to, nil
}

// An orderMark holds the last row so far.
type orderMark struct {
	begun     bool
	time, seq int64
	since     int64 // rows of that time
}

// addFile reads the times of a file and reports whether they continue the order.
func (m *orderMark) addFile(table *Table, file string, memory Memory) (bool, error) {
	r, err := Open(table, file, ReadOptions{Columns: []string{"time", "seq"}, Interner: NewInterner(memory)})
	if err != nil {
		return false, err
	}
	defer r.Close()
	timeColumn, seqColumn := table.Column("time"), table.Column("seq")
	m.since = batchRows // rows of another file are in another batch
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		times, seqs := b.Columns[timeColumn].Int64s[:b.Rows], b.Columns[seqColumn].Int64s[:b.Rows]
		for i, at := range times {
			switch {
			case !m.begun, at > m.time:
				m.since = 0
			case at < m.time, seqs[i] < m.seq && m.since >= batchRows:
				return false, nil
			}
			m.begun, m.time, m.seq = true, at, max(seqs[i], m.seqIf(at))
			m.since++
		}
	}
}

// seqIf is the greatest seq so far of a time.
func (m *orderMark) seqIf(at int64) int64 {
	if m.begun && at == m.time {
		return m.seq
	}
	return math.MinInt64
}
