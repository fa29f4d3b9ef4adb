package eventlogtest

import (
	"errors"
	"io"
	"iter"

	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// rowsOf reads a table of a trace row by row. The row is reused; an error ends the
// sequence.
func rowsOf[T any](table *parquetlog.TableOf[T], folder string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		files, err := trace.Files(folder, table.Name)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, file := range files {
			if !rowsOfFile(table, file, yield) {
				return
			}
		}
	}
}

// rowsOfFile yields the rows of one file and returns whether to go on.
func rowsOfFile[T any](table *parquetlog.TableOf[T], file string, yield func(*T, error) bool) bool {
	in := parquetlog.NewInterner(0)
	r, err := parquetlog.Open(&table.Table, file, parquetlog.ReadOptions{Interner: in})
	if err != nil {
		yield(nil, err)
		return false
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		for i := range b.Rows {
			var row T
			table.Row(b, i, in, &row)
			if !yield(&row, nil) {
				return false
			}
		}
	}
}

// collect reads a table that is small.
func collect[T any](table *parquetlog.TableOf[T], folder string) (all []T, err error) {
	for row, err := range rowsOf(table, folder) {
		if err != nil {
			return nil, err
		}
		all = append(all, *row)
	}
	return all, nil
}

// A cursor reads a table of rows of snapshots in step with another.
type cursor[T any] struct {
	next func() (*T, error, bool)
	stop func()
	row  *T // not taken yet; nil at the end
	err  error
}

func newCursor[T any](table *parquetlog.TableOf[T], folder string) *cursor[T] {
	next, stop := iter.Pull2(rowsOf(table, folder))
	c := &cursor[T]{next: next, stop: stop}
	c.advance()
	return c
}

func (c *cursor[T]) advance() {
	row, err, ok := c.next()
	c.row = nil
	if c.err = err; ok && err == nil {
		c.row = row
	}
}

// take returns the rows for which is says that they belong to the snapshot at hand.
// Rows before it, for which before holds, are passed over.
func (c *cursor[T]) take(before, is func(*T) bool) (rows []T, err error) {
	for c.row != nil && before(c.row) {
		c.advance()
	}
	for c.row != nil && is(c.row) {
		rows = append(rows, *c.row)
		c.advance()
	}
	return rows, c.err
}
