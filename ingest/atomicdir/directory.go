// Package atomicdir creates directories that appear whole or not at all: traces and
// runs. A directory has a temporary name beside its final one until it is complete.
// The next New or NewScratch in the same place removes the leftovers of killed processes.
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

// A Directory is a directory under construction. Commit or Abort ends it. An
// Abort after Commit does nothing, so that it may be deferred.
type Directory struct {
	Path    string // where to write
	target  string
	options Options
	scratch *Scratch
}

// Options of a Directory.
type Options struct {
	Replace bool                   // replace what exists, if it is of the same kind
	Passing bool                   // do not sync it to the disk: it need not survive a crash of the machine
	What    string                 // the kind, for messages: run
	Check   func(dir string) error // returns an error that says why a directory is not of the kind
}

// New begins the directory target. If it exists and must not be replaced, the error wraps
// fs.ErrExist.
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

// Place checks that the parent directory of a file or directory to create exists. The error says what
// to do.
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

// occupied reports whether the target exists and may be replaced. If it exists and must not be
// replaced, it returns an error.
func (d *Directory) occupied() (bool, error) {
	switch _, err := os.Lstat(d.target); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look at the output: %w", err)
	case !d.options.Replace:
		return false, takenError(d.target + " exists already: name another output, or give --replace")
	}
	// Only a directory of the same kind is replaced: a mistyped path must not delete anything else.
	if d.options.Check(d.target) != nil {
		return false, takenError(d.target + " exists already and is not a " + d.options.What + ": it is not replaced")
	}
	return true, nil
}

// Commit writes the finished directory to the disk and moves it to its place. The directory that it
// replaces stays until then: the two are swapped in one step, where the system supports that.
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
	const tries = 5 // other processes may create or remove the target at the same time
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

// finish removes the scratch, which holds the replaced directory.
func (d *Directory) finish() error {
	d.Path = ""
	var err error
	if !d.options.Passing {
		err = syncPath(filepath.Dir(d.target))
	}
	return errors.Join(err, d.scratch.Remove())
}

// replace swaps the directory with the one at the target, which is in the scratch then.
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
	// The target was replaced by something else since it was checked.
	return errors.Join(takenError(d.target+" is not a "+d.options.What+" any longer: it is not replaced"), exchange(d.Path, d.target))
}

// replaceInTwo does the same on systems that cannot swap. If the process is killed between the two
// steps, the next sweep restores the old directory.
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
