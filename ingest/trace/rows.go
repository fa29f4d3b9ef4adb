package trace

import (
	"io"

	"poolproof/ingest/parquetlog"
)

// EachRow reads a table in a folder of a trace row by row, file after file. The row is valid
// during the call. Rows out of place, or with a null that they may not hold, are shown as they
// stand: package ingest finds them.
func EachRow[T any](folder string, table *parquetlog.TableOf[T], memory parquetlog.Memory, use func(*T) error) error {
	files, err := Files(folder, table.Name)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := eachRowOf(file, table, memory, use); err != nil {
			return err
		}
	}
	return nil
}

func eachRowOf[T any](file string, table *parquetlog.TableOf[T], memory parquetlog.Memory, use func(*T) error) error {
	in := parquetlog.NewInterner(memory)
	r, err := parquetlog.Open(&table.Table, file, parquetlog.ReadOptions{Interner: in})
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range b.Rows {
			var row T
			table.Row(b, i, in, &row)
			if err := use(&row); err != nil {
				return err
			}
		}
	}
}
