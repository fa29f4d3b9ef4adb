package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Directory is a run directory in the making. It stands under a temporary
// name beside its place until Commit, so that a run appears whole or not at all.
type Directory struct {
	Path   string // where to write
	target string
}

// NewDirectory begins the run directory target. One that exists is an error
// that wraps fs.ErrExist, unless replace is set and it holds a run.
func NewDirectory(target string, replace bool) (*Directory, error) {
	target = filepath.Clean(target)
	switch _, err := os.Lstat(target); {
	case err == nil && !replace:
		return nil, fmt.Errorf("%s %w: name another output, or give --replace", target, fs.ErrExist)
	case err == nil:
		// Only a run is replaced: a mistyped path must not cost anything else.
		if _, err := os.Stat(filepath.Join(target, ManifestName)); err != nil {
			return nil, fmt.Errorf("%s %w and is no run: it is not replaced", target, fs.ErrExist)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("look at the output: %w", err)
	}
	path, err := os.MkdirTemp(filepath.Dir(target), "."+filepath.Base(target)+".tmp-*")
	if err != nil {
		return nil, fmt.Errorf("make the output: %w", err)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		return nil, fmt.Errorf("make the output: %w", err)
	}
	return &Directory{Path: path, target: target}, nil
}

// Commit moves the finished run to its place.
func (d *Directory) Commit() error {
	aside := ""
	if _, err := os.Lstat(d.target); err == nil {
		aside = d.Path + ".old"
		if err := os.Rename(d.target, aside); err != nil {
			return fmt.Errorf("replace the old run: %w", err)
		}
	}
	if err := os.Rename(d.Path, d.target); err != nil {
		return fmt.Errorf("move the run into place: %w", errors.Join(err, restore(aside, d.target)))
	}
	d.Path = ""
	if aside != "" {
		return os.RemoveAll(aside)
	}
	return nil
}

func restore(aside, target string) error {
	if aside == "" {
		return nil
	}
	return os.Rename(aside, target)
}

// Abort removes what was written. After Commit it does nothing.
func (d *Directory) Abort() {
	if d.Path != "" {
		os.RemoveAll(d.Path)
		d.Path = ""
	}
}
