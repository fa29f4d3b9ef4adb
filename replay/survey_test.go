package replay_test

import (
	"context"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/coretest"
	"poolproof/replay"
	"poolproof/replay/env"
)

// A node whose tags match the filters of two trees is in the table of both, from
// the change of tags that made it so to the change of tags or filters that ended it.
// No change of filters makes it so: the scheduler refuses that of tree b at 70 s, until
// tags mend it at 80 s (core/spec/scheduling.md §2.3).
func TestSharedNodes(t *testing.T) {
	trees := map[string]string{
		"a": "0 tree nodes=x\n0 node n1 cpu=1 tags=x\n0 node n2 cpu=1 tags=x\n20 node n1 cpu=1 tags=x,y\n60 node n1 cpu=2 tags=x,y\n80 node n1 cpu=2 tags=x\n90 node n1 cpu=2 tags=x,y",
		"b": "0 tree nodes=y\n0 offline n1\n0 offline n2\n40 tree nodes=z\n70 tree nodes=y|z",
		"c": "0 node n1 cpu=1 tags=x,y", // nobody knows its filter
	}
	dir := t.TempDir()
	var dims *core.Dimensions
	var list []env.Tree
	for _, name := range []string{"a", "b", "c"} {
		s, err := coretest.Parse(trees[name])
		if err != nil {
			t.Fatal(err)
		}
		if dims == nil {
			dims = &s.Dimensions
		}
		list = append(list, env.Tree{Name: name, Events: s.Sequence()})
	}
	opts := replay.Options{Log: env.Log{Window: core.Span{From: 30 * core.Second, To: 100 * core.Second}}, Workers: 2}
	if _, err := replay.Run(context.Background(), dir, dims, list, opts); err != nil {
		t.Fatal(err)
	}
	checkShared(t, dir, map[string]string{
		"a": "n1 tags t+30Z t+40Z true false b true x,y\n" +
			"n1 presence t+30Z t+1:20Z true false c true x,y\nn1 presence t+1:20Z t+1:30Z false false c true x\n" +
			"n1 presence t+1:30Z t+1:40Z false true c true x,y\nn1 tags t+1:30Z t+1:40Z false true b true x,y\n",
		"b": "n1 tags t+30Z t+40Z true false a true x,y\nn1 tags t+1:30Z t+1:40Z false true a true x,y\n",
		"c": "n1 presence t+30Z t+1:20Z true false a true x,y\nn1 presence t+1:20Z t+1:30Z false false a true x\nn1 presence t+1:30Z t+1:40Z false true a true x,y\n",
	})

	// Of one tree that is replayed alone the same is told, as long as all are surveyed.
	alone := t.TempDir()
	opts.Cluster = list
	if _, err := replay.Run(context.Background(), alone, dims, list[1:2], opts); err != nil {
		t.Fatal(err)
	}
	got := showOf(t, alone, "b", "coverage", []string{"aspect", "state", "seen"})
	if !strings.Contains(got, "other_trees recorded 2") {
		t.Errorf("coverage of tree b alone:\n%s", got)
	}
	checkShared(t, alone, map[string]string{"b": "n1 tags t+30Z t+40Z true false a true x,y\nn1 tags t+1:30Z t+1:40Z false true a true x,y\n"})
}

func checkShared(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	columns := strings.Fields("node shared_by from_time to_time clipped_from clipped_to other_trees online tags")
	for name, rows := range want {
		if got := showOf(t, dir, name, "shared_nodes", columns); got != rows {
			t.Errorf("tree %s:\n%swant\n%s", name, got, rows)
		}
	}
}
