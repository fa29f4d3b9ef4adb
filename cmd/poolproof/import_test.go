package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"poolproof/ingest/poolconf"
)

// The help of import names every option that a configuration file may hold, and
// no other. Aliases are left out.
func TestImportHelpNamesTheOptions(t *testing.T) {
	pools, trees, ok := strings.Cut(configOptions[strings.Index(configOptions, "Options of a pool:"):], "Options of a tree:")
	if !ok {
		t.Fatal("the help has no options of a tree")
	}
	word := regexp.MustCompile(`[a-z]\w+`)
	inner := regexp.MustCompile(`\(([^)]*)\)`)
	group := regexp.MustCompile(`(?m)^  [a-z]+ `)
	for _, c := range []struct{ what, help, before, indent string }{
		{"pool", pools, "pools:\n  p:\n", "    "},
		{"tree", trees, "", ""},
	} {
		help := group.ReplaceAllString(strings.TrimPrefix(c.help, "Options of a pool:"), "")
		file := func(names ...string) string {
			text := c.before
			for _, n := range names {
				text += c.indent + n + ": null\n"
			}
			return text
		}
		check := func(what string, names []string, file func(...string) string) {
			if _, err := poolconf.Parse("f", []byte(file(names...))); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			_, err := poolconf.Parse("f", []byte(file("no_option_has_this_name_at_all")))
			if err == nil {
				t.Fatal("an option of no name is taken")
			}
			_, allowed, _ := strings.Cut(err.Error(), "allowed are ")
			known := regexp.MustCompile(`, | or `).Split(allowed, -1)
			if len(known) < 2 {
				t.Fatalf("%s: %v", what, err)
			}
			for _, name := range known {
				if name == "pools" || slices.Contains(names, name) {
					continue
				}
				// An alias cannot stand beside its option.
				if _, err := poolconf.Parse("f", []byte(file(append(slices.Clone(names), name)...))); err == nil {
					t.Errorf("the help does not name %s of %s", name, what)
				}
			}
		}
		check(c.what, word.FindAllString(inner.ReplaceAllString(help, ""), -1), file)
		for _, m := range regexp.MustCompile(`(\w+)\s+\(([^)]*)\)`).FindAllStringSubmatch(help, -1) {
			check(m[1]+" of a "+c.what, word.FindAllString(m[2], -1), func(names ...string) string {
				text := file(m[1])
				return strings.Replace(text, " null\n", " {"+strings.Join(names, ": null, ")+": null}\n", 1)
			})
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
