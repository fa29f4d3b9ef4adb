package command

import (
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFlagsOfFormats: what the help says of a flag, that it is one of some formats, is
// what formatFlags has, and the other way round.
func TestFlagsOfFormats(t *testing.T) {
	out, err := exec.Command("poolproof", "import", "--help").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Join(formats, "|")
	said := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^ +--([a-z-]+)(?: \S+)? +((?:`+names+`)(?:, (?:`+names+`))*): `).FindAllStringSubmatch(string(out), -1) {
		said[m[1]] = strings.Split(m[2], ", ")
	}
	for _, name := range slices.Sorted(maps.Keys(formatFlags)) {
		if !slices.Equal(said[name], formatFlags[name]) {
			t.Errorf("--%s: the help says %v, formatFlags %v", name, said[name], formatFlags[name])
		}
	}
	for name := range said {
		if formatFlags[name] == nil {
			t.Errorf("--%s is a flag of all formats, and the help names %v", name, said[name])
		}
	}
}

// TestEveryFormatIsExplained, and has an example, which a test runs.
func TestEveryFormatIsExplained(t *testing.T) {
	for _, format := range formats {
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
