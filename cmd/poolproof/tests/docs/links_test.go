package docs

import (
	"io/fs"
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
	root := commandtest.InProject(".")
	links := 0
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && at != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "out"):
			return fs.SkipDir
		case filepath.Ext(at) != ".md":
			return nil
		}
		page, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllSubmatch(page, -1) {
			to := string(m[1])
			if strings.Contains(to, ":") {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(at), to)); err != nil {
				t.Errorf("%s links to %s: %v", at, to, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if links < 20 {
		t.Errorf("%d links, and there were more", links)
	}
	page, err := os.ReadFile(filepath.Join(root, "README.md"))
	if n := strings.Count(string(page), "\n"); err != nil || n > longest {
		t.Errorf("README.md has %d lines, and at most %d are read at once: %v", n, longest, err)
	}
}
