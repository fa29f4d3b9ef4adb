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

// A Log is what a replay is given about a log as a whole: what it records, and the
// window and settings by which it is judged.
type Log struct {
	Profile    core.Profile
	Window     core.Span // what is judged; earlier events warm the state up
	Warmup     core.Time // how long before the window the log begins; of what comes earlier yet it holds what was alive then
	Resolution float64   // a row closes when a share moved by more, see DefaultResolution

	// Measured are the resources whose capacity of nodes and usage of jobs the trace records, so
	// that a node can be over its capacity.
	Measured [resource.Kinds]bool

	// Sized are the resources whose capacity of nodes the trace records. The usage of a resource
	// that is not Measured is what jobs requested, an upper bound.
	Sized [resource.Kinds]bool

	// Slacks are what the policy gives in place of the usual slacks and of those that
	// the cluster's periods make, by the names of judge.Settable.
	Slacks map[string]float64

	// ClockUncertainty is by how much the clocks of those who wrote the log may differ,
	// as it says itself (ingest/trace/FORMAT.md §4.2).
	ClockUncertainty core.Time

	// Facts become rows of the coverage table of every tree.
	Facts []Fact

	// NoSnapshots says that the log holds no snapshots: nothing is kept to judge them by.
	NoSnapshots bool

	// OwnStarts says that this program's core decided who starts: that keeps its rules, and is not
	// judged.
	OwnStarts bool
}

// DefaultResolution is the movement of a share that closes a row (design §6).
const DefaultResolution = 0.001

// SlacksOf returns the slacks of a log: those given, else by the periods that its cluster
// states, else the usual ones (core/spec/scheduling.md §3.4, §13.5). Clocks differ by no less than
// the log says of itself (ingest/trace/FORMAT.md §4.2).
func (l *Log) SlacksOf(c *core.ClusterConfig) judge.Slacks {
	s := judge.DefaultSlacks()
	const watches = 2 // one may have just missed a change, and the next acts on it
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
	s.Tick = max(s.Tick, int64(core.UpdatePeriod(c))) // the replay updates shares no more often
	return s
}

// LogBegins is the time of a log's first event, scheduling.Never if the log records nothing from
// before its window. Objects recorded there already existed, and the log does not record how they
// had fared (ingest/trace/FORMAT.md §3.7).
func (l *Log) LogBegins(first core.Time) int64 {
	if begins := l.RecordedFrom(); first < begins {
		return int64(begins)
	}
	return scheduling.Never
}

// RecordedFrom is since when the log records all that happens: before its window, if it has a
// warm-up.
func (l *Log) RecordedFrom() core.Time { return l.Window.From - l.Warmup }

// Sampled is how far off rows of nodes are that are made of samples
// (ingest/trace/FORMAT.md §4.3).
const Sampled = 30 * core.Second

// NodesLag is how much later than a node's change its row in the log may be.
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

// milliGPU are the units of a log that counts GPUs in thousandths (ingest/trace/FORMAT.md §3.2).
var milliGPU = func() resource.Units {
	u := resource.UsualUnits
	u[resource.GPU] = 1000
	return u
}()

// Units are the units in which the log counts, for sentences.
func (l *Log) Units() *resource.Units {
	if l.Records("unit.gpu", "milli_gpu") {
		return &milliGPU
	}
	return &resource.UsualUnits
}

// knowsPools reports whether a log with this state of pool_config records the configurations of
// pools, or that there are none.
func knowsPools(state string) bool { return state != "assumed" && state != "none" && state != "" }

// A Tree is one pool tree's recorded events, in the order (time, kind, seq).
type Tree struct {
	Name   string
	Events iter.Seq2[*core.Event, error]
	Rows   int64 // about how many its log has, 0 if unknown: the largest tree is replayed first
}

// State is how the log records an aspect, "" if it does not say.
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
