package atomicdir

import (
	"fmt"
	"os"
	"path/filepath"
)

// WriteFile writes a file that appears whole or not at all, and is on the disk before it
// has its name. One that exists is replaced.
func WriteFile(file string, b []byte, mode os.FileMode) error {
	scratch, err := NewScratch(filepath.Dir(file), filepath.Base(file))
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(file), err)
	}
	defer scratch.Remove()
	made := filepath.Join(scratch.Path, "new")
	if err = os.WriteFile(made, b, mode); err == nil {
		err = syncPath(made)
	}
	if err == nil {
		err = os.Rename(made, file)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(file), err)
	}
	return nil
}

// Sync writes a file, or the names in a directory, to the disk.
func Sync(path string) error { return syncPath(path) }
