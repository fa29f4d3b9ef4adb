package ytsaurus_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"poolproof/ingest/parquetlog"
	"poolproof/ingest/ytsaurus"
)

// A log of 2020 that has but rows of jobs names no tree. There is no trace then, and the
// import says what to give; with the export of a cluster of one tree the jobs are there.
func TestNoTree(t *testing.T) {
	l := sampleLog(t, "2020")
	rows := without(l.rows, "fair_share_info", "nodes_info", "pools_info", "cluster_info", "operation_started", "operation_completed", "operation_failed", "operation_aborted", "operation_prepared", "operation_materialized", "runtime_parameters_info")
	dir := t.TempDir()
	log := writeRows(t, filepath.Join(dir, "log"), rows)
	_, err := ytsaurus.Import(context.Background(), ytsaurus.Options{Sources: []string{log}, Out: filepath.Join(dir, "trace")})
	var format *parquetlog.FormatError
	if !errors.As(err, &format) || format.File != log || !strings.Contains(format.Found, "pool tree") || !strings.Contains(format.Advice, "--pool-trees") {
		t.Errorf("got %v", err)
	}
	nothingLeft(t, dir, "log")
	export, err := os.ReadFile(l.export)
	if err != nil {
		t.Fatal(err)
	}
	trees := fieldsOf(t, export)
	delete(trees["$value"].(map[string]any), "devices")
	one := writeText(t, filepath.Join(dir, "one.json"), lineOf(t, trees))
	whole := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(dir, "whole"), l.rows)}, Exports: []ytsaurus.Export{{Path: l.export}}})
	got := importLog(t, ytsaurus.Options{Sources: []string{log}, Exports: []ytsaurus.Export{{Path: one}}})
	if m := got.manifest(t); got.summary.Jobs == 0 || got.summary.Jobs != whole.summary.Jobs || len(m.Trees) != 1 || m.Trees[0] != "physical" {
		t.Errorf("with an export %d jobs in %v, and %d in the whole log", got.summary.Jobs, m.Trees, whole.summary.Jobs)
	}
}
