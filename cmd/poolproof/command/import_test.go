package command

import (
	"strings"
	"testing"
)

// TestEveryFormatIsExplained, and has an example, which a test runs.
func TestEveryFormatIsExplained(t *testing.T) {
	for _, format := range formatNames() {
		if !strings.Contains(importHelp, "\n  poolproof import "+format+" ") {
			t.Errorf("no example of %s", format)
		}
		if !strings.Contains(importHelp, "\n  "+format) {
			t.Errorf("the help does not explain %s", format)
		}
	}
}

// An import names a few trees, and of many how many there are.
func TestManyTreesOfAnImportAreCounted(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"b", "a"}, "b, a"}, {strings.Split("f e d c b a", " "), "f, e, d, c, b, a"}, {strings.Split("g f e d c b a", " "), "a, b, c, d, e and 2 more"},
	} {
		if got := listed(c.names); got != c.want {
			t.Errorf("%v: %s, want %s", c.names, got, c.want)
		}
	}
}
