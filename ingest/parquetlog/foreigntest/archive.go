// Package foreigntest unpacks the archives in which tests keep what other writers of
// Parquet wrote. Nothing here is used outside tests.
package foreigntest

import (
	"archive/tar"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Files returns the files of a .tar.zst archive by name.
func Files(t testing.TB, archive string) map[string][]byte {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := map[string][]byte{}
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err == nil {
			files[h.Name], err = io.ReadAll(in)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Unpack writes the files of a .tar.zst archive below dir and returns their names, sorted.
func Unpack(t testing.TB, archive, dir string) []string {
	t.Helper()
	files := Files(t, archive)
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return names
}
