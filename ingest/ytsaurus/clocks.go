package ytsaurus

import "poolproof/core"

// yearsAway is so far apart that two times of one row are of two clocks.
const yearsAway = 365 * 24 * hour

// ofOneClock is what a row of a job says by the clock of its start_time, and when, where its own time is of another:
// the simulator writes rows of jobs by the clock on the wall, and start_time in virtual time. Without a finish_time of
// the same clock the row of an end tells no more than the start.
func (l *loader) ofOneClock(event eventType, c *columnSet, at core.Time) (eventType, core.Time) {
	start, ok := c[keyStartTime].time()
	if !event.isJob() || !ok || max(at-start, start-at) <= yearsAway {
		return event, at
	}
	finish, finished := c[keyFinishTime].time()
	if finished && max(at-finish, finish-at) <= yearsAway {
		return event, at // start_time alone is odd
	}
	l.note("timestamp", clocksDiffer, formatTime(at))
	if finished && max(finish-start, start-finish) <= yearsAway {
		return event, finish
	}
	return jobStarted, start
}
