package whole

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A process that is killed leaves its temporary directory behind. Whoever writes
// one holds a lock in it, which ends with the process, so that the next one to
// write to the same place can tell what nobody writes any more.

// lockName is the file that is locked.
const lockName = ".lock"

// youngest is how old a directory must be to be swept: between its making and
// its locking nobody holds it either.
const youngest = time.Minute

// temporary is the pattern of the names of the directories of a target.
func temporary(target string) string { return "." + filepath.Base(target) + ".tmp-*" }

// lock takes the lock of a new directory.
func lock(dir string) (*os.File, error) {
	f, err := os.Create(filepath.Join(dir, lockName))
	if err != nil {
		return nil, err
	}
	// Where locks are not to be had, nothing is swept either.
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return f, nil
}

// sweep removes the temporary directories of a target that nobody writes. What
// cannot be removed stays: it is in nobody's way. What was put aside to be
// replaced is no temporary directory.
func sweep(target string, now time.Time) {
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(target), temporary(filepath.Base(target))))
	if err != nil {
		return // a name that is no pattern
	}
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil && info.IsDir() && !strings.HasSuffix(path, ".old") && now.Sub(info.ModTime()) > youngest {
			removeUnlocked(path)
		}
	}
}

func removeUnlocked(path string) {
	f, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR, 0)
	if err != nil {
		return // not known to be ours
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		os.RemoveAll(path)
	}
}
