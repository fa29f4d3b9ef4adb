package ytsaurus_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
	"poolproof/ingest/ytsaurus"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// Dumps at all moments of which the log could tell, and does not, tell the same.
func TestDumpsTellSnapshots(t *testing.T) {
	for _, age := range []eventlogtest.Age{eventlogtest.Age2020, eventlogtest.Age2025} {
		l := sampleLog(t, age)
		exports := []ytsaurus.Export{{Path: l.export}}
		dir := t.TempDir()
		dumps, err := eventlogtest.Dumps(l.rows)
		if err != nil {
			t.Fatal(err)
		}
		for i, dump := range dumps {
			writeRows(t, filepath.Join(dir, fmt.Sprint(i)), [][]byte{dump})
		}
		writeRows(t, filepath.Join(dir, "log"), without(l.rows, "fair_share_info", "nodes_info"))
		want := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), l.rows)}, Exports: exports})
		got := importLog(t, ytsaurus.Options{Sources: []string{dir}, Exports: exports})
		told, whole := story(t, got.dir, 1<<62), story(t, want.dir, 1<<62)
		for line := range whole {
			if !told[line] {
				t.Errorf("%s: lost %s", age, line)
			}
		}
		a, b := want.manifest(t), got.manifest(t)
		if a.Coverage != b.Coverage || b.Log.Dumps != int64(len(dumps)) {
			t.Errorf("%s: coverage %+v of %d dumps", age, b.Coverage, b.Log.Dumps)
		}
		for _, table := range []string{"snap_tree", "snap_pools", "snap_ops", "node_state"} {
			if key := "tree=physical/" + table; a.Tables[key].Rows != b.Tables[key].Rows {
				t.Errorf("%s: %d rows of %s, not %d", age, b.Tables[key].Rows, table, a.Tables[key].Rows)
			}
		}
	}
}

// A single dump is told of, and no more is known of demand than before. Beside the log's
// own rows it changes nothing.
func TestOneDump(t *testing.T) {
	l := sampleLog(t, "2023")
	exports := []ytsaurus.Export{{Path: l.export}}
	dumps, err := eventlogtest.Dumps(l.rows)
	if err != nil {
		t.Fatal(err)
	}
	dump := writeRows(t, filepath.Join(t.TempDir(), "dump"), dumps[3:4])
	log := writeRows(t, filepath.Join(t.TempDir(), "log"), l.rows)
	lacking := writeRows(t, filepath.Join(t.TempDir(), "lacking"), without(l.rows, "fair_share_info", "nodes_info"))
	got := importLog(t, ytsaurus.Options{Sources: []string{lacking, dump}, Exports: exports})
	if c := got.manifest(t).Coverage; c.Demand != "none" {
		t.Errorf("coverage %+v", c)
	}
	if n := got.manifest(t).Tables["tree=physical/snap_pools"].Rows; n == 0 {
		t.Error("no snapshot of pools")
	}
	plain := importLog(t, ytsaurus.Options{Sources: []string{log}, Exports: exports})
	both := importLog(t, ytsaurus.Options{Sources: []string{dump, log}, Exports: exports})
	if d := difference(plain.bundle(t), both.bundle(t)); d != "" {
		t.Error(d)
	}
	late := importLog(t, ytsaurus.Options{Sources: []string{dump, lacking}, Exports: exports, TakenAt: map[string]core.Time{dump: at(t, "2025-03-04T08:00:00Z")}})
	if late.noted("dump_outside_log") != 1 || late.manifest(t).Log.Dumps != 0 {
		t.Errorf("noted %v", late.summary.Noted)
	}
}

// A dump may be of any of the paths that it can be taken from.
func TestPathsOfDumps(t *testing.T) {
	l := sampleLog(t, "2023")
	dumps, err := eventlogtest.Dumps(l.rows)
	if err != nil {
		t.Fatal(err)
	}
	var whole struct {
		Trees map[string]map[string]any `json:"pool_trees"`
		Time  string                    `json:"timestamp"`
	}
	i := slices.IndexFunc(dumps, func(dump []byte) bool { return strings.Contains(string(dump), `"pool_trees"`) })
	if err := json.Unmarshal(dumps[i], &whole); err != nil {
		t.Fatal(err)
	}
	tree := whole.Trees["physical"]
	lacking := writeRows(t, filepath.Join(t.TempDir(), "lacking"), without(l.rows, "fair_share_info"))
	for name, c := range map[string]struct {
		dump any
		want string // error, or none
	}{
		"pool_trees":                    {fields{"pool_trees": whole.Trees}, ""},
		"below pool_trees":              {whole.Trees, ""},
		"scheduling_info_per_pool_tree": {fields{"scheduling_info_per_pool_tree": fields{"physical": fields{"node_count": 4, "fair_share_info": tree}}}, ""},
		"scheduler":                     {fields{"scheduler": fields{"connected": true, "scheduling_info_per_pool_tree": fields{"physical": fields{"fair_share_info": tree}}}}, ""},
		"one tree of two":               {tree, "it does not name its tree"},
		"nothing of it":                 {fields{"scheduler": fields{"pool_trees": fields{}}}, "it holds neither pools and operations of a tree nor nodes"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := json.MarshalIndent(c.dump, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			path := writeText(t, filepath.Join(t.TempDir(), "dump"), text)
			o := ytsaurus.Options{
				Sources: []string{lacking, path}, TakenAt: map[string]core.Time{path: at(t, whole.Time)},
				Exports: []ytsaurus.Export{{Path: l.export}}, Out: filepath.Join(t.TempDir(), "trace"),
			}
			if c.want != "" {
				_, err := ytsaurus.Import(t.Context(), o)
				var format *parquetlog.FormatError
				if !errors.As(err, &format) || !strings.Contains(format.Found, c.want) || format.Advice == "" {
					t.Errorf("error %v", err)
				}
				return
			}
			if importLog(t, o).manifest(t).Tables["tree=physical/snap_ops"].Rows == 0 {
				t.Error("no operations")
			}
		})
	}
}

// YSON is read as well, text and binary.
func TestDumpOfYSON(t *testing.T) {
	l := sampleLog(t, "2023")
	operation := first(t, l.rows, "operation_started", "operation_id")
	pools := "{dumped={resource_usage={};resource_demand={};parent=\"<Root>\";mode=fifo}}"
	for _, text := range []string{
		"{pool_trees={physical={pools=" + pools + ";operations={\"" + operation + "\"={pool=dumped;resource_usage={};resource_demand={}}}}}}",
		"<a=1>{\n    \"physical\" = {\n  \"pools\" = " + pools + ";\n  };\n}",
		"{\x01\x14pool_trees={\x01\x10physical={\x01\x0apools=" + pools + "}}}",
	} {
		path := writeText(t, filepath.Join(t.TempDir(), "dump"), []byte(text))
		got := importLog(t, ytsaurus.Options{
			Sources: []string{path, writeRows(t, filepath.Join(t.TempDir(), "lacking"), without(l.rows, "fair_share_info"))},
			TakenAt: map[string]core.Time{path: at(t, "2025-03-03T08:01:00Z")}, Exports: []ytsaurus.Export{{Path: l.export}},
		})
		tr := joblogtest.Read(t, got.dir)
		if !slices.ContainsFunc(tr.Pools, func(p trace.Pool) bool { return p.Name == "dumped" }) {
			t.Errorf("%q: no such pool", text)
		}
	}
}

// TestADumpLacksCores: a pool whose usage lacks some resource is left out, and the others of the dump are used.
func TestADumpLacksCores(t *testing.T) {
	l := sampleLog(t, "2023")
	lacking := writeRows(t, filepath.Join(t.TempDir(), "lacking"), without(l.rows, "fair_share_info"))
	for _, usage := range []string{"{}", "{cpu=1.}"} {
		dump := "{pool_trees={physical={pools={dumped={resource_usage=" + usage + ";resource_demand={}};whole={resource_usage={};resource_demand={}}}}}}"
		path := writeText(t, filepath.Join(t.TempDir(), "dump"), []byte(dump))
		got := importLog(t, ytsaurus.Options{
			Sources: []string{path, lacking}, TakenAt: map[string]core.Time{path: at(t, "2025-03-03T08:01:00Z")}, Exports: []ytsaurus.Export{{Path: l.export}},
		})
		pools, missing := 2, 0
		if usage != "{}" {
			pools, missing = 1, 1
		}
		records := 0
		for _, tree := range joblogtest.Read(t, got.dir).Trees {
			records += len(tree.SnapPools)
		}
		if noted := int(got.manifest(t).Quarantined["missing_field"]); noted != missing || records != pools {
			t.Errorf("usage %s: %d records of pools and %d problems missing_field, want %d and %d", usage, records, noted, pools, missing)
		}
	}
}
