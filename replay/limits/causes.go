package limits

import (
	"poolproof/core"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// Why a limit is exceeded: what of an instant took the value beyond it.

// decides reports whether a cause is a decision of the scheduler.
func decides(c tables.Cause) bool {
	return c == tables.CauseJobStarted || c == tables.CauseOperation
}

// aggravation says what of this instant added to a value that was over its
// limit before it: a start, whatever ended in the same instant, or, of counts,
// what made them rise.
func (l *Limits) aggravation(s standing, before int64) (tables.Cause, core.Optional[core.JobID]) {
	if s.key.IsCount() {
		if s.value > before {
			return l.cause(s, before)
		}
		return tables.CauseLimit, core.Optional[core.JobID]{}
	}
	for _, job := range l.Core.Changes().Started {
		if l.adds(s.key, job) {
			return tables.CauseJobStarted, core.Some(l.Core.Job(job).ID)
		}
	}
	return tables.CauseLimit, core.Optional[core.JobID]{}
}

// adds reports whether a job that started in this instant takes some of the
// element's resource, and still holds it.
func (l *Limits) adds(k env.LimitKey, job int32) bool {
	j := l.Core.Job(job)
	return !j.Ended && j.Resources[k.Resource] > 0 && l.counts(k, j)
}

// cause says what of this instant took the value beyond a bound: its limit, or
// what it was before.
func (l *Limits) cause(s standing, bound int64) (tables.Cause, core.Optional[core.JobID]) {
	if !s.key.IsCount() {
		if job, ok := l.crossing(s, bound); ok {
			return tables.CauseJobStarted, core.Some(l.Core.Job(job).ID)
		}
	}
	if s.key.Element == tables.ElementPool {
		switch l.Core.Pool(s.key.Slot).Raised {
		case core.RaisedByMove:
			return tables.CausePoolMoved, core.Optional[core.JobID]{}
		case core.RaisedByRevival:
			return tables.CauseRevived, core.Optional[core.JobID]{}
		}
	}
	if s.lowered {
		return tables.CauseLimit, core.Optional[core.JobID]{}
	}
	return tables.CauseOperation, core.Optional[core.JobID]{}
}

// crossing finds the job of this instant whose start took the element beyond a
// value: without it and those after it, it held.
func (l *Limits) crossing(s standing, bound int64) (job int32, ok bool) {
	value := s.value
	started := l.Core.Changes().Started
	for i := len(started) - 1; i >= 0 && value > bound; i-- {
		if l.adds(s.key, started[i]) {
			value -= l.Core.Job(started[i]).Resources[s.key.Resource]
			job, ok = started[i], true
		}
	}
	return job, ok && value <= bound
}
