package core

import "iter"

// A window holds the recent entries of a log with their times, oldest first.
type window[T any] struct {
	all   []entry[T]
	first int // index of the oldest kept entry
}

type entry[T any] struct {
	at   Time
	what T
}

// add appends an entry and drops those older than lag. It does not allocate once the window is
// large enough.
func (w *window[T]) add(now, lag Time, what T) {
	for w.first < len(w.all) && w.all[w.first].at < now-lag {
		w.first++
	}
	if 2*w.first >= len(w.all) {
		w.all, w.first = append(w.all[:0], w.all[w.first:]...), 0
	}
	w.all = append(w.all, entry[T]{now, what})
}

// last returns the newest entry, or nil.
func (w *window[T]) last() (at Time, what *T) {
	if len(w.all) == 0 {
		return 0, nil
	}
	h := &w.all[len(w.all)-1]
	return h.at, &h.what
}

// since iterates over the entries at or after a time, newest first.
func (w *window[T]) since(moment Time) iter.Seq2[Time, *T] {
	return func(yield func(Time, *T) bool) {
		for i := len(w.all) - 1; i >= 0 && w.all[i].at >= moment && yield(w.all[i].at, &w.all[i].what); i-- {
		}
	}
}
