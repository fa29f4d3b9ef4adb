package tables

import (
	"fmt"
	"strings"
)

// Reference describes all tables in Markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString("# The result tables\n\n" +
		"Generated from the declarations in `rows.go`; `make docs` renews it. The index of all\n" +
		"references is [REFERENCE.md](../../REFERENCE.md).\n\n" +
		"A table stands in `tables/<table>/tree=<tree>.arrow`, one Arrow IPC file per pool\n" +
		"tree, with its rows in the order of time. `run.duckdb` holds the same tables. Times are\n" +
		"UTC, shares are fractions of a tree's total, spans are half-open: `from_time` belongs\n" +
		"to them, `to_time` does not.\n\n" +
		"A column of type `enum` holds one of the words that stand in brackets, and is sorted by\n" +
		"their order: `ORDER BY`, `min` and `max` go by it, as do ordered categories of pandas. With\n" +
		"a text it is compared by its letters: use `=` and `IN`, not `<`.\n")
	for _, t := range all {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n| column | type | unit | meaning |\n| --- | --- | --- | --- |\n", t.Name, capital(t.Sentence))
		for _, c := range t.Columns {
			kind := c.Type.Name()
			switch c.Type {
			case dictionaryType:
				kind = "utf8"
			case wordsType:
				kind = "enum"
			}
			if c.Nullable {
				kind += ", nullable"
			}
			meaning := c.Sentence
			if len(c.Words) > 0 {
				meaning += " [" + strings.Join(plainWords(c.Words), ", ") + "]"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, kind, c.Unit, strings.ReplaceAll(meaning, "|", "\\|"))
		}
	}
	return b.String()
}

// plainWords are the words of an enum as code; the empty text is one of them.
func plainWords(words []string) []string {
	var plain []string
	for _, w := range words {
		if w == "" {
			w = `""`
		}
		plain = append(plain, "`"+w+"`")
	}
	return plain
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
