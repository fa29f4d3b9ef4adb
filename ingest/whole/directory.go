// Package whole makes directories that appear whole or not at all: traces and
// runs. One stands under a temporary name beside its place until it is complete,
// and what a killed process has left of one goes when the next one is begun.
//
//	d, err := whole.New("trace", whole.Options{What: "trace", Check: isTrace})
//	...
//	defer d.Abort()
//	... // write below d.Path
//	err = d.Commit()
//
// It knows nothing of what stands in them.
package whole

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// A Directory is one in the making. Exactly one of Commit and Abort ends it; an
// Abort after Commit does nothing, so that it may be deferred.
type Directory struct {
	Path    string // where to write
	target  string
	options Options
	lock    *os.File // held while it is written
}

// Options say what a Directory may replace.
type Options struct {
	Replace bool                   // what exists is replaced, if it is of the same kind
	What    string                 // the kind, for messages: run
	Check   func(dir string) error // why a directory is none of the kind, nil if it is one
}

// New begins the directory target. One that exists is an error that wraps
// fs.ErrExist, unless it may be replaced.
func New(target string, o Options) (*Directory, error) {
	d := &Directory{target: filepath.Clean(target), options: o}
	if err := Place(d.target); err != nil {
		return nil, err
	}
	if _, err := d.occupied(); err != nil {
		return nil, err
	}
	sweep(filepath.Dir(d.target))
	path, err := os.MkdirTemp(filepath.Dir(d.target), temporary(d.target))
	if err != nil {
		return nil, fmt.Errorf("make the output: %w", err)
	}
	d.Path = path
	if d.lock, err = lock(path); err != nil {
		d.Abort()
		return nil, fmt.Errorf("make the output: %w", err)
	}
	if err := os.Chmod(path, 0o755); err != nil { // it was made for us alone
		d.Abort()
		return nil, fmt.Errorf("make the output: %w", err)
	}
	return d, nil
}

// Place is an error that says what to do if there is no directory for a file or a
// directory to be made in.
func Place(target string) error {
	parent := filepath.Dir(target)
	info, err := os.Stat(parent)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return &placeError{fmt.Sprintf("%s cannot be made: there is no directory %s; make it first, or name another place", target, parent), err}
	case err != nil:
		return fmt.Errorf("look at the output's place: %w", err)
	case !info.IsDir():
		err = &fs.PathError{Op: "open", Path: parent, Err: syscall.ENOTDIR}
		return &placeError{fmt.Sprintf("%s cannot be made: %s is no directory; name another place", target, parent), err}
	}
	return nil
}

// A placeError is an output that has no place.
type placeError struct {
	text string
	err  error
}

func (e *placeError) Error() string { return e.text }
func (e *placeError) Unwrap() error { return e.err }

// A takenError is an output that is there already, be it a file or a directory.
type takenError struct{ text string }

func (e *takenError) Error() string { return e.text }
func (e *takenError) Unwrap() error { return fs.ErrExist }

// occupied reports whether something that may be replaced stands in the way. What
// may not be is an error.
func (d *Directory) occupied() (bool, error) {
	switch _, err := os.Lstat(d.target); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look at the output: %w", err)
	case !d.options.Replace:
		return false, &takenError{d.target + " exists already: name another output, or give --replace"}
	}
	// Only its like is replaced: a mistyped path must not cost anything else.
	if d.options.Check(d.target) != nil {
		return false, &takenError{d.target + " exists already and is no " + d.options.What + ": it is not replaced"}
	}
	return true, nil
}

// Commit moves the finished directory to its place. What it replaces stays until
// then.
func (d *Directory) Commit() error {
	aside := ""
	occupied, err := d.occupied() // something may have appeared meanwhile
	if err != nil {
		return err
	}
	if occupied {
		aside = d.Path + ".old"
		if err := os.Rename(d.target, aside); err != nil {
			return fmt.Errorf("replace the old %s: %w", d.options.What, err)
		}
	}
	os.Remove(filepath.Join(d.Path, lockName)) // it is no part of what was made
	if err := os.Rename(d.Path, d.target); err != nil {
		return fmt.Errorf("move the %s into place: %w", d.options.What, errors.Join(err, restore(aside, d.target)))
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

// Abort removes what was written.
func (d *Directory) Abort() {
	if d.Path != "" {
		os.RemoveAll(d.Path)
		d.Path = ""
		d.lock.Close() // nil where there was none yet, which is no matter
	}
}
