package core

import (
	"poolproof/core/pooltree"
	"poolproof/core/scheduling"
)

// Operations may set their own time for preempted jobs to finish, and schedulers since 2025 record it
// with each of them (core/spec/scheduling.md §10.7).

// A PreemptionTimeouts holds how long preempted jobs of an operation have to finish.
type PreemptionTimeouts struct {
	Interrupt, Graceful Optional[pooltree.Milliseconds]
}

// For returns that of jobs preempted for the reason.
func (p *PreemptionTimeouts) For(reason scheduling.Reason) Optional[pooltree.Milliseconds] {
	if reason == scheduling.ForGracefulPreemption {
		return p.Graceful
	}
	return p.Interrupt
}

// recordedTimeouts are those of an operation's last record, and the options of the tree then: the
// record may state either.
type recordedTimeouts struct {
	PreemptionTimeouts
	interruptOption, gracefulOption int64
}

// learnTimeouts keeps what a record states.
func (t *Tree) learnTimeouts(slot int32, recorded PreemptionTimeouts) {
	if !recorded.Interrupt.Set && !recorded.Graceful.Set {
		return
	}
	o := t.scheduling.Options()
	t.operations[slot].timeouts = recordedTimeouts{recorded, o.InterruptTimeout, o.GracefulTimeout}
	t.recordsTimeouts = true
	t.longestInterrupt = max(t.longestInterrupt, recorded.Interrupt.Value.Micros())
}

// PreemptionTimeouts returns what the last record of an operation states, and whether the tree's
// options hold for what it does not. They may not where only other operations have such a record,
// or the options changed after the record.
func (t *Tree) PreemptionTimeouts(operation int32) (own PreemptionTimeouts, ofTree bool) {
	if !t.recordsTimeouts {
		return own, true
	}
	r, o := &t.operations[operation].timeouts, t.scheduling.Options()
	if r.interruptOption != o.InterruptTimeout || r.gracefulOption != o.GracefulTimeout {
		return own, false
	}
	return r.PreemptionTimeouts, false
}

// LongestInterruption returns the longest time in µs that a preempted job may have to finish,
// if it is not preempted gracefully.
func (t *Tree) LongestInterruption() int64 {
	return max(t.scheduling.Options().InterruptTimeout, t.longestInterrupt)
}
