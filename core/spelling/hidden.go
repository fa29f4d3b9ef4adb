package spelling

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Hidden reports whether a character commands a terminal, ends a line, turns the direction of
// writing, or is not seen at all, as zero-width spaces, byte order marks and variation selectors.
// Names of a log hold such ones to look like others.
func Hidden(r rune) bool {
	return r > unicode.MaxASCII && (r == '\u2028' || r == '\u2029' ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)) || unicode.IsControl(r)
}

// AppendText appends a character as text shows it: Hidden ones but for line breaks and tabs are
// spelled out, as \x1b or \u202e, so that names command neither terminals nor pages. JSON escapes
// what is below a space by itself, and stays JSON.
func AppendText(out []byte, r rune) []byte {
	if r == '\n' || r == '\t' || !Hidden(r) {
		return utf8.AppendRune(out, r)
	}
	return appendSpelled(out, r)
}

func appendSpelled(out []byte, r rune) []byte {
	if r < ' ' {
		return fmt.Appendf(out, `\x%02x`, r)
	}
	for _, unit := range utf16.Encode([]rune{r}) {
		out = fmt.Appendf(out, `\u%04x`, unit)
	}
	return out
}

// OneName is a name, or another text of a log, within a line: what is Hidden is spelled out, line
// breaks and tabs included.
func OneName(name string) string {
	if strings.IndexFunc(name, Hidden) < 0 {
		return strings.ToValidUTF8(name, "\uFFFD")
	}
	var out []byte
	for _, r := range name {
		if Hidden(r) {
			out = appendSpelled(out, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out)
}

// Names are names for a person, each as OneName has it, after commas.
func Names(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, OneName(name))
	}
	return strings.Join(all, ", ")
}
