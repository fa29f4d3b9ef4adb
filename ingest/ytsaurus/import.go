package ytsaurus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/extsort"
	"poolproof/ingest/joblog"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
	"poolproof/ingest/yson"
)

// wholeLog is the source of problems that no single record has: they show when
// records are put together. Their row is -1.
const wholeLog = "the log as a whole"

// Options say what to import and how.
type Options struct {
	Sources  []string             // files and folders, or - for standard input
	Kind     string               // of the sources; KindAuto or "" to find it from their content
	KindOf   map[string]string    // of single sources, by their path, before Kind
	TakenAt  map[string]core.Time // when a source was taken that is an export or a dump, by its path
	Exports  []Export             // of pool trees
	Out      string               // directory of the trace
	Replace  bool                 // an existing trace is replaced
	Cluster  string               // its name; may be empty
	Profile  string               // of the cluster's age; "" for what the dialect says
	From, To core.Time
	// Memory bounds what the import keeps of the log's rows at a time, in bytes;
	// 0 for a GiB. What lives in the cluster comes on top.
	Memory int64
	// Pages bounds a page of Parquet, an export or a row, in bytes; 0 for parquetlog.DefaultMemory.
	Pages parquetlog.Memory

	RowGroupRows int // of the trace's files; 0 for the default
	// Progress is called now and then; nil for never.
	Progress func(Progress)
}

// A Progress says how far an import is.
type Progress struct {
	Rows  int64
	Bytes int64  // read, as they are stored
	Of    int64  // of all sources; 0 if unknown
	Step  string // what was done last, after reading; "" while sources are read
}

// A Summary says what an import found.
type Summary = joblog.Summary

// Import turns a scheduler's event log into a trace. A source that cannot be
// read at all gives an error, of what is wrong in it a *parquetlog.FormatError;
// rows that cannot be used become problems of the trace.
func Import(ctx context.Context, o Options) (*Summary, error) {
	files, err := sourceFiles(o.Sources)
	if err != nil {
		return nil, err
	}
	w, err := trace.Create(o.Out, trace.Options{Replace: o.Replace, RowGroupRows: o.RowGroupRows})
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	memory := cmp.Or(o.Memory, 1<<30)
	placed := extsort.New(extsort.Options{Memory: memory / 4, Scratch: filepath.Join(w.Scratch(), "jobs")})
	defer placed.Close()
	if err := o.checkNamed(files); err != nil {
		return nil, err
	}
	files, among, dumps := o.parted(files)
	var exported *exports
	for _, e := range append(slices.Clone(o.Exports), among...) {
		if exported == nil {
			exported = &exports{}
		}
		if err := exported.read(e, o.Pages); err != nil {
			return nil, err
		}
	}
	in := inputs{options: &o, files: files, dumps: dumps, exported: exported, scratch: w.Scratch(), memory: memory / 2}
	defer in.close()
	r, err := in.load(ctx)
	if err != nil {
		return nil, err
	}
	defer r.sorter.Close()
	l := r.loader
	if l.first == 0 {
		return nil, &parquetlog.FormatError{File: o.Sources[0],
			Found:  fmt.Sprintf("none of its %d rows is an event that can be used%s", r.rows, l.problems.Reason("row", 0)),
			Advice: "Give the scheduler's event log: JSON lines, YSON or Parquet. The README shows the commands that export it."}
	}
	if o.From > l.last || o.To != 0 && o.To <= l.first {
		return nil, &parquetlog.FormatError{File: o.Sources[0], Found: fmt.Sprintf("its rows are of %s to %s, and the window is elsewhere", utc(l.first), utc(l.last))}
	}
	a := &assembly{loader: l, ctx: ctx, writer: w, placed: placed, rowsRead: r.rows, bytesRead: r.before, preempted: map[guid]preempted{}}
	a.progress("rows sorted")
	if err := a.assemble(); err != nil {
		return nil, err
	}
	if len(a.published) == 0 && l.jobRows > 0 {
		return nil, &parquetlog.FormatError{File: o.Sources[0], Found: "no row says in which pool tree its jobs ran, neither by a column nor by a snapshot of a tree (fair_share_info) or its nodes (nodes_info)",
			Advice: "Logs before October 2020 name no tree in rows of jobs. Give the export of the pool trees, --pool-trees FILE, and, if the cluster has several, rows of all event types: the tags of nodes (nodes_info) show whose jobs they run."}
	}
	sources := r.sources
	if l.exporting != nil {
		sources = append(sources, l.exporting.sources...)
	}
	if err := l.problems.Write(w, append([]trace.Source{{Path: wholeLog}}, sources...)); err != nil {
		return nil, err
	}
	// The folder of scratch files must be gone before the trace appears.
	if err := errors.Join(l.sorter.Close(), placed.Close(), removeEmpty(w.Scratch())); err != nil {
		return nil, err
	}
	m := a.manifest(sources)
	if err := w.Commit(m); err != nil {
		return nil, err
	}
	s := a.summary(&m)
	s.Rows = r.rows
	return s, nil
}

func utc(t core.Time) string { return time.UnixMicro(int64(t)).UTC().Format("2006-01-02 15:04:05") }

// profile is the age of the cluster, which the user may state.
func (a *assembly) profile() string { return cmp.Or(a.options.Profile, a.dialect.profile()) }

// manifest says what the trace holds.
func (a *assembly) manifest(sources []trace.Source) trace.Manifest {
	m := trace.Manifest{
		Cluster: a.options.Cluster, CreatedBy: "poolproof import ytsaurus", Profile: a.profile(),
		Window: trace.Window(a.window), WarmupUS: int64(max(a.window.From-a.began, 0)), LookaheadUS: int64(max(a.last-a.window.To, 0)),
		Sources: sources, TimePrecisionUS: 1, ClockUncertaintyUS: int64(a.uncertainty()),
		Coverage: trace.Coverage{
			Heartbeats: "none", Demand: "none", PreemptionDetails: "preemptor",
			TreeConfig: "assumed", PoolConfig: "assumed", Placements: "recorded",
			// No row records who runs and who waits: it is inferred from snapshots.
			OperationStates: "assumed",
			NodeStates:      "sampled",
			Operations:      "recorded",
		},
	}
	if !slices.ContainsFunc(a.published, func(id treeID) bool { return !a.byTree[id].recordsRunning() }) {
		m.Coverage.OperationStates = "recorded"
	}
	if len(a.tagTrees) > 0 {
		m.Coverage.NodeStates = "inferred"
	}
	if a.losesJobRows {
		m.Coverage.JobRows = "partial"
	}
	if a.losesJobEnds {
		m.Coverage.JobEnds = "partial"
	}
	if a.losesOperations() {
		m.Coverage.Operations = "partial"
	}
	if a.jobs > 0 {
		m.Coverage.Heartbeats = "reconstructed"
	} else if a.counts[nodesInfo] > 0 || a.densely() {
		m.Coverage.Heartbeats = "sampled"
	}
	if a.counts[fairShareInfo] > 0 || a.densely() {
		m.Coverage.Demand = "snapshots"
	}
	if a.exporting != nil {
		m.Coverage.TreeConfig, m.Coverage.PoolConfig = "single", "single"
		if len(a.exporting.versions) > 1 {
			m.Coverage.TreeConfig, m.Coverage.PoolConfig = "history", "history"
		}
	}
	if a.counts[poolsInfo] > 0 {
		m.Coverage.PoolConfig = "history"
	}
	m.Notes = a.timeNotes()
	m.Dialect, m.Log = a.dialect.texts(), a.readLog()
	for _, id := range a.published {
		m.Trees = append(m.Trees, a.trees[id])
	}
	var total [resource.Kinds]int64
	for _, n := range a.nodeList {
		if len(n.states) == 0 || !n.states[0].online || n.states[0].tree == noTree {
			continue
		}
		r := n.states[0].limits
		for k, amount := range [resource.Kinds]int64{r.UserSlots, r.CPUMilli, int64(r.GPU), r.Memory, r.Network} {
			total[k] += amount
		}
	}
	for k, unit := range [resource.Kinds]string{"jobs", "milli_cpu", "devices", "bytes", "units"} {
		capacity := "recorded"
		if !a.placesNodes() || a.counts[nodesInfo] == 0 && !a.densely() {
			capacity = "unknown"
		}
		usage := "recorded"
		if a.jobs == 0 {
			usage = "unknown" // it is that of the jobs
		}
		m.Resources = append(m.Resources, trace.Resource{Name: resource.Kind(k).String(), Unit: unit, Capacity: capacity, Usage: usage, Total: total[k]})
	}
	return m
}

// placesNodes reports whether the log records for any tree what its nodes have. Nodes of 2020
// name no tree: without an export their trees are unknown.
func (a *assembly) placesNodes() bool {
	return slices.ContainsFunc(a.nodeList, func(n *node) bool {
		return slices.ContainsFunc(n.states, func(s nodeState) bool { return s.tree != noTree })
	})
}

// readLog counts what was read.
func (a *assembly) readLog() *trace.Log {
	l := &trace.Log{Archived: a.archivedRows, Dumps: int64(len(a.dumped)), Rows: a.rowsRead, Duplicates: a.duplicates, Foreign: a.foreign, Beyond: a.beyond, Events: map[string]int64{}, Unknown: a.unknown}
	for event, n := range a.counts {
		if n > 0 {
			l.Events[eventNames[event]] = n
		}
	}
	return l
}

// uncertainty is how far the clocks of the log's writers are apart. A job whose start only a
// later row records says how vague it is.
func (a *assembly) uncertainty() core.Time { return a.agents.most() }

// timeNotes say why times may be off.
func (a *assembly) timeNotes() []string {
	notes := a.agents.notes()
	if a.guessed > 0 {
		notes = append(notes, fmt.Sprintf("Of %d jobs only the row of the start is there: their start is known to at most %s s.", a.guessed, inSeconds(a.lags.longest())))
	}
	return notes
}

func (a *assembly) summary(m *trace.Manifest) *Summary {
	s := &Summary{
		Operations: int64(len(a.ordered)), Jobs: a.jobs, Nodes: int64(len(a.nodeList)), Pools: int64(len(a.pools)),
		Trees: m.Trees, Window: a.window,
	}
	s.Quarantined, s.Noted = a.problems.Counts()
	note := func(format string, args ...any) { s.Notes = append(s.Notes, fmt.Sprintf(format, args...)) }
	note("The cluster is of the age of profile %s.", m.Profile)
	if a.exporting == nil {
		note("No export of the pool trees was given: settings of trees are assumed, and what only they promise cannot be judged. Give --pool-trees.")
	}
	if a.counts[nodesInfo] == 0 {
		note("No row records nodes (nodes_info): what nodes have is unknown.")
	}
	if a.undescribed > 0 {
		note("Nodes that serve while no row of nodes_info describes them: %d. What their trees have is unknown then.", a.undescribed)
	}
	if a.jobs == 0 {
		note("No row records jobs: what operations used is unknown.")
	}
	if a.counts[fairShareInfo] == 0 {
		note("No row records shares (fair_share_info): demand is unknown, and so is which operations starved.")
	}
	if a.duplicates > 0 {
		note("%d rows say word for word what others say; each counts once.", a.duplicates)
	}
	if a.foreign > 0 {
		note("%d lines record no event and were passed over.", a.foreign)
	}
	if n := len(a.leftOut); n > 0 {
		s.Notes = append(s.Notes, a.leftOut[:min(n, mostLeftOut)]...)
		if n > mostLeftOut {
			note("%d more keys are left out; the trace's problems name them (unknown_option, unknown_key).", n-mostLeftOut)
		}
	}
	s.Notes = append(s.Notes, a.timeNotes()...)
	return s
}

// mostLeftOut is how many unknown keys a summary names.
const mostLeftOut = 10

// A reading reads the sources one after the other.
type reading struct {
	*loader
	ctx     context.Context
	rows    int64
	before  int64 // bytes of the sources that are done
	total   int64
	scratch string // a folder for what is needed only while reading
	stdin   *spool
	sources []trace.Source
	lines   lineReader
	json    jsonReader
	records yson.Reader
	yson    ysonReader
	parquet parquetReader
	budget  *parquetlog.Budget // of Parquet's pages
	record  row
}

// file reads one source.
func (r *reading) file(path string) error {
	s, err := r.open(path)
	if isDamage(err) {
		return r.unreadable(path, err)
	}
	if err != nil {
		return err
	}
	defer s.close()
	r.source, r.index, r.kinds = path, -1, [4]bool{}
	r.previous, r.disordered = 0, append(r.disordered, false)
	form, err := formOf(r.options.asked(path), s.head)
	var wrong *parquetlog.FormatError
	if errors.As(err, &wrong) {
		wrong.File = path
		return err
	}
	first, last := r.first, r.last
	r.first, r.last = 0, 0
	before := r.rows
	switch form {
	case KindJSON:
		err = r.jsonLines(s)
	case KindYSON:
		err = r.ysonRecords(s)
	case KindParquet:
		err = r.parquetRows(s)
	default:
		err = &parquetlog.FormatError{File: path, Found: "it begins as " + kindTexts[form], Advice: "Say so before it is read: --kind " + path + "=" + form + "."}
	}
	if s.damage != nil {
		// What came before the damage is used.
		r.problems.Note(path, -1, "", endOfSource, s.damage.Error())
		err = nil
	}
	if err == nil {
		err = r.err
	}
	if err != nil {
		return err
	}
	source := trace.Source{Path: path, Kind: r.kindRead(form), Rows: r.rows - before, First: r.first, Last: r.last}
	if source.SHA256, err = s.file.Digest(); err != nil && !isDamage(err) {
		return err
	}
	r.sources = append(r.sources, source)
	switch {
	case source.Rows == 0 && s.damage == nil:
		r.problems.Note(path, -1, "", emptySource, "")
	case source.Rows > 0 && source.First == 0 && !r.kinds[2] && !r.kinds[3]: // rows of the archive have no time of their own
		r.problems.Note(path, -1, "", nothingUsed, fmt.Sprintf("%d rows", source.Rows))
	}
	r.before += s.file.Stored()
	if first != 0 && (r.first == 0 || first < r.first) {
		r.first = first
	}
	r.last = max(r.last, last)
	return nil
}

// unreadable records a source whose compressed data is damaged from its beginning.
func (r *reading) unreadable(path string, err error) error {
	r.problems.Note(path, -1, "", endOfSource, err.Error())
	source := trace.Source{Path: path, Kind: "damaged"}
	if path != joblog.Stdin {
		if source.SHA256, err = digestOf(path); err != nil {
			return err
		}
	}
	r.sources = append(r.sources, source)
	return nil
}

// jsonLines reads rows of JSON, one in a line.
func (r *reading) jsonLines(s *sourceReader) error {
	r.lines.reset(s.in)
	r.lines.longest = atOnce(maxRow, r.budget)
	for {
		line, whole, err := r.lines.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		r.index++
		if err := r.tick(s); err != nil {
			return err
		}
		if line == nil && r.lines.longest < maxRow {
			return tooMuch(r.source, r.lines.longest)
		}
		if line == nil {
			r.quarantine("", rowTooLong, "")
			continue
		}
		if blank(line) {
			continue
		}
		if err := r.json.read(line, &r.record); err != nil {
			r.badLine(line, whole, err)
			continue
		}
		r.row(&r.record)
		if r.err != nil {
			return r.err
		}
	}
}

// ysonRecords reads rows of YSON, with semicolons between them.
func (r *reading) ysonRecords(s *sourceReader) error {
	r.records.Reset(s.in, atOnce(maxRow, r.budget))
	read := func(in *yson.Decoder) error { return r.yson.read(in, &r.record) }
	for {
		err := r.records.Next(read)
		if err == io.EOF {
			return nil
		}
		if err == nil && len(r.record.values) == 0 {
			continue // it describes the table
		}
		r.index++
		if stop := r.tick(s); stop != nil {
			return stop
		}
		if err == nil {
			r.row(&r.record)
			err = r.err
		} else {
			err = r.badRecord(err)
		}
		if err != nil {
			return err
		}
	}
}

// badRecord records a record of YSON that is no row. It returns an error that is of
// the source.
func (r *reading) badRecord(err error) error {
	var bad *rowError
	var syntax *yson.SyntaxError
	var long *yson.TooLongError
	found := errors.As(err, &syntax)
	switch {
	case errors.As(err, &long) && long.Limit < maxRow:
		return tooMuch(r.source, long.Limit)
	case long != nil:
		r.quarantine("", rowTooLong, err.Error())
	case !found && !errors.As(err, &bad):
		return err
	case r.records.First() != '{' && r.records.First() != '<':
		r.foreign++ // another line of a log file
	case found && syntax.Cut:
		r.quarantine("", truncatedRow, err.Error())
	default:
		r.quarantine("", badRow, err.Error())
	}
	return nil
}

// badLine records a line that is no row.
func (r *reading) badLine(line []byte, whole bool, err error) {
	switch {
	case firstByte(line) != '{':
		r.foreign++ // another line of a log file
	case !whole:
		r.quarantine("", truncatedRow, err.Error())
	default:
		r.quarantine("", badRow, err.Error())
	}
}

func firstByte(line []byte) byte {
	for _, c := range line {
		if !isSpace(c) {
			return c
		}
	}
	return 0
}

func blank(line []byte) bool { return firstByte(line) == 0 }

// tick counts a row, and now and then reports progress and checks for an interrupt.
func (r *reading) tick(s *sourceReader) error {
	r.rows++
	if r.rows%progressRows != 0 {
		return nil
	}
	if r.options.Progress != nil {
		r.options.Progress(Progress{Rows: r.rows, Bytes: r.before + max(s.file.Stored(), s.read), Of: r.total})
	}
	return r.ctx.Err()
}
