package ytsaurus

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

// A rowError says why a record is no row.
type rowError struct {
	offset int64 // of the record's bytes
	found  string
}

func (e *rowError) Error() string { return fmt.Sprintf("byte %d: %s", e.offset, e.found) }

// maxDepth is how deep values may nest. Specs nest some ten levels.
const maxDepth = 256

// A jsonReader reads rows of JSON.
//
// The vendor's JSON holds bytes as characters (encode_utf8 of its format): a
// text whose characters are all below U+0100 stands for those bytes
// (ingest/trace/FORMAT.md §2). Any other text is what it seems.
//
// All of a record is checked against RFC 8259, what is skipped as well as what is
// kept: damage in a value that nobody wants may have moved the names behind it. Bytes
// that are no UTF-8 are taken in texts, as clusters write them.
type jsonReader struct {
	in       []byte
	at       int
	filter   filter
	row      *row
	latin    []byte // the bytes that the characters of a text stand for
	plain    []byte // the text as it seems
	document bool   // whether all that a record holds is kept
	decoded  bool   // whether texts are UTF-8 as they stand
	either   bool   // whether they are where they cannot stand for bytes of UTF-8
}

// read reads one record: a map.
func (p *jsonReader) read(record []byte, r *row) error {
	p.in, p.at, p.row, p.filter = record, 0, r, filter{document: p.document}
	r.reset()
	p.space()
	if p.at == len(p.in) || p.in[p.at] != '{' {
		return p.wrong("a record is a map")
	}
	if err := p.entries(value{kind: mapping}, 1, keyOther); err != nil {
		return err
	}
	if p.space(); p.at < len(p.in) {
		return p.wrong("something follows the record")
	}
	return nil
}

func (p *jsonReader) wrong(found string) error { return &rowError{int64(p.at), found} }

func (p *jsonReader) space() {
	for p.at < len(p.in) {
		switch p.in[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// take skips space and takes one character, 0 at the end.
func (p *jsonReader) take() byte {
	if p.space(); p.at == len(p.in) {
		return 0
	}
	c := p.in[p.at]
	p.at++
	return c
}

// entries reads a map whose values stand that deep.
func (p *jsonReader) entries(v value, depth int, column key) error {
	if depth > maxDepth {
		return p.wrong("values nest too deep")
	}
	p.at++ // {
	p.row.add(v)
	defer p.row.close()
	if p.space(); p.at < len(p.in) && p.in[p.at] == '}' {
		p.at++
		return nil
	}
	for {
		if p.take() != '"' {
			p.at--
			return p.wrong("a key is wanted")
		}
		off := len(p.row.text)
		name, err := p.name()
		if err != nil {
			return err
		}
		var known *knownName
		keep := true
		if depth == 1 {
			known, keep = p.filter.column(name)
			column = known.key
		} else {
			known, keep = p.filter.entryOf(name, depth)
		}
		if p.take() != ':' {
			return p.wrong("a colon is wanted")
		}
		if keep {
			entry := value{key: known.key, name: known.span}
			if known.key == keyOther {
				entry.name = p.keepName(off, name)
			}
			err = p.value(entry, depth, column)
		} else {
			p.row.text = p.row.text[:off]
			err = p.skip(depth)
		}
		if err != nil {
			return err
		}
		switch p.take() {
		case ',':
		case '}':
			return nil
		default:
			return p.wrong("a comma or the end of the map is wanted")
		}
	}
}

func (p *jsonReader) value(v value, depth int, column key) error {
	if p.space(); p.at == len(p.in) {
		return p.wrong("the record is cut off")
	}
	switch c := p.in[p.at]; {
	case c == '{':
		v.kind = mapping
		return p.entries(v, depth+1, column)
	case c == '[':
		return p.items(v, depth+1, column)
	case c == '"':
		p.at++
		var err error
		v.kind = text
		if v.text, err = p.text(); err != nil {
			return err
		}
		if depth == 1 {
			p.filter.told(column, p.row.bytes(v.text))
		}
		p.row.add(v)
		return nil
	case c == '-' || '0' <= c && c <= '9':
		return p.number(v)
	case p.word("true"):
		v.kind, v.num = boolean, 1
	case p.word("false"):
		v.kind = boolean
	case p.word("null"):
	default:
		return p.wrong("a value is wanted")
	}
	p.row.add(v)
	return nil
}

func (p *jsonReader) word(w string) bool {
	if !bytes.HasPrefix(p.in[p.at:], []byte(w)) {
		return false
	}
	p.at += len(w)
	return true
}

func (p *jsonReader) items(v value, depth int, column key) error {
	if depth > maxDepth {
		return p.wrong("values nest too deep")
	}
	p.at++ // [
	v.kind = list
	p.row.add(v)
	defer p.row.close()
	if p.space(); p.at < len(p.in) && p.in[p.at] == ']' {
		p.at++
		return nil
	}
	for {
		if err := p.value(value{}, depth, column); err != nil {
			return err
		}
		switch p.take() {
		case ',':
		case ']':
			return nil
		default:
			return p.wrong("a comma or the end of the list is wanted")
		}
	}
}

// number reads a number. A whole one stays exact.
func (p *jsonReader) number(v value) error {
	from := p.at
	whole, ok := p.numeral()
	if !ok {
		return p.wrong("a number is wanted")
	}
	word := p.in[from:p.at]
	if whole && len(word) < 19 {
		v.kind, v.num = integer, uint64(smallInt(word))
		p.row.add(v)
		return nil
	}
	written := unsafe.String(unsafe.SliceData(word), len(word))
	if whole {
		if n, err := strconv.ParseInt(written, 10, 64); err == nil {
			v.kind, v.num = integer, uint64(n)
			p.row.add(v)
			return nil
		}
		if n, err := strconv.ParseUint(written, 10, 64); err == nil {
			v.kind, v.num = unsigned, n
			p.row.add(v)
			return nil
		}
	}
	f, err := strconv.ParseFloat(written, 64)
	if err != nil && !math.IsInf(f, 0) {
		return p.wrong("a number is wanted")
	}
	v.kind, v.num = double, math.Float64bits(f)
	p.row.add(v)
	return nil
}

// numeral passes over a number, which begins here. A whole one has digits only.
func (p *jsonReader) numeral() (whole, ok bool) {
	if p.in[p.at] == '-' {
		p.at++
	}
	if n := p.digits(); n == 0 || n > 1 && p.in[p.at-n] == '0' {
		return false, false
	}
	whole = true
	if p.at < len(p.in) && p.in[p.at] == '.' {
		whole = false
		if p.at++; p.digits() == 0 {
			return false, false
		}
	}
	if p.at < len(p.in) && p.in[p.at]|0x20 == 'e' {
		whole = false
		if p.at++; p.at < len(p.in) && (p.in[p.at] == '+' || p.in[p.at] == '-') {
			p.at++
		}
		if p.digits() == 0 {
			return false, false
		}
	}
	return whole, true
}

// digits passes over decimal digits and returns how many there are.
func (p *jsonReader) digits() int {
	from := p.at
	for p.at < len(p.in) && p.in[p.at]-'0' <= 9 {
		p.at++
	}
	return p.at - from
}

// smallInt reads a whole number of fewer than 19 characters.
func smallInt(word []byte) (n int64) {
	digits := word
	if digits[0] == '-' {
		digits = digits[1:]
	}
	for _, c := range digits {
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(word) {
		n = -n
	}
	return n
}
