package atomicdir

import (
	"fmt"
	"os"
	"path/filepath"
)

// WriteFile writes a file that appears whole or not at all, and is synced to the disk before it
// gets its name. It replaces an existing file.
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

// Sync syncs a file or a directory to the disk.
func Sync(path string) error { return syncPath(path) }
