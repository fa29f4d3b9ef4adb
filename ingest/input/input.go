// Package input opens the files that commands are given.
//
//	f, err := input.Open(path)             // a log or a table
//	b, err := input.ReadAll(path, 16<<20)  // a policy, a manifest
//
// Only regular files are opened: a FIFO would block forever, and a device such as
// /dev/zero never ends. A path that cannot name a regular file, or names something else, is an
// *Error, which is bad input. Errors of the system are returned as they are.
package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// An Error says that a path does not name a file that could be read as input.
type Error struct {
	Path  string
	Found string // what is wrong and what to do, a clause
	Err   error  // of the system; nil if there was none
}

func (e *Error) Error() string { return shorten(e.Path) + ": " + e.Found }
func (e *Error) Unwrap() error { return e.Err }

// BadInput says that the input is wrong, not the reading of it.
func (e *Error) BadInput() bool { return true }

// longestPath limits the part of a path that a message repeats, in bytes.
const longestPath = 256

func shorten(path string) string {
	if len(path) <= longestPath {
		return path
	}
	return fmt.Sprintf("%s… (%d bytes)", path[:longestPath], len(path))
}

// Open opens a regular file.
func Open(path string) (*os.File, error) {
	// Without O_NONBLOCK a FIFO would block here until it has a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Path(path, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &Error{Path: path, Found: "it is " + kindOf(info.Mode()) + ", and a file is wanted"}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadAll reads a regular file of at most most bytes.
func ReadAll(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, tooLarge(path, most)
	}
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = tooLarge(path, most) // a file of /proc has no size
	}
	return b, err
}

func tooLarge(path string, most int64) error {
	return &Error{Path: path, Found: fmt.Sprintf("it has more than %d bytes, the most that is read of such a file", most)}
}

// Path returns err, of opening path, as an *Error if the path itself can name
// nothing: a loop of links, or a name that is too long. Others are returned as
// they are.
func Path(path string, err error) error {
	switch {
	case errors.Is(err, syscall.ELOOP):
		return &Error{Path: path, Found: "its links lead in a circle", Err: err}
	case errors.Is(err, syscall.ENAMETOOLONG):
		return &Error{Path: path, Found: "its name is longer than the file system takes", Err: err}
	case errors.Is(err, syscall.ENXIO): // a socket
		return &Error{Path: path, Found: "it cannot be read", Err: err}
	}
	return err
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "no regular file"
}
