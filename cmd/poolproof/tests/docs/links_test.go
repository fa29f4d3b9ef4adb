package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
)

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)\s]*)?\)`)

// TestLinks: what a page links to in the project is there, and the first page is one that
// is read at once.
func TestLinks(t *testing.T) {
	const longest = 150
	links := 0
	commandtest.EachPage(t, func(at, text string) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], ":") {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(at), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", at, m[1], err)
			}
		}
	})
	if links < 20 {
		t.Errorf("%d links, and there were more", links)
	}
	page, err := os.ReadFile(commandtest.InProject("README.md"))
	if n := strings.Count(string(page), "\n"); err != nil || n > longest {
		t.Errorf("README.md has %d lines, and at most %d are read at once: %v", n, longest, err)
	}
}
