package audit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"poolproof/core"
	"poolproof/replay/tables"
)

// A testRun is a run directory that a test writes rows into.
type testRun struct {
	t    testing.TB
	dir  string
	dict *tables.Dictionaries

	described bool // what its views and columns mean is read: to describe them takes longer than most audits
	manifest  manifest
}

// Names that the tests' ids stand for: pools 0 and up, and so on.
var testDimensions = &core.Dimensions{
	Operations: []core.OperationInfo{{ID: "op-a"}, {ID: "op-b"}, {ID: "op-c"}},
	Pools:      []core.PoolInfo{{Name: "prod"}, {Name: "batch"}, {Name: "ads"}},
	Nodes:      []string{"node1", "node2", "node3"},
}

func newTestRun(t testing.TB) *testRun {
	r := &testRun{t: t, dir: t.TempDir(), dict: tables.NewDictionaries(testDimensions)}
	r.manifest.FormatVersion = tables.RunFormatVersion
	t.Cleanup(r.dict.Release)
	return r
}

// put writes the rows of a tree's table, in place of those that it had.
func put[Row any](r *testRun, tree string, rows ...Row) {
	r.t.Helper()
	if !slices.Contains(r.manifest.Trees, tree) {
		r.manifest.Trees = append(r.manifest.Trees, tree)
		r.putNothing(tree)
	}
	write(r, tree, rows...)
	r.writeManifest()
}

// putNothing writes all tables of a tree, without rows.
func (r *testRun) putNothing(tree string) {
	for _, t := range tables.All() {
		f, err := t.WriteEmpty(filepath.Join(r.dir, tables.Directory), tree, r.dict)
		if err != nil {
			r.t.Fatal(err)
		}
		*r.listed(f.Path) = tables.File{Path: f.Path, Rows: f.Rows, SHA256: f.SHA256}
	}
}

func write[Row any](r *testRun, tree string, rows ...Row) {
	r.t.Helper()
	w, err := tables.NewWriter[Row](filepath.Join(r.dir, tables.Directory), tree, r.dict)
	if err != nil {
		r.t.Fatal(err)
	}
	for i := range rows {
		fillWords(reflect.ValueOf(&rows[i]).Elem())
		if err := w.Append(&rows[i]); err != nil {
			r.t.Fatal(err)
		}
	}
	f, err := w.Close()
	if err != nil {
		r.t.Fatal(err)
	}
	*r.listed(f.Path) = tables.File{Path: f.Path, Rows: f.Rows, SHA256: f.SHA256}
}

// fillWords puts a word where a row of a test leaves out one of a list.
func fillWords(row reflect.Value) {
	words := map[string]string{"verdict": "violated", "severity": "critical", "judged": "recorded", "priority": "none"}
	for i := range row.NumField() {
		f, field := row.Type().Field(i), row.Field(i)
		if f.Anonymous {
			fillWords(field)
		}
		if word := words[f.Tag.Get("words")]; word != "" && field.String() == "" {
			field.SetString(word)
		}
	}
}

// listed is a file's place in the manifest.
func (r *testRun) listed(path string) *tables.File {
	for i := range r.manifest.Tables {
		if r.manifest.Tables[i].Path == path {
			return &r.manifest.Tables[i]
		}
	}
	r.manifest.Tables = append(r.manifest.Tables, tables.File{})
	return &r.manifest.Tables[len(r.manifest.Tables)-1]
}

// writeManifest writes the manifest with the digest of what it lists.
func (r *testRun) writeManifest() {
	r.t.Helper()
	r.manifest.ResultDigest = tables.ResultDigest(r.manifest.Tables)
	r.writeManifestAsIs()
}

func (r *testRun) writeManifestAsIs() {
	r.t.Helper()
	b, err := json.Marshal(r.manifest)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, tables.ManifestName), b, 0o644); err != nil {
		r.t.Fatal(err)
	}
}
