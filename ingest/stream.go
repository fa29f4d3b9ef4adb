package ingest

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"poolproof/core"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// Options say which part of a stream is wanted.
type Options struct {
	// Profile is the one by whose rules the options of trees, pools and
	// operations are read; Trace.Profile is what the trace asks for.
	Profile core.Profile
	// To ends the stream before this time; 0 for the whole log. The beginning
	// is never cut: the state at any time follows from all before it.
	To core.Time
}

// Events returns the events of a tree in the order of (time, kind, seq). The
// event is one reused value, valid until the next. An error ends the stream.
// Problems found on the way replace those of an earlier stream of the tree.
func (t *Trace) Events(tree string, o Options) iter.Seq2[*core.Event, error] {
	return func(yield func(*core.Event, error) bool) {
		s, err := t.stream(tree, o)
		if err == nil {
			defer s.close()
			err = s.run(yield)
		}
		if err != nil {
			yield(nil, fmt.Errorf("read tree %s: %w", tree, err))
		}
	}
}

// A stream merges the tables of one tree.
type stream struct {
	trace    *Trace
	tree     string
	profile  core.Profile
	to       core.Time
	early    bool // whether the log is from before 1971
	intern   *parquetlog.Interner
	problems *problems
	event    core.Event
	tables   []*rows
}

// A source is events of one kind, in the order of (time, seq).
type source interface {
	// head is the time of the next event, never if there is none.
	head() core.Time
	// emit fills the event, whose Time, Kind and Seq are set.
	emit(e *core.Event)
	// advance steps to the next event.
	advance() error
	seq() int64
}

// never is later than any time.
const never = core.Time(math.MaxInt64)

func (t *Trace) stream(tree string, o Options) (*stream, error) {
	if !slices.Contains(t.trees, tree) {
		return nil, fmt.Errorf("the trace has no such tree; it has %v", t.trees)
	}
	to := o.To
	if to == 0 {
		to = never
	}
	p := newProblems()
	t.mu.Lock()
	t.problems[tree] = p
	t.mu.Unlock()
	window := t.Window()
	return &stream{
		trace: t, tree: tree, profile: o.Profile, to: to, problems: p,
		early:  window.To != 0 && window.From < firstPlausible,
		intern: parquetlog.NewInterner(),
	}, nil
}

// kinds is how many sources there are; a source stands at the place of its
// kind, so that the first of the earliest is next.
const kinds = int(core.JobStarted)

// run merges the sources until they or the consumer end.
func (s *stream) run(yield func(*core.Event, error) bool) error {
	sources, err := s.open()
	if err != nil {
		return err
	}
	var heads [kinds]core.Time
	for i, src := range sources {
		if src == nil {
			heads[i] = never // nothing tells of events of this kind
			continue
		}
		if err := src.advance(); err != nil {
			return err
		}
		heads[i] = src.head()
	}
	for {
		first := 0
		for i := 1; i < kinds; i++ {
			if heads[i] < heads[first] {
				first = i
			}
		}
		if heads[first] >= s.to {
			return nil
		}
		e, src := &s.event, sources[first]
		if kind := core.Kind(first + 1); e.Kind != kind {
			*e = core.Event{Kind: kind, Pool: core.Unknown, Operation: core.Unknown, Node: core.Unknown, Job: core.Unknown, For: core.Unknown}
		}
		e.Time, e.Seq = heads[first], src.seq()
		src.emit(e)
		if !yield(e, nil) {
			return nil
		}
		if err := src.advance(); err != nil {
			return err
		}
		heads[first] = src.head()
		// A start adds an end, and may give another job its end.
		if first >= int(core.JobFinished)-1 {
			heads[core.JobFinished-1] = sources[core.JobFinished-1].head()
			heads[core.JobPreempted-1] = sources[core.JobPreempted-1].head()
		}
	}
}

// open opens the tables of the tree. Sources are by kind.
func (s *stream) open() ([kinds]source, error) {
	var sources [kinds]source
	folder := trace.TreeDir(s.tree)
	starts, err := newStarts(s, folder)
	if err != nil {
		return sources, err
	}
	sources[core.JobStarted-1] = starts
	sources[core.JobFinished-1] = &starts.live.finishes
	sources[core.JobPreempted-1] = &starts.live.preemptions
	for i, open := range [kinds]func(*stream, string) (source, error){
		core.TreeConfigured - 1:    newTreeConfigs,
		core.PoolConfigured - 1:    newPoolConfigs,
		core.NodeChanged - 1:       newNodeChanges,
		core.OperationChanged - 1:  newOperationChanges,
		core.DemandChanged - 1:     newDemandChanges,
		core.HeartbeatReceived - 1: newHeartbeats,
	} {
		if open == nil {
			continue
		}
		if sources[i], err = open(s, folder); err != nil {
			return sources, err
		}
	}
	return sources, nil
}

func (s *stream) close() {
	for _, r := range s.tables {
		r.close()
	}
}

// A tableSource is a source that is one table: its rows, and which of them can
// be used.
type tableSource struct {
	*rows
	accept func() bool
	at     core.Time
}

// newTableSource opens a table. Columns and bind are those of newRows.
func newTableSource(s *stream, folder string, table *parquetlog.Table, columns []string, bind func(*parquetlog.Batch)) (tableSource, error) {
	r, err := newRows(s, folder, table, columns, bind)
	if err == nil {
		s.tables = append(s.tables, r)
	}
	return tableSource{rows: r, at: never}, err
}

func (t *tableSource) head() core.Time { return t.at }
func (t *tableSource) seq() int64      { return t.stamp.Seq }

// advance steps to the next row that can be used.
func (t *tableSource) advance() error {
	for {
		more, err := t.next()
		if err != nil || !more {
			t.at = never
			return err
		}
		if t.accept() {
			t.at = t.stamp.Time
			return nil
		}
	}
}
