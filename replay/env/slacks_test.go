package env

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/pooltree"
)

// The slacks go by the periods that are stated, and by the usual ones where none is.
func TestSlacksGoByTheClustersPeriods(t *testing.T) {
	if diff := cmp.Diff(judge.DefaultSlacks(), (&Log{}).SlacksOf(&core.ClusterConfig{})); diff != "" {
		t.Error("nothing is stated:", diff)
	}
	want := judge.DefaultSlacks()
	want.Tick, want.Configuration, want.Rescan, want.Tags = 2_000_000, 20_000_000, 30_000_000, 5_000_000
	ms := core.Some[pooltree.Milliseconds]
	c := core.ClusterConfig{UpdatePeriod: ms(2000), WatchersPeriod: ms(10_000), ScanPeriod: ms(30_000), TagsPeriod: ms(5000)}
	if diff := cmp.Diff(want, (&Log{}).SlacksOf(&c)); diff != "" {
		t.Error("all periods are stated:", diff)
	}
	if s := (&Log{}).SlacksOf(&core.ClusterConfig{UpdatePeriod: ms(200)}); s.Tick != 200_000 {
		t.Error("a tick is taken to be", s.Tick, "µs, though 200 ms are stated")
	}
	for _, c := range []core.ClusterConfig{{}, {UpdatePeriod: ms(2000)}} {
		s := (&Log{Slacks: map[string]float64{"tick_s": 0.5}}).SlacksOf(&c)
		if want := int64(core.UpdatePeriod(&c)); s.Tick != want {
			t.Error("a tick is taken to be", s.Tick, "µs, though the replay updates shares every", want)
		}
	}
}

// What a policy gives goes before the periods that the cluster states.
func TestGivenSlacksGoFirst(t *testing.T) {
	c := core.ClusterConfig{WatchersPeriod: core.Some[pooltree.Milliseconds](10_000), ScanPeriod: core.Some[pooltree.Milliseconds](30_000)}
	s := (&Log{Slacks: map[string]float64{"cfg_s": 0.5, "no_such_s": 7}}).SlacksOf(&c)
	want := judge.DefaultSlacks()
	want.Configuration, want.Rescan = 500_000, 30_000_000
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
}

// Clocks differ by what a log says of them if that is more than usual, unless the policy
// knows better.
func TestSlacksGoByTheLogsClocks(t *testing.T) {
	for _, x := range []struct {
		stated core.Time
		given  map[string]float64
		want   int64
	}{
		{0, nil, 50_000}, {20_000, nil, 50_000}, {1_000_000, nil, 1_000_000}, {1_000_000, map[string]float64{"clock_s": 0.1}, 100_000},
	} {
		if s := (&Log{ClockUncertainty: x.stated, Slacks: x.given}).SlacksOf(&core.ClusterConfig{}); s.Clock != x.want {
			t.Errorf("the log states %d µs and the policy %v: clocks differ by %d µs, want %d", x.stated, x.given, s.Clock, x.want)
		}
	}
}
