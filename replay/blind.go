package replay

import (
	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/replay/tables"
)

// A blindness is the open global excuse window, if there is one.
// Windows do not overlap: while two causes hold, the one that grace names counts.
type blindness struct {
	cause  judge.Excuse
	since  core.Time
	turned core.Time // the last instant that was looked at
}

// followProcess notes what befell the scheduler.
func (r *recorder) followProcess(e *core.Event) {
	if e.Kind == core.ProcessChanged {
		r.turnUntil(e.Time)
		r.grace.follow(e)
		r.turnBlind(e.Time)
	}
}

// turnUntil follows what begins and ends by time alone, up to an instant.
func (r *recorder) turnUntil(to core.Time) {
	for {
		at := r.grace.next(r.blind.turned)
		if at > to {
			return
		}
		r.turnBlind(at)
	}
}

// turnBlind ends the open window at an instant from which another cause holds.
func (r *recorder) turnBlind(now core.Time) {
	b := &r.blind
	b.turned = now
	cause := r.grace.at(now)
	if cause == b.cause {
		return
	}
	if b.cause != judge.NoExcuse {
		r.addBlind(tables.BlindWindow{Cause: string(b.cause), FromTime: b.since, ToTime: now})
	}
	b.cause, b.since = cause, now
}

// finishBlindness ends the window that is open where the log is.
func (r *recorder) finishBlindness(to core.Time) {
	r.turnUntil(to)
	if b := &r.blind; b.cause != judge.NoExcuse {
		r.addBlind(tables.BlindWindow{Cause: string(b.cause), FromTime: b.since, ToTime: to, ClippedTo: true})
	}
}

// addBlind writes a window as far as it lies in the judged one.
func (r *recorder) addBlind(w tables.BlindWindow) {
	if from := r.opts.Window.From; w.FromTime < from {
		w.FromTime, w.ClippedFrom = from, true
	}
	if w.FromTime < w.ToTime {
		add(r.out, r.out.blindWindows, &w)
	}
}
