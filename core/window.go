package core

import "iter"

// A window is what happened in the last while, each with its instant, the oldest first.
type window[T any] struct {
	all   []happened[T]
	first int // of those that are kept
}

type happened[T any] struct {
	at   Time
	what T
}

// add keeps what happens now and forgets what was longer ago than a lag. It allocates
// nothing once the window has the room that it needs.
func (w *window[T]) add(now, lag Time, what T) {
	for w.first < len(w.all) && w.all[w.first].at < now-lag {
		w.first++
	}
	if 2*w.first >= len(w.all) {
		w.all, w.first = append(w.all[:0], w.all[w.first:]...), 0
	}
	w.all = append(w.all, happened[T]{now, what})
}

// last is what happened last, nil if nothing is kept.
func (w *window[T]) last() (at Time, what *T) {
	if len(w.all) == 0 {
		return 0, nil
	}
	h := &w.all[len(w.all)-1]
	return h.at, &h.what
}

// since is what happened at a moment or later, the latest first.
func (w *window[T]) since(moment Time) iter.Seq2[Time, *T] {
	return func(yield func(Time, *T) bool) {
		for i := len(w.all) - 1; i >= 0 && w.all[i].at >= moment && yield(w.all[i].at, &w.all[i].what); i-- {
		}
	}
}
