package commandtest

import (
	"fmt"
	"os"
	"path/filepath"
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
