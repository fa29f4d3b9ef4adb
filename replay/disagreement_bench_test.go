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

// BenchmarkDisagreement judges five snapshots of many pools whose shares do not follow from the configuration: every
// other pool has 99 times its weight. In "causes" the recorded weights say so, in "unexplained" nothing does.
func BenchmarkDisagreement(b *testing.B) {
	for _, name := range []string{"causes", "unexplained"} {
		for _, pools := range []int{2000, 8000} {
			b.Run(fmt.Sprintf("%s-%d", name, pools), func(b *testing.B) {
				s, err := coretest.Parse(disagreement(pools, name == "causes"))
				if err != nil {
					b.Fatal(err)
				}
				opts := replay.Options{Log: env.Log{Window: core.Span{To: 60 * core.Second}}}
				for b.Loop() {
					if _, err := replay.Run(context.Background(), b.TempDir(), &s.Dimensions, []env.Tree{{Name: "tree", Events: s.Sequence()}}, opts); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// disagreement is a story of that many pools, with an operation each.
func disagreement(pools int, weights bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "0 tree\n0 node n1 cpu=%d\n", pools)
	for i := range pools {
		fmt.Fprintf(&b, "0 pool p%d\n", i)
	}
	for i := range pools {
		fmt.Fprintf(&b, "1 start o%d pool=p%d\n1 running o%d\n1 demand o%d cpu=%d jobs=%d\n", i, i, i, i, pools, pools)
	}
	for at := 10; at < 20; at += 2 {
		fmt.Fprintf(&b, "%d snapshot s%d cpu=%d\n", at, at, pools)
		for i := range pools {
			weight := 1 + 98*(i%2)
			share := float64(weight) / float64(50*pools)
			if !weights {
				weight = 1
			}
			fmt.Fprintf(&b, "%d sees_pool p%d demand.cpu=%d fair.cpu=%g weight=%d\n", at, i, pools, share, weight)
			fmt.Fprintf(&b, "%d sees o%d pool=p%d demand.cpu=%d fair.cpu=%g\n", at, i, i, pools, share)
		}
	}
	return b.String()
}
