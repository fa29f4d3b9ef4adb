package judge

import (
	"math"

	"poolproof/core/scheduling"
)

// Slacks holds tolerances for inaccuracies of the log, times in microseconds
// (core/spec/invariants.md §1, core/spec/scheduling.md §13.5).
type Slacks struct {
	Tick          int64   // fair-share update period
	Record        int64   // rec: fair-share record period
	Configuration int64   // cfg: until a written configuration is in force
	Heartbeat     int64   // hb: between two heartbeats of a node
	Usage         int64   // use: lag of usage reports
	Rescan        int64   // scan: period of the rescan of pending queues
	Reconnect     int64   // from the scheduler's return until it must keep its promises
	Tags          int64   // refresh of node attributes
	Segments      int64   // period in which segments are managed
	Clock         int64   // between the clocks of two logs
	Release       int64   // from a deadline to the resulting action
	Interrupt     int64   // job_interrupt_timeout
	Backoff       int64   // preemptive_scheduling_backoff
	Epsilon       float64 // eps: of shares
	OnUsage       float64 // of shares computed from reported usage, a fraction of them
}

const second = 1_000_000

// Precisions of shares (core/spec/scheduling.md §1.3, core/spec/invariants.md §1): those of the
// scheduler's own comparisons, and the default slacks.
const (
	Epsilon = 1e-4 // eps
	OnUsage = 0.01 // of shares computed from reported usage
)

// usualRecord is the period of records that the rules assume (core/spec/invariants.md §1).
const usualRecord = second

// DefaultSlacks returns the slacks of a log that does not state periods.
func DefaultSlacks() Slacks {
	return Slacks{
		Tick: second, Record: usualRecord, Configuration: 6 * second, Heartbeat: 6 * second, Usage: 10 * second,
		Rescan: 60 * second, Reconnect: 60 * second, Tags: 15 * second, Segments: 10 * second, Clock: second / 20, Release: second,
		Interrupt: 10 * second, Backoff: 5 * second, Epsilon: Epsilon, OnUsage: OnUsage,
	}
}

// A Slack declares one of the Slacks that a policy may set. Interrupt and Backoff are not among
// them: the configuration of a tree states them.
type Slack struct {
	Name     string // in a policy file
	Unit     string // of its value there: s, share or ratio
	Sentence string
	time     func(*Slacks) *int64   // of those in seconds
	number   func(*Slacks) *float64 // of the others
}

// Settable lists these slacks in the order of the specification.
var Settable = []Slack{
	{Name: "tick_s", Unit: "s", Sentence: "period of the fair share update; at least what the cluster states, 1 where it states nothing", time: func(s *Slacks) *int64 { return &s.Tick }},
	{Name: "rec_s", Unit: "s", Sentence: "period of the scheduler's records of shares; a longer time between two of them counts instead", time: func(s *Slacks) *int64 { return &s.Record }},
	{Name: "cfg_s", Unit: "s", Sentence: "until a written configuration is in force", time: func(s *Slacks) *int64 { return &s.Configuration }},
	{Name: "hb_s", Unit: "s", Sentence: "between two heartbeats of a node; a longer time that is seen between two of them counts instead", time: func(s *Slacks) *int64 { return &s.Heartbeat }},
	{Name: "use_s", Unit: "s", Sentence: "how long reported usage may lag behind", time: func(s *Slacks) *int64 { return &s.Usage }},
	{Name: "scan_s", Unit: "s", Sentence: "period of the rescan of queues", time: func(s *Slacks) *int64 { return &s.Rescan }},
	{Name: "reconnect_s", Unit: "s", Sentence: "from the scheduler's return until it is held to its promises", time: func(s *Slacks) *int64 { return &s.Reconnect }},
	{Name: "tags_s", Unit: "s", Sentence: "until changed tags of a node are known", time: func(s *Slacks) *int64 { return &s.Tags }},
	{Name: "segments_s", Unit: "s", Sentence: "period in which segments are managed", time: func(s *Slacks) *int64 { return &s.Segments }},
	{Name: "clock_s", Unit: "s", Sentence: "between the clocks of two logs", time: func(s *Slacks) *int64 { return &s.Clock }},
	{Name: "release_s", Unit: "s", Sentence: "until a deadline, or room that an operation left, is acted upon", time: func(s *Slacks) *int64 { return &s.Release }},
	{Name: "eps", Unit: "share", Sentence: "tolerance of shares", number: func(s *Slacks) *float64 { return &s.Epsilon }},
	{Name: "usage_part", Unit: "ratio", Sentence: "tolerance of what is made of reported usage, as a part of it", number: func(s *Slacks) *float64 { return &s.OnUsage }},
}

// Value returns the slack's value in its unit.
func (k *Slack) Value(s *Slacks) float64 {
	if k.number != nil {
		return *k.number(s)
	}
	return float64(*k.time(s)) / second
}

// With returns the slacks with the given values, by name and in their units. Unknown names are
// ignored.
func (s Slacks) With(given map[string]float64) Slacks {
	if len(given) == 0 {
		return s
	}
	return s.with(given)
}

func (s Slacks) with(given map[string]float64) Slacks {
	for i := range Settable {
		k := &Settable[i]
		value, ok := given[k.Name]
		switch {
		case !ok:
		case k.number != nil:
			*k.number(&s) = value
		default:
			*k.time(&s) = int64(math.Round(value * second))
		}
	}
	return s
}

// Between returns the longest tolerated time between two heartbeats of a node (hb), given the
// longest observed one, or 0.
func (s *Slacks) Between(seen int64) int64 { return max(s.Heartbeat, seen) }

// Gone returns the longest time for which a preempted job may still be seen on a node (intr), with
// seen as in Between.
func (s *Slacks) Gone(seen int64) int64 { return s.Interrupt + s.Between(seen) }

// Noticed returns the longest time after an event for which decisions may still be based on the
// state before it: until the next tick, plus the difference of clocks.
func (s *Slacks) Noticed() int64 { return s.Tick + s.Clock }

// Tagged returns the longest time until changed tags of a node have propagated.
func (s *Slacks) Tagged() int64 { return s.Configuration + s.Tags }

// slightlyBelow reports whether x < y by more than the error of reading decimals.
func slightlyBelow(x, y float64) bool { return x < y-scheduling.Equal*max(1, math.Abs(y)) }
