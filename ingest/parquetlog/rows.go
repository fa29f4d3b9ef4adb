package parquetlog

import (
	"errors"
	"io"
	"unsafe"
)

// ReadAll returns all rows of a small table. It makes a string of every text,
// so it is for dimensions and configurations, not for logs. A null in a column
// that may hold none becomes the zero value: who must know reads batches.
func ReadAll[T any](table *TableOf[T], path string) ([]T, error) {
	in := NewInterner()
	r, err := Open(&table.Table, path, ReadOptions{Interner: in, Kept: true})
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

// Row sets row to row i of a batch of all the table's columns. In is the
// reader's Interner.
func (t *TableOf[T]) Row(b *Batch, i int, in *Interner, row *T) {
	p := unsafe.Pointer(row)
	for j := range t.fields {
		f, c, v := &t.fields[j], &t.Columns[j], &b.Columns[j]
		null := v.Null(i)
		if c.Nullable {
			*(*bool)(unsafe.Add(p, f.set)) = !null
		}
		set(unsafe.Add(p, f.offset), c, v, i, in, null)
	}
}

// set stores row i of a column in the field at p, which Declare found to be of
// the column's type.
func set(p unsafe.Pointer, c *Column, v *Vector, i int, in *Interner, null bool) {
	switch c.Type {
	case Int32:
		*(*int32)(p) = v.Int32s[i]
	case Int64, Time:
		*(*int64)(p) = v.Int64s[i]
	case Double:
		*(*float64)(p) = v.Doubles[i]
	case Bool:
		*(*bool)(p) = v.Bools[i]
	case Text:
		switch {
		case null:
			*(*string)(p) = ""
		case c.Interned():
			*(*string)(p) = in.Text(v.Texts[i])
		default:
			*(*string)(p) = string(v.Bytes(i))
		}
	}
}
