package pooltree

import "strings"

// MapFormula returns a formula with other tags in place of its own. What is no token becomes a
// question mark, which is none either, so that a text which is no formula stays none.
func MapFormula(text string, to func(tag string) string) string {
	l := lexer{text: text}
	var parts []string
	for {
		t := l.next()
		switch t.kind {
		case tokenEnd:
			return strings.Join(parts, " ")
		case tokenName:
			parts = append(parts, to(t.text))
		case tokenBad:
			parts = append(parts, "?")
		default:
			parts = append(parts, t.text)
		}
	}
}
