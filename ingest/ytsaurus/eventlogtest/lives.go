package eventlogtest

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

// A life is when the steps of an operation were; 0 for what did not happen.
type life struct {
	started                                         bool
	start, joined, prepared, materialized, finished core.Time // joined its first tree
	state                                           string
}

// readLives finds out about all operations.
func (w *writer) readLives() {
	w.lives = make([]life, len(w.operations))
	w.firstParams = make([][]firstParams, len(w.operations))
	for t := range w.trees {
		for i := range w.trees[t].events {
			w.readEvent(t, &w.trees[t].events[i])
		}
	}
	for i := range w.operations {
		o, l := &w.operations[i], &w.lives[i]
		if o.StartTime.Set {
			l.start = o.StartTime.Value
		}
		if o.MaterializeTime.Set {
			l.materialized = o.MaterializeTime.Value
		}
		if o.FinishTime.Set && o.FinalState.Set {
			l.finished, l.state = o.FinishTime.Value, o.FinalState.Value
		}
	}
}

func (w *writer) readEvent(tree int, e *trace.OpEvent) {
	l := &w.lives[e.Op]
	w.lastTime = max(w.lastTime, e.Time)
	switch e.Event {
	case "started":
		if !l.started || e.Time < l.joined {
			l.start, l.joined = e.Time, e.Time
		}
		l.started = true
		var p params
		p.merge(e)
		w.firstParams[e.Op] = append(w.firstParams[e.Op], firstParams{tree, p})
	case "prepared":
		l.prepared = e.Time
	case "materialized":
		if l.materialized == 0 || e.Time < l.materialized {
			l.materialized = e.Time
		}
	case "completed", "failed", "aborted":
		l.finished, l.state = e.Time, e.Event
	}
}

func (w *writer) startOf(op core.OperationID) core.Time  { return w.lives[op].start }
func (w *writer) finishOf(op core.OperationID) core.Time { return w.lives[op].finished }
func (w *writer) stateOf(op core.OperationID) string     { return w.lives[op].state }
