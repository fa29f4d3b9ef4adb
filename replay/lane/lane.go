// Package lane runs a goroutine that processes batches filled by another one, so that the two
// overlap.
//
// Batches are recycled, so memory is constant. They are processed in the order in which they were
// filled, so the result is that of one goroutine. Batches must contain values only, nothing that
// the filling goroutine changes later. To access the state of the lane, call Wait: the lane is then
// idle until the next batch.
package lane

import (
	"fmt"
	"runtime/debug"
)

// batches is the number of batches: one that is being filled, one that is being processed, and two
// that wait.
const batches = 4

// A Lane is a goroutine that processes batches. Its methods are for the goroutine that fills them.
type Lane[B any] struct {
	Batch *B // the batch to fill

	full, free chan *B
	fault      chan any // value of a panic in the work
	ended      chan struct{}
}

// Start starts a lane, which must be stopped. A batch comes back as the work function left it.
func Start[B any](work func(*B)) *Lane[B] {
	l := &Lane[B]{
		full: make(chan *B, batches), free: make(chan *B, batches),
		fault: make(chan any, 1), ended: make(chan struct{}),
	}
	for range batches {
		l.free <- new(B)
	}
	l.Batch = l.takeBatch()
	go l.run(work)
	return l
}

// Hand passes the batch to the lane and sets Batch to another one. It repeats a panic of the work.
func (l *Lane[B]) Hand() {
	l.full <- l.Batch
	l.Batch = l.takeBatch()
}

// Wait passes the batch to the lane and waits until all are processed.
func (l *Lane[B]) Wait() {
	l.full <- l.Batch
	for range batches - 1 {
		defer func(b *B) { l.free <- b }(l.takeBatch())
	}
	l.Batch = l.takeBatch()
}

// Stop ends the lane after it has processed all batches.
func (l *Lane[B]) Stop() {
	close(l.full)
	<-l.ended
}

// takeBatch receives a processed batch.
func (l *Lane[B]) takeBatch() *B {
	b := <-l.free
	select {
	case fault := <-l.fault: // sent before the batch was returned
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

// try reports whether the work on a batch returned without a panic.
func (l *Lane[B]) try(work func(*B), b *B) (ended bool) {
	defer func() {
		if p := recover(); p != nil {
			l.fault <- fmt.Sprintf("%v\n%s", p, debug.Stack())
		}
	}()
	work(b)
	return true
}
