package input

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What is no regular file is bad input, says what it is, and is known at once.
func TestOnlyFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	fifo, loop := filepath.Join(dir, "fifo"), filepath.Join(dir, "loop")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		fifo: "a pipe", dir: "a directory", "/dev/zero": "a device", loop: "in a circle",
		filepath.Join(dir, strings.Repeat("n", 300)): "longer than the file system takes",
	} {
		done := make(chan error, 1)
		go func() {
			_, err := ReadAll(path, 1<<20)
			done <- err
		}()
		select {
		case err := <-done:
			var bad *Error
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", path, err, want)
			}
		case <-time.After(5 * time.Second):
			t.Errorf("%s blocks", path)
		}
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// A file that is too large is refused before it is read.
func TestReadAllIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(path, []byte("12345"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip("no sparse files here")
	}
	if _, err := ReadAll(path, 5); err == nil {
		t.Error("a file of a terabyte was read")
	}
	if err := os.Truncate(path, 5); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadAll(path, 5); err != nil || string(b) != "12345" {
		t.Errorf("%q, %v", b, err)
	}
}

// A message repeats only the beginning of a path.
func TestLongPathsAreShortened(t *testing.T) {
	_, err := Open("/" + strings.Repeat("x", 1<<20))
	if err == nil || len(err.Error()) > 1000 {
		t.Errorf("a message of %d bytes", len(err.Error()))
	}
}
