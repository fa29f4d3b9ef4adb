package google2011

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/joblog"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// treeName names the one tree of a log.
const treeName = "default"

// progressRows is the number of rows between reports of progress and checks for an interrupt.
const progressRows = 1 << 14

// The names of the tables.
const (
	eventsName   = "job_events.csv"
	machinesName = "machines.csv"
	removalsName = "machine_remove_events.csv"
)

// What names a pool.
const (
	byClass = "class"
	byUser  = "user"
)

// Options say what to import and how.
type Options struct {
	Directory string // holds the tables, plain or with .gz or .zst
	Out       string // directory of the trace
	Replace   bool   // an existing trace is replaced

	PoolBy string         // class (default) or user
	Config *poolconf.File // what the pools are promised; nil for nothing
	Epoch  core.Time      // time 0 of the log
	To     core.Time      // later rows are passed over; 0 for none

	RowGroupRows int              // of the trace's files; 0 for the default
	Progress     func(rows int64) // called now and then with the rows read; nil for never
}

// A Summary says what an import found.
type Summary = joblog.Summary

// Import turns the tables into a trace. Other input gives a
// *parquetlog.FormatError; a row that cannot be used becomes a problem of the
// trace.
func Import(ctx context.Context, o Options) (Summary, error) {
	if o.PoolBy == "" {
		o.PoolBy = byClass
	}
	if known := []string{byClass, byUser}; !slices.Contains(known, o.PoolBy) {
		return Summary{}, fmt.Errorf("import google2011: unknown PoolBy %q (want one of %s)", o.PoolBy, strings.Join(known, ", "))
	}
	path, err := o.eventsFile()
	if err != nil {
		return Summary{}, err
	}
	var problems joblog.Problems
	e, source, err := readEvents(ctx, path, &o, &problems)
	if err != nil {
		return Summary{}, err
	}
	if o.Progress != nil {
		o.Progress(source.Rows)
	}
	e.sort()
	l := livesOf(e, path, &problems)
	if len(l.all) == 0 {
		return Summary{}, &parquetlog.FormatError{File: path, Found: fmt.Sprintf("none of its %d rows is of a job that can be used%s", source.Rows, problems.Reason("row", 0))}
	}
	m, sources, err := readMachines(&o, &problems)
	if err != nil {
		return Summary{}, err
	}
	forest := joblog.NewForest(o.Config, 1)
	l.assignPools(forest, o.PoolBy)
	if err := forest.Err(); err != nil {
		return Summary{}, err
	}
	log := &joblog.Log{
		CreatedBy: "poolproof import google2011", Sources: append([]trace.Source{source}, sources...),
		Precision: 1, Last: core.Some(max(e.last, m.last)),
		Trees: forest.Trees, Pools: forest.Pools, Nodes: m.nodes(), Operations: l, Turns: true,
		Measures: measures, Problems: &problems,
	}
	if e.seen {
		log.First = core.Some(e.first)
	}
	s, err := joblog.Write(ctx, o.Out, trace.Options{Replace: o.Replace, RowGroupRows: o.RowGroupRows}, log)
	if err != nil {
		return Summary{}, err
	}
	for i := range log.Sources {
		s.Rows += log.Sources[i].Rows
	}
	s.Notes = append(notes(l, m, &o), s.Notes...)
	return *s, nil
}

// measures says how far each resource can be judged: not at all.
var measures = [resource.Kinds]joblog.Measure{
	resource.UserSlots: {Unit: "jobs", Capacity: "unknown", Usage: "unknown"},
	resource.CPU:       {Unit: "milli_cpu", Capacity: "unknown", Usage: "unknown"},
	resource.GPU:       {Unit: "devices", Capacity: "unknown", Usage: "unknown"},
	resource.Memory:    {Unit: "bytes", Capacity: "unknown", Usage: "unknown"},
	resource.Network:   {Unit: "units", Capacity: "unknown", Usage: "unknown"},
}

func notes(l *lives, m *machines, o *Options) (all []string) {
	if o.Epoch == 0 {
		all = append(all, "The log does not record when it began: its times count from 1970-01-01.")
	}
	if l.before > 0 {
		all = append(all, fmt.Sprintf("Operations that were there before the log began: %d; when they were submitted is not known.", l.before))
	}
	all = append(all,
		"The log has no tasks and no amounts: shares, guarantees and nodes cannot be judged; counts of operations can.",
		"An operation is pending from its submission until its first task was placed. The log does not record whether it waited for admission or for room on machines.")
	if m.removals > 0 {
		all = append(all, fmt.Sprintf("Removals of machines: %d. The log does not record their return: they stay offline.", m.removals))
	}
	return all
}

func (o *Options) eventsFile() (string, error) {
	if _, err := os.Stat(o.Directory); err != nil {
		return "", fmt.Errorf("open log: %w", err)
	}
	path, ok := findIn(o.Directory, eventsName)
	if !ok {
		return "", &parquetlog.FormatError{File: o.Directory, Found: "it has no " + eventsName + ", plain, .gz or .zst",
			Advice: "Give the directory of the log."}
	}
	return path, nil
}

func findIn(directory, name string) (string, bool) {
	for _, ending := range []string{"", ".gz", ".zst"} {
		path := filepath.Join(directory, name+ending)
		if _, err := os.Stat(path); err == nil {
			return path, true
		}
	}
	return "", false
}
