// Package parquetlogtest reads back, in tests, what was written as Parquet.
package parquetlogtest

import (
	"errors"
	"io"

	"poolproof/ingest/parquetlog"
)

// ReadAll returns all rows of a small file. A null in a column that may hold none
// becomes the zero value.
func ReadAll[T any](table *parquetlog.TableOf[T], path string) ([]T, error) {
	in := parquetlog.NewInterner(0)
	r, err := parquetlog.Open(&table.Table, path, parquetlog.ReadOptions{Interner: in, Kept: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var rows []T
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		at := len(rows)
		rows = append(rows, make([]T, b.Rows)...)
		for i := range rows[at:] {
			table.Row(b, i, in, &rows[at+i])
		}
	}
}
