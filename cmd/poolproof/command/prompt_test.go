package command

import (
	"strings"
	"testing"

	"poolproof/audit"
)

// TestNamesAreCompleted: the word before the cursor, which is |, and what it may be.
func TestNamesAreCompleted(t *testing.T) {
	c := &conversation{
		things: []audit.Thing{{Name: "fairness", Columns: []audit.Column{{Name: "tree"}, {Name: "usage"}}}, {Name: "fairness_spans", Columns: []audit.Column{{Name: "tree"}}}, {Name: "trees"}},
		audits: []*audit.Audit{{ID: "fifo_order"}},
	}
	for line, want := range map[string]string{
		"SELECT us|":                 "SELECT [usage USING]",
		"SELECT tree FROM FAIR|":     "SELECT tree FROM [fairness fairness_spans]",
		"SELECT 'ö', tr| FROM trees": "SELECT 'ö', [tree trees] FROM trees",
		"SELECT count(tr|)":          "SELECT count([tree trees])",
		"SELECT |":                   "SELECT []",
		".s|":                        "[.schema]",
		".schema fairness_|":         ".schema [fairness_spans]",
		".explain f|":                ".explain [fifo_order]",
		".output m|":                 ".output [markdown]",
		"nothing.like|":              "[]",
	} {
		before, after, _ := strings.Cut(line, "|")
		head, words, tail := c.complete(before+after, len([]rune(before)))
		if got := head + "[" + strings.Join(words, " ") + "]" + tail; got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
