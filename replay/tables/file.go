package tables

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"poolproof/ingest/input"
)

// ManifestName is the file of a run directory that says what was written.
const ManifestName = "manifest.json"

// LargestManifest is the most bytes that are read of a run's manifest.
const LargestManifest = 256 << 20

// RunFormatVersion is the version of the run directory's layout.
const RunFormatVersion = 1

// An Extract chooses columns of tables. A run that its own process reads once, and throws away
// then, holds no others; its files are neither compressed nor have they digests. The rows of
// share_debts that differ only in what it leaves out may be one, with their sum.
type Extract func(t *Table, column int) bool

// A File is one finished file of a table.
type File struct {
	Path   string `json:"path"` // relative to the run directory, with slashes
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"` // empty in an extract
}

// ResultDigest is the SHA-256 over a line for each file, in their order: what a manifest
// calls the result_digest of a run.
func ResultDigest(files []File) string {
	sum := sha256.New()
	for _, f := range files {
		fmt.Fprintf(sum, "%s %d %s\n", f.Path, f.Rows, f.SHA256)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// DigestOf returns the SHA-256 of a file, in the form that manifests hold.
func DigestOf(name string) (string, error) {
	f, err := input.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return Digest(f)
}

// Digest returns the SHA-256 of what is left to read, in the form that manifests hold.
func Digest(r io.Reader) (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
