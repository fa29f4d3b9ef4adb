package eventlogtest

import (
	"strconv"
	"unicode/utf8"
)

// appendJSON appends a value as the vendor's JSON writes it by default: each byte of
// a text is a character of its own (encode_utf8), a whole double keeps its point, and
// attributes stand beside the value (spec/trace-formats.md §1.4, §2).
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

func appendDouble(b []byte, f float64) []byte {
	start := len(b)
	b = strconv.AppendFloat(b, f, 'g', -1, 64)
	for _, c := range b[start:] {
		if c == '.' || c == 'e' {
			return b
		}
	}
	return append(b, ".0"...)
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
