package ytsaurus_test

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"poolproof/ingest/ytsaurus"
)

// TestPlansOfTheGPUPolicyAreNoSamples: rows of nodes_info that the GPU scheduling policy writes, spelt as in either age,
// change nothing but the note that tells of them, with or without the category of a structured log.
func TestPlansOfTheGPUPolicyAreNoSamples(t *testing.T) {
	l := sampleLog(t, "2025")
	exports := []ytsaurus.Export{{Path: l.export}}
	dir := t.TempDir()
	want := withoutProblems(t, importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(dir, "clean"), l.rows)}, Exports: exports}))
	var plans [][]byte
	for _, line := range l.rows {
		if !bytes.Contains(line, []byte(`"nodes_info"`)) {
			continue
		}
		f := fieldsOf(t, line)
		for _, words := range []string{"resourse", "resource"} {
			planned := map[string]any{}
			for name := range f["nodes"].(map[string]any) {
				planned[name] = map[string]any{"assignments": []any{}, "scheduling_module": nil, words + "_limits": map[string]any{"cpu": 1, "gpu": 8}, words + "_usage": map[string]any{}}
			}
			plans = append(plans, lineOf(t, fields{"event_type": "nodes_info", "timestamp": f["timestamp"], "nodes": planned}))
		}
		for _, event := range []string{"nodes_info", "allocation_scheduled"} {
			plans = append(plans, lineOf(t, fields{"event_type": event, "timestamp": f["timestamp"], "category": "SchedulerGpuStructuredLog", "nodes": map[string]any{}}))
		}
	}
	if len(plans) < 8 {
		t.Fatalf("%d rows", len(plans))
	}
	rows := slices.Concat(l.rows, plans)
	i := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(dir, "planned"), rows)}, Exports: exports})
	got := withoutProblems(t, i)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if name != "manifest.json" && got[name] != want[name] {
			t.Errorf("%s differs", name)
		}
	}
	if n := i.noted("unknown_event_type"); n != 2 {
		t.Errorf("%d notes, want one for each of two types", n)
	}
}

// TestRecordsTellGangs: an operation is a gang if its records say so, whatever its spec says.
func TestRecordsTellGangs(t *testing.T) {
	l := sampleLog(t, "2025")
	gangs := func(rows [][]byte) (n int) {
		i := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), rows)}, Exports: []ytsaurus.Export{{Path: l.export}}})
		operations, err := parquet.ReadFile[struct {
			IsGang *bool `parquet:"is_gang,optional"`
		}](filepath.Join(i.dir, "dim", "operations.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range operations {
			if o.IsGang != nil && *o.IsGang {
				n++
			}
		}
		return n
	}
	before := gangs(l.rows)
	rows := edit(t, l.rows, "fair_share_info", element("operations", "is_gang", true))
	if after := gangs(rows); after != before+1 {
		t.Errorf("%d gangs, want one more than %d", after, before)
	}
}

// TestRecordsTellTimeouts: what a record states of an operation's time for preempted jobs to finish reaches the trace.
func TestRecordsTellTimeouts(t *testing.T) {
	l := sampleLog(t, "2025")
	rows := edit(t, l.rows, "fair_share_info", element("operations", "allocation_preemption_timeout", 60_000))
	rows = edit(t, rows, "fair_share_info", element("operations", "allocation_graceful_preemption_timeout", 90_000))
	i := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), rows)}, Exports: []ytsaurus.Export{{Path: l.export}}})
	files, err := filepath.Glob(filepath.Join(i.dir, "tree=*", "snap_ops-*"))
	if err != nil {
		t.Fatal(err)
	}
	var interrupt, graceful int
	for _, file := range files {
		records, err := parquet.ReadFile[struct {
			Interrupt *int64 `parquet:"interrupt_timeout_ms,optional"`
			Graceful  *int64 `parquet:"graceful_timeout_ms,optional"`
		}](file)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if r.Interrupt != nil && *r.Interrupt == 60_000 {
				interrupt++
			}
			if r.Graceful != nil && *r.Graceful == 90_000 {
				graceful++
			}
		}
	}
	if interrupt == 0 || graceful == 0 {
		t.Errorf("%d records with the one timeout and %d with the other in %v", interrupt, graceful, files)
	}
}
