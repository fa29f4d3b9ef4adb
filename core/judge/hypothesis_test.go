package judge

import "testing"

// TestHypotheses: every combination of what is open is tried once, but for the best estimate.
func TestHypotheses(t *testing.T) {
	for open, want := range map[doubts]int{0: 0, onLag: 1, onMine: 2, onMine | onLag: 5, onClock | onUsage | onHeld | onLeft: 35} {
		seen := map[hypothesis]bool{{}: true}
		r := hypothesis{}
		for r.next(open) {
			if seen[r] || r.less&r.more != 0 || (r.less|r.more)&^open != 0 || r.less&^eitherWay != 0 {
				t.Errorf("%b: less %b, more %b", open, r.less, r.more)
			}
			seen[r] = true
		}
		if n := len(seen) - 1; n != want || r != (hypothesis{}) {
			t.Errorf("%b: %d hypotheses, want %d; the last is %+v", open, n, want, r)
		}
	}
}
