// Package atomicdir makes directories that appear whole or not at all: traces and
// runs. A directory has a temporary name beside its place until it is complete. What
// a killed process has left is removed when the next directory is begun.
//
//	d, err := atomicdir.New("trace", atomicdir.Options{What: "trace", Check: isTrace})
//	...
//	defer d.Abort()
//	... // write below d.Path
//	err = d.Commit()
//
// The package does not depend on what the directories hold.
package atomicdir

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
	scratch *Scratch
}

// Options say what a Directory may replace.
type Options struct {
	Replace bool                   // what exists is replaced, if it is of the same kind
	Passing bool                   // it need not outlive the machine: it is not synced to the disk
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
	var err error
	if d.scratch, err = NewScratch(filepath.Dir(d.target), filepath.Base(d.target)); err != nil {
		return nil, fmt.Errorf("make the output: %w", err)
	}
	d.Path = filepath.Join(d.scratch.Path, "new")
	if err := os.Mkdir(d.Path, 0o755); err != nil {
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
		return &placeError{fmt.Sprintf("cannot create %s: directory %s does not exist; create it first, or name another place", target, parent), err}
	case err != nil:
		return fmt.Errorf("look at the output's place: %w", err)
	case !info.IsDir():
		err = &fs.PathError{Op: "open", Path: parent, Err: syscall.ENOTDIR}
		return &placeError{fmt.Sprintf("cannot create %s: %s is not a directory; name another place", target, parent), err}
	}
	return nil
}

// A placeError is an output that has no place, or whose place is taken by a file or a directory.
type placeError struct {
	text string
	err  error
}

func (e *placeError) Error() string { return e.text }
func (e *placeError) Unwrap() error { return e.err }

func takenError(text string) error { return &placeError{text, fs.ErrExist} }

// occupied reports whether something that may be replaced stands in the way. What
// may not be is an error.
func (d *Directory) occupied() (bool, error) {
	switch _, err := os.Lstat(d.target); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look at the output: %w", err)
	case !d.options.Replace:
		return false, takenError(d.target + " exists already: name another output, or give --replace")
	}
	// Only its like is replaced: a mistyped path must not cost anything else.
	if d.options.Check(d.target) != nil {
		return false, takenError(d.target + " exists already and is not a " + d.options.What + ": it is not replaced")
	}
	return true, nil
}

// Commit writes the finished directory to the disk and moves it to its place. What it
// replaces stays until then: the two change places in one step, where the system can.
func (d *Directory) Commit() error {
	occupied, err := d.occupied() // something may have appeared meanwhile
	if err != nil {
		return err
	}
	if !d.options.Passing {
		if err := syncTree(d.Path); err != nil {
			return fmt.Errorf("complete the %s: %w", d.options.What, err)
		}
	}
	const tries = 5 // others may take the place, or leave it, at the same time
	for range tries {
		if occupied {
			err = d.replace()
		} else {
			err = moveNew(d.Path, d.target)
		}
		switch {
		case err == nil:
			return d.finish()
		case occupied && errors.Is(err, fs.ErrNotExist):
			occupied = false
		case !occupied && errors.Is(err, fs.ErrExist):
			var none error
			if occupied, none = d.occupied(); none != nil {
				return none
			}
		default:
			return fmt.Errorf("move the %s into place: %w", d.options.What, err)
		}
	}
	return fmt.Errorf("move the %s into place: %w", d.options.What, err)
}

// finish removes what was replaced, and all else that is not wanted any more.
func (d *Directory) finish() error {
	d.Path = ""
	var err error
	if !d.options.Passing {
		err = syncPath(filepath.Dir(d.target))
	}
	return errors.Join(err, d.scratch.Remove())
}

// replace puts the directory in the place of the one that stands there, which is in the
// scratch then.
func (d *Directory) replace() error {
	err := exchange(d.Path, d.target)
	if errors.Is(err, errors.ErrUnsupported) {
		return d.replaceInTwo()
	}
	if err != nil {
		return err
	}
	if d.options.Check(d.Path) == nil {
		return nil
	}
	// Something else came to stand there since it was looked at.
	return errors.Join(takenError(d.target+" is not a "+d.options.What+" any longer: it is not replaced"), exchange(d.Path, d.target))
}

// replaceInTwo is replace for systems that cannot swap. The sweep after a process that was killed
// between the two steps brings the old directory back.
func (d *Directory) replaceInTwo() error {
	aside := filepath.Join(d.scratch.Path, asideName)
	if err := os.WriteFile(filepath.Join(d.scratch.Path, targetName), []byte(filepath.Base(d.target)), 0o644); err != nil {
		return err
	}
	if err := os.Rename(d.target, aside); err != nil {
		return err
	}
	if err := moveNew(d.Path, d.target); err != nil {
		back := moveNew(aside, d.target)
		if errors.Is(back, fs.ErrExist) {
			back = nil // another process has replaced it
		}
		return errors.Join(err, back)
	}
	return nil
}

// Abort removes what was written.
func (d *Directory) Abort() {
	if d.Path != "" {
		d.Path = ""
		d.scratch.Remove()
	}
}
