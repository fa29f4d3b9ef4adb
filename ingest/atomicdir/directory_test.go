package atomicdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// marker is the file by which a directory of the tests is known.
const marker = "marker"

func begin(target string, replace bool) (*Directory, error) {
	return New(target, Options{Replace: replace, What: "run", Check: func(dir string) error {
		_, err := os.Stat(filepath.Join(dir, marker))
		return err
	}})
}

// TestCommitKeepsWhatAppeared: what came to stand in the run's place while it
// was made is not ours to remove.
func TestCommitKeepsWhatAppeared(t *testing.T) {
	target := filepath.Join(t.TempDir(), "run")
	d, err := begin(target, false)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Abort()
	if err := os.Mkdir(target, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(target, "precious"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Commit says %v", err)
	}
	if _, err := os.Stat(filepath.Join(target, "precious")); err != nil {
		t.Error(err)
	}
}

// TestReplaceOnlyItsLike: only a run is replaced, as a whole, and on request.
func TestReplaceOnlyItsLike(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "run")
	for _, old := range []string{"first", "second"} {
		d, err := begin(target, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{marker, old} {
			if err := os.WriteFile(filepath.Join(d.Path, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Commit(); err != nil {
			t.Fatal(err)
		}
		d.Abort() // after Commit, nothing
	}
	if _, err := os.Stat(filepath.Join(target, "first")); err == nil {
		t.Error("the old run's files are left in the new one")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d entries beside the run", len(entries)-1)
	}
	if _, err := begin(dir, true); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a directory that is no run: %v", err)
	}
}

// What a killed run left is swept by the next one beside it, at once; what
// somebody writes and what is not of a run stays.
func TestStaleDirectoriesAreSwept(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "run")
	leave := func(name string, locked bool) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(path, "tables"), 0o755); err != nil {
			t.Fatal(err)
		}
		if locked {
			if err := os.WriteFile(filepath.Join(path, ".poolproof-lock"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	killed := []string{leave(".run.tmp-1", true), leave(".2026-05-01.tmp-2", true)}
	others := []string{leave(".run.tmp-3", false), leave("run.tmp-5", true)}
	writer, err := begin(target, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range killed {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("what a killed run left in %s is still there", path)
		}
	}
	second, err := begin(target, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(others, writer.scratch.Path, second.scratch.Path) {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s was swept", path)
		}
	}
	second.Abort()
	if err := writer.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(target, ".poolproof-lock")); err == nil {
		t.Error("the lock stands in the run")
	}
}

// TestWithoutAPlace: where there is no directory to make the run in, the error says so,
// and what to do. It is one of input and output.
func TestWithoutAPlace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]string{
		filepath.Join(dir, "no", "such"): "directory " + filepath.Join(dir, "no", "such") + " does not exist; create it first",
		file:                             file + " is not a directory; name another place",
		filepath.Join(file, "below"):     "directory " + filepath.Join(file, "below") + " does not exist; create it first",
	} {
		_, err := begin(filepath.Join(place, "run"), false)
		var path *fs.PathError
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &path) {
			t.Errorf("New says %v, want %s", err, want)
		}
	}
}

// replacer is a run that is about to replace an older one.
func replacer(t *testing.T, target, name string) *Directory {
	t.Helper()
	d, err := begin(target, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{marker, name} {
		if err := os.WriteFile(filepath.Join(d.Path, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// TestReplacedInOneStep: whoever looks at a run while it is replaced, again and again,
// always finds one, and nothing is left of those before.
func TestReplacedInOneStep(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "run")
	if err := replacer(t, target, "0").Commit(); err != nil {
		t.Fatal(err)
	}
	stop, absent := make(chan struct{}), make(chan int)
	go func() {
		missed := 0
		for {
			select {
			case <-stop:
				absent <- missed
				return
			default:
				if _, err := os.Stat(filepath.Join(target, marker)); err != nil {
					missed++
				}
			}
		}
	}()
	for range 100 {
		if err := replacer(t, target, "next").Commit(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	if n := <-absent; n > 0 {
		t.Errorf("the run was absent in %d of the looks at it", n)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d entries beside the run", len(entries)-1)
	}
}

// TestReplacedAtOnce: of those who replace a run at the same time none is stranded.
func TestReplacedAtOnce(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "run")
	var all sync.WaitGroup
	for range 8 {
		d := replacer(t, target, "one")
		all.Go(func() {
			if err := d.Commit(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d entries beside the run", len(entries)-1)
	}
}

// TestPutAsideIsBroughtBack: where a system cannot swap, and the process is killed
// between two steps, the next one brings the old run back.
func TestPutAsideIsBroughtBack(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "run")
	if err := replacer(t, target, "old").Commit(); err != nil {
		t.Fatal(err)
	}
	d := replacer(t, target, "new")
	if err := d.replaceInTwo(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(target, "new")); err != nil {
		t.Fatal(err)
	}
	// As after the first step alone.
	if err := os.Rename(target, d.Path); err != nil {
		t.Fatal(err)
	}
	d.scratch.lock.Close() // the process is gone
	if _, err := begin(filepath.Join(dir, "another"), false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(target, "old")); err != nil {
		t.Errorf("the old run is lost: %v", err)
	}
	if _, err := os.Stat(d.scratch.Path); err == nil {
		t.Error("the scratch is left")
	}
}
