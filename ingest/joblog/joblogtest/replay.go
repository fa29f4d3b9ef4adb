package joblogtest

import (
	"slices"
	"testing"

	"poolproof/core"
	"poolproof/ingest"
	"poolproof/ingest/trace"
)

// Replay follows a trace with the core, as a reader of it would. The trace must
// have nothing that ingest objects to, and leave nothing behind but what it says
// is alive at its end.
func Replay(t testing.TB, dir string) {
	t.Helper()
	tr, err := ingest.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	written := Read(t, dir)
	for i, name := range tr.Trees() {
		tree := core.New(tr.Dimensions(), core.Documented)
		for e, err := range tr.Events(name, ingest.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			tree.Step(e)
			tree.ClearChanges()
		}
		open := 0
		for _, j := range written.Trees[i].Jobs {
			if !j.FinishTime.Set {
				open++
			}
		}
		if tree.LiveJobs() != open {
			t.Errorf("tree %s: %d jobs live at the end, and %d have no end", name, tree.LiveJobs(), open)
		}
		for slot := range int32(tree.Operations()) {
			o := tree.Operation(slot)
			row := &written.Operations[o.ID]
			if o.Alive && row.FinishTime.Set {
				t.Errorf("tree %s: operation %s outlives its end", name, row.ID)
			}
		}
	}
	for _, p := range tr.Problems() {
		ofLog := func(s trace.Source) bool { return s.Path == p.Source }
		if !slices.ContainsFunc(written.Manifest.Sources, ofLog) {
			t.Errorf("ingest: %+v", p)
		}
	}
}
