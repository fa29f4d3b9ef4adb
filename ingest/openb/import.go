package openb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/joblog"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// treeName names the one tree of a log.
const treeName = "default"

// progressRows is how often progress is reported and an interrupt is checked for.
const progressRows = 1 << 12

// The names of the two tables as they are published.
const (
	nodesName = "openb_node_list_all_node.csv"
	podsName  = "openb_pod_list_default.csv"
)

// Options say what to import and how.
type Options struct {
	Directory string // holds the two tables by their published names, or with .gz or .zst
	Nodes     string // path of the table of nodes; "" for that of Directory
	Pods      string // path of the table of pods; "" for that of Directory
	Out       string // directory of the trace
	Replace   bool   // an existing trace is replaced

	Config *poolconf.File // what the pools are promised, gpu in devices; nil for nothing
	Epoch  core.Time      // when second 0 of the log was

	RowGroupRows int              // of the trace's files; 0 for the default
	Progress     func(rows int64) // called now and then with the pods read; nil for never
}

// A Summary says what an import found.
type Summary = joblog.Summary

// Import turns the two tables into a trace. Input that is no such table gives a
// *parquetlog.FormatError; a row that cannot be used becomes a problem of the
// trace.
func Import(ctx context.Context, o Options) (Summary, error) {
	if err := o.find(); err != nil {
		return Summary{}, err
	}
	var problems joblog.Problems
	forest := joblog.NewForest(o.Config, MilliGPU)
	p, podSource, err := readPods(ctx, &o, forest, &problems)
	if err != nil {
		return Summary{}, err
	}
	if o.Progress != nil {
		o.Progress(podSource.Rows)
	}
	if len(p.all) == 0 {
		return Summary{}, &parquetlog.FormatError{File: o.Pods, Found: fmt.Sprintf("none of its %d rows is a pod that can be used", podSource.Rows)}
	}
	nodes, nodeSource, err := readNodes(o.Nodes, &problems)
	if err != nil {
		return Summary{}, err
	}
	log := &joblog.Log{
		CreatedBy: "poolproof import openb", Sources: []trace.Source{podSource, nodeSource},
		Precision: core.Second, Last: core.Some(p.last),
		Trees: forest.Trees, Pools: forest.Pools, Nodes: nodes, Operations: p,
		Measures: measures, Problems: &problems,
	}
	s, err := joblog.Write(ctx, o.Out, trace.Options{Replace: o.Replace, RowGroupRows: o.RowGroupRows}, log)
	if err != nil {
		return Summary{}, err
	}
	s.Rows = podSource.Rows + nodeSource.Rows
	s.Notes = append(notes(p, &o), s.Notes...)
	return *s, nil
}

// measures says how far each resource can be judged. A job takes one user slot
// by definition; how many a node has is not known.
var measures = [resource.Kinds]joblog.Measure{
	resource.UserSlots: {Unit: "jobs", Capacity: "unknown", Usage: "assumed"},
	resource.CPU:       {Unit: "milli_cpu", Capacity: "recorded", Usage: "requested"},
	resource.GPU:       {Unit: "milli_gpu", Capacity: "recorded", Usage: "requested"},
	resource.Memory:    {Unit: "bytes", Capacity: "recorded", Usage: "requested"},
	resource.Network:   {Unit: "units", Capacity: "unknown", Usage: "unknown"},
}

func notes(p *pods, o *Options) (all []string) {
	if o.Epoch == 0 {
		all = append(all, "The log does not record when it began: its times count from 1970-01-01.")
	}
	never := 0
	for i := range p.all {
		if !p.all[i].scheduled.Set {
			never++
		}
	}
	if never > 0 {
		all = append(all, fmt.Sprintf("Pods that were never scheduled: %d; they demand without being given anything.", never))
	}
	return append(all,
		"The log does not record on which nodes pods ran: there are no heartbeats, and no node can be judged.",
		"GPUs are counted in thousandths of a device.")
}

// find completes the paths of the tables.
func (o *Options) find() error {
	for _, table := range []struct {
		path *string
		name string
	}{{&o.Nodes, nodesName}, {&o.Pods, podsName}} {
		if *table.path != "" {
			continue
		}
		if _, err := os.Stat(o.Directory); err != nil {
			return fmt.Errorf("open log: %w", err)
		}
		path, ok := findIn(o.Directory, table.name)
		if !ok {
			return &parquetlog.FormatError{File: o.Directory, Found: "it has no " + table.name + ", plain, .gz or .zst",
				Advice: "Give the directory of the log, or the paths of its two tables."}
		}
		*table.path = path
	}
	return nil
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
