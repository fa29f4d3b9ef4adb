package audit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"poolproof/core"
	"poolproof/replay/tables"
)

// A testRun is a run directory that a test writes rows into.
type testRun struct {
	t    testing.TB
	dir  string
	dict *tables.Dictionaries

	manifest manifest
}

// Names that the tests' ids stand for: pools 0 and up, and so on.
var testDimensions = &core.Dimensions{
	Operations: []core.OperationInfo{{ID: "op-a"}, {ID: "op-b"}, {ID: "op-c"}},
	Pools:      []core.PoolInfo{{Name: "prod"}, {Name: "batch"}, {Name: "ads"}},
	Nodes:      []string{"node1", "node2", "node3"},
}

func newTestRun(t testing.TB) *testRun {
	r := &testRun{t: t, dir: t.TempDir(), dict: tables.NewDictionaries(testDimensions)}
	t.Cleanup(r.dict.Release)
	return r
}

// put writes the rows of a tree's table.
func put[Row any](r *testRun, tree string, rows ...Row) {
	r.t.Helper()
	w, err := tables.NewWriter[Row](filepath.Join(r.dir, tables.Directory), tree, r.dict)
	if err != nil {
		r.t.Fatal(err)
	}
	for i := range rows {
		if err := w.Append(&rows[i]); err != nil {
			r.t.Fatal(err)
		}
	}
	f, err := w.Close()
	if err != nil {
		r.t.Fatal(err)
	}
	r.manifest.Tables = append(r.manifest.Tables, manifestTable{f.Path, f.Rows, f.SHA256})
	r.manifest.ResultDigest += f.SHA256
	r.writeManifest()
}

func (r *testRun) writeManifest() {
	r.t.Helper()
	b, err := json.Marshal(r.manifest)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, manifestName), b, 0o644); err != nil {
		r.t.Fatal(err)
	}
}
