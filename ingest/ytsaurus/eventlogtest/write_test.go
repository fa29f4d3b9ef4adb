package eventlogtest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"poolproof/core"
	"poolproof/ingest/synthetic"
)

// small makes a trace of preset small once for all tests.
func small(t *testing.T) string {
	t.Helper()
	spec, err := synthetic.Preset("small")
	if err != nil {
		t.Fatal(err)
	}
	spec.Length = synthetic.Duration(15 * 60 * core.Second)
	dir := filepath.Join(t.TempDir(), "trace")
	if _, err := synthetic.Generate(context.Background(), synthetic.Options{Spec: spec, Seed: 1, Out: dir}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestZ(t *testing.T) {
	dir := small(t)
	for _, a := range []Age{Age2020, Age2023, Age2025} {
		r, err := Write(dir, "/tmp/el/out", Options{Age: a, Form: JSONL, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(r.Rows, r.Logs, r.PoolTrees, r.LaterPoolTrees)
		st, _ := os.Stat(r.Logs[0])
		t.Log(st.Size())
	}
}
