package parquetlog

import "fmt"

// A Type is the type of a column: the Parquet type and its annotation together.
type Type uint8

const (
	Int32  Type = iota + 1
	Int64       // signed, without a unit of its own
	Time        // INT64 TIMESTAMP(MICROS), UTC
	Double      // finite or not: the reader does not judge
	Bool
	Text // BYTE_ARRAY, UTF-8
)

var typeNames = [...]string{"", "INT32", "INT64", "INT64 TIMESTAMP(MICROS, UTC)", "DOUBLE", "BOOLEAN", "BYTE_ARRAY UTF8"}

func (t Type) String() string { return typeNames[t] }

// An Encoding is the encoding of a column (ingest/trace/FORMAT.md §3.6). It
// binds the writer only; the reader accepts any encoding.
type Encoding uint8

const (
	Plain Encoding = iota
	Delta          // DELTA_BINARY_PACKED, for what grows from row to row
	Dict           // RLE_DICTIONARY with plain fallback, for what repeats
)

// A Column is one column of a table.
type Column struct {
	Name     string
	Type     Type
	Nullable bool
	Encoding Encoding
	Bloom    bool   // has a bloom filter, for look-ups of single ids
	Doc      string // one sentence
}

// Interned reports whether the reader turns the column's text into ids. Text
// that hardly ever repeats is handed out as bytes instead.
func (c *Column) Interned() bool { return c.Type == Text && c.Encoding == Dict }

// A Table is the declaration of a table: all that its writer and its reader
// need to know.
type Table struct {
	Name    string
	Doc     string
	Columns []Column
}

// Column returns the index of the named column. It panics if there is none:
// names are written in code.
func (t *Table) Column(name string) int {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return i
		}
	}
	panic(fmt.Sprintf("table %s has no column %s", t.Name, name))
}
