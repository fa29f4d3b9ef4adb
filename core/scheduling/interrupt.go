package scheduling

// An Interruption is a request to a node that a job stop (core/spec/scheduling.md
// §10.7). Times are in microseconds.
type Interruption struct{ At, Timeout int64 }

// An Ending describes the end of a job that was asked to stop.
type Ending struct {
	At        int64
	Completed bool // it finished in time; otherwise it was aborted for preemption
}

// Interrupt returns the end of a job that is asked to stop, by the earliest deadline of the
// requests. A job that is not running yet or cannot be interrupted is aborted at the first request.
// finishes is the time that an interruptible job takes from the first request, negative if it never
// stops by itself.
func Interrupt(interruptible, running bool, requests []Interruption, finishes int64) Ending {
	first := requests[0].At
	if !interruptible || !running {
		return Ending{At: first}
	}
	deadline := first + requests[0].Timeout
	for _, r := range requests[1:] {
		deadline = min(deadline, r.At+r.Timeout)
	}
	if finishes >= 0 && first+finishes <= deadline {
		return Ending{At: first + finishes, Completed: true}
	}
	return Ending{At: deadline}
}

// Waits returns when the preemptor's job starts to run, relative to the preemption, and whether it
// does: the node gives up on a job that waits longer than timeout for the last victim to stop. A
// negative timeout means no limit.
func Waits(timeout, stop int64) (at int64, runs bool) {
	if timeout >= 0 && stop > timeout {
		return timeout, false
	}
	return stop, true
}
