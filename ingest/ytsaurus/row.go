package ytsaurus

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A kind is the type of a value.
type kind uint8

const (
	null kind = iota
	boolean
	integer  // int64
	unsigned // uint64 beyond int64
	double
	text
	mapping
	list
)

// A value is one of a row's values. A row holds them in the order of the text:
// the children of a map or a list follow it.
type value struct {
	kind kind
	key  key    // of an entry of a map whose name the importer knows
	name span   // of an entry of a map
	end  int32  // one past the last of its descendants
	num  uint64 // of numbers and booleans, by kind
	text span   // of a text
}

// A span is a place in a row's text, or in that of known names.
type span struct{ off, len uint32 }

// A row is one record of a source, whatever its form: a map of columns. It is
// reused.
type row struct {
	values  []value
	text    []byte
	open    []int32 // maps and lists under way
	replace int     // texts whose bytes were no UTF-8
	long    int     // times that a text was asked for that is too long for a name
}

func (r *row) reset() {
	r.values, r.text, r.open, r.replace, r.long = r.values[:0], r.text[:0], r.open[:0], 0, 0
}

// add appends a value. Maps and lists are open until close.
func (r *row) add(v value) {
	at := int32(len(r.values))
	v.end = at + 1
	r.values = append(r.values, v)
	if v.kind >= mapping {
		r.open = append(r.open, at)
	}
}

func (r *row) close() {
	at := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	r.values[at].end = int32(len(r.values))
}

// keep copies bytes into the row's text. What is no UTF-8 is replaced
// (ingest/trace/FORMAT.md §3.2).
func (r *row) keep(b []byte) span {
	off := len(r.text)
	if utf8.Valid(b) {
		r.text = append(r.text, b...)
	} else {
		r.replace++
		for len(b) > 0 {
			c, n := utf8.DecodeRune(b)
			r.text = utf8.AppendRune(r.text, c)
			b = b[n:]
		}
	}
	return span{uint32(off), uint32(len(r.text) - off)}
}

func (r *row) bytes(s span) []byte {
	if s.off >= inKnownText {
		return knownBytes[s.off-inKnownText:][:s.len]
	}
	return r.text[s.off : s.off+s.len]
}

// keepName is keep for the name of a column or of an entry.
func (r *row) keepName(known *knownName, name []byte) span {
	if known.key != keyOther {
		return known.span
	}
	return r.keep(name)
}

// A cursor is a value of a row. The zero cursor is no value: it is null and has
// no children.
type cursor struct {
	row *row
	at  int32
}

func (r *row) root() cursor { return cursor{r, 0} }

func (c cursor) value() *value { return &c.row.values[c.at] }

func (c cursor) kind() kind {
	if c.row == nil {
		return null
	}
	return c.value().kind
}

func (c cursor) isNull() bool { return c.kind() == null }

// key is the known name of an entry of a map.
func (c cursor) key() key { return c.value().key }

// name is the name of an entry of a map, valid until the row's next use.
func (c cursor) name() []byte { return c.row.bytes(c.value().name) }

// children calls yield with the entries of a map or the items of a list, until
// it returns false.
func (c cursor) children(yield func(cursor) bool) {
	if k := c.kind(); k != mapping && k != list {
		return
	}
	for at := c.at + 1; at < c.value().end; {
		child := cursor{c.row, at}
		if !yield(child) {
			return
		}
		at = child.value().end
	}
}

// get returns the entry of a map with a known name. Of several the last counts.
func (c cursor) get(k key) (found cursor) {
	for child := range c.children {
		if child.key() == k {
			found = child
		}
	}
	return found
}

// bytes is the text of a text, nil of anything else, and of one that is longer than
// names and messages may be in a trace.
func (c cursor) bytes() []byte {
	if c.kind() != text {
		return nil
	}
	if c.value().text.len > longestName {
		c.row.long++
		return nil
	}
	return c.row.bytes(c.value().text)
}

// The longest texts of a trace, which package parquetlog reads: names and messages,
// and specs.
const (
	longestName = 64 << 10
	longestSpec = 16 << 20
)

// string is the text of a text, "" of anything else.
func (c cursor) string() string { return string(c.bytes()) }

// int is the whole number of a number, and false if the value is none. A number
// with a fraction, or beyond int64, is none.
func (c cursor) int() (int64, bool) {
	switch c.kind() {
	case integer:
		return int64(c.value().num), true
	case double:
		f := math.Float64frombits(c.value().num)
		if f == math.Trunc(f) && math.Abs(f) < 1<<63 {
			return int64(f), true
		}
	}
	return 0, false
}

// float is the number of a number, and false if the value is none.
func (c cursor) float() (float64, bool) {
	switch c.kind() {
	case integer:
		return float64(int64(c.value().num)), true
	case unsigned:
		return float64(c.value().num), true
	case double:
		return math.Float64frombits(c.value().num), true
	}
	return 0, false
}

// bool is the truth of a boolean, and false, false of anything else.
func (c cursor) bool() (is, ok bool) {
	if c.kind() != boolean {
		return false, false
	}
	return c.value().num != 0, true
}

// appendJSON appends a value as JSON, keys in the order of the source.
// Numbers that JSON does not have become null.
func (c cursor) appendJSON(b []byte) []byte {
	switch c.kind() {
	case boolean:
		return strconv.AppendBool(b, c.value().num != 0)
	case integer:
		return strconv.AppendInt(b, int64(c.value().num), 10)
	case unsigned:
		return strconv.AppendUint(b, c.value().num, 10)
	case double:
		return appendDouble(b, math.Float64frombits(c.value().num))
	case text:
		return appendText(b, c.row.bytes(c.value().text))
	case mapping, list:
		open, shut := byte('{'), byte('}')
		if c.kind() == list {
			open, shut = '[', ']'
		}
		b = append(b, open)
		first := true
		for child := range c.children {
			if !first {
				b = append(b, ',')
			}
			first = false
			if open == '{' {
				b = append(appendText(b, child.name()), ':')
			}
			b = child.appendJSON(b)
		}
		return append(b, shut)
	}
	return append(b, "null"...)
}

// appendSortedJSON is appendJSON with the keys of maps in their order, so that
// equal values of different sources have one text.
func (c cursor) appendSortedJSON(b []byte) []byte {
	k := c.kind()
	if k != mapping && k != list {
		return c.appendJSON(b)
	}
	children := slices.Collect(c.children)
	open, shut := byte('['), byte(']')
	if k == mapping {
		open, shut = '{', '}'
		slices.SortStableFunc(children, func(a, b cursor) int { return bytes.Compare(a.name(), b.name()) })
	}
	b = append(b, open)
	for i, child := range children {
		if i > 0 {
			b = append(b, ',')
		}
		if k == mapping {
			b = append(appendText(b, child.name()), ':')
		}
		b = child.appendSortedJSON(b)
	}
	return append(b, shut)
}

// appendDouble writes a number in the form that a whole one keeps: 3 and 3.0
// read alike.
func appendDouble(b []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(b, "null"...)
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.AppendInt(b, int64(f), 10)
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

// appendText writes a text of valid UTF-8 as JSON.
func appendText(b, t []byte) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, c := range t {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
