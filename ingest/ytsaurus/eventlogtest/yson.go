package eventlogtest

import (
	"encoding/binary"
	"io"
	"math"
	"strconv"
)

// A ysonEncoder writes rows as a list fragment of YSON: every row ends with a
// semicolon. It is independent of the project's own YSON package, which reads what it
// writes: a mistake that both sides of one codec share would go unnoticed.
type ysonEncoder struct {
	out    io.Writer
	binary bool
	line   []byte
}

func (e *ysonEncoder) row(v *Value) error {
	e.line = append(appendYSON(e.line[:0], v, e.binary), ';')
	if !e.binary {
		e.line = append(e.line, '\n')
	}
	_, err := e.out.Write(e.line)
	return err
}

func (e *ysonEncoder) document(v *Value) error {
	_, err := e.out.Write(append(appendYSON(nil, v, e.binary), '\n'))
	return err
}

func (e *ysonEncoder) close() error { return nil }

// Marks of scalars in binary YSON (ingest/trace/FORMAT.md §2).
const (
	markText     = 0x01
	markInteger  = 0x02
	markDouble   = 0x03
	markFalse    = 0x04
	markTrue     = 0x05
	markUnsigned = 0x06
)

// appendYSON appends a value as YSON, text or binary.
func appendYSON(b []byte, v *Value, bin bool) []byte {
	if v.attributes != nil {
		b = append(appendItems(append(b, '<'), v.attributes, bin), '>')
	}
	switch v.kind {
	case raw:
		return append(b, v.text...)
	case entity:
		return append(b, '#')
	case text:
		return appendYSONText(b, v.text, bin)
	case list:
		return append(appendItems(append(b, '['), v, bin), ']')
	case mapping:
		return append(appendItems(append(b, '{'), v, bin), '}')
	}
	if bin {
		return appendBinary(b, v)
	}
	switch v.kind {
	case integer:
		return strconv.AppendInt(b, int64(v.number), 10)
	case unsigned:
		return append(strconv.AppendUint(b, v.number, 10), 'u')
	case boolean:
		return strconv.AppendBool(append(b, '%'), v.number == 1)
	}
	return appendYSONDouble(b, v.real)
}

func appendItems(b []byte, v *Value, bin bool) []byte {
	for i := range v.items {
		if v.kind == mapping {
			b = append(appendYSONText(b, v.keys[i], bin), '=')
		}
		b = append(appendYSON(b, &v.items[i], bin), ';')
	}
	return b
}

func appendBinary(b []byte, v *Value) []byte {
	switch v.kind {
	case integer:
		return binary.AppendVarint(append(b, markInteger), int64(v.number))
	case unsigned:
		return binary.AppendUvarint(append(b, markUnsigned), v.number)
	case boolean:
		return append(b, markFalse+byte(v.number))
	}
	return binary.LittleEndian.AppendUint64(append(b, markDouble), math.Float64bits(v.real))
}

// appendYSONDouble keeps the point of a whole double, which tells it from an integer.
func appendYSONDouble(b []byte, f float64) []byte {
	b, whole := appendShortest(b, f, 1e-6, 1e21)
	if whole {
		b = append(b, '.')
	}
	return b
}

const ysonDigits = "0123456789ABCDEF"

func appendYSONText(b []byte, s string, bin bool) []byte {
	if bin {
		b = binary.AppendVarint(append(b, markText), int64(len(s)))
		return append(b, s...)
	}
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c < ' ' || c >= 0x7f:
			b = append(b, '\\', 'x', ysonDigits[c>>4], ysonDigits[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
