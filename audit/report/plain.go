package report

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// AppendPlain appends a character as text shows it: control characters but for line
// breaks and tabs, and those that turn the direction of writing, are spelled out, as
// \x1b, so that names of a log command neither terminals nor pages. JSON stays JSON.
func AppendPlain(out []byte, r rune) []byte {
	switch {
	case r == '\n' || r == '\t':
	case r < ' ':
		return fmt.Appendf(out, `\x%02x`, r)
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == 0x2028, r == 0x2029:
		return fmt.Appendf(out, `\u%04x`, r)
	}
	return utf8.AppendRune(out, r)
}

// plain is a whole text as AppendPlain shows it.
func plain(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range string(text) {
		out = AppendPlain(out, r)
	}
	return out
}
