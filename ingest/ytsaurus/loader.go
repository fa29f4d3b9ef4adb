package ytsaurus

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/extsort"
	"poolproof/ingest/joblog"
)

// A loader takes rows in, in any order, and keeps what they say: whatever is
// as long as the log as records of a Sorter, what lives in the cluster in
// memory. Nothing that it keeps depends on the order of the rows.
type loader struct {
	options  *Options
	sorter   *extsort.Sorter
	problems *joblog.Problems
	err      error // of the sorter, or of a source that is of another kind than was asked for

	hours hourCount // of all rows
	only  core.Span // rows outside are strays; none if it is empty

	source string  // under way
	index  int64   // of the row in it
	kinds  [4]bool // by rowKinds, of the rows in it
	at     core.Time
	rec    encoder

	previous   core.Time // of the row before in the source
	disordered []bool    // by source, whether its rows go back in time
	json       []byte

	names   names
	trees   []string // by treeID
	treeIDs map[string]treeID

	operations map[guid]*operation
	archive    map[guid]*archived // operations as the archive records them
	poolSights map[poolName]*poolSight
	poolsInfos map[treeID][]core.Time // times of rows with all pools of a tree
	processes  []process
	starvation []starvationStep

	longestInterrupt int64 // the longest that a record gives preempted jobs of its operation to finish, in ms

	tagged    bool              // some sample says which tags its node has
	filters   []treeFilter      // of the exported trees
	tagTrees  map[string]treeID // which of them a node of those tags serves
	fallback  treeID            // the tree of what names none: that of a cluster of one
	exporting *exports

	counts       [eventTypeCount]int64
	unread       unreadKeys
	leftOut      []string         // sentences about options and keys that nothing knows
	unknown      map[string]int64 // rows by an event_type that the import does not know
	archivedRows map[string]int64 // rows of the archive, by their kind
	foreign      int64            // lines of structured logs that are none of ours
	first        core.Time        // of all rows; 0 without any
	last         core.Time
	dialect      dialect
	agents       skew
	replaced     int64 // texts whose bytes were no UTF-8

	anonymous  []core.Time              // of changes of parameters that name no operation
	dumped     []core.Time              // when Orchid dumps were taken that are used, in order
	snapped    map[treeID]snapshotTimes // of rows of snapshots
	jobRows    int64                    // that are kept
	digested   int64                    // rows whose digest is kept
	duplicates int64                    // rows that say what others say
	beyond     int64                    // rows after the look-ahead
}

// A poolName names a pool.
type poolName struct {
	tree treeID
	name string
}

// A treeFilter says which nodes serve an exported tree.
type treeFilter struct {
	tree   treeID
	filter pooltree.Formula
}

// A process is a row about the scheduler itself.
type process struct {
	time    core.Time
	event   eventType
	address string
}

// mostProblems is how many problems of one code a trace lists one by one.
const mostProblems = 10_000

func newLoader(o *Options, sorter *extsort.Sorter) *loader {
	return &loader{
		options: o, sorter: sorter, problems: &joblog.Problems{Limit: mostProblems},
		names: names{}, trees: []string{""}, treeIDs: map[string]treeID{},
		operations: map[guid]*operation{}, archive: map[guid]*archived{}, poolSights: map[poolName]*poolSight{}, poolsInfos: map[treeID][]core.Time{},
		tagTrees: map[string]treeID{}, unknown: map[string]int64{}, snapped: map[treeID]snapshotTimes{}, archivedRows: map[string]int64{},
	}
}

// row takes one row in.
func (l *loader) row(r *row) {
	l.take(r)
	if r.long > 0 {
		l.note("", textTooLong, "")
	}
}

func (l *loader) take(r *row) {
	var c columnSet
	c.read(r.root())
	if r.replace > 0 {
		l.replaced += int64(r.replace)
		l.note("", badUTF8, "")
	}
	name := c[keyEventType].bytes()
	if l.admit(&c); l.err != nil {
		return
	}
	if len(name) == 0 {
		if c.isArchived() {
			l.archivedRow(&c)
		} else {
			l.foreignRow(&c)
		}
		return
	}
	event := eventTypes[string(name)]
	if isOfGPUPolicy(event, &c) {
		l.unknownRow(slices.Concat([]byte(gpuCategory+"/"), name))
		return
	}
	if event == unknownEvent {
		l.unknownRow(name)
		return
	}
	at, ok := c[keyTimestamp].time()
	if !ok {
		l.quarantine("timestamp", badTimestamp, string(c[keyTimestamp].appendJSON(nil)))
		return
	}
	read := event
	event, at = l.ofOneClock(event, &c, at)
	if to := l.options.To; to != 0 && at >= to+lookahead {
		l.beyond++
		return
	}
	if l.only != (core.Span{}) && (at < l.only.From || at >= l.only.To) {
		l.quarantine("timestamp", strayTime, formatTime(at))
		return
	}
	l.hours.add(at)
	l.counts[read]++
	if l.first == 0 || at < l.first {
		l.first = at
	}
	l.last = max(l.last, at)
	l.at = at
	l.noteOrder()
	if !event.isJob() {
		l.digest(r)
	}
	switch event {
	case schedulerStarted, masterConnected, masterDisconnected:
		l.processes = append(l.processes, process{at, event, l.names.of(c[keyAddress].bytes())})
	case jobStarted, jobCompleted, jobFailed, jobAborted:
		l.job(event, &c)
	case clusterInfo:
	default:
		if l.options.To != 0 && at >= l.options.To && event != operationCompleted && event != operationFailed && event != operationAborted {
			return // beyond the window only ends matter
		}
		switch event {
		case fairShareInfo:
			l.snapshot(&c)
		case nodesInfo:
			l.nodes(c[keyTree].bytes(), c[keyNodes])
		case poolsInfo:
			l.pools(&c)
		case accumulatedUsageInfo:
			l.accumulated(&c)
		default:
			l.operationRow(event, &c)
		}
	}
}

// A columnSet holds the columns of a row by their key.
type columnSet [columnKeys]cursor

func (c *columnSet) read(root cursor) {
	for column := range root.children {
		// Two columns may say the same, as job_type and the archive's type.
		if k := column.key(); k < columnKeys && (c[k].isNull() || !column.isNull()) {
			c[k] = column
		}
	}
}

// maxUnknown bounds how many unknown event types are distinguished.
const maxUnknown = 1000

// unknownRow counts a row of an unknown event type.
func (l *loader) unknownRow(name []byte) {
	if _, known := l.unknown[string(name)]; !known && len(l.unknown) >= maxUnknown {
		name = nil
	}
	l.unknown[string(name[:min(len(name), 100)])]++
}

// foreignRow counts a row that records no event.
func (l *loader) foreignRow(c *columnSet) {
	if c[keyTimestamp].isNull() {
		l.foreign++ // another record of a structured log
		return
	}
	l.quarantine("event_type", noEventType, "")
}

// quarantine records that the row under way, or a part of it, was left out.
func (l *loader) quarantine(column, code, value string) {
	l.problems.Quarantine(l.source, l.index, column, code, value)
}

// note records that the row was used although a value of it was not.
func (l *loader) note(column, code, value string) {
	l.problems.Note(l.source, l.index, column, code, value)
}

// keep hands the record under way to the sorter.
func (l *loader) keep() {
	if err := l.sorter.Add(l.rec.b); err != nil && l.err == nil {
		l.err = err
	}
}

// id reads an id of a column, and records if it is none.
func (l *loader) id(c cursor, column string) (guid, bool) {
	g, ok := parseGUID(c.bytes())
	if !ok || g == (guid{}) {
		l.quarantine(column, badID, string(c.appendJSON(nil)))
		return g, false
	}
	return g, true
}

// optionalID reads an id that may be missing, and notes if it is none. Without one it
// returns the zero id.
func (l *loader) optionalID(c cursor, column string) guid {
	g, ok := parseGUID(c.bytes())
	if !ok && !c.isNull() {
		l.note(column, badID, string(c.appendJSON(nil)))
	}
	return g
}

// usable reports whether bytes may be the name of a pool, a node or a tree. A name that lost bytes
// is that of another one: a cluster that has such names has lost them all.
func usable(name []byte) bool {
	return len(name) > 0 && len(name) <= maxName && !slices.Contains(name, 0) && !bytes.Contains(name, replacement)
}

// poolName reads the name of an operation's pool, "" if it is none.
func (l *loader) poolName(c cursor) string {
	if name := c.bytes(); usable(name) {
		return l.names.of(name)
	}
	return ""
}

// replacement stands for bytes that are not UTF-8.
var replacement = []byte(string(utf8.RuneError))

// maxName is far above what the scheduler allows.
const maxName = 4096
