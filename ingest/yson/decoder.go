package yson

import "math"

// MaxDepth is the maximum nesting of maps, lists and attributes.
const MaxDepth = 256

// A Decoder splits a text into tokens: one value, or several with semicolons between
// them. Its zero value has nothing to read.
type Decoder struct {
	in      []byte
	at      int
	base    int64 // of in[0] in the stream
	more    bool  // the stream goes on behind in: what touches its end may not be whole
	longest int   // bytes of a string

	state    state
	inside   state // what comes behind a semicolon
	fragment state // inside of the outermost
	closer   byte  // of what was opened last or outermost
	depth    int
	open     [MaxDepth]byte // what closes that which is open around it
	text     []byte         // of the token
	number   uint64         // of the token, as bits
	scratch  []byte         // of a string that is not as it stands
}

// A state says which tokens may follow.
type state uint8

const (
	wantValue state = iota // of an entry
	wantBare               // the value behind its attributes
	wantItem               // of a list, or its end
	wantKey                // of a map or of attributes, or their end
	wantNext               // a semicolon, or the end
)

// outermost closes nothing: no token is a space.
const outermost = ' '

// Reset begins to read a text. What the text holds must not change while it is read.
func (d *Decoder) Reset(text []byte) {
	d.in, d.at, d.base, d.more, d.longest = text, 0, 0, false, math.MaxInt32
	d.state, d.inside, d.fragment, d.closer, d.depth = wantItem, wantItem, wantItem, outermost, 0
}

// Offset returns the offset of the end of the last token.
func (d *Decoder) Offset() int64 { return d.base + int64(d.at) }

// Depth returns the number of open maps, lists and attributes.
func (d *Decoder) Depth() int { return d.depth }

// Text returns the content of a Key or a String, valid until the next call. It may hold
// any bytes.
func (d *Decoder) Text() []byte { return d.text }

// Bits returns the content of a number or a Boolean: an Int64 in two's complement, a
// Double as math.Float64bits returns it, 1 for a Boolean that is true.
func (d *Decoder) Bits() uint64 { return d.number }

// Next reads the next token. Behind the last value it returns End. An error is a
// *SyntaxError, and the Decoder is of no use then.
func (d *Decoder) Next() (Kind, error) {
	c, ok := d.peek()
	if d.state == wantNext && c == ';' {
		d.at++
		d.state = d.inside
		c, ok = d.peek()
	}
	switch {
	case !ok:
		return d.end()
	case c == d.closer && d.state >= wantItem:
		d.at++
		return d.shut(), nil
	case d.state == wantKey:
		return Key, d.key(c)
	case d.state == wantNext:
		return 0, d.wrong("a semicolon or the end is wanted")
	}
	return d.value(c)
}

// peek passes over space and returns the byte that follows, false at the end.
func (d *Decoder) peek() (byte, bool) {
	for d.at < len(d.in) {
		c := d.in[d.at]
		if classes[c] != space {
			return c, true
		}
		d.at++
	}
	return 0, false
}

// end returns End, or an error if the input ends within a value.
func (d *Decoder) end() (Kind, error) {
	if d.depth > 0 || d.state < wantItem {
		return 0, d.cut()
	}
	return End, nil
}

// shut closes the innermost map, list or attributes.
func (d *Decoder) shut() Kind {
	closed := d.closer
	d.depth--
	d.closer = d.open[d.depth]
	switch d.closer {
	case outermost:
		d.inside = d.fragment
	case ']':
		d.inside = wantItem
	default:
		d.inside = wantKey
	}
	d.state = wantNext
	switch closed {
	case '}':
		return EndMap
	case ']':
		return EndList
	}
	d.state = wantBare
	return EndAttributes
}

// openBracket opens a map, a list or attributes.
func (d *Decoder) openBracket(closer byte, inside state) error {
	if d.depth == MaxDepth {
		return d.wrong("values nest too deep")
	}
	d.at++
	d.open[d.depth] = d.closer
	d.depth++
	d.closer, d.state, d.inside = closer, inside, inside
	return nil
}

// key reads a name and the sign behind it.
func (d *Decoder) key(c byte) error {
	var err error
	switch {
	case c == markString:
		err = d.binaryString()
	case c == '"':
		err = d.quoted()
	case classes[c] == letter:
		err = d.unquoted()
	default:
		err = d.wrong("a key is wanted")
	}
	if err != nil {
		return err
	}
	if c, ok := d.peek(); !ok {
		return d.cut()
	} else if c != '=' {
		return d.wrong("an equals sign is wanted")
	}
	d.at++
	d.state = wantValue
	return nil
}

// value reads a scalar, or the beginning of anything else.
func (d *Decoder) value(c byte) (Kind, error) {
	switch c {
	case '{':
		return Map, d.openBracket('}', wantKey)
	case '[':
		return List, d.openBracket(']', wantItem)
	case '<':
		if d.state == wantBare {
			return 0, d.wrong("a value has its attributes already")
		}
		return Attributes, d.openBracket('>', wantKey)
	}
	d.state = wantNext
	switch c {
	case markString:
		return String, d.binaryString()
	case '"':
		return String, d.quoted()
	case markInt64:
		n, err := d.varint()
		d.number = n>>1 ^ -(n & 1)
		return Int64, err
	case markUint64:
		n, err := d.varint()
		d.number = n
		return Uint64, err
	case markDouble:
		return Double, d.binaryDouble()
	case markFalse, markTrue:
		d.at++
		d.number = uint64(c - markFalse)
		return Boolean, nil
	case '#':
		d.at++
		return Entity, nil
	case '%':
		return d.word()
	}
	switch classes[c] {
	case letter:
		return String, d.unquoted()
	case numeric:
		if c != '.' {
			return d.textNumber()
		}
	}
	return 0, d.wrong("a value is wanted")
}
