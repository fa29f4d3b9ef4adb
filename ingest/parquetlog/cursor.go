package parquetlog

import (
	"errors"
	"fmt"
	"io"
)

// A cursor reads one column of a file. Pages end where they like in each
// column, so every column has its own.
type cursor struct {
	column *Column
	intern *Interner
	chunks []chunk // one per row group; nil if the file lacks the column
	pages  *pages
	buffer int // how much of the file is read at a time

	group int   // the next row group
	left  int64 // rows of the open one that were not read

	// The open page.
	pageLeft int      // rows not read
	levels   []byte   // definition levels of those rows; nil if none is null
	data     pageData // the values of a plain page
	next     int      // value of it
	indexes  []int32  // into the dictionary, of the values not read; nil if the page is plain
	local    []int32  // the dictionary's texts as interned ids
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
		if err := c.copy(v, at, k); err != nil {
			return err
		}
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
	for c.left == 0 {
		if err := c.nextChunk(); err != nil {
			return err
		}
	}
	err := c.pages.next()
	if errors.Is(err, io.EOF) {
		return c.damaged(fmt.Sprintf("row group %d ends %d rows early", c.group-1, c.left))
	}
	if err != nil {
		return err
	}
	return c.open(&c.pages.page)
}

func (c *cursor) nextChunk() error {
	if c.group == len(c.chunks) {
		return c.damaged("the file ends early")
	}
	at := &c.chunks[c.group]
	c.left = at.rows
	c.group++
	return c.pages.open(at, c.buffer)
}

// open prepares to read a page.
func (c *cursor) open(p *page) error {
	if int64(p.n) > c.left {
		return c.damaged(fmt.Sprintf("row group %d has more rows here than in other columns", c.group-1))
	}
	c.pageLeft, c.next = p.n, 0
	c.levels, c.indexes, c.data = p.def, nil, p.data
	if p.indexed {
		c.indexes = p.indexes
	}
	if c.pages.dictNew {
		c.pages.dictNew = false
		c.translate()
	}
	return nil
}

// translate interns the texts of a chunk's dictionary.
func (c *cursor) translate() {
	if !c.column.Interned() {
		return
	}
	c.local = c.local[:0]
	for i := range c.pages.dictSize {
		c.local = append(c.local, c.intern.ID(c.pages.dict.text(i)))
	}
}

func (c *cursor) damaged(what string) error {
	return &FormatError{Column: c.column.Name, Found: "the file is damaged: " + what}
}
