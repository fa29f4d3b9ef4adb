package env

import (
	"iter"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A Fact says how a trace records an aspect, in the words of the manifest, for example "demand"
// and "recorded".
type Fact struct{ Aspect, State string }

// A Log describes a log as a whole: its contents, and the window and settings for judging it.
type Log struct {
	Profile    core.Profile
	Window     core.Span // the judged time; earlier events build up the state
	Warmup     core.Time // time before the window with all events; of earlier times the log contains only objects alive at its start
	Resolution float64   // a row closes when a share changes by more, see DefaultResolution

	// Measured are the resources whose capacity of nodes and usage of jobs the trace records, so
	// that a node can be over its capacity.
	Measured [resource.Kinds]bool

	// Sized are the resources whose capacity of nodes the trace records. The usage of a resource
	// that is not Measured is what jobs requested, an upper bound.
	Sized [resource.Kinds]bool

	// Slacks holds the policy's slacks, which override defaults and those from the cluster's
	// periods, by the names of judge.Settable.
	Slacks map[string]float64

	// ClockUncertainty bounds the difference between the clocks of the log's writers, as the log
	// states it (ingest/trace/FORMAT.md §4.2).
	ClockUncertainty core.Time

	// Facts become rows of the coverage table of every tree.
	Facts []Fact

	// NoSnapshots says that the log has no snapshots, so the state for judging them is not kept.
	NoSnapshots bool

	// OwnStarts says that this program's core decided the starts: they follow the rules and are not
	// judged.
	OwnStarts bool
}

// DefaultResolution is the change of a share that closes a row.
const DefaultResolution = 0.001

// SlacksOf returns the slacks of a log: the given ones, else those from the cluster's periods, else
// the defaults (core/spec/scheduling.md §3.4, §13.5). The slack of clocks is at least the log's
// ClockUncertainty (ingest/trace/FORMAT.md §4.2).
func (l *Log) SlacksOf(c *core.ClusterConfig) judge.Slacks {
	s := judge.DefaultSlacks()
	const watches = 2 // a change may have come just after one update, and the next one applies it
	set := func(slack *int64, period core.Optional[pooltree.Milliseconds], times int64) {
		if period.Set {
			*slack = times * int64(period.Value) * int64(core.Second) / 1000
		}
	}
	set(&s.Tick, c.UpdatePeriod, 1)
	set(&s.Configuration, c.WatchersPeriod, watches)
	set(&s.Rescan, c.ScanPeriod, 1)
	set(&s.Tags, c.TagsPeriod, 1)
	s.Clock = max(s.Clock, int64(l.ClockUncertainty))
	s = s.With(l.Slacks)
	s.Tick = max(s.Tick, int64(core.UpdatePeriod(c))) // the replay does not update shares more often
	return s
}

// LogBegins is the time of a log's first event, scheduling.Never if the log records nothing from
// before its window. Objects recorded there already existed, and their earlier history is unknown
// (ingest/trace/FORMAT.md §3.7).
func (l *Log) LogBegins(first core.Time) int64 {
	if begins := l.RecordedFrom(); first < begins {
		return int64(begins)
	}
	return scheduling.Never
}

// RecordedFrom returns the time from which the log records all events: before its window, if it has
// a warm-up.
func (l *Log) RecordedFrom() core.Time { return l.Window.From - l.Warmup }

// Sampled is the inaccuracy of rows of nodes that are made from samples (ingest/trace/FORMAT.md
// §4.3).
const Sampled = 30 * core.Second

// NodesLag returns the longest delay between a node's change and its row in the log.
func (l *Log) NodesLag() core.Time {
	if l.Records("node_states", "sampled") || l.Records("node_states", "inferred") {
		return Sampled
	}
	return 0
}

// Records reports whether the log records an aspect in a state.
func (l *Log) Records(aspect, state string) bool {
	return slices.Contains(l.Facts, Fact{aspect, state})
}

// milliGPU holds the units of a log that counts GPUs in thousandths (ingest/trace/FORMAT.md §3.2).
var milliGPU = func() resource.Units {
	u := resource.UsualUnits
	u[resource.GPU] = 1000
	return u
}()

// Units returns the units of amounts in the log, for sentences.
func (l *Log) Units() *resource.Units {
	if l.Records("unit.gpu", "milli_gpu") {
		return &milliGPU
	}
	return &resource.UsualUnits
}

// knowsPools reports whether a log with this state of pool_config records the configurations of
// pools, or that no pool is configured.
func knowsPools(state string) bool { return state != "assumed" && state != "none" && state != "" }

// A Tree is one pool tree's recorded events, in the order (time, kind, seq).
type Tree struct {
	Name   string
	Events iter.Seq2[*core.Event, error]
	Rows   int64 // approximate number, 0 if unknown: the largest tree is replayed first
}

// State returns how the log records an aspect, "" if unknown.
func (l *Log) State(aspect string) string {
	for _, f := range l.Facts {
		if f.Aspect == aspect {
			return f.State
		}
	}
	return ""
}

// IsDemandExact reports whether the log holds every change of demand.
func (l *Log) IsDemandExact() bool {
	state := l.State("demand")
	return state == "recorded" || state == ""
}
