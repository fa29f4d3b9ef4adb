package ytsaurus

import (
	"math"
	"slices"

	"poolproof/core"
)

// A parquetReader reads rows of Parquet, as copies of the log have them: texts in byte
// columns, with or without the mark of UTF-8; maps as YSON or JSON in such columns, or
// as nested columns; numbers and times of any width (ingest/trace/FORMAT.md §2). It is
// the Visitor of a file's records.
type parquetReader struct {
	cells   cellReader
	row     *row
	filter  filter
	columns []parquetColumn
	column  *parquetColumn // under way
	next    value          // the name and key of the value that comes
	depth   int            // of open maps and lists, 1 for a value of a column
	passed  int            // the depth of what is passed over, 0 for nothing
	time    []byte
	err     error  // of the row
	at      string // and the column that it is in
}

// A parquetColumn is a column of the file that is read.
type parquetColumn struct {
	name  string
	known *knownName
}

// pick chooses the columns of a file, the type of the event first: what is kept of
// others depends on it.
func (p *parquetReader) pick(names []string) []string {
	p.columns = p.columns[:0]
	var picked []string
	for _, name := range names {
		known := columnTable.find([]byte(name))
		if known.role == skipped || slices.Contains(picked, name) {
			continue
		}
		c := parquetColumn{name, known}
		if known.key == keyEventType {
			picked = slices.Insert(picked, 0, name)
			p.columns = slices.Insert(p.columns, 0, c)
			continue
		}
		picked = append(picked, name)
		p.columns = append(p.columns, c)
	}
	return picked
}

// begin begins a row.
func (p *parquetReader) begin(r *row) {
	r.reset()
	p.row, p.filter, p.depth, p.passed, p.err = r, filter{}, 0, 0, nil
	r.add(value{kind: mapping})
}

// end ends the row. An error says why it is none, and is of that column.
func (p *parquetReader) end() (column string, err error) {
	for len(p.row.open) > 0 {
		p.row.close()
	}
	return p.at, p.err
}

// wrong keeps the first error of the row. The rest of it is passed over.
func (p *parquetReader) wrong(err error) {
	if p.err == nil && err != nil {
		p.at, p.err = p.column.name, err
	}
}

// Column begins a column.
func (p *parquetReader) Column(i int) {
	p.column, p.depth, p.passed = &p.columns[i], 1, 0
	known := p.column.known
	if !p.filter.begin(known) || p.err != nil {
		p.passed = 1
		return
	}
	p.next = value{key: known.key, name: known.span}
}

// take reports whether a value is kept, and makes it the next of the row.
func (p *parquetReader) take() (v value, ok bool) {
	if p.passed > 0 {
		p.passOne()
		return value{}, false
	}
	v, p.next = p.next, value{}
	return v, true
}

// passOne ends what is passed over if it was a single value.
func (p *parquetReader) passOne() {
	if p.passed == p.depth && p.depth > 1 {
		p.passed = 0
	}
}

func (p *parquetReader) scalar(k kind, num uint64) {
	if v, ok := p.take(); ok {
		v.kind, v.num = k, num
		p.row.add(v)
	}
}

// Null adds an entry or item that is missing.
func (p *parquetReader) Null() { p.scalar(null, 0) }

// Bool adds a boolean.
func (p *parquetReader) Bool(is bool) {
	num := uint64(0)
	if is {
		num = 1
	}
	p.scalar(boolean, num)
}

// Int adds a number.
func (p *parquetReader) Int(n int64) { p.scalar(integer, uint64(n)) }

// Uint adds a number.
func (p *parquetReader) Uint(n uint64) {
	if n > math.MaxInt64 {
		p.scalar(unsigned, n)
		return
	}
	p.scalar(integer, n)
}

// Double adds a number.
func (p *parquetReader) Double(x float64) { p.scalar(double, math.Float64bits(x)) }

// Time adds a time as the text that the scheduler writes.
func (p *parquetReader) Time(micros int64) {
	if v, ok := p.take(); ok {
		p.time = appendTime(p.time[:0], core.Time(micros))
		v.kind, v.text = text, p.row.keep(p.time)
		p.row.add(v)
	}
}

// Bytes adds a text, or what a cell holds.
func (p *parquetReader) Bytes(b []byte, isText bool) {
	v, ok := p.take()
	switch {
	case !ok:
	case p.depth == 1:
		p.wrong(p.cells.read(p.row, &p.filter, v, b))
	case isText || !looksLikeYSON(b) || p.cells.read(p.row, &p.filter, v, b) != nil:
		v.kind, v.text = text, p.row.keep(b)
		p.row.add(v)
	}
}

// looksLikeYSON reports whether a member of a nested column is binary YSON: there a
// text may begin with whatever character it likes.
func looksLikeYSON(b []byte) bool {
	return len(b) > 0 && (0x01 <= b[0] && b[0] <= 0x06 || len(b) > 1 && (b[0] == '{' || b[0] == '[') && 0x01 <= b[1] && b[1] <= 0x06)
}

// Map begins a map.
func (p *parquetReader) Map() { p.open(mapping) }

// List begins a list.
func (p *parquetReader) List() { p.open(list) }

func (p *parquetReader) open(k kind) {
	if p.passed == 0 {
		v := p.next
		v.kind, p.next = k, value{}
		p.row.add(v)
	}
	p.depth++
}

// Key begins an entry of a map.
func (p *parquetReader) Key(name []byte) {
	if p.passed > 0 {
		return
	}
	known, keep := p.filter.entryOf(name, p.depth)
	if !keep {
		p.passed = p.depth
		return
	}
	p.next = value{key: known.key, name: p.row.keepName(known, name)}
}

// End ends a map or list.
func (p *parquetReader) End() {
	p.depth--
	if p.passed > 0 {
		p.passOne()
		return
	}
	p.row.close()
}
