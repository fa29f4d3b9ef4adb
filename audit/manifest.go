package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"poolproof/ingest/input"
	"poolproof/replay/tables"
)

// A manifest holds the fields of a run's manifest that an audit reads.
type manifest struct {
	FormatVersion int                `json:"format_version"`
	Cluster       string             `json:"cluster"`
	Profile       string             `json:"profile"`
	From          string             `json:"from"`
	To            string             `json:"to"`
	Trees         []string           `json:"trees"`
	Tables        []tables.File      `json:"tables"`
	Slacks        map[string]float64 `json:"slacks"`        // that the replay judged by
	PolicySlacks  map[string]float64 `json:"policy_slacks"` // those of them that its policy gave
	ResultDigest  string             `json:"result_digest"`
	LostRows      []tables.LostRows  `json:"lost_rows"`
}

func readManifest(dir string) (*manifest, error) {
	b, err := input.ReadAll(filepath.Join(dir, tables.ManifestName), tables.LargestManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, runErrorf(dir, "is not a run: it has no "+tables.ManifestName+"; give the directory that poolproof replay or run wrote")
	}
	if err != nil {
		return nil, fmt.Errorf("read the run's manifest: %w", err)
	}
	m := &manifest{}
	if err := json.Unmarshal(b, m); err != nil {
		return nil, runErrorf(dir, "has a damaged manifest: %w", err)
	}
	if err := m.check(); err != nil {
		return nil, runErrorf(dir, "%w", err)
	}
	return m, nil
}

// check refuses a manifest that is not of a whole run: what is not listed would
// not be judged, and its absence would not show.
func (m *manifest) check() error {
	switch {
	case m.FormatVersion != tables.RunFormatVersion:
		return fmt.Errorf("has format_version %d, this program reads %d: replay the trace again", m.FormatVersion, tables.RunFormatVersion)
	case len(m.Trees) == 0:
		return errors.New("holds no pool tree, so there is nothing to judge: replay a trace that has one")
	case m.ResultDigest != tables.ResultDigest(m.Tables):
		return errors.New("is not what the replay wrote: the tables that its manifest lists do not give its result_digest; replay the trace again")
	}
	listed := map[string]bool{}
	for _, f := range m.Tables {
		if listed[f.Path] {
			return fmt.Errorf("has a manifest that lists %s twice: replay the trace again", f.Path)
		}
		listed[f.Path] = true
	}
	for _, t := range tables.All() {
		for _, tree := range m.Trees {
			if file := path.Join(tables.Directory, tables.FileName(t.Name, tree)); !listed[file] {
				return fmt.Errorf("has a manifest without %s: replay the trace again", file)
			}
		}
	}
	return nil
}

// rows returns the number of rows of each table, over all trees.
func (m *manifest) rows() map[string]int64 {
	rows := map[string]int64{}
	for _, f := range m.Tables {
		rows[path.Base(path.Dir(f.Path))] += f.Rows
	}
	return rows
}

// files returns the files of a table and how many rows they hold, after
// checking their digests, unless they are fresh: a judgement rests on what the replay wrote.
func (m *manifest) files(dir string, t *tables.Table, fresh bool) (files []string, rows int64, err error) {
	for _, f := range m.Tables {
		if path.Dir(f.Path) != path.Join(tables.Directory, t.Name) {
			continue
		}
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if fresh {
			files, rows = append(files, name), rows+f.Rows
			continue
		}
		digest, err := tables.DigestOf(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, 0, runErrorf(name, "is missing, though the manifest lists it: replay the trace again")
		}
		if err != nil {
			return nil, 0, fmt.Errorf("read table %s: %w", t.Name, err)
		}
		if digest != f.SHA256 {
			return nil, 0, runErrorf(name, "is not what the replay wrote: its digest differs from the manifest's; replay the trace again")
		}
		files, rows = append(files, name), rows+f.Rows
	}
	return files, rows, nil
}

// verify checks that all tables are there as the replay wrote them.
func (m *manifest) verify(ctx context.Context, dir string) error {
	for _, t := range tables.All() {
		if _, _, err := m.files(dir, t, false); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
