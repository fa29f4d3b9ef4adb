package replay_test

import (
	"context"
	"testing"

	"poolproof/core"
	"poolproof/core/coretest"
	"poolproof/replay"
	"poolproof/replay/env"
)

// TestWithoutSharesOnlyTheUpdatesAreFewer replays a log that tells neither what
// operations want nor what nodes have, and one that might: counts, queues and steps
// are the same, and the first has an update an hour.
func TestWithoutSharesOnlyTheUpdatesAreFewer(t *testing.T) {
	s, err := coretest.Parse(`
0 tree
0 pool p max_running=1 max_operations=2
1 start a pool=p
1 running a
2 start b pool=p
2 pending b
300 start c pool=p
300 pending c
900 running c
4000 complete a
4001 running b
7000 complete b
9000 complete c
`)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{}
	for _, demand := range []string{"none", "recorded"} {
		dir := t.TempDir()
		opts := replay.Options{Log: env.Log{Window: core.Span{To: 10_000 * core.Second}, Facts: []env.Fact{{Aspect: "demand", State: demand}}}}
		if _, err := replay.Run(context.Background(), dir, &s.Dimensions, []env.Tree{{Name: "tree", Events: s.Sequence()}}, opts); err != nil {
			t.Fatal(err)
		}
		for table, columns := range map[string][]string{
			"admissions":       {"time", "operation", "action", "verdict", "invariant", "operation_count", "limit_value"},
			"pending_episodes": {"operation", "from_time", "to_time", "held_us", "longest_due_us", "ended"},
			"limit_episodes":   {"pool", "limit_kind", "from_time", "to_time", "value", "limit_value"},
			"operations":       {"operation", "running_time", "finish_time", "final_state"},
			"trees":            {"update_count"},
		} {
			got := showOf(t, dir, "tree", table, columns)
			switch want, twice := shown[table]; {
			case table == "trees" && demand == "none" && got != "2\n":
				t.Errorf("updates: %s", got)
			case table != "trees" && got == "":
				t.Errorf("%s is empty", table)
			case twice && table != "trees" && got != want:
				t.Errorf("%s\n%swithout shares\n%s", table, got, want)
			}
			shown[table] = got
		}
	}
}
