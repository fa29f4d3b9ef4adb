package trace

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The names inside a bundle (ingest/trace/FORMAT.md §3.1).
const (
	ManifestName = "manifest.json"
	treePrefix   = "tree="
)

// TreeDir returns the folder of a tree's tables, the tree's name
// percent-encoded.
func TreeDir(tree string) string { return treePrefix + url.PathEscape(tree) }

// TreeOfDir returns the tree whose folder has that name.
func TreeOfDir(dir string) (string, bool) {
	name, ok := strings.CutPrefix(dir, treePrefix)
	if !ok {
		return "", false
	}
	tree, err := url.PathUnescape(name)
	return tree, err == nil && tree != ""
}

// firstFile returns the name of a table's first file in its folder. Files of a table follow each
// other in the order of their names.
func (t *Table) firstFile() string {
	if t.Large {
		return fmt.Sprintf("%s-%03d.parquet", t.Name, 0)
	}
	return t.Name + ".parquet"
}

// Files returns the files of a table in the folder, in order, none if the
// trace has no such table.
func Files(folder, table string) ([]string, error) {
	pattern := table + ".parquet"
	if Named(table).Large {
		pattern = table + "-*.parquet"
	}
	// The folder may hold the characters of a pattern, so only its entries are
	// matched.
	names, err := readNames(folder)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, n := range names {
		if ok, _ := filepath.Match(pattern, n); ok {
			files = append(files, filepath.Join(folder, n))
		}
	}
	return files, nil
}

// TreesIn returns the trees that the manifest of the trace in dir or its folders name, sorted.
func (m *Manifest) TreesIn(dir string) ([]string, error) {
	trees := slices.Clone(m.Trees)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if tree, ok := TreeOfDir(e.Name()); ok && e.IsDir() {
			trees = append(trees, tree)
		}
	}
	slices.Sort(trees)
	return slices.Compact(trees), nil
}

// InputFiles returns the files that a trace consists of, relative to dir: its
// manifest and those of its tables. Whatever else stands there is no part of it.
func InputFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list trace: %w", err)
	}
	list := []string{ManifestName}
	for _, e := range entries {
		for _, table := range TablesIn(e.Name()) {
			files, err := Files(filepath.Join(dir, e.Name()), table.Name)
			if err != nil {
				return nil, err
			}
			for _, file := range files {
				list = append(list, filepath.Join(e.Name(), filepath.Base(file)))
			}
		}
	}
	return list, nil
}
