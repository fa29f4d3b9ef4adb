package parquetlog

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// A cursor reads one column of a file. Pages end where they like in each
// column, so every column has its own.
type cursor struct {
	column *Column
	intern *Interner
	chunks []parquet.ColumnChunk // one per row group; nil if the file lacks the column
	layout []chunk               // of the same
	level  byte                  // definition level of a value; 0 if the column is required

	group int   // the next row group
	left  int64 // rows of the open one that were not read
	pages parquet.Pages
	page  parquet.Page
	dict  parquet.Dictionary // of the open chunk, as far as it was translated

	// The open page.
	pageLeft int    // rows not read
	levels   []byte // definition levels of those rows; nil if none is null
	allNull  bool
	data     pageData
	dictData pageData // the dictionary's values
	local    []int32  // the dictionary's texts as interned ids
	indexes  []int32  // into the dictionary, of the values not read; nil if the page is plain
	next     int      // value of a plain page
}

// pageData is what a page or dictionary holds, by type.
type pageData struct {
	int32s  []int32
	int64s  []int64
	doubles []float64
	bits    []byte
	bytes   []byte
	offsets []uint32
}

// fill reads n rows into v from row at on.
func (c *cursor) fill(v *Vector, at, n int) error {
	v.Absent = c.chunks == nil
	if v.Absent {
		c.absent(v, at, n)
		return nil
	}
	if at == 0 && v.offsets != nil {
		v.offsets[0] = 0
	}
	for n > 0 {
		if c.pageLeft == 0 {
			if err := c.nextPage(); err != nil {
				return err
			}
			continue
		}
		k := min(n, c.pageLeft)
		c.copy(v, at, k)
		at, n = at+k, n-k
		c.pageLeft -= k
		c.left -= int64(k)
	}
	return nil
}

// absent fills rows of a column that the file does not have.
func (c *cursor) absent(v *Vector, at, n int) {
	v.markAll(at, n, false)
	clearRows(v.Int32s, at, n)
	clearRows(v.Int64s, at, n)
	clearRows(v.Doubles, at, n)
	clearRows(v.Bools, at, n)
	clearRows(v.Texts, at, n)
	clearRows(v.offsets, at, min(n+1, len(v.offsets)))
}

func clearRows[T any](s []T, at, n int) {
	if s != nil {
		clear(s[at : at+n])
	}
}

// nextPage opens the next page that has rows, of the next row group if need be.
func (c *cursor) nextPage() error {
	c.release()
	for c.left == 0 {
		if err := c.nextChunk(); err != nil {
			return err
		}
	}
	page, err := c.pages.ReadPage()
	if errors.Is(err, io.EOF) {
		return c.damaged(fmt.Sprintf("row group %d ends %d rows early", c.group-1, c.left))
	}
	if err != nil {
		return err
	}
	c.page = page
	return c.open(page)
}

func (c *cursor) nextChunk() error {
	if c.pages != nil {
		if err := c.pages.Close(); err != nil {
			return err
		}
		c.pages = nil
	}
	if c.group == len(c.chunks) {
		return c.damaged("the file ends early")
	}
	if err := c.layout[c.group].check(c.column.Type); err != nil {
		return err
	}
	c.pages = c.chunks[c.group].Pages()
	c.left = c.layout[c.group].rows
	c.dict = nil
	c.group++
	return nil
}

// open prepares to read a page.
func (c *cursor) open(page parquet.Page) error {
	rows := page.NumRows()
	if rows > c.left {
		return c.damaged(fmt.Sprintf("row group %d has more rows here than in other columns", c.group-1))
	}
	c.pageLeft, c.next = int(rows), 0
	values := rows
	c.levels, c.allNull = nil, false
	if c.level > 0 {
		if nulls := page.NumNulls(); nulls > 0 {
			values -= nulls
			c.levels = page.DefinitionLevels()
			c.allNull = values == 0
		}
	}
	if dict := page.Dictionary(); dict != nil {
		if dict != c.dict {
			c.translate(dict)
			c.dict = dict
		}
		data := page.Data()
		c.indexes = data.Int32()
		if int64(len(c.indexes)) < values {
			return c.damaged("a page has fewer values than it says")
		}
		c.indexes = c.indexes[:values]
		if !inside(c.indexes, dict.Len()) {
			return c.damaged("a page names a value that its dictionary does not have")
		}
		return nil
	}
	c.indexes = nil
	if c.allNull {
		return nil
	}
	if have := c.data.take(c.column.Type, page); have < values {
		return c.damaged("a page has fewer values than it says")
	}
	return nil
}

// inside reports whether all indexes are in [0, n).
func inside(indexes []int32, n int) bool {
	var most uint32
	for _, i := range indexes {
		most = max(most, uint32(i))
	}
	return len(indexes) == 0 || most < uint32(n)
}

// take points d at the page's values and returns how many there are.
func (d *pageData) take(t Type, page parquet.Page) int64 {
	data := page.Data()
	switch t {
	case Int32:
		d.int32s = data.Int32()
		return int64(len(d.int32s))
	case Int64, Time:
		d.int64s = data.Int64()
		return int64(len(d.int64s))
	case Double:
		d.doubles = data.Double()
		return int64(len(d.doubles))
	case Bool:
		d.bits = data.Boolean()
		return int64(len(d.bits)) * 8
	default:
		d.bytes, d.offsets = data.ByteArray()
		return int64(len(d.offsets)) - 1
	}
}

// text returns value i.
func (d *pageData) text(i int) []byte { return d.bytes[d.offsets[i]:d.offsets[i+1]] }

func (d *pageData) bit(i int) bool { return d.bits[i/8]>>(i%8)&1 != 0 }

// translate prepares the values of a chunk's dictionary.
func (c *cursor) translate(dict parquet.Dictionary) {
	c.dictData.take(c.column.Type, dict.Page())
	if !c.column.Interned() {
		return
	}
	c.local = c.local[:0]
	for i := range dict.Len() {
		c.local = append(c.local, c.intern.ID(c.dictData.text(i)))
	}
}

func (c *cursor) damaged(what string) error {
	return &FormatError{Column: c.column.Name, Found: "the file is damaged: " + what}
}

// release gives the page's memory back.
func (c *cursor) release() {
	if c.page != nil {
		parquet.Release(c.page)
		c.page = nil
	}
}

func (c *cursor) close() {
	c.release()
	if c.pages != nil {
		c.pages.Close()
		c.pages = nil
	}
}
