package command

import (
	"strings"
	"testing"
)

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
