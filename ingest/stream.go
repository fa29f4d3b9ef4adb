package ingest

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
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
	// Kinds are those wanted, in any order; nil for all. The rest is not read, except for starts
	// and ends of jobs, which share a table. Templates and the default tree come with
	// ClusterConfigured only.
	Kinds []core.Kind
}

// Events returns the events of a tree in the order of (time, kind, seq). The
// event is a reused value, valid until the next. An error ends the stream.
// Problems found on the way replace those of an earlier stream of the tree, unless
// only some kinds are wanted.
func (t *Trace) Events(tree string, o Options) iter.Seq2[*core.Event, error] {
	return t.events(tree, o, (*stream).open)
}

// Strays returns the changes of nodes while they belong to no tree or to several
// (global/node_state), and records no problems: those come with every tree.
func (t *Trace) Strays(o Options) iter.Seq2[*core.Event, error] {
	o.Kinds = []core.Kind{core.NodeChanged}
	return t.events("", o, func(s *stream) ([]lane, error) {
		nodes, err := newNodeStates(s, globalFolder)
		return []lane{newLane(core.NodeChanged, nodes)}, err
	})
}

func (t *Trace) events(tree string, o Options, open func(*stream) ([]lane, error)) iter.Seq2[*core.Event, error] {
	return func(yield func(*core.Event, error) bool) {
		s, err := t.stream(tree, o)
		var lanes []lane
		if err == nil {
			defer s.close()
			lanes, err = open(s)
		}
		if err == nil {
			err = s.run(lanes, yield)
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
	kinds    []core.Kind
	early    bool // whether the log is from before 1971
	intern   *parquetlog.Interner
	problems *problems
	global   *problems // of the tables under global/
	tables   []*rows
	silent   int64 // good rows that make no event

	defaultTree string              // in force where the stream stands; "" if none is known
	templates   []pooltree.Template // in force as well
	options     *treeConfigs        // which they patch
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

// globalFolder holds the tables of what concerns no tree or several.
const globalFolder = "global"

// never is later than any time.
const never = core.Time(math.MaxInt64)

func (t *Trace) stream(tree string, o Options) (*stream, error) {
	if tree != "" && !slices.Contains(t.trees, tree) {
		return nil, fmt.Errorf("the trace has no such tree; it has %v", t.trees)
	}
	to := o.To
	if to == 0 {
		to = never
	}
	p, global := newProblems(), newProblems()
	if o.Kinds == nil {
		t.mu.Lock()
		t.problems[tree], t.global[tree] = p, global
		t.mu.Unlock()
	}
	window := t.Window()
	return &stream{
		trace: t, tree: tree, profile: o.Profile, to: to, kinds: o.Kinds, problems: p, global: global,
		early:  window.To != 0 && window.From < firstPlausible,
		intern: parquetlog.NewInterner(t.memory.Pages),
	}, nil
}

// A lane is a source and the event that it fills, again and again.
type lane struct {
	source source
	event  core.Event
	silent bool // its events are not wanted, and others follow from them
}

func newLane(kind core.Kind, s source) lane {
	return lane{source: s, event: core.Event{Kind: kind, Pool: core.Unknown, Operation: core.Unknown,
		Node: core.Unknown, Job: core.Unknown, Preemptor: core.Unknown}}
}

// run merges the sources until they or the consumer end.
func (s *stream) run(lanes []lane, yield func(*core.Event, error) bool) error {
	lanes, err := begin(lanes)
	if err != nil || len(lanes) == 0 {
		return err
	}
	heads := make([]core.Time, len(lanes))
	for i := range lanes {
		heads[i] = lanes[i].source.head()
	}
	of := func(k core.Kind) int {
		return slices.IndexFunc(lanes, func(l lane) bool { return l.event.Kind == k })
	}
	configured := of(core.TreeConfigured)
	finished, preempted := of(core.JobFinished), of(core.JobPreempted)
	for {
		// Lanes are in the order of kinds: the first of the earliest is next.
		first := 0
		for i := 1; i < len(heads); i++ {
			if heads[i] < heads[first] {
				first = i
			}
		}
		if heads[first] >= s.to {
			return nil
		}
		l := &lanes[first]
		l.event.Time, l.event.Seq = heads[first], l.source.seq()
		l.source.emit(&l.event)
		if !l.silent && !yield(&l.event, nil) {
			return nil
		}
		if err := l.source.advance(); err != nil {
			return err
		}
		heads[first] = l.source.head()
		switch l.event.Kind {
		case core.JobStarted, core.JobPreempted, core.JobFinished:
			// A start adds an end, and may give another job its end; a preempted
			// job may stop later.
			heads[finished], heads[preempted] = lanes[finished].source.head(), lanes[preempted].source.head()
		case core.ClusterConfigured:
			if configured >= 0 { // templates may have changed
				heads[configured] = lanes[configured].source.head()
			}
		}
	}
}

// begin steps to the first event of every source and leaves out what has none.
func begin(lanes []lane) ([]lane, error) {
	for i := range lanes {
		if err := lanes[i].source.advance(); err != nil {
			return nil, err
		}
	}
	// The ends of jobs come from their starts.
	jobs := lanes[len(lanes)-1].source.head() != never
	return slices.DeleteFunc(lanes, func(l lane) bool {
		_, end := l.source.(*ends)
		return l.source.head() == never && !(end && jobs)
	}), nil
}

// wants reports whether some of these kinds are wanted.
func (s *stream) wants(kinds ...core.Kind) bool {
	return s.kinds == nil || slices.ContainsFunc(kinds, func(k core.Kind) bool { return slices.Contains(s.kinds, k) })
}

// open opens the tables of the tree that hold the kinds wanted. Lanes are in the
// order of kinds; those of jobs, which depend on each other, are there together.
func (s *stream) open() ([]lane, error) {
	folder := trace.TreeDir(s.tree)
	starts, err := newStarts(s, folder)
	if err != nil {
		return nil, err
	}
	ofJobs := []core.Kind{core.JobFinished, core.JobPreempted, core.JobStarted}
	var lanes []lane
	for _, open := range []struct {
		kind core.Kind
		open func(*stream, string) (source, error)
	}{
		{core.ProcessChanged, newProcessChanges},
		{core.TreeRecorded, newTreeRecords},
		{core.PoolRecorded, newPoolRecords},
		{core.OperationRecorded, newOperationRecords},
		{core.VolumesRecorded, newVolumeRecords},
		{core.ClusterConfigured, newClusterConfigs},
		{core.TreeConfigured, newTreeConfigs},
		{core.PoolConfigured, newPoolConfigs},
		{core.NodeChanged, newNodeChanges},
		{core.OperationChanged, newOperationChanges},
		{core.DemandChanged, newDemandChanges},
		{core.JobFinished, func(*stream, string) (source, error) { return &starts.live.finishes, nil }},
		{core.HeartbeatReceived, newHeartbeats},
		{core.JobReported, newJobNews},
		{core.JobPreempted, func(*stream, string) (source, error) { return &starts.live.preemptions, nil }},
		{core.JobStarted, func(*stream, string) (source, error) { return starts, nil }},
	} {
		wanted := s.wants(open.kind)
		if !wanted && !(slices.Contains(ofJobs, open.kind) && s.wants(ofJobs...)) {
			continue
		}
		source, err := open.open(s, folder)
		if err != nil {
			return nil, err
		}
		l := newLane(open.kind, source)
		l.silent = !wanted
		lanes = append(lanes, l)
	}
	return lanes, nil
}

func (s *stream) close() {
	for _, r := range s.tables {
		r.close()
	}
	if s.kinds == nil {
		s.trace.mu.Lock()
		s.trace.silent[s.tree] = s.silent
		s.trace.use[s.tree] = s.use()
		s.trace.lost[s.tree] = s.lostRows()
		s.trace.mu.Unlock()
	}
}

// A tableSource is a source that is one table: its rows, and which of them can
// be used.
type tableSource struct {
	*rows
	accept func() bool
	at     core.Time
}

// open opens a table of a folder. Accept reports whether the current row can be used.
func (t *tableSource) open(s *stream, folder string, table *parquetlog.Table, b binding, accept func() bool) (err error) {
	t.accept, t.at = accept, never
	if t.rows, err = newRows(s, folder, table, b.names, b.bind); err == nil {
		s.tables = append(s.tables, t.rows)
	}
	return err
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
		bad := t.bad
		if t.accept() {
			t.used++
			t.at = t.stamp.Time
			return nil
		}
		if t.bad > bad {
			t.lose(t.stamp.Time)
		}
	}
}
