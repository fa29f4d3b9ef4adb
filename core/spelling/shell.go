package spelling

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Command returns a line to copy into a shell: a command of poolproof, its positional arguments, and
// its options as pairs of flag and value. Words with characters that a shell interprets are quoted.
// Positional arguments follow -- if one begins with a dash, since it would be taken for a flag.
//
//	Command("explain", []string{"run", "-rf"}, "--tree", "a b")
//	poolproof explain --tree "a b" -- run "-rf"
func Command(name string, positions []string, options ...string) string {
	var words, flags []string
	dashed := false
	for _, p := range positions {
		words = append(words, Word(p))
		dashed = dashed || strings.HasPrefix(p, "-")
	}
	for i, o := range options {
		if i%2 == 1 {
			o = Word(o)
		}
		flags = append(flags, o)
	}
	if dashed {
		words = append(append(flags, "--"), words...)
	} else {
		words = append(words, flags...)
	}
	return strings.Join(append([]string{"poolproof", name}, words...), " ")
}

// plainWord reports whether a text needs no quotes in a shell.
func plainWord(text string) bool {
	return text != "" && text[0] != '-' && text[0] != '=' && strings.IndexFunc(text, func(r rune) bool {
		return !(r > unicode.MaxASCII && unicode.IsLetter(r) || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' ||
			strings.ContainsRune("/._-+=:,@%", r))
	}) < 0
}

// Word quotes a text, if need be, so that a shell reads it as one word.
func Word(text string) string {
	switch {
	case plainWord(text):
		return text
	case strings.IndexFunc(text, inBytes) >= 0:
		return spelledOut(text)
	case strings.ContainsAny(text, "\"$`\\!"):
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return `"` + text + `"`
}

// inBytes reports whether the bytes of a character are escaped. Bytes that are not UTF-8 are decoded
// to unicode.ReplacementChar.
func inBytes(r rune) bool { return r == unicode.ReplacementChar || Hidden(r) }

// spelledOut returns a word with the bytes of such characters escaped, as $'\x1b', which bash, ksh and
// zsh read.
func spelledOut(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case inBytes(r):
			for i := range n {
				fmt.Fprintf(&b, `\x%02x`, text[i])
			}
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return "$'" + b.String() + "'"
}

// OneListed returns a name as a list of one element, in the syntax of flags that take comma-separated
// lists.
func OneListed(name string) string {
	if name != "" && !strings.ContainsAny(name, ",\"\n\r") {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
