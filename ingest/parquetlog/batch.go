package parquetlog

import "slices"

// batchRows is the default number of rows in a batch of a Reader: enough to spread the cost
// of a batch, few enough to stay in the cache.
const batchRows = 4096

// A Batch is some consecutive rows of a file, column by column. It is valid
// until the Reader's next call.
type Batch struct {
	First   int64 // number of the first row in the file
	Of      int64 // rows in all batches of the reader
	Rows    int
	Columns []Vector // by the table's columns; empty for those not read
}

// A Vector holds one column of a Batch, in the field of the column's type. A null has the zero
// value there; Null distinguishes it from a real zero.
type Vector struct {
	Int32s  []int32
	Int64s  []int64 // Int64 and Time; times are microseconds since the epoch
	Doubles []float64
	Bools   []bool
	Texts   []int32 // ids of interned text; other text is read by Bytes

	Absent bool   // the file has no such column
	Nulls  bool   // whether any row of this batch is null
	valid  []bool // which are not, if Nulls

	data    []byte   // of text that is not interned
	held    int64    // what of the budget it has taken
	offsets []uint32 // one more than rows
}

// Null reports whether row i of the batch is null.
func (v *Vector) Null(i int) bool { return v.Nulls && !v.valid[i] }

// Bytes returns row i of text that is not interned. It is valid as long as the
// Batch, and is not checked to be UTF-8.
func (v *Vector) Bytes(i int) []byte { return v.data[v.offsets[i]:v.offsets[i+1]] }

// grow makes room for a full batch.
func (v *Vector) grow(c *Column, rows int) {
	switch {
	case c.Type == Int32:
		v.Int32s = make([]int32, rows)
	case c.Type == Int64 || c.Type == Time:
		v.Int64s = make([]int64, rows)
	case c.Type == Double:
		v.Doubles = make([]float64, rows)
	case c.Type == Bool:
		v.Bools = make([]bool, rows)
	case c.Interned():
		v.Texts = make([]int32, rows)
	default:
		v.offsets = make([]uint32, rows+1)
	}
	v.valid = make([]bool, rows)
}

// keepFrom moves the rows [from, rows) to the front of the next batch and drops the others.
func (v *Vector) keepFrom(from, rows int) {
	n := rows - from
	moveRows(v.Int32s, from, n)
	moveRows(v.Int64s, from, n)
	moveRows(v.Doubles, from, n)
	moveRows(v.Bools, from, n)
	moveRows(v.Texts, from, n)
	if v.Nulls {
		moveRows(v.valid, from, n)
		v.Nulls = slices.Contains(v.valid[:n], false)
	}
	if v.offsets == nil || n == 0 {
		v.data = v.data[:0]
		return
	}
	first, last := v.offsets[from], v.offsets[rows]
	v.data = v.data[:copy(v.data, v.data[first:last])]
	for i := range n + 1 {
		v.offsets[i] = v.offsets[from+i] - first
	}
}

// moveRows moves n rows from row from on to the front.
func moveRows[T any](s []T, from, n int) {
	if s != nil {
		copy(s, s[from:from+n])
	}
}

// mark records which of the rows [at, at+len(levels)) are not null, where level
// is that of a value.
func (v *Vector) mark(at int, levels []byte, level byte) {
	if !v.Nulls {
		fill(v.valid[:at], true)
		v.Nulls = true
	}
	for i, l := range levels {
		v.valid[at+i] = l == level
	}
}

// markAll does the same for n rows that are alike.
func (v *Vector) markAll(at, n int, valid bool) {
	if !v.Nulls {
		if valid {
			return
		}
		fill(v.valid[:at], true)
		v.Nulls = true
	}
	fill(v.valid[at:at+n], valid)
}

func fill[T any](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}

// spread moves the n values at the front of s to the rows that hold one, from
// the back so that none is overwritten, and zeroes the rest.
func spread[T any](s []T, levels []byte, level byte, n int) {
	var zero T
	for i := len(levels) - 1; i >= 0; i-- {
		if levels[i] == level {
			n--
			s[i] = s[n]
		} else {
			s[i] = zero
		}
	}
}
