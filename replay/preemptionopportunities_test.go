package replay_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/coretest"
	"poolproof/replay"
	"poolproof/replay/env"
)

// TestManyStarve: more starve than are looked at at one time, and each of them has its
// turn, whoever ends in between; who comes in their place has not starved for so long.
func TestManyStarve(t *testing.T) {
	const many = 600
	var story strings.Builder
	story.WriteString("0 tree timeout=10\n0 node n1 cpu=16\n0 pool rich\n0 pool poor\n1 start a pool=rich\n1 running a\n1 demand a cpu=64 jobs=16\n" +
		"2 job a1 op=a node=n1 cpu=8 until=300\n5 job a2 op=a node=n1 cpu=8 until=300\n")
	for i := range many {
		fmt.Fprintf(&story, "10 start b%d pool=poor\n10 running b%[1]d\n10 demand b%[1]d cpu=4 jobs=1 min.cpu=4\n", i)
	}
	for i := 0; i < many; i += 3 {
		fmt.Fprintf(&story, "%d abort b%d\n", 50+i%7, i)
	}
	for i := range many / 3 {
		fmt.Fprintf(&story, "75 start c%d pool=poor\n75 running c%[1]d\n75 demand c%[1]d cpu=4 jobs=1 min.cpu=4\n", i)
	}
	s, err := coretest.Parse(story.String())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	opts := replay.Options{Log: env.Log{Window: core.Span{To: 130 * core.Second}, Measured: [5]bool{false, true, false, false, false}}}
	if _, err := replay.Run(context.Background(), dir, &s.Dimensions, []env.Tree{{Name: "tree", Events: s.Sequence()}}, opts); err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for line := range strings.Lines(show(t, dir, "starvation_episodes", []string{"element_kind", "end_cause", "preemptible_us"})) {
		lines[strings.TrimSpace(line)]++
	}
	if lines["operation window_end 108000000"] != many*2/3 || lines["operation window_end (null)"] != many/3 {
		t.Error(lines)
	}
}
