package replay

import (
	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/replay/tables"
)

// An openExcuse is the open global excuse window, if there is one.
// Windows do not overlap: while two causes hold, the one that excuseWindows.at names counts.
type openExcuse struct {
	cause  judge.Excuse
	since  core.Time
	turned core.Time // the last instant that was looked at
}

// followProcess notes what befell the scheduler.
func (r *recorder) followProcess(e *core.Event) {
	if e.Kind == core.ProcessChanged {
		r.turnUntil(e.Time)
		r.Excuses.ApplyEvent(e)
		r.turnExcuse(e.Time)
	}
}

// turnUntil follows what begins and ends by time alone, up to an instant.
func (r *recorder) turnUntil(to core.Time) {
	for {
		at := r.Excuses.Next(r.openExcuse.turned)
		if at > to {
			return
		}
		r.turnExcuse(at)
	}
}

// turnExcuse ends the open window at an instant from which another cause holds.
func (r *recorder) turnExcuse(now core.Time) {
	b := &r.openExcuse
	b.turned = now
	cause := r.Excuses.ExcuseAt(now)
	if cause == b.cause {
		return
	}
	if b.cause != judge.NoExcuse {
		r.addExcuseWindow(tables.ExcuseWindow{Cause: string(b.cause), FromTime: b.since, ToTime: now})
	}
	b.cause, b.since = cause, now
}

// finishExcuse ends the window that is open where the log is.
func (r *recorder) finishExcuse(to core.Time) {
	r.turnUntil(to)
	if b := &r.openExcuse; b.cause != judge.NoExcuse {
		r.addExcuseWindow(tables.ExcuseWindow{Cause: string(b.cause), FromTime: b.since, ToTime: to, ClippedTo: true})
	}
}

// addExcuseWindow writes a window, and what of it lies before the judged one apart.
func (r *recorder) addExcuseWindow(w tables.ExcuseWindow) {
	if from := r.Log.Window.From; w.FromTime < from {
		earlier := w
		earlier.ToTime, earlier.ClippedTo = min(w.ToTime, from), w.ClippedTo || w.ToTime > from
		r.earlierExcuse.Add(&tables.EarlierExcuseWindow{ExcuseWindow: earlier})
		w.FromTime, w.ClippedFrom = from, true
	}
	if w.FromTime < w.ToTime {
		r.excuseRows.Add(&w)
	}
}
