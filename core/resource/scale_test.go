package resource

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestTimesRoundsHalfAwayFromZero(t *testing.T) {
	for _, c := range []struct {
		name   string
		amount Vector
		factor float64
		want   Vector
	}{
		{"cpu to hundredths, the rest to whole units", Vector{10, 1117, 0, 100, 0}, 0.99, Vector{10, 1106, 0, 99, 0}},
		{"a half goes up", Vector{5, 25, 1, 7, 3}, 0.5, Vector{3, 13, 1, 4, 2}},
		{"a negative half goes down", Vector{-5, -25, -1, -7, -3}, 0.5, Vector{-3, -13, -1, -4, -2}},
		{"what 64 bits do not hold is unlimited", Vector{0, 0, 0, math.MaxInt64, 0}, 4, Vector{0, 0, 0, Unlimited[Memory], 0}},
	} {
		if got := c.amount.Times(c.factor); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestRatiosSkipKindsThatTheTreeLacks(t *testing.T) {
	amounts, total := Vector{5, 3000, 7, 50, 0}, Vector{10, 10000, 0, 1000, 0}
	if got := amounts.MinRatio(total); got != 0.05 {
		t.Errorf("least ratio %v, want that of memory", got)
	}
	if got := amounts.MaxRatio(total); got != 0.5 {
		t.Errorf("largest ratio %v, want that of user slots", got)
	}
	if got := amounts.DominantKind(total); got != UserSlots {
		t.Errorf("dominant is %v", got)
	}
	if got := (Vector{}).DominantKind(total); got != CPU {
		t.Errorf("of nothing, %v dominates", got)
	}
	if amounts.MinRatio(Vector{}) != 0 || amounts.MaxRatio(Vector{}) != 0 {
		t.Error("a tree without resources has ratios")
	}
	if got := (Vector{1, 100, 0, 0, 0}).DominantKind(Vector{10, 1000, 0, 0, 0}); got != UserSlots {
		t.Errorf("on a tie %v dominates, want the earlier", got)
	}
}

func TestVolumesRoundCPUToHundredths(t *testing.T) {
	for _, c := range []struct {
		name    string
		cents   int64
		seconds float64
		want    float64
	}{
		{"0.29 cores over 0.7 s", 29, 0.7, 20},
		{"a tie of hundredths goes up", 123485, 0.5, 61743},
		{"seconds are multiplied from microseconds", 4250, Seconds(50_000), 212},
		{"less than half a hundredth is nothing", 1, 0.4, 0},
	} {
		if got := (Vector{CPU: c.cents}).Over(c.seconds)[CPU]; got != c.want {
			t.Errorf("%s: got %v hundredths, want %v", c.name, got, c.want)
		}
	}
	volume := VolumeOf([Kinds]float64{300, 600, 5, 9437184000, 0})
	if got := volume.MinRatio(Vector{100, 10000, 0, 1048576000, 0}); got != 3 {
		t.Errorf("ratio volume %v, want that of user slots", got)
	}
	if got := volume.MaxRatio(Vector{100, 10000, 0, 1048576000, 0}); got != 9 {
		t.Errorf("the largest ratio of volume is %v, want that of memory", got)
	}
	if got := volume.Natural()[CPU]; got != 600 {
		t.Errorf("%v core·seconds, want 600", got)
	}
}

func TestFromRealTruncatesAllButCPU(t *testing.T) {
	for k, want := range [...]int64{1, 200, 1, 1, 1} {
		if got := FromReal(Kind(k), 1.9999); got != want {
			t.Errorf("%v: got %d, want %d", Kind(k), got, want)
		}
	}
}

// TestSharesOfScaledAmounts checks that scaling by a share and taking the
// share again stays within half a unit.
func TestSharesOfScaledAmounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var total Vector
		for k := range total {
			total[k] = rapid.Int64Range(0, 1<<50).Draw(t, "total")
		}
		x := rapid.Float64Range(0, 1).Draw(t, "share")
		for k, share := range total.Times(x).ShareOf(total) {
			if total[k] == 0 && share != 0 || total[k] != 0 && math.Abs(share-x) > 0.5/float64(total[k])+1e-12 {
				t.Errorf("%v: share %v of %d, want %v", Kind(k), share, total[k], x)
			}
		}
	})
}
