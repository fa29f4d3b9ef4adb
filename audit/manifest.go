package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"poolproof/replay/tables"
)

// manifestName is the file of a run that says what was written.
const manifestName = "manifest.json"

// A manifest is what an audit reads of a run's manifest.
type manifest struct {
	Profile      string          `json:"profile"`
	From         string          `json:"from"`
	To           string          `json:"to"`
	Tables       []manifestTable `json:"tables"`
	ResultDigest string          `json:"result_digest"`
}

type manifestTable struct {
	Path   string `json:"path"` // relative to the run, with slashes
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"`
}

func readManifest(dir string) (*manifest, error) {
	b, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &RunError{dir, errors.New("is no run: it has no " + manifestName + "; give the directory that poolproof replay or run wrote")}
	}
	if err != nil {
		return nil, fmt.Errorf("read the run's manifest: %w", err)
	}
	m := &manifest{}
	if err := json.Unmarshal(b, m); err != nil {
		return nil, &RunError{dir, fmt.Errorf("has a damaged manifest: %w", err)}
	}
	return m, nil
}

// files returns the files of a table and how many rows they hold, after
// checking their digests: a judgement rests on what the replay wrote.
func (m *manifest) files(dir string, t *tables.Table) (files []string, rows int64, err error) {
	for _, f := range m.Tables {
		if path.Dir(f.Path) != path.Join(tables.Directory, t.Name) {
			continue
		}
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		digest, err := digestOf(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, 0, &RunError{name, errors.New("is missing, though the manifest lists it: replay the trace again")}
		}
		if err != nil {
			return nil, 0, fmt.Errorf("read table %s: %w", t.Name, err)
		}
		if digest != f.SHA256 {
			return nil, 0, &RunError{name, errors.New("is not what the replay wrote: its digest differs from the manifest's; replay the trace again")}
		}
		files, rows = append(files, name), rows+f.Rows
	}
	return files, rows, nil
}

func digestOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
