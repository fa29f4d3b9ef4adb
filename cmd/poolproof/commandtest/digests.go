package commandtest

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"testing"

	"poolproof/cmd/poolproof/exit"
	"poolproof/replay/tables"
)

// Digests returns the SHA-256 of every file below dir, by its path in it.
func Digests(t testing.TB, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			sums[filepath.ToSlash(name)], err = tables.DigestOf(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// Replayed returns the digests of the tables that a trace's replay gives.
func Replayed(t *testing.T, trace string) map[string]string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "run")
	if code, stderr, _ := Process(t, exec.Command("poolproof", "replay", trace, "--out", out, "--quiet")); code != exit.Kept {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	return Digests(t, filepath.Join(out, "tables"))
}
