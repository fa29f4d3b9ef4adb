package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"poolproof/core/spelling"
)

// A sqlPart is a piece of a text of SQL: what is in quotes or a comment is one piece.
type sqlPart struct {
	kind sqlKind
	text string
}

type sqlKind uint8

const (
	sqlOther   sqlKind = iota // blanks and signs, one at a time
	sqlWord                   // keywords and names
	sqlQuoted                 // texts, and names in double quotes
	sqlComment                // to the end of the line, or between /* and */
	sqlParam                  // $name
)

// sqlParts takes a text apart; the pieces are the whole text.
func sqlParts(text string) (parts []sqlPart) {
	for len(text) > 0 {
		kind, n := firstPart(text)
		parts = append(parts, sqlPart{kind, text[:n]})
		text = text[n:]
	}
	return parts
}

// firstPart returns the kind and the length of the first part of a text.
func firstPart(text string) (sqlKind, int) {
	switch c := text[0]; {
	case strings.HasPrefix(text, "--"):
		return sqlComment, until(text, 2, "\n") // the end of the line may be the end of a statement, too
	case strings.HasPrefix(text, "/*"):
		return sqlComment, until(text, 2, "*/")
	case c == '\'' || c == '"':
		n := until(text, 1, string(c))
		for n < len(text) && text[n] == c { // a doubled quote is one in the text
			n += until(text[n:], 1, string(c))
		}
		return sqlQuoted, n
	case c == '$':
		n := 1 + wordLength(text[1:])
		if n < len(text) && text[n] == '$' { // $tag$ text $tag$
			return sqlQuoted, until(text, n+1, text[:n+1])
		}
		if n > 1 {
			return sqlParam, n
		}
		return sqlOther, 1
	case wordLength(text) > 0:
		return sqlWord, wordLength(text)
	}
	return sqlOther, 1
}

// until is the length of a text up to and including a sign after the first from bytes.
func until(text string, from int, sign string) int {
	if i := strings.Index(text[from:], sign); i >= 0 {
		return from + i + len(sign)
	}
	return len(text)
}

func wordLength(text string) int {
	return len(text) - len(strings.TrimLeftFunc(text, func(r rune) bool {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r > 127
	}))
}

// FillParams puts the values in for the parameters $name of a query, as texts: DuckDB makes
// numbers and times of a text where it compares it with one.
func FillParams(query string, values map[string]string) (string, error) {
	used := map[string]bool{}
	var b strings.Builder
	for _, part := range sqlParts(query) {
		name, isParam := strings.CutPrefix(part.text, "$")
		if part.kind != sqlParam || !isParam {
			b.WriteString(part.text)
			continue
		}
		value, ok := values[name]
		if !ok {
			return "", &UsageError{fmt.Errorf("the query has the parameter $%s: give its value by --param %s=VALUE", name, name)}
		}
		used[name] = true
		b.WriteString(quoteText(value))
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !used[name] {
			return "", &UsageError{fmt.Errorf("the query has no parameter $%s; %s", name, spelling.MeantName(name, slices.Sorted(maps.Keys(used))))}
		}
	}
	return b.String(), nil
}

// EndsStatement reports whether a text ends a statement of SQL: with a semicolon outside of
// texts and comments, after which only blanks and comments follow.
func EndsStatement(text string) bool {
	ends := false
	for _, part := range sqlParts(text) {
		switch {
		case part.text == ";":
			ends = true
		case part.kind == sqlQuoted && !closed(part.text), part.kind == sqlComment && strings.HasPrefix(part.text, "/*") && !strings.HasSuffix(part.text, "*/"):
			return false
		case part.kind != sqlComment && strings.TrimSpace(part.text) != "":
			ends = false
		}
	}
	return ends
}

// closed reports whether a text in quotes has its end.
func closed(text string) bool {
	if text[0] == '$' {
		tag := text[:strings.Index(text[1:], "$")+2]
		return len(text) >= 2*len(tag) && strings.HasSuffix(text, tag)
	}
	return len(text) > 1 && strings.Count(text, text[:1])%2 == 0
}
