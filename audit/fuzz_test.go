package audit

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"poolproof/ingest/input"
	"poolproof/replay/tables"
)

// FuzzFindings reads any bytes as a verdict: what can be read gives the same file when
// it is written and read again, and can be compared with.
func FuzzFindings(f *testing.F) {
	b, err := everything().JSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	for _, text := range []string{`{`, `{"schema_version": 8}`, `{"schema_version": 8, "from": "2026-05-01T00:00:00Z", "to": "2026-05-02T00:00:00Z", "audits": [{"audit": "x"}, null], "outcomes": [{"audit": "x"}]}`,
		`{"schema_version": 3, "findings": [{"fingerprint": "1", "verdict": "violated", "severity": "info", "evidence": [1], "magnitude": 1e308}]}`,
		`{"schema_version": 8, "from": "2026-05-01T00:00:00Z", "to": "2026-05-01T00:00:00.000001Z", "promises": [{"shortfall": {}}], "share_agreement": {}, "params": {"\u0000": -0}, "baseline": {}}`} {
		f.Add([]byte(text))
	}
	dir := f.TempDir()
	read := func(t *testing.T, b []byte, read func(string) (*Verdict, error)) *Verdict {
		if err := os.WriteFile(filepath.Join(dir, FindingsName), b, 0o644); err != nil {
			t.Fatal(err)
		}
		v, err := read(dir)
		if err != nil && !input.IsBad(err) {
			t.Fatal(err)
		}
		return v
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if base := read(t, b, func(dir string) (*Verdict, error) { return ReadBaseline(dir, nil) }); base != nil {
			now := everything()
			now.compare(base)
			if _, err := now.JSON(); err != nil {
				t.Fatal(err)
			}
		}
		v := read(t, b, ReadVerdict)
		if v == nil {
			return
		}
		first, err := v.JSON()
		if err != nil {
			t.Fatal(err)
		}
		again := read(t, first, ReadVerdict)
		if again == nil {
			t.Fatalf("it is not read again: %s", first)
		}
		if second, err := again.JSON(); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("it becomes another (%v):\n%s\n%s", err, first, second)
		}
	})
}

// FuzzRunManifest reads any bytes as the manifest of a run: what an audit takes lists
// every table of every tree once.
func FuzzRunManifest(f *testing.F) {
	m := manifest{FormatVersion: tables.RunFormatVersion, Trees: []string{"a/b"}}
	for _, t := range tables.All() {
		m.Tables = append(m.Tables, tables.File{Path: tables.Directory + "/" + tables.FileName(t.Name, "a/b"), Rows: 1, SHA256: "0"})
	}
	m.ResultDigest = tables.ResultDigest(m.Tables)
	b, err := json.Marshal(m)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"format_version": 1, "trees": ["../x"], "tables": null, "slacks": {"use_s": 1e308}}`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, tables.ManifestName), b, 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := readManifest(dir)
		if err != nil {
			if !input.IsBad(err) {
				t.Fatal(err)
			}
			return
		}
		for _, table := range tables.All() {
			if files, _, err := m.files(dir, table, false); err == nil && len(files) > 0 || err != nil && !input.IsBad(err) {
				t.Fatalf("of a run without tables: %v, %v", files, err)
			}
		}
	})
}
