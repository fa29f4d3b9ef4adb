package ytsaurus_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"poolproof/ingest/ytsaurus"
)

// An import that is interrupted, at whatever step, leaves nothing behind, and running
// it again works.
func TestInterrupted(t *testing.T) {
	l := writtenLog(t, "2023")
	dir := t.TempDir()
	o := ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(dir, "log"), slices.Repeat(l.rows, 3))}, Exports: []ytsaurus.Export{{Path: l.export}}, Out: filepath.Join(dir, "trace"), Memory: 1}
	steps := map[string]bool{}
	o.Progress = func(at ytsaurus.Progress) { steps[at.Step] = true }
	importLog(t, o)
	if len(steps) < 8 || !steps[""] {
		t.Fatalf("steps %v", steps)
	}
	o.Replace = true
	delete(steps, "problems written") // nothing is left to be interrupted
	for step := range steps {
		ctx, cancel := context.WithCancel(t.Context())
		o.Progress = func(at ytsaurus.Progress) {
			if at.Step == step {
				cancel()
			}
		}
		o.Out = filepath.Join(dir, "other")
		_, err := ytsaurus.Import(ctx, o)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted after %q: %v", step, err)
		}
		nothingLeft(t, dir, "log", "trace")
	}
	importLog(t, ytsaurus.Options{Sources: o.Sources, Exports: o.Exports, Out: o.Out, Replace: true})
	nothingLeft(t, dir, "log", "trace", "other")
}
