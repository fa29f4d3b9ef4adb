package eventlogtest

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"
)

// appendJSON appends a value as the vendor's JSON writes it by default: each byte of
// a text is a character of its own (encode_utf8), a whole double keeps its point, and
// attributes stand beside the value (ingest/trace/FORMAT.md §1.4, §2).
func appendJSON(b []byte, v *Value) []byte {
	if v.attributes != nil {
		b = append(b, `{"$attributes":`...)
		b = appendJSON(b, v.attributes)
		bare := *v
		bare.attributes = nil
		b = append(b, `,"$value":`...)
		b = appendJSON(b, &bare)
		return append(b, '}')
	}
	switch v.kind {
	case raw:
		return append(b, v.text...)
	case entity:
		return append(b, "null"...)
	case text:
		return appendText(b, v.text)
	case integer:
		return strconv.AppendInt(b, int64(v.number), 10)
	case unsigned:
		return strconv.AppendUint(b, v.number, 10)
	case double:
		return appendDouble(b, v.real)
	case boolean:
		return strconv.AppendBool(b, v.number == 1)
	case list:
		b = append(b, '[')
		for i := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, &v.items[i])
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i := range v.items {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, v.keys[i])
		b = append(b, ':')
		b = appendJSON(b, &v.items[i])
	}
	return append(b, '}')
}

// appendDouble appends the shortest text that reads back as the same double, with a
// point in it.
func appendDouble(b []byte, f float64) []byte {
	b, whole := appendShortest(b, f, 1e-4, 1e16)
	if whole {
		b = append(b, ".0"...)
	}
	return b
}

// appendShortest appends a double's digits, with an exponent where it is below low or
// not below high, and returns whether they look like those of an integer.
func appendShortest(b []byte, f, low, high float64) (digits []byte, whole bool) {
	format := byte('f')
	if size := math.Abs(f); size != 0 && (size < low || size >= high) {
		format = 'e'
	}
	start := len(b)
	b = strconv.AppendFloat(b, f, format, -1, 64)
	return b, format == 'f' && bytes.IndexByte(b[start:], '.') < 0
}

const hexDigits = "0123456789abcdef"

func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < ' ':
			b = append(b, `\u00`...)
			b = append(b, hexDigits[c>>4], hexDigits[c&15])
		case c < utf8.RuneSelf:
			b = append(b, c)
		default:
			b = utf8.AppendRune(b, rune(c))
		}
	}
	return append(b, '"')
}
