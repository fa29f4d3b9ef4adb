package scheduling

import (
	"math"
	"testing"
)

// TestSteady follows a clock through gaps of which a tick of another phase, a second apart,
// need not have seen the short ones.
func TestSteady(t *testing.T) {
	for name, c := range map[string]struct {
		ended, again int64 // of the gap, in seconds times ten: what happened before a tick, and the tick that finds it below again
		since        int64
	}{
		"shorter than two ticks, which a single one saw": {ended: 195, again: 210, since: 70},
		"ended with a tick, and seen by the next":        {ended: 190, again: 210, since: 210},
		"longer": {ended: 175, again: 210, since: 210},
	} {
		s := newSteady()[0]
		s.follow(Never, 70, pace{10, 60})
		s.follow(70, Never, pace{10, c.ended})
		s.follow(Never, c.again, pace{10, c.again - 5})
		if got := s.start(&Clock{Since: c.again}, 250, 10); got != c.since {
			t.Errorf("a gap %s: below since %d, want %d", name, got, c.since)
		}
	}
	s := newSteady()[0]
	if got := s.start(&Clock{Since: Never}, 50, 10); got != Never {
		t.Errorf("who was never below has been since %d", got)
	}
	s.follow(Never, 70, pace{10, 60})
	s.follow(70, Never, pace{10, 195})
	if got := s.start(&Clock{Since: Never}, 202, 10); got != 70 {
		t.Errorf("who was below until a moment ago has been since %d", got)
	}
	if got := s.start(&Clock{Since: Never}, 205, 10); got != Never {
		t.Errorf("who was below until a tick ago has been since %d", got)
	}
}

// Who starved by few jobs before a restart does not since.
func TestForgottenClocksAreNotHasty(t *testing.T) {
	n := element{operation: &operation{pending: 20, fewest: math.MaxInt64, hasty: 1}}
	if n.forgetClocks(); n.operation.hasty != math.MaxInt64 {
		t.Errorf("it may starve by %d jobs still", n.operation.hasty)
	}
}
