package replay

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCommitKeepsWhatAppeared: what came to stand in the run's place while it
// was made is not ours to remove.
func TestCommitKeepsWhatAppeared(t *testing.T) {
	target := filepath.Join(t.TempDir(), "run")
	d, err := NewDirectory(target, false)
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

// TestReplaceOnlyRuns: only a run is replaced, as a whole, and on request.
func TestReplaceOnlyRuns(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "run")
	for _, old := range []string{"first", "second"} {
		d, err := NewDirectory(target, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{ManifestName, old} {
			if err := os.WriteFile(filepath.Join(d.Path, name), []byte(`{"format_version": 1, "result_digest": "x"}`), 0o644); err != nil {
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
	for _, manifest := range []string{"", "x", "{}", `{"name": "my web app"}`, `{"format_version": 1, "tables": {}}`} {
		if manifest != "" {
			if err := os.WriteFile(filepath.Join(dir, ManifestName), []byte(manifest), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := NewDirectory(dir, true); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a directory that is no run, with manifest %q: %v", manifest, err)
		}
	}
}

// TestPanicIsAnError: a fault in one tree's goroutine is an error of the run.
func TestPanicIsAnError(t *testing.T) {
	err := func() (err error) {
		defer recoverTo(&err)
		panic("planted")
	}()
	if err == nil || !strings.Contains(err.Error(), "planted") || !strings.Contains(err.Error(), "directory_test.go") {
		t.Errorf("the panic became %v", err)
	}
}

// What a killed run left is swept by the next one to the same place; what
// somebody writes, what is not of a run and what is of another place stays.
func TestStaleDirectoriesAreSwept(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "run")
	long := time.Now().Add(-time.Hour)
	leave := func(name string, locked bool) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(path, "tables"), 0o755); err != nil {
			t.Fatal(err)
		}
		if locked {
			if err := os.WriteFile(filepath.Join(path, ".lock"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
		return path
	}
	killed := leave(".run.tmp-1", true)
	others := []string{leave(".run.tmp-2", false), leave(".run.tmp-3.old", true), leave(".runs.tmp-4", true), leave("run.tmp-5", true)}
	writer, err := NewDirectory(target, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(writer.Path, long, long); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(killed); err == nil {
		t.Error("what a killed run left is still there")
	}
	second, err := NewDirectory(target, false)
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
	if _, err := os.Stat(filepath.Join(target, ".lock")); err == nil {
		t.Error("the lock stands in the run")
	}
}
