package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A Directory is a run directory in the making. It stands under a temporary
// name beside its place until Commit, so that a run appears whole or not at all.
type Directory struct {
	Path    string // where to write
	target  string
	replace bool
	lock    *os.File // held while the run is written
}

// NewDirectory begins the run directory target. One that exists is an error
// that wraps fs.ErrExist, unless replace is set and it holds a run.
func NewDirectory(target string, replace bool) (*Directory, error) {
	d := &Directory{target: filepath.Clean(target), replace: replace}
	if _, err := d.occupied(); err != nil {
		return nil, err
	}
	sweep(d.target, time.Now())
	path, err := os.MkdirTemp(filepath.Dir(d.target), temporary(d.target))
	if err != nil {
		return nil, fmt.Errorf("make the output: %w", err)
	}
	d.Path = path
	if d.lock, err = lock(path); err != nil {
		d.Abort()
		return nil, fmt.Errorf("make the output: %w", err)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		d.Abort()
		return nil, fmt.Errorf("make the output: %w", err)
	}
	return d, nil
}

// A takenError is an output that is there already, be it a file or a directory.
type takenError struct{ text string }

func (e *takenError) Error() string { return e.text }
func (e *takenError) Unwrap() error { return fs.ErrExist }

// occupied reports whether a run that may be replaced stands in the way. What
// may not be is an error.
func (d *Directory) occupied() (bool, error) {
	switch _, err := os.Lstat(d.target); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look at the output: %w", err)
	case !d.replace:
		return false, &takenError{d.target + " exists already: name another output, or give --replace"}
	}
	// Only a run is replaced: a mistyped path must not cost anything else.
	if _, err := ReadManifest(d.target); err != nil {
		return false, &takenError{d.target + " exists already and is no run: it is not replaced"}
	}
	return true, nil
}

// Commit moves the finished run to its place.
func (d *Directory) Commit() error {
	aside := ""
	occupied, err := d.occupied() // something may have appeared meanwhile
	if err != nil {
		return err
	}
	if occupied {
		aside = d.Path + ".old"
		if err := os.Rename(d.target, aside); err != nil {
			return fmt.Errorf("replace the old run: %w", err)
		}
	}
	os.Remove(filepath.Join(d.Path, lockName)) // it is no part of the run
	if err := os.Rename(d.Path, d.target); err != nil {
		return fmt.Errorf("move the run into place: %w", errors.Join(err, restore(aside, d.target)))
	}
	d.Path = ""
	d.lock.Close()
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
		d.lock.Close() // nil where there was none yet, which is no matter
	}
}
