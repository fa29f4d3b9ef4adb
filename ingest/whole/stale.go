package whole

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A process that is killed leaves its temporary directory behind. Whoever writes
// one holds a lock in it, which ends with the process, so that the next one to
// write beside it can tell what nobody writes any more: of a night that is never
// repeated nobody else would let go.

// lockName is the file that is locked, by a name that no other program has.
const lockName = ".poolproof-lock"

// anyTemporary matches the temporary directories of all targets.
const anyTemporary = ".*.tmp-*"

// temporary is the pattern of the names of the directories of a target.
func temporary(target string) string { return "." + filepath.Base(target) + ".tmp-*" }

// lock takes the lock of a new directory. The file has its name only once it is
// locked: whoever finds it free knows that its process is gone.
func lock(dir string) (*os.File, error) {
	name := filepath.Join(dir, lockName)
	f, err := os.Create(name + ".new")
	if err != nil {
		return nil, err
	}
	// Where locks are not to be had, nothing is swept either.
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err := os.Rename(f.Name(), name); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sweep removes the temporary directories in a directory that nobody writes. What
// cannot be removed stays: it is in nobody's way. What was put aside to be
// replaced is no temporary directory.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if ours, _ := filepath.Match(anyTemporary, e.Name()); ours && e.IsDir() && !strings.HasSuffix(e.Name(), ".old") {
			removeUnlocked(filepath.Join(dir, e.Name()))
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
