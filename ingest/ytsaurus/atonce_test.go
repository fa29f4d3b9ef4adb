package ytsaurus_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/ytsaurus"
)

// What takes more at once than --memory leaves for it is refused, and not left out as too
// long: the trace does not depend on --memory.
func TestMoreThanMemoryLeavesIsRefused(t *testing.T) {
	l := sampleLog(t, "2023")
	dir := t.TempDir()
	wide := strings.Repeat(" ", 2<<20)
	log := writeRows(t, filepath.Join(dir, "log"), append(slices.Clone(l.rows), []byte("{"+wide+`"a":1}`)))
	records := writeText(t, filepath.Join(dir, "yson"), []byte("{event_type=job_started;"+wide+"};"))
	trees := writeText(t, filepath.Join(dir, "trees"), []byte("{"+wide+`"$attributes":{},"$value":{}}`))
	dump := writeText(t, filepath.Join(dir, "dump"), []byte("{"+wide+`"pool_trees":{"physical":{"pools":{}}}}`))
	sound := writeRows(t, filepath.Join(dir, "sound"), l.rows)
	for name, o := range map[string]ytsaurus.Options{
		"JSON": {Sources: []string{log}}, "YSON": {Sources: []string{records}, Kind: ytsaurus.KindYSON},
		"an export": {Sources: []string{sound}, Exports: []ytsaurus.Export{{Path: trees}}},
		"a dump":    {Sources: []string{sound, dump}, KindOf: map[string]string{dump: ytsaurus.KindOrchid}, TakenAt: map[string]core.Time{dump: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			o.Out = filepath.Join(t.TempDir(), "trace")
			o.Pages = 1 << 20
			_, err := ytsaurus.Import(context.Background(), o)
			var bad *parquetlog.FormatError
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), "more than 1 MiB") || !strings.Contains(bad.Advice, "--memory") {
				t.Errorf("it says %v", err)
			}
		})
	}
}
