package whole

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	others := []string{leave(".run.tmp-3", false), leave(".run.tmp-4.old", true), leave("run.tmp-5", true)}
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
	for _, path := range append(others, writer.Path, second.Path) {
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
		filepath.Join(dir, "no", "such"): "there is no directory " + filepath.Join(dir, "no", "such") + "; make it first",
		file:                             file + " is no directory; name another place",
		filepath.Join(file, "below"):     "there is no directory " + filepath.Join(file, "below") + "; make it first",
	} {
		_, err := begin(filepath.Join(place, "run"), false)
		var path *fs.PathError
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &path) {
			t.Errorf("New says %v, want %s", err, want)
		}
	}
}
