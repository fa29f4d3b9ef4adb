package scheduling

import (
	"math"
	"testing"

	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
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
		s := newUnbrokenSince()[0]
		s.updateSince(Never, 70, tickPeriod{10, 60})
		s.updateSince(70, Never, tickPeriod{10, c.ended})
		s.updateSince(Never, c.again, tickPeriod{10, c.again - 5})
		if got := s.start(&Clock{Since: c.again}, 250, 10); got != c.since {
			t.Errorf("a gap %s: below since %d, want %d", name, got, c.since)
		}
	}
	s := newUnbrokenSince()[0]
	if got := s.start(&Clock{Since: Never}, 50, 10); got != Never {
		t.Errorf("who was never below has been since %d", got)
	}
	s.updateSince(Never, 70, tickPeriod{10, 60})
	s.updateSince(70, Never, tickPeriod{10, 195})
	if got := s.start(&Clock{Since: Never}, 202, 10); got != 70 {
		t.Errorf("who was below until a moment ago has been since %d", got)
	}
	if got := s.start(&Clock{Since: Never}, 205, 10); got != Never {
		t.Errorf("who was below until a tick ago has been since %d", got)
	}
}

// Who starved by few jobs before a restart does not since.
func TestForgottenClocksAreNotHasty(t *testing.T) {
	x := Tree{elements: []element{{operation: &operation{pending: 20, fewest: math.MaxInt64, fewestStarving: 1}}}}
	n := &x.elements[0]
	if x.forgetClocks(0); n.operation.fewestStarving != math.MaxInt64 {
		t.Errorf("it may starve by %d jobs still", n.operation.fewestStarving)
	}
}

// A pool that gets another parent starves anew, and what is below it starves on; so does who was
// there before the log told (§7.3).
func TestAnotherParentBeginsClocks(t *testing.T) {
	shares := fairshare.New(fairshare.Options{})
	tree := New(shares, Options{})
	var pools [3]Element
	for i := range pools {
		pools[i] = shares.AddPool(Root, fairshare.Pool{})
		tree.AddPool(pools[i], Root, &pooltree.PoolConfig{})
	}
	child := shares.AddPool(pools[2], fairshare.Pool{})
	tree.AddPool(child, pools[2], &pooltree.PoolConfig{})
	starving := Clock{Since: 7, Status: Starving}
	for _, e := range []Element{pools[1], pools[2], child} {
		tree.elements[e].starvation.FairShare = starving
	}
	begun := tree.Begun(child)
	tree.Place(pools[1], pools[0])
	tree.Move(pools[2], pools[0])
	for e, want := range map[Element]Clock{pools[1]: starving, pools[2]: NewClock(), child: starving} {
		if got := tree.Starvation(e).FairShare; got != want {
			t.Errorf("the clock of element %d is %v, want %v", e, got, want)
		}
	}
	if tree.Begun(child) != begun {
		t.Error("the clocks of the child of a pool that moved began anew")
	}
}

// Ticks that found an element almost below its share end no time below it.
func TestAlmostBelowIsUnbroken(t *testing.T) {
	for _, almost := range []bool{true, false} {
		s := unbrokenSince{Never, Never}
		s.updateSince(Never, 70, tickPeriod{10, 60})
		s.updateSince(70, Never, tickPeriod{10, 75})
		for last := int64(85); last < 120 && almost; last += 10 {
			if p := (tickPeriod{10, last}); s.mayBridge(p) {
				s.bridge(p)
			}
		}
		s.updateSince(Never, 120, tickPeriod{10, 115})
		if want := map[bool]int64{true: 70, false: 120}[almost]; s.since != want {
			t.Errorf("almost below %v: since %d, want %d", almost, s.since, want)
		}
	}
	if s := (unbrokenSince{70, 75}); s.mayBridge(tickPeriod{10, 95}) {
		t.Error("a gap of two ticks is bridged")
	}
}
