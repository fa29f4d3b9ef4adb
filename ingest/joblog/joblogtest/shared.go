package joblogtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Shared returns the path of a file of the real data that lies beside the
// project. The test is skipped where there is none, except where CI is true.
func Shared(t testing.TB, elements ...string) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if root == filepath.Dir(root) {
			t.Fatal("no go.mod above the test")
		}
		root = filepath.Dir(root)
	}
	path := filepath.Join(append([]string{filepath.Dir(root), "shared", "data"}, elements...)...)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the real data is missing: %v", err)
		}
		t.Skip("the real data is not there")
	}
	return path
}

// Digest returns what a trace consists of: the contents of its files by their
// paths in it.
func Digest(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
