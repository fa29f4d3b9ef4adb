package ingest

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"poolproof/core"
	"poolproof/ingest/input"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// rows steps through the rows of one table of a tree, file after file, and
// leaves out those without a usable place in time.
type rows struct {
	stream   *stream
	problems *problems // where those of the table go
	table    *parquetlog.Table
	columns  []string
	files    []string
	bind     func(b *parquetlog.Batch) // called with every batch

	reader batches
	sorted *sortedRows // the reader, if the files are not in order
	opened bool
	batch  *parquetlog.Batch
	i      int // the current row of the batch
	inBatch
	file     string
	source   string
	stamp    trace.Stamp // of the current row
	began    bool        // whether there was a row before
	reported bool        // whether what is wrong was reported before, with a row that is gone

	code string   // of the last problem
	bad  int64    // problems so far
	lost LostRows // rows that are left out

	seen, used int64 // rows before the end of the stream, and those of them that can be used

	times, seqs *parquetlog.Vector
	required    []int // columns that may hold no null
	nulls       []int // those of them that do in this batch
}

// newRows returns the rows of a table. Columns are those wanted besides time
// and seq; nil for all.
func newRows(s *stream, folder string, table *parquetlog.Table, columns []string, bind func(*parquetlog.Batch)) (*rows, error) {
	files, err := s.trace.files(folder, table.Name)
	if err != nil {
		return nil, err
	}
	if columns != nil {
		columns = append(columns, "time", "seq")
	}
	r := &rows{stream: s, problems: s.problems, table: table, columns: columns, files: files, bind: bind}
	if folder == globalFolder {
		r.problems = s.global
	}
	for i := range table.Columns {
		if !table.Columns[i].Nullable {
			r.required = append(r.required, i)
		}
	}
	return r, r.countMissing(folder)
}

// countMissing counts the rows that the manifest has of the table, and its files have not, among those that
// are left out. Of what time they are is not known.
func (r *rows) countMissing(folder string) error {
	counted := r.stream.trace.manifest.Tables[trace.TableKey(folder, r.table.Name)].Rows
	if counted <= 0 || len(r.files) == 0 {
		return nil
	}
	there, err := parquetlog.CountRows(r.files)
	if err != nil || there >= counted {
		return err
	}
	r.lost.Rows, r.lost.Codes = counted-there, []string{missingRows}
	r.problems.add(Problem{r.stream.trace.source(r.files[0]), -1, "", missingRows, fmt.Sprintf("%d of %d", counted-there, counted)})
	return nil
}

// next steps to the next row that has a place in time, and reports whether
// there is one before the end of the stream.
func (r *rows) next() (bool, error) {
	for {
		r.place++
		for r.batch == nil || r.place >= r.whole {
			if more, err := r.load(); !more || err != nil {
				return false, err
			}
		}
		r.i = r.row(r.place)
		r.seen++
		at := trace.Stamp{Time: core.Time(r.times.Int64s[r.i]), Seq: r.seqs.Int64s[r.i]}
		if len(r.nulls) > 0 && r.hasNull() {
			r.lose(at.Time)
			continue
		}
		if !r.stream.plausible(at.Time) {
			r.problem("time", timeOutOfRange, formatTime(at.Time))
			r.lose(at.Time)
			continue
		}
		if ok, err := r.ordered(at); err != nil {
			return false, err
		} else if !ok {
			r.lose(at.Time)
			continue
		}
		r.stamp, r.began = at, true
		if at.Time >= r.stream.to {
			r.seen-- // it is not wanted, whatever is in it
			return false, nil
		}
		return true, nil
	}
}

// load reads the next batch, of the next file if need be.
func (r *rows) load() (bool, error) {
	for {
		if r.reader == nil {
			if len(r.files) == 0 {
				r.batch = nil
				return false, nil
			}
			if err := r.open(); err != nil {
				return false, err
			}
		}
		b, err := r.reader.NextFrom(r.whole)
		if errors.Is(err, io.EOF) && !input.IsBad(err) {
			r.close()
			continue
		}
		if err != nil {
			return false, err
		}
		r.batch = b
		r.times, r.seqs = r.column("time"), r.column("seq")
		r.arrange(b, r.times.Int64s, r.seqs.Int64s)
		r.nulls = r.nulls[:0]
		for _, k := range r.required {
			if b.Columns[k].Nulls {
				r.nulls = append(r.nulls, k)
			}
		}
		r.bind(b)
		return true, nil
	}
}

// open opens the next file, or all files if they are not in order.
func (r *rows) open() error {
	if !r.opened {
		r.opened = true
		if ordered, err := parquetlog.InOrder(r.table, r.files, r.stream.trace.memory.Pages); err != nil {
			return err
		} else if !ordered {
			if r.sorted, err = r.sortRows(); err != nil {
				return err
			}
			r.reader, r.file, r.files, r.whole = r.sorted, r.files[0], nil, 0
			return nil
		}
	}
	file := r.files[0]
	r.files = r.files[1:]
	reader, err := parquetlog.Open(r.table, file, parquetlog.ReadOptions{
		Columns: r.columns, Interner: r.stream.intern, Before: int64(r.stream.to),
	})
	if err != nil {
		return err
	}
	r.reader, r.file, r.source = reader, file, r.stream.trace.source(file)
	r.whole = 0
	return nil
}

func (r *rows) close() {
	if r.reader != nil {
		r.reader.Close()
		r.reader = nil
	}
}

// column returns a column of the batch. Binding is done once a batch.
func (r *rows) column(name string) *parquetlog.Vector {
	return &r.batch.Columns[r.table.Column(name)]
}

// hasNull records the row if a required column is null in it.
func (r *rows) hasNull() bool {
	for _, k := range r.nulls {
		if r.batch.Columns[k].Null(r.i) {
			r.problem(r.table.Columns[k].Name, nullValue, "")
			return true
		}
	}
	return false
}

// ordered reports whether the row follows the last good one in (time, seq).
// Where the order of times breaks, either of two rows may be the one out of place: a row
// that the two after it precede is a leap ahead, and would hide all rows up to
// its time if it were believed.
func (r *rows) ordered(at trace.Stamp) (bool, error) {
	if r.began && !before(r.stamp, at) {
		switch {
		case at == r.stamp:
			r.problem("seq", duplicateSeq, strconv.FormatInt(at.Seq, 10))
		case at.Time == r.stamp.Time:
			return false, r.tooFarApart()
		default:
			r.problem("time", outOfOrder, formatTime(at.Time))
		}
		return false, nil
	}
	if k := r.place; k+2 < r.batch.Rows && int64(at.Time) > r.times.Int64s[k+1] && int64(at.Time) > r.times.Int64s[k+2] &&
		(!r.began || r.times.Int64s[k+1] >= int64(r.stamp.Time)) {
		r.problem("time", outOfOrder, formatTime(at.Time))
		return false, nil
	}
	return true, nil
}

// tooFarApart refuses a table in which the current row stands behind one of its instant
// that it precedes, and not in the same batch. Without it what follows would be judged
// by half of an instant.
func (r *rows) tooFarApart() error {
	return &parquetlog.FormatError{File: r.file, Column: "seq",
		Found:  fmt.Sprintf("row %d stands behind rows of its time that have a greater seq, too far to be put in order", r.batch.First+int64(r.i)),
		Advice: "Sort the table by (time, seq)."}
}

// before is the order of rows in a table.
func before(a, b trace.Stamp) bool {
	return a.Time < b.Time || a.Time == b.Time && a.Seq < b.Seq
}

// problem records what is wrong with the current row.
func (r *rows) problem(column, code, value string) {
	source, row := r.source, r.batch.First+int64(r.i)
	if r.sorted != nil {
		at := r.sorted.origins[r.i]
		source, row = r.sorted.sources[at.file], at.row
	}
	r.bad, r.code = r.bad+1, code
	r.problems.add(Problem{source, row, column, code, value})
}
