package shrink

import (
	"context"

	"poolproof/core"
)

// finest is the part of a window that is not worth another trial.
const finest = 16

// cutTime narrows the window: its end first, then its begin. It tries the span of the finding
// at once and goes on by halves.
func (r *reducer) cutTime(ctx context.Context) error {
	w := r.now.outline.Window
	least := max((w.To-w.From)/finest, core.Second)
	err := approach(w.To, max(r.now.sighting.From, w.From), r.now.sighting.To, least, func(to core.Time) (bool, error) {
		return r.window(ctx, w.From, to)
	})
	if err != nil {
		return err
	}
	w = r.now.outline.Window
	return approach(w.From, w.To, r.now.sighting.From, least, func(from core.Time) (bool, error) {
		return r.window(ctx, from, w.To)
	})
}

// approach moves a bound of the window from where the finding shows towards where it cannot, by
// halves until no more than least is between. A guess that lies between is tried first. Bounds
// are whole seconds.
func approach(shown, hidden, guess, least core.Time, shows func(core.Time) (bool, error)) error {
	at := guess - guess%core.Second
	if shown > hidden && at < guess {
		at += core.Second // a guess of the end
	}
	for between(at, shown, hidden) || max(shown-hidden, hidden-shown) > least {
		if !between(at, shown, hidden) {
			at = shown + (hidden-shown)/2
			at -= at % core.Second
		}
		if !between(at, shown, hidden) {
			return nil
		}
		found, err := shows(at)
		if err != nil {
			return err
		}
		if found {
			shown = at
		} else {
			hidden = at
		}
	}
	return nil
}

// between reports whether a time lies between two others and is neither.
func between(t, a, b core.Time) bool { return min(a, b) < t && t < max(a, b) }

// window tries a window, and reports whether it shows the finding.
func (r *reducer) window(ctx context.Context, from, to core.Time) (bool, error) {
	s := all(r.now.outline)
	s.window.From, s.window.To = from, to
	found, err := r.try(ctx, "time", []selection{s})
	return found >= 0, err
}
