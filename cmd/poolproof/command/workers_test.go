package command

import (
	"context"
	"errors"
	"testing"
)

// TestSeats: a scenario has a worker of its own, more where one is free, and lends its own while it
// waits.
func TestSeats(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	all := make(workers, 3)
	sit := func() seat {
		s, err := all.sit(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	take := func(s seat) func() {
		back, err := s.takeWorker(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return back
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	none := func(s seat) {
		t.Helper()
		if _, err := s.takeWorker(over); !errors.Is(err, context.Canceled) {
			t.Errorf("a worker is left: %v", err)
		}
	}
	first, second := sit(), sit()
	own, third := take(first), take(first)
	none(first) // the last one is the second's
	seconds := take(second)
	none(second)
	own()
	own = take(first)
	seconds()
	if err := second.lend(func() error { take(first)(); return errNothing }); err != errNothing {
		t.Errorf("what it waited for is %v", err)
	}
	none(first)
	third()
	own()
	first.leave()
	second.leave()
	if len(all) != 0 {
		t.Errorf("%d workers are still at work", len(all))
	}
	for range cap(all) {
		sit()
	}
	if _, err := all.sit(over); !errors.Is(err, context.Canceled) {
		t.Errorf("one more has a seat: %v", err)
	}
}

var errNothing = errors.New("nothing")
