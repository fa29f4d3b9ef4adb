package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/ingest/input"
	"poolproof/replay/tables"
)

// A Manifest says what a run is: which program judged which input by which
// profile, what it wrote, and what could be judged. It holds no
// clock and no path: the same input and options give the same bytes.
type Manifest struct {
	FormatVersion int     `json:"format_version"`
	Tool          string  `json:"tool"`
	Cluster       string  `json:"cluster"` // as the trace names it; empty if it does not
	Profile       string  `json:"profile"`
	From          string  `json:"from"` // ISO 8601, UTC
	To            string  `json:"to"`
	Resolution    float64 `json:"resolution"`
	// Slacks are all slacks that judged, as at the window's end, by the names of
	// judge.Settable; PolicySlacks those of them that the policy gave.
	Slacks       map[string]float64 `json:"slacks"`
	PolicySlacks map[string]float64 `json:"policy_slacks"`
	Trees        []string           `json:"trees"`
	TraceTrees   []string           `json:"trace_trees,omitempty"` // all of the trace, replayed or not; nil of a run of what-if
	Inputs       map[string]string  `json:"inputs"`                // SHA-256 by file, relative to the trace; of a run of what-if also of its edits, as what-if
	Coverage     map[string]string  `json:"coverage"`
	Problems     map[string]int64   `json:"problems"` // rows that could not be used, by code
	// ProblemSources are the same rows by source and code.
	ProblemSources map[string]map[string]int64 `json:"problem_sources,omitempty"`
	// LostRows are those of the trees' own tables.
	LostRows     []tables.LostRows `json:"lost_rows,omitempty"`
	Events       int64             `json:"events"` // replayed, in all trees
	Tables       []tables.File     `json:"tables"`
	ResultDigest string            `json:"result_digest"` // SHA-256 over the digests of all tables
}

// NewManifest describes a finished replay.
func NewManifest(tool string, opts Options, s *Summary) *Manifest {
	m := &Manifest{
		FormatVersion: tables.RunFormatVersion,
		Tool:          tool,
		Profile:       opts.Profile.String(),
		From:          formatTime(opts.Window.From),
		To:            formatTime(opts.Window.To),
		Resolution:    opts.Resolution,
		Trees:         s.Names,
		Slacks:        map[string]float64{},
		PolicySlacks:  map[string]float64{},
		Coverage:      map[string]string{},
		Tables:        s.Files,
		ResultDigest:  tables.ResultDigest(s.Files),
	}
	maps.Copy(m.PolicySlacks, opts.Slacks)
	for i := range judge.Settable {
		m.Slacks[judge.Settable[i].Name] = judge.Settable[i].Value(&s.Slacks)
	}
	for _, f := range opts.Facts {
		m.Coverage[f.Aspect] = f.State
	}
	for i := range s.Trees {
		m.Events += s.Trees[i].Events
	}
	return m
}

// SetProblems notes how many rows could not be used, by source and code.
func (m *Manifest) SetProblems(sources map[string]map[string]int64) {
	m.ProblemSources, m.Problems = sources, map[string]int64{}
	for _, codes := range sources {
		for code, n := range codes {
			m.Problems[code] += n
		}
	}
}

// Write puts the manifest into a run directory.
func (m *Manifest) Write(dir string) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, tables.ManifestName), append(b, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the run's manifest: %w", err)
	}
	return nil
}

// ErrNoRun is returned for a directory that holds no run.
var ErrNoRun = errors.New("is not a run: it has no " + tables.ManifestName + "; give the directory that poolproof replay or run wrote")

// ErrNotRun is returned for a directory whose manifest is not that of a run.
var ErrNotRun = errors.New("is not a run that can be read: its " + tables.ManifestName + " is of something else, of another version, or damaged")

// ReadManifest reads the manifest of the run in dir.
func ReadManifest(dir string) (*Manifest, error) {
	switch info, err := os.Stat(dir); {
	case err != nil:
		return nil, fmt.Errorf("open run: %w; give the directory that poolproof replay or run wrote", err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s %w", dir, ErrNoRun)
	}
	b, err := input.ReadAll(filepath.Join(dir, tables.ManifestName), tables.LargestManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s %w", dir, ErrNoRun)
	}
	if err != nil {
		return nil, fmt.Errorf("read the run's manifest: %w", err)
	}
	m := &Manifest{}
	if err := json.Unmarshal(b, m); err != nil || m.ResultDigest == "" {
		return nil, fmt.Errorf("%s %w", dir, ErrNotRun)
	}
	if m.FormatVersion != tables.RunFormatVersion {
		return nil, fmt.Errorf("%s %w: its format_version is %d and this program reads %d: replay the trace again", dir, ErrNotRun, m.FormatVersion, tables.RunFormatVersion)
	}
	return m, nil
}

func formatTime(t core.Time) string {
	return time.UnixMicro(int64(t)).UTC().Format("2006-01-02T15:04:05.999999Z")
}
