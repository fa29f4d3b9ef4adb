package parquetlog

import "unsafe"

// Row sets row to row i of a batch of all the table's columns. In is the
// reader's Interner.
func (t *TableOf[T]) Row(b *Batch, i int, in *Interner, row *T) {
	p := unsafe.Pointer(row)
	for j := range t.fields {
		f, c, v := &t.fields[j], &t.Columns[j], &b.Columns[j]
		null := v.Null(i)
		if c.Nullable {
			*(*bool)(unsafe.Add(p, f.Set)) = !null
		}
		set(unsafe.Add(p, f.Offset), c, v, i, in, null)
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
