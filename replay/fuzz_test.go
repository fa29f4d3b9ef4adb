package replay

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"poolproof/replay/tables"
)

// FuzzManifest reads any bytes as the manifest of a run: it is none, or says the same when
// it is written and read again.
func FuzzManifest(f *testing.F) {
	dir := f.TempDir()
	path := filepath.Join(dir, tables.ManifestName)
	m := &Manifest{FormatVersion: tables.RunFormatVersion, Cluster: "c", Trees: []string{"t"}, Slacks: map[string]float64{"use_s": 1}, Tables: []tables.File{{Path: "p", Rows: 1}}, ResultDigest: "0"}
	if err := m.Write(dir); err != nil {
		f.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"format_version": 1, "result_digest": "x", "trees": null, "events": -1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := ReadManifest(dir)
		if err != nil {
			if !errors.Is(err, ErrNotRun) {
				t.Fatal(err)
			}
			return
		}
		if err := m.Write(dir); err != nil {
			t.Fatal(err)
		}
		if again, err := ReadManifest(dir); err != nil || !reflect.DeepEqual(m, again) {
			t.Fatalf("%+v becomes %+v (%v)", m, again, err)
		}
	})
}
