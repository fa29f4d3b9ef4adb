package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/input"
	"poolproof/ingest/parquetlog"
)

// largestManifest is the most bytes of a manifest: ten thousand sources take a
// hundredth of it.
const largestManifest = 256 << 20

// FormatVersion is the version of the trace schema that this package reads and
// writes (ingest/trace/FORMAT.md §3).
const FormatVersion = 1

// A Manifest says what a trace is and how much of the truth it holds
// (ingest/trace/FORMAT.md §3.1). Its JSON has one form: keys in the order of the
// fields, times in ISO 8601.
type Manifest struct {
	FormatVersion      int               `json:"format_version"`
	Cluster            string            `json:"cluster"`
	CreatedBy          string            `json:"created_by"`
	Profile            string            `json:"profile,omitempty"` // of the cluster's age; empty if unknown
	Window             Window            `json:"window"`            // what is judged
	WarmupUS           int64             `json:"warmup_us"`         // recorded before the window
	LookaheadUS        int64             `json:"lookahead_us"`      // searched after it for ends
	Trees              []string          `json:"trees"`
	Resources          []Resource        `json:"resources"`
	Sources            []Source          `json:"sources"`
	Tables             map[string]Extent `json:"tables"` // by TableKey; the Writer fills it
	Coverage           Coverage          `json:"coverage"`
	TimePrecisionUS    int64             `json:"time_precision_us"` // of the source's times
	ClockUncertaintyUS int64             `json:"clock_uncertainty_us"`
	Quarantined        map[string]int64  `json:"quarantined"` // problems by code; at most so many are rows of global/problems as that may hold
	// ZeroOperationsOmitted says that snap_ops leaves out operations without
	// usage, demand and share.
	ZeroOperationsOmitted bool `json:"zero_operations_omitted"`

	// What follows is of imported event logs only.
	Dialect []string `json:"dialect,omitempty"` // spellings by which the log shows its age, as sentences
	Notes   []string `json:"notes,omitempty"`   // what a reader of the results should know, sentences
	Log     *Log     `json:"log,omitempty"`     // what was read of the sources; nil if it was not counted
}

// A Log counts what was read of an event log, and what of it was not used.
type Log struct {
	Rows       int64            `json:"rows"`                   // records and lines of all sources
	Duplicates int64            `json:"duplicate_rows"`         // that say word for word what others say; each counts once
	Foreign    int64            `json:"foreign_lines"`          // of structured logs, that record no event
	Beyond     int64            `json:"rows_beyond"`            // after all that the window's end is looked up to
	Events     map[string]int64 `json:"events"`                 // rows by event type, of the known ones
	Unknown    map[string]int64 `json:"unknown_event_types"`    // rows by event type, of the others; they are not used
	Archived   map[string]int64 `json:"archive_rows,omitempty"` // of the operations archive, by kind: operations, jobs
	Dumps      int64            `json:"orchid_dumps,omitempty"` // that are used
}

// A Window is a half-open span of time.
type Window core.Span

// A Resource says how far one resource can be judged.
type Resource struct {
	Name     string `json:"name"`     // its config key, for example memory
	Unit     string `json:"unit"`     // for example bytes
	Capacity string `json:"capacity"` // recorded, header or unknown
	Usage    string `json:"usage"`    // recorded, requested, assumed (one user slot for each job) or unknown
	Total    int64  `json:"total"`    // at the window's start, in the units of R5; 0 if unknown
}

// A Source is a file that the trace was made from.
type Source struct {
	Path   string    `json:"path"` // as the user named it
	Kind   string    `json:"kind"` // its format
	SHA256 string    `json:"sha256"`
	Rows   int64     `json:"rows"`
	First  core.Time `json:"-"` // earliest and latest time in it; 0 if it has none
	Last   core.Time `json:"-"`
}

// An Extent counts the rows of a table.
type Extent struct {
	Rows int64
	Min  core.Time // earliest and latest time; 0 if it has no rows or no times
	Max  core.Time
}

// Coverage says what the trace holds, in the words of ingest/trace/FORMAT.md
// §3.1.
type Coverage struct {
	Heartbeats        string `json:"heartbeats"`         // recorded, reconstructed, sampled or none
	Demand            string `json:"demand"`             // recorded, snapshots, reconstructed (from the jobs themselves) or none
	PreemptionDetails string `json:"preemption_details"` // full, preemptor or none
	TreeConfig        string `json:"tree_config"`        // history, single or assumed
	PoolConfig        string `json:"pool_config"`        // history, single or assumed
	Placements        string `json:"placements"`         // recorded or none: whether jobs name their nodes
	OperationStates   string `json:"operation_states"`   // recorded, placed (they are known to run, not what they wait for before) or assumed: whether operations are known to run or wait; empty is recorded
	Operations        string `json:"operations"`         // recorded, or partial: the start, the end or the trees of some are not recorded, so that they may be missed, or counted too long; empty is recorded
	JobEnds           string `json:"job_ends,omitempty"` // recorded, or partial: the source says that it does not record when some jobs ended, or rows of ends are lost and of which jobs cannot be told; empty is recorded
	JobRows           string `json:"job_rows,omitempty"` // recorded, or partial: rows of starts or ends of jobs are lost, so that some jobs may be missing; empty is recorded
	NodeStates        string `json:"node_states"`        // recorded; sampled: what nodes are and whether they are online is recorded at samples half a minute apart; or inferred: sampled, and only the tags of a node show which tree it serves; empty is recorded
}

// TableKey is the key of a table in Manifest.Tables: its folder and name.
func TableKey(folder, table string) string { return folder + "/" + table }

const timeLayout = "2006-01-02T15:04:05.999999Z"

func formatTime(t core.Time) string { return time.UnixMicro(int64(t)).UTC().Format(timeLayout) }

func parseTime(s string) (core.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	return core.Time(t.UnixMicro()), err
}

type spanJSON struct {
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// MarshalJSON writes the window as ISO 8601 times.
func (w Window) MarshalJSON() ([]byte, error) {
	return json.Marshal(spanJSON{formatTime(w.From), formatTime(w.To)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (w *Window) UnmarshalJSON(b []byte) error {
	var s spanJSON
	err := json.Unmarshal(b, &s)
	if err != nil {
		return err
	}
	w.From, w.To, err = parseSpan(s.From, s.To)
	return err
}

type tableJSON struct {
	Rows int64  `json:"rows"`
	Min  string `json:"min_time,omitempty"`
	Max  string `json:"max_time,omitempty"`
}

// MarshalJSON leaves the times of a table without rows out.
func (t Extent) MarshalJSON() ([]byte, error) {
	j := tableJSON{Rows: t.Rows}
	if t.Min != 0 || t.Max != 0 {
		j.Min, j.Max = formatTime(t.Min), formatTime(t.Max)
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Extent) UnmarshalJSON(b []byte) error {
	var j tableJSON
	err := json.Unmarshal(b, &j)
	if err != nil {
		return err
	}
	t.Rows = j.Rows
	t.Min, t.Max, err = parseSpan(j.Min, j.Max)
	return err
}

type sourceFields Source

type sourceJSON struct {
	sourceFields
	First string `json:"first_timestamp,omitempty"`
	Last  string `json:"last_timestamp,omitempty"`
}

// MarshalJSON leaves the times of a source without times out.
func (s Source) MarshalJSON() ([]byte, error) {
	j := sourceJSON{sourceFields: sourceFields(s)}
	if s.First != 0 || s.Last != 0 {
		j.First, j.Last = formatTime(s.First), formatTime(s.Last)
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Source) UnmarshalJSON(b []byte) error {
	var j sourceJSON
	err := json.Unmarshal(b, &j)
	if err != nil {
		return err
	}
	*s = Source(j.sourceFields)
	s.First, s.Last, err = parseSpan(j.First, j.Last)
	return err
}

// parseSpan reads two times, which may both be missing.
func parseSpan(from, to string) (a, b core.Time, err error) {
	if from == "" && to == "" {
		return 0, 0, nil
	}
	if a, err = parseTime(from); err == nil {
		b, err = parseTime(to)
	}
	return a, b, err
}

// encode returns the manifest's one form.
func (m *Manifest) encode() ([]byte, error) {
	b, err := json.MarshalIndent(m, "", "  ")
	return append(b, '\n'), err
}

// ReadManifest reads the manifest of the trace in dir. A directory without a manifest is not a trace.
// That, and a trace of another format version, give a *parquetlog.FormatError.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestName)
	b, err := input.ReadAll(path, largestManifest)
	if err != nil {
		switch info, statErr := os.Stat(dir); {
		case errors.Is(statErr, fs.ErrNotExist):
			return nil, fmt.Errorf("read manifest: %w; give the directory that poolproof import or generate wrote", err)
		case statErr != nil:
		case !info.IsDir():
			return nil, &parquetlog.FormatError{File: dir, Found: "it is a file, and a trace is a directory",
				Advice: "Give the directory that poolproof import or generate wrote; a foreign log is imported first."}
		case errors.Is(err, fs.ErrNotExist):
			return nil, &parquetlog.FormatError{File: dir, Found: "it is not a trace: it has no " + ManifestName,
				Advice: "Give the directory that poolproof import or generate wrote."}
		}
		return nil, fmt.Errorf("read manifest: %w", input.Path(path, err))
	}
	// The version is looked at first: a later version may have other keys.
	var version struct {
		FormatVersion *int   `json:"format_version"`
		ResultDigest  string `json:"result_digest"` // which the manifest of a run has
	}
	if err := json.Unmarshal(b, &version); err != nil {
		return nil, badManifest(path, err)
	}
	if version.ResultDigest != "" {
		return nil, &parquetlog.FormatError{File: dir, Found: "it is a run, and a trace is wanted here",
			Advice: "Give the trace that was replayed into it."}
	}
	if version.FormatVersion == nil || *version.FormatVersion != FormatVersion {
		found := "it has no format_version"
		if version.FormatVersion != nil {
			found = fmt.Sprintf("its format_version is %d, and this program reads version %d", *version.FormatVersion, FormatVersion)
		}
		return nil, &parquetlog.FormatError{File: path, Found: found,
			Advice: "Import the log again with this version of poolproof, or read the trace with the version that made it."}
	}
	m := &Manifest{}
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(m); err != nil {
		return nil, badManifest(path, err)
	}
	for _, text := range slices.Concat([]string{m.Cluster, m.CreatedBy, m.Profile}, m.Trees, m.Dialect, m.Notes) {
		if len(text) > longestName {
			return nil, &parquetlog.FormatError{File: path, Found: fmt.Sprintf("it has a text of %d bytes, and names may have %d", len(text), longestName),
				Advice: "Mend the manifest, or import the log again with shorter names."}
		}
	}
	return m, nil
}

// longestName is the most bytes of a name or a note, as in the tables.
const longestName = 64 << 10

func badManifest(path string, err error) error {
	return &parquetlog.FormatError{File: path, Found: "it is not a manifest: " + err.Error(),
		Advice: "Import the log again."}
}

// Sized returns the resources whose capacity of nodes the trace records.
func (m *Manifest) Sized() (known [resource.Kinds]bool) {
	for _, r := range m.Resources {
		if kind, ok := resource.ParseKind(r.Name); ok {
			known[kind] = r.Capacity != "unknown"
		}
	}
	return known
}
