package eventlogtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// appendValue appends a value as JSON or YSON (ingest/trace/FORMAT.md §2). It is independent of the
// project's own YSON package, which reads it: a mistake that both sides of one codec share would go
// unnoticed. JSON is as the vendor's writer has it by default: each byte of a text is a character of
// its own (encode_utf8), a whole double keeps its point, and attributes stand beside the value (§1.4).
func appendValue(b []byte, v *Value, form Form) []byte {
	if v.attributes != nil {
		bare := *v
		bare.attributes = nil
		if form == JSONL {
			return appendValue(b, &Value{kind: mapping, keys: []string{"$attributes", "$value"}, items: []Value{*v.attributes, bare}}, form)
		}
		return appendValue(appendItems(b, v.attributes, form, "<>"), &bare, form)
	}
	switch v.kind {
	case entity:
		if form == JSONL {
			return append(b, "null"...)
		}
		return append(b, '#')
	case text:
		return appendText(b, v.text, form)
	case list:
		return appendItems(b, v, form, "[]")
	case mapping:
		return appendItems(b, v, form, "{}")
	}
	if form == BinaryYSON {
		return appendBinary(b, v)
	}
	switch v.kind {
	case integer:
		return strconv.AppendInt(b, v.number, 10)
	case boolean:
		if form == TextYSON {
			b = append(b, '%')
		}
		return strconv.AppendBool(b, v.number == 1)
	}
	if form == TextYSON {
		return appendDouble(b, v.real, 1e-6, 1e21, ".")
	}
	return appendDouble(b, v.real, 1e-4, 1e16, ".0")
}

func appendItems(b []byte, v *Value, form Form, brackets string) []byte {
	b = append(b, brackets[0])
	for i := range v.items {
		if i > 0 && form == JSONL {
			b = append(b, ',')
		}
		if v.kind == mapping && form == JSONL {
			b = append(appendText(b, v.keys[i], form), ':')
		} else if v.kind == mapping {
			b = append(appendText(b, v.keys[i], form), '=')
		}
		if b = appendValue(b, &v.items[i], form); form != JSONL {
			b = append(b, ';')
		}
	}
	return append(b, brackets[1])
}

// appendDouble appends the shortest text that reads back as the same double, with an exponent where it
// is below low or not below high. The point of a whole one tells it from an integer.
func appendDouble(b []byte, f, low, high float64, point string) []byte {
	if size := math.Abs(f); size != 0 && (size < low || size >= high) {
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	}
	start := len(b)
	if b = strconv.AppendFloat(b, f, 'f', -1, 64); bytes.IndexByte(b[start:], '.') < 0 {
		b = append(b, point...)
	}
	return b
}

// Marks of scalars in binary YSON.
const (
	markText    = 0x01
	markInteger = 0x02
	markDouble  = 0x03
	markFalse   = 0x04
)

func appendBinary(b []byte, v *Value) []byte {
	switch v.kind {
	case integer:
		return binary.AppendVarint(append(b, markInteger), v.number)
	case boolean:
		return append(b, markFalse+byte(v.number))
	}
	return binary.LittleEndian.AppendUint64(append(b, markDouble), math.Float64bits(v.real))
}

func appendText(b []byte, s string, form Form) []byte {
	if form == BinaryYSON {
		return append(binary.AppendVarint(append(b, markText), int64(len(s))), s...)
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
		case form == TextYSON && c == '\r':
			b = append(b, `\r`...)
		case form == TextYSON && (c < ' ' || c >= 0x7f):
			b = fmt.Appendf(b, `\x%02X`, c)
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = utf8.AppendRune(b, rune(c))
		}
	}
	return append(b, '"')
}
