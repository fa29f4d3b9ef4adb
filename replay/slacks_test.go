package replay

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/pooltree"
)

// The slacks go by the periods that are stated, and by the usual ones where none is.
func TestSlacksGoByTheClustersPeriods(t *testing.T) {
	if diff := cmp.Diff(judge.DefaultSlacks(), slacksOf(&core.ClusterConfig{})); diff != "" {
		t.Error("nothing is stated:", diff)
	}
	want := judge.DefaultSlacks()
	want.Tick, want.Configuration, want.Rescan, want.Tags = 2_000_000, 20_000_000, 30_000_000, 5_000_000
	ms := core.Some[pooltree.Milliseconds]
	c := core.ClusterConfig{UpdatePeriod: ms(2000), WatchersPeriod: ms(10_000), ScanPeriod: ms(30_000), TagsPeriod: ms(5000)}
	if diff := cmp.Diff(want, slacksOf(&c)); diff != "" {
		t.Error("all periods are stated:", diff)
	}
	if s := slacksOf(&core.ClusterConfig{UpdatePeriod: ms(200)}); s.Tick != judge.DefaultSlacks().Tick {
		t.Error("a tick is taken to be", s.Tick, "µs, though the replay has none so short")
	}
}
