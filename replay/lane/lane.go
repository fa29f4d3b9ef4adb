// Package lane has a goroutine work off what another one notes, so that the two overlap.
//
// Batches go round between them: memory stays the same however much is noted. They are worked
// off in the order in which they were filled, so that the result is that of one goroutine. A
// lane has values handed over and nothing that the other goroutine goes on to change. Where one
// must look at what the other owns, Wait has the lane idle until more is handed over.
package lane

import (
	"fmt"
	"runtime/debug"
)

// batches is how many go round: one that is filled, one that is worked off, and two that wait.
const batches = 4

// A Lane is a goroutine that works off batches. Its methods are for the goroutine that fills
// them.
type Lane[B any] struct {
	Batch *B // that is filled

	full, free chan *B
	fault      chan any // with what the work panicked
	ended      chan struct{}
}

// Start begins a lane, which must be stopped. A batch comes back as the work leaves it.
func Start[B any](work func(*B)) *Lane[B] {
	l := &Lane[B]{
		full: make(chan *B, batches), free: make(chan *B, batches),
		fault: make(chan any, 1), ended: make(chan struct{}),
	}
	for range batches {
		l.free <- new(B)
	}
	l.Batch = l.take()
	go l.run(work)
	return l
}

// Hand hands the batch over and has another one filled. It panics as the work did.
func (l *Lane[B]) Hand() {
	l.full <- l.Batch
	l.Batch = l.take()
}

// Wait hands the batch over and waits until everything is worked off.
func (l *Lane[B]) Wait() {
	l.full <- l.Batch
	for range batches - 1 {
		defer func(b *B) { l.free <- b }(l.take())
	}
	l.Batch = l.take()
}

// Stop ends the lane once it has worked off what was handed over.
func (l *Lane[B]) Stop() {
	close(l.full)
	<-l.ended
}

// take takes a batch that is worked off.
func (l *Lane[B]) take() *B {
	b := <-l.free
	select {
	case fault := <-l.fault: // noted before the batch was given back
		panic(fault)
	default:
		return b
	}
}

func (l *Lane[B]) run(work func(*B)) {
	defer close(l.ended)
	sound := true
	for b := range l.full {
		sound = sound && l.try(work, b)
		l.free <- b
	}
}

// try reports whether the work on a batch ended.
func (l *Lane[B]) try(work func(*B), b *B) (ended bool) {
	defer func() {
		if p := recover(); p != nil {
			l.fault <- fmt.Sprintf("%v\n%s", p, debug.Stack())
		}
	}()
	work(b)
	return true
}
