package judge

import (
	"math"

	"poolproof/core/scheduling"
)

// Slacks are how far the log may be off without anybody being accused, in
// microseconds (spec/invariants.md §1, spec/scheduling.md §13.5).
type Slacks struct {
	Tick          int64 // fair-share update period
	Record        int64 // rec: fair-share record period
	Configuration int64 // cfg: until a written configuration is in force
	Heartbeat     int64 // hb: between two heartbeats of a node
	Usage         int64 // use: lag of usage reports
	Rescan        int64 // scan: period of the rescan of pending queues
	Tags          int64 // refresh of node attributes
	Segments      int64 // period in which segments are managed
	Clock         int64 // between the clocks of two logs
	Release       int64 // until a deadline is acted upon
	Interrupt     int64 // job_interrupt_timeout
	Backoff       int64 // preemptive_scheduling_backoff
}

const second = 1_000_000

// DefaultSlacks are those of a log that names no periods.
func DefaultSlacks() Slacks {
	return Slacks{
		Tick: second, Record: second, Configuration: 6 * second, Heartbeat: 6 * second, Usage: 10 * second,
		Rescan: 60 * second, Tags: 15 * second, Segments: 10 * second, Clock: second / 20, Release: second,
		Interrupt: 10 * second, Backoff: 5 * second,
	}
}

// Gone is how long a preempted job may still be seen (intr).
func (s *Slacks) Gone() int64 { return s.Interrupt + s.Heartbeat }

// Next is how long a node may wait for its next preemptive stages (back).
func (s *Slacks) Next() int64 { return s.Backoff + s.Heartbeat }

// Precisions of shares (spec/scheduling.md §1.3, spec/invariants.md §1).
const (
	Epsilon = 1e-4 // eps
	OnUsage = 0.01 // of shares made of reported usage
)

// slightlyBelow reports x < y where they differ by more than reading numbers
// explains.
func slightlyBelow(x, y float64) bool { return x < y-scheduling.Equal*math.Max(1, math.Abs(y)) }
