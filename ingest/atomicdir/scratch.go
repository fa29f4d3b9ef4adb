package atomicdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// A Scratch is a directory for unfinished files. A killed process leaves its scratches behind. Each
// holds a lock that ends with its process, so that the next process recognizes abandoned scratches
// beside its own and removes them.
type Scratch struct {
	Path string
	lock *os.File
}

const (
	// lockName is the file that is locked, by a name that no other program has.
	lockName = ".poolproof-lock"
	// anyScratch matches all of them.
	anyScratch = ".*.tmp-*"
	// asideName and targetName exist in a scratch while the replaced directory has no other
	// name: the directory itself, and a file with the name of the target.
	asideName  = "old"
	targetName = ".poolproof-target"
)

// NewScratch creates a scratch in a directory, and removes those there whose processes are gone.
// Its name contains the given one, which explains it to people who find it.
func NewScratch(dir, name string) (*Scratch, error) {
	sweep(dir)
	const longest = 100 // of 255 bytes; the rest is for the prefix and suffix
	path, err := os.MkdirTemp(dir, "."+name[:min(len(name), longest)]+".tmp-*")
	if err != nil {
		return nil, err
	}
	s := &Scratch{Path: path}
	if s.lock, err = lock(path); err != nil {
		os.RemoveAll(path)
		return nil, err
	}
	active.add(s)
	return s, nil
}

// Remove removes the scratch with its files. A second call does nothing.
func (s *Scratch) Remove() error {
	if s.Path == "" {
		return nil
	}
	err := os.RemoveAll(s.Path)
	active.drop(s) // only now: an interrupt may end the process before all is removed
	s.Path = ""
	s.lock.Close()
	return err
}

// actives are the scratches of this process.
type actives struct {
	mu  sync.Mutex
	all map[*Scratch]string
}

var active = actives{all: map[*Scratch]string{}}

func (a *actives) add(s *Scratch) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all[s] = s.Path
}

func (a *actives) drop(s *Scratch) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.all, s)
}

// AbortAll removes the scratches of this process, which then ends without waiting for its writers.
func AbortAll() {
	active.mu.Lock()
	defer active.mu.Unlock()
	for _, path := range active.all {
		removeFromWriters(path)
	}
}

// removeFromWriters removes a directory in which other goroutines still create files. It renames the
// directory first, so that they cannot.
func removeFromWriters(path string) {
	gone := path + "-gone"
	if os.Rename(path, gone) != nil {
		gone = path
	}
	for range 3 {
		if os.RemoveAll(gone) == nil {
			break
		}
	}
	os.RemoveAll(path) // writers that create missing parent directories may have created it again
}

// lock locks a new directory. The lock file gets its name only once it is locked, so that
// a free lock shows that its process is gone.
func lock(dir string) (*os.File, error) {
	name := filepath.Join(dir, lockName)
	f, err := os.Create(name + ".new")
	if err != nil {
		return nil, err
	}
	// Where the file system has no locks, nothing is swept either.
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err := os.Rename(f.Name(), name); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sweep removes the abandoned scratches in a directory, and ignores errors: a leftover does no harm.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if ours, _ := filepath.Match(anyScratch, e.Name()); ours && e.IsDir() {
			removeUnlocked(filepath.Join(dir, e.Name()))
		}
	}
}

func removeUnlocked(path string) {
	f, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR, 0)
	if err != nil {
		return // it may not be ours
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return
	}
	if bringBack(path) == nil {
		os.RemoveAll(path)
	}
}

// bringBack gives a directory that was put aside its name again, if its process ended before the new
// one had that name. A scratch whose directory cannot be restored is not removed.
func bringBack(scratch string) error {
	aside := filepath.Join(scratch, asideName)
	name, err := os.ReadFile(filepath.Join(scratch, targetName))
	if err != nil || strings.ContainsRune(string(name), filepath.Separator) {
		return nil // nothing was put aside
	}
	if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err = moveNew(aside, filepath.Join(filepath.Dir(scratch), string(name)))
	if errors.Is(err, fs.ErrExist) {
		return nil // it was replaced
	}
	return err
}

// moveNew renames a directory to a name that does not exist.
func moveNew(from, to string) error {
	err := renameNew(from, to)
	if errors.Is(err, syscall.ENOTEMPTY) {
		err = &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EEXIST}
	}
	return err
}

// syncTree syncs the files of a directory, and the directories, to the disk. Concurrent syncs
// share the work of the disk.
func syncTree(dir string) error {
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	slots := make(chan struct{}, 16)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() && !d.Type().IsRegular() {
			return err
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			if err := syncPath(path); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = err
			}
		})
		return nil
	})
	all.Wait()
	return errors.Join(err, failed)
}

// syncPath syncs a file or a directory to the disk.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil // the file system does not support it
	}
	if err != nil {
		return fmt.Errorf("write to the disk: %w", err)
	}
	return nil
}
