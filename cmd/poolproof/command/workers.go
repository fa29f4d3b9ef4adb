package command

import "context"

// workers is shared by running scenarios: each worker decides and replays a tree, or runs an audit,
// at a time. There are at least as many workers as scenarios.
type workers chan struct{}

// A seat is the worker that a scenario has from its beginning to its end, so that the trees of
// none wait for the last and smallest ones of another. It has more as far as they are free.
type seat struct {
	all  workers
	free chan struct{}
}

// sit waits for the seat of a scenario.
func (w workers) sit(ctx context.Context) (seat, error) {
	select {
	case w <- struct{}{}:
		s := seat{w, make(chan struct{}, 1)}
		s.free <- struct{}{}
		return s, nil
	case <-ctx.Done():
		return seat{}, ctx.Err()
	}
}

// leave gives up the seat, whose worker has nothing to do.
func (s seat) leave() {
	<-s.free
	<-s.all
}

// takeWorker waits for the scenario's own worker or another one, and returns what gives it back.
func (s seat) takeWorker(ctx context.Context) (back func(), err error) {
	own := func() { s.free <- struct{}{} }
	select {
	case <-s.free: // before one that others could have
		return own, nil
	default:
	}
	select {
	case <-s.free:
		return own, nil
	case s.all <- struct{}{}:
		return func() { <-s.all }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// lend has others have the scenario's worker, which has nothing to do, while it waits for one of
// them.
func (s seat) lend(wait func() error) error {
	s.leave()
	err := wait()
	s.all <- struct{}{} // whoever has one ends, with an error, too
	s.free <- struct{}{}
	return err
}
