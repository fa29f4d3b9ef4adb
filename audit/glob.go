package audit

import (
	"regexp"
	"strings"
)

// A glob is a pattern over names and pool paths: * stands for any text without a
// slash, ? for one character of it, and ** for any text with slashes; "prod/**"
// also means prod itself.
type glob struct {
	text    string
	pattern *regexp.Regexp
}

// all is the glob that everything matches.
var all = newGlob("**")

func newGlob(text string) glob {
	rest := text
	var b strings.Builder
	b.WriteString("(?s)^")
	for rest != "" {
		switch {
		case rest == "/**":
			b.WriteString("(/.*)?")
			rest = ""
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(.*/)?")
			rest = rest[3:]
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			rest = rest[2:]
		case rest[0] == '*':
			b.WriteString("[^/]*")
			rest = rest[1:]
		case rest[0] == '?':
			b.WriteString("[^/]")
			rest = rest[1:]
		default:
			n := max(strings.IndexAny(rest[1:], "*?/")+1, 0)
			if n == 0 {
				n = len(rest)
			}
			b.WriteString(regexp.QuoteMeta(rest[:n]))
			rest = rest[n:]
		}
	}
	b.WriteByte('$')
	return glob{text, regexp.MustCompile(b.String())}
}

func (g glob) matches(text string) bool { return g.pattern.MatchString(text) }
