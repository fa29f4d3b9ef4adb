package swf

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/joblog"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// Options say what to import and how.
type Options struct {
	Source   string // path of the log, - for standard input
	Machines string // path of the machines file; "" for the one beside the log, if there is one
	Out      string // directory of the trace
	Replace  bool   // an existing trace is replaced

	TreeBy  string         // none (default) or partition
	PoolBy  string         // queue (default), group or user
	Config  *poolconf.File // what the pools are promised; nil for nothing
	Dialect string         // auto (default), standard or alea: how memory is counted
	Epoch   core.Time      // start of a log that does not say when it began

	RowGroupRows int              // of the trace's files; 0 for the default
	Progress     func(rows int64) // called now and then with the rows read; nil for never
}

// A Summary says what an import found.
type Summary = joblog.Summary

// The values of the options that are words.
var (
	trees    = []string{"none", "partition"}
	pools    = []string{"queue", "group", "user"}
	dialects = []string{"auto", "standard", "alea"}
)

func (o *Options) check() error {
	for _, word := range []struct {
		name  string
		value *string
		known []string
	}{
		{"TreeBy", &o.TreeBy, trees}, {"PoolBy", &o.PoolBy, pools}, {"Dialect", &o.Dialect, dialects},
	} {
		if *word.value == "" {
			*word.value = word.known[0]
		}
		if !slices.Contains(word.known, *word.value) {
			return fmt.Errorf("import swf: unknown %s %q (want one of %s)", word.name, *word.value, strings.Join(word.known, ", "))
		}
	}
	return nil
}

// Import turns a log into a trace. Other input gives a
// *parquetlog.FormatError; a line that cannot be used becomes a problem of the
// trace.
func Import(ctx context.Context, o Options) (Summary, error) {
	if err := o.check(); err != nil {
		return Summary{}, err
	}
	l, err := loadFile(ctx, &o)
	if err != nil {
		return Summary{}, err
	}
	clusters, sources, err := l.machines(&o)
	if err != nil {
		return Summary{}, err
	}
	dated := l.setTimes(o.Epoch)
	l.alea = o.Dialect == "alea" || o.Dialect == "auto" && l.extended
	m := &model{log: l, all: l.operations()}
	if len(m.all) == 0 {
		return Summary{}, &parquetlog.FormatError{File: l.path,
			Found: fmt.Sprintf("none of its %d lines is a job that can be used%s", l.rows, l.problems.Reason("line", 1)),
			Advice: fmt.Sprintf("Give a log in the Standard Workload Format: %d fields a line, or %d with Alea's extension, -1 for what is not known.",
				standardFields, extendedFields)}
	}
	forest := joblog.NewForest(o.Config, 1)
	m.assignPools(forest, &o)
	if err := forest.Err(); err != nil {
		return Summary{}, err
	}
	written := &joblog.Log{
		Cluster:   systemName(l.header.computer, l.header.installation),
		CreatedBy: "poolproof import swf", Sources: sources, Precision: core.Second,
		Operations: m, Problems: &l.problems,
	}
	n := &notes{m: m, clusters: clusters, dated: dated, config: o.Config}
	known := m.addNodes(written, forest, clusters)
	written.Trees, written.Pools = forest.Trees, forest.Pools
	written.Measures = m.measures(known)
	summary, err := joblog.Write(ctx, o.Out, trace.Options{Replace: o.Replace, RowGroupRows: o.RowGroupRows}, written)
	if err != nil {
		return Summary{}, err
	}
	summary.Rows = l.rows
	summary.Notes = append(n.all(written, known), summary.Notes...)
	return *summary, nil
}

func loadFile(ctx context.Context, o *Options) (*log, error) {
	f, err := joblog.Open(o.Source)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return load(ctx, f, o.Progress)
}

// machines reads the machines file, if there is one, and returns all sources.
func (l *log) machines(o *Options) ([]cluster, []trace.Source, error) {
	path := o.Machines
	if path == "" {
		if path = machinesBeside(o.Source); path == "" {
			return nil, []trace.Source{l.source}, nil
		}
	}
	clusters, source, err := readMachines(path)
	return clusters, []trace.Source{l.source, source}, err
}

// machinesBeside returns the machines file of a log: its name, with or without
// the ending of the compression, and .machines.
func machinesBeside(source string) string {
	if source == joblog.Stdin {
		return ""
	}
	plain := strings.TrimSuffix(strings.TrimSuffix(source, ".gz"), ".zst")
	for _, path := range []string{plain + ".machines", source + ".machines"} {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	return ""
}

func systemName(computer, installation string) string {
	switch {
	case computer == "":
		return installation
	case installation == "":
		return computer
	}
	return computer + ", " + installation
}
