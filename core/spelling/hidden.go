package spelling

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Hidden reports whether a character controls a terminal, ends a line, changes the direction of
// writing, or is invisible, such as zero-width spaces, byte order marks and variation selectors.
// A log may hold names with such characters that look like other names.
func Hidden(r rune) bool {
	return r > unicode.MaxASCII && (r == '\u2028' || r == '\u2029' ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)) || unicode.IsControl(r)
}

// AppendText appends a character to a text of several lines. Hidden characters other than line breaks
// and tabs are escaped, as \x1b or \u202e, so that a name cannot control a terminal or a page. JSON
// stays valid: it escapes characters below the space itself.
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

// OneName returns a name, or another text of a log, for use within a line: Hidden characters are
// escaped, line breaks and tabs included.
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

// Names joins names with commas, each as OneName returns it.
func Names(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, OneName(name))
	}
	return strings.Join(all, ", ")
}
