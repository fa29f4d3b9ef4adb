package atomicdir

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps two directories in one step. Where the system cannot, it is an error
// that wraps errors.ErrUnsupported.
func exchange(a, b string) error { return rename2("exchange", a, b, unix.RENAME_EXCHANGE) }

// renameNew renames a directory to a name that nothing has.
func renameNew(from, to string) error {
	err := rename2("rename", from, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, errors.ErrUnsupported) {
		return os.Rename(from, to)
	}
	return err
}

func rename2(op, a, b string, flags uint) error {
	switch err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, flags); {
	case err == nil:
		return nil
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOTSUP):
		return &os.LinkError{Op: op, Old: a, New: b, Err: errors.ErrUnsupported}
	default:
		return &os.LinkError{Op: op, Old: a, New: b, Err: err}
	}
}
