package command

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"poolproof/replay/tables"
)

// TestReplaceOnlyRuns: a run is replaced on request, and nothing that looks like one.
func TestReplaceOnlyRuns(t *testing.T) {
	for _, manifest := range []string{"", "x", "{}", `{"name": "my web app"}`, `{"format_version": 1, "tables": {}}`} {
		dir := t.TempDir()
		if manifest != "" {
			if err := os.WriteFile(filepath.Join(dir, tables.ManifestName), []byte(manifest), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := newRun(dir, true); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a directory that is no run, with manifest %q: %v", manifest, err)
		}
	}
}
