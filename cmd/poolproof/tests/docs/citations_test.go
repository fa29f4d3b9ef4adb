package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
)

var (
	citation = regexp.MustCompile(`([\w./-]*\b(?:spec/[\w-]+|FORMAT)\.md)((?:(?:, | and | to | or |–|-| )?(?:§\d+(?:\.\d+)*|\b(?:CFG|TREE|POOL|CNT|STV|LST|HB|PRE|LIM|GUA|FIFO|SEG|LOG)-\d+\b))*)`)
	cited    = regexp.MustCompile(`§\d+(?:\.\d+)*|[A-Z]+-\d+`)
	heading  = regexp.MustCompile(`(?m)^(?:#+ (\d+(?:\.\d+)*)\.? |(\d+)\. )`) // or an item of a section that is a list
	ruleRow  = regexp.MustCompile(`(?m)^\| ([A-Z]+-\d+)\b`)
)

// TestCitations: every rule that code, SQL or a page cites is there, by file and section
// or by file and id.
func TestCitations(t *testing.T) {
	root := commandtest.InProject(".")
	rules := map[string]map[string]bool{} // by path: §n of its sections, ids
	holds := func(path, what string) bool {
		if rules[path] == nil {
			rules[path] = map[string]bool{}
			text, err := os.ReadFile(filepath.Join(root, path))
			if err != nil {
				t.Errorf("%v", err)
			}
			section := ""
			for _, m := range heading.FindAllSubmatch(text, -1) {
				if number := string(m[2]); number != "" {
					rules[path][section+"."+number] = true
				} else {
					section = "§" + string(m[1])
					rules[path][section] = true
				}
			}
			for _, m := range ruleRow.FindAllSubmatch(text, -1) {
				rules[path][string(m[1])] = true
			}
		}
		return rules[path][what]
	}
	n := 0
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if made := at != root && strings.HasPrefix(d.Name(), ".") || d.Name() == "bin" || d.Name() == "out"; d.IsDir() && made {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || !slices.Contains([]string{".go", ".sql", ".md", ".yaml", ""}, filepath.Ext(at)) {
			return nil
		}
		text, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, at)
		joined := lineBreaks.ReplaceAll(text, []byte(" "))
		for _, m := range citation.FindAllSubmatch(joined, -1) {
			path := string(m[1])
			if beside := filepath.Join(filepath.Dir(name), path); filepath.Ext(name) == ".md" && isFile(filepath.Join(root, beside)) {
				path = beside // a link
			}
			if !isFile(filepath.Join(root, path)) {
				t.Errorf("%s cites %s, which is no file", name, path)
				continue
			}
			for _, what := range cited.FindAllString(string(m[2]), -1) {
				if n++; !holds(path, what) {
					t.Errorf("%s cites %s %s, which is not in it", name, path, what)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 300 {
		t.Errorf("%d citations, and there were more", n)
	}
}

// lineBreaks stand within citations, too.
var lineBreaks = regexp.MustCompile(`\n[\t ]*(?://|--|#)? ?`)

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
