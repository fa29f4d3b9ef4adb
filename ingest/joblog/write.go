package joblog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

// Write writes the log as the trace out and says what it holds. The notes are
// the importer's to add. The trace appears whole or not at all.
func Write(ctx context.Context, out string, o trace.Options, log *Log) (*Summary, error) {
	w, err := trace.Create(out, o)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	s := surveyOf(log)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := writeDimensions(w, log, s); err != nil {
		return nil, err
	}
	first := core.JobID(0)
	for tree := range log.Trees {
		t := &treeWriter{log: log, survey: s, tree: tree, out: w.Tree(log.Trees[tree].Name), firstJob: first}
		if err := t.write(ctx); err != nil {
			return nil, fmt.Errorf("write tree %s: %w", log.Trees[tree].Name, err)
		}
		first += core.JobID(len(t.jobs))
	}
	if err := log.Problems.Write(w, log.Sources); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := manifestOf(log, s)
	if err := w.Commit(m); err != nil {
		return nil, err
	}
	var notes []string
	if len(s.idle) > 0 {
		notes = append(notes, "Configured pools that no operation is in: "+strings.Join(s.idle, ", ")+
			". The log's pools are "+few(s.met)+". Are they spelt as in the log?")
	}
	quarantined, noted := log.Problems.Counts()
	return &Summary{
		Notes:       notes,
		Quarantined: quarantined, Noted: noted,
		Operations: int64(log.Operations.Len()), Jobs: int64(first),
		Nodes: int64(len(log.Nodes)), Pools: int64(len(log.Pools)),
		Trees: m.Trees, Window: s.window,
	}, nil
}

func manifestOf(log *Log, s *survey) trace.Manifest {
	m := trace.Manifest{
		Cluster: log.Cluster, CreatedBy: log.CreatedBy,
		Window: trace.Window(s.window), Sources: slices.Clone(log.Sources),
		TimePrecisionUS: int64(log.Precision), ClockUncertaintyUS: int64(log.Precision),
		Coverage: trace.Coverage{
			// What an operation demands is made up of its jobs.
			Heartbeats: "none", Demand: "reconstructed", PreemptionDetails: "none",
			TreeConfig: "assumed", PoolConfig: "assumed", Placements: "none",
			// A log of whole jobs does not say what waited in a queue and what
			// could have run: every submitted operation takes part.
			OperationStates: "assumed",
		},
		WarmupUS: int64(s.window.From - s.began),
	}
	if log.Turns {
		m.Coverage.OperationStates = "placed"
	}
	if !s.demands {
		m.Coverage.Demand = "none"
	}
	if s.endless {
		m.Coverage.JobEnds = "partial"
	}
	if log.Placements {
		m.Coverage.Heartbeats, m.Coverage.Placements = "reconstructed", "recorded"
	}
	for _, t := range log.Trees {
		m.Trees = append(m.Trees, t.Name)
		if t.Config.Set {
			m.Coverage.PoolConfig = "single"
			if t.Config.Row.Source == "export" {
				m.Coverage.TreeConfig = "single"
			}
		}
	}
	// The first source is the log itself.
	m.Sources[0].First, m.Sources[0].Last = s.window.From, s.window.To-log.Precision
	total := total(log.Nodes)
	for k, measure := range log.Measures {
		m.Resources = append(m.Resources, trace.Resource{
			Name: resource.Kind(k).String(), Unit: measure.Unit,
			Capacity: measure.Capacity, Usage: measure.Usage, Total: total[k],
		})
	}
	return m
}

// total sums up what the nodes have, in the units of the trace.
func total(nodes []Node) (sum [resource.Kinds]int64) {
	for _, n := range nodes {
		sum[resource.UserSlots] += n.Limit.UserSlots
		sum[resource.CPU] += n.Limit.CPUMilli
		sum[resource.GPU] += int64(n.Limit.GPU)
		sum[resource.Memory] += n.Limit.Memory
		sum[resource.Network] += n.Limit.Network
	}
	return sum
}

func writeDimensions(w *trace.Writer, log *Log, s *survey) error {
	var o Operation
	for i := range log.Operations.Len() {
		log.Operations.Describe(i, &o)
		row := trace.Operation{
			Op: core.OperationID(i), ID: o.ID, Type: o.Type, User: o.User,
			StartTime: core.Some(o.Submit), FinishTime: o.End,
			FinalState:      text(o.FinalState),
			AnnotationsJSON: text(log.Operations.Annotations(i)),
			JobCount:        core.Some(int64(s.jobs[i])),
		}
		if o.Undated {
			row.StartTime = core.Optional[core.Time]{}
		}
		if err := w.Add(&row); err != nil {
			return err
		}
	}
	for i, p := range log.Pools {
		seen := s.pools[i]
		err := w.Add(&trace.Pool{
			Pool: core.PoolID(i), Tree: log.Trees[p.Tree].Name, Name: p.Name,
			FirstSeen: seen.From, LastSeen: seen.To, Ephemeral: p.Ephemeral,
		})
		if err != nil {
			return err
		}
	}
	for i, n := range log.Nodes {
		seen := s.nodes[i]
		err := w.Add(&trace.Node{Node: core.NodeID(i), Address: n.Address, FirstSeen: seen.From, LastSeen: seen.To})
		if err != nil {
			return err
		}
	}
	return nil
}

// text is a text that may be missing.
func text(s string) core.Optional[string] { return core.Optional[string]{Value: s, Set: s != ""} }

// few are names for a person, of many the first.
func few(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most-1], ", "), len(names)-most+1)
}
