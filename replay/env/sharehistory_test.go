package env

import (
	"math/rand/v2"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
)

// What a share has been since a slack ago is all there, nothing is from longer ago than
// three of them, and what has not moved since is one value.
func TestLatelyKeepsWhatMayBeInForce(t *testing.T) {
	const slack = 6
	type entry struct {
		from core.Time
		x    float64
	}
	share := func(x float64) (s resource.Share) {
		s[resource.CPU] = x
		return s
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var l ShareHistory
		all, now := []entry{{0, 0}}, core.Time(100)
		for range 40 {
			now += core.Time(r.IntN(9))
			x := float64(r.IntN(5))
			l.SetShare(now, slack, share(x))
			all = append(all, entry{now, x})

			at := now + core.Time(r.IntN(12))
			within := func(ago core.Time) shareRange {
				found := only(share(x))
				for i, e := range all {
					if i+1 < len(all) && all[i+1].from >= at-ago {
						found = found.with(only(share(e.x)))
					}
				}
				return found
			}
			got, least, most := l.Between(at, slack), within(slack), within(3*slack)
			if got.with(least) != got || most.with(got) != most {
				t.Fatalf("%v at %d: %v to %v, want from %v to %v at least and from %v to %v at most",
					all, at, got.Least[resource.CPU], got.Most[resource.CPU], least.Least[resource.CPU], least.Most[resource.CPU], most.Least[resource.CPU], most.Most[resource.CPU])
			}
			if at-l.moved > slack && got != only(share(x)) {
				t.Fatalf("%v at %d: %v to %v of what has not moved", all, at, got.Least[resource.CPU], got.Most[resource.CPU])
			}
		}
	}
}
