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

// BenchmarkCompetitors judges many starts of one operation before another that is due first. In "postponed" nothing
// else is open of them, for a minute; in "held" they exceed a limit, too, all within the time that a version takes to
// be in force.
func BenchmarkCompetitors(b *testing.B) {
	for _, c := range []struct {
		name, limit string
		millis      float64 // between two starts
	}{
		{"postponed", "", 5},
		{"held", " limit.cpu=1", 0.3},
	} {
		for _, starts := range []int{4000, 16000} {
			b.Run(fmt.Sprintf("%s-%d", c.name, starts), func(b *testing.B) {
				var story strings.Builder
				fmt.Fprintf(&story, "0 cluster min_spare_job_resources_on_node.cpu=1\n0 tree timeout=100 min_share_timeout=100\n0 node n1 cpu=%[1]d user_slots=%[1]d\n0 pool a%[2]s\n0 pool b\n", 4*starts, c.limit)
				for i, name := range []string{"rich", "poor"} {
					fmt.Fprintf(&story, "1 start %[1]s pool=%[2]c\n1 running %[1]s\n1 demand %[1]s cpu=%[3]d user_slots=%[3]d jobs=%[3]d min.cpu=1 min.user_slots=1\n", name, 'a'+i, 2*starts)
				}
				fmt.Fprintf(&story, "2 job r op=rich node=n1 cpu=1\n")
				for i := range starts {
					fmt.Fprintf(&story, "%.6f job r%d op=rich node=n1 cpu=1\n", 5+float64(i)*c.millis/1000, i)
				}
				s, err := coretest.Parse(story.String())
				if err != nil {
					b.Fatal(err)
				}
				opts := replay.Options{Log: env.Log{Window: core.Span{To: 200 * core.Second}, Measured: [5]bool{true, true, true, true, true}, Sized: [5]bool{true, true, true, true, true}}}
				for b.Loop() {
					if _, err := replay.Run(context.Background(), b.TempDir(), &s.Dimensions, []env.Tree{{Name: "tree", Events: s.Sequence()}}, opts); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
