package commandtest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// InProject returns the path of a file or folder of the project, which is given from its top.
func InProject(path string) string {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, path)
		}
		if dir == filepath.Dir(dir) {
			err = os.ErrNotExist
		}
	}
	panic(fmt.Sprintf("find go.mod above the folder of the test: %v", err))
}

// DemoFile returns the path of a file of the demo: the log of a small cluster and its pools.
func DemoFile(name string) string {
	return InProject(filepath.Join("cmd/poolproof/commandtest/testdata/demo", name))
}

// EachPage calls visit with the path and the text of every page of the project.
func EachPage(t testing.TB, visit func(path, text string)) {
	t.Helper()
	root := InProject(".")
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && at != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "out"):
			return fs.SkipDir
		case filepath.Ext(at) != ".md":
			return nil
		}
		text, err := os.ReadFile(at)
		if err == nil {
			visit(at, string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
