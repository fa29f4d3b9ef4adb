package openb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/quantity"
	"poolproof/core/resource"
	"poolproof/ingest/joblog"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// treeName names the one tree of a log.
const treeName = "default"

// progressRows is the number of rows between reports of progress and checks for an interrupt.
const progressRows = 1 << 12

// Options say what to import and how.
type Options struct {
	// Sources are the paths of the two tables in any order, or of the folder that holds them.
	// Their columns say which is which.
	Sources     []string
	Nodes, Pods string // paths of the two tables; found in Sources if empty
	Out         string // directory of the trace
	Replace     bool   // an existing trace is replaced

	Config *poolconf.File // what the pools are promised, gpu in devices; nil for nothing
	Epoch  core.Time      // time of second 0 of the log

	RowGroupRows int              // of the trace's files; 0 for the default
	Progress     func(rows int64) // called now and then with the pods read; nil for never

	choices []string // sentences: which of several tables was taken
}

// A Summary says what an import found.
type Summary = joblog.Summary

// Import turns the two tables into a trace. Other input gives a
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
		return Summary{}, &parquetlog.FormatError{File: o.Pods, Found: fmt.Sprintf("none of its %d rows is a pod that can be used%s", podSource.Rows, problems.Reason("row", 0))}
	}
	if err := forest.Err(); err != nil {
		return Summary{}, err
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
	s.Notes = slices.Concat(o.choices, notes(p, &o), moreThanNodes(forest, nodes), s.Notes)
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
		"Pods share GPUs, so that the trace counts thousandths of a device. Amounts of gpu in a configuration and in reports are devices.")
}

// moreThanNodes notes amounts of GPUs in the configuration that the nodes do not have: somebody
// may have written thousandths.
func moreThanNodes(forest *joblog.Forest, nodes []joblog.Node) []string {
	var total int64
	for _, n := range nodes {
		total += int64(n.Limit.GPU)
	}
	var beyond []string
	for i := range forest.Pools {
		row := &forest.Pools[i].Config.Row
		for _, option := range []struct {
			name   string
			amount trace.PartialResources
		}{
			{"strong_guarantee_resources", row.Strong}, {"resource_limits", row.Limit},
			{"burst_guarantee_resources", row.Burst}, {"resource_flow", row.Flow},
		} {
			if gpu := option.amount.GPU; gpu.Set && int64(gpu.Value) > total {
				beyond = append(beyond, fmt.Sprintf("%s of pool %s: %s", option.name, forest.Pools[i].Name, devices(int64(gpu.Value))))
			}
		}
	}
	if beyond == nil {
		return nil
	}
	return []string{fmt.Sprintf("The nodes have %s, and the configuration names more (%s). Amounts of gpu are devices, not thousandths.",
		devices(total), strings.Join(beyond, "; "))}
}

// devices prints an amount of the trace.
func devices(milli int64) string { return quantity.Amount("gpu", float64(milli)/MilliGPU) }
