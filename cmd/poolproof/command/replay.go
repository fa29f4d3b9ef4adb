package command

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"strings"
	"sync"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/spelling"
	"poolproof/ingest"
	"poolproof/ingest/atomicdir"
	"poolproof/ingest/trace"
	"poolproof/replay"
	"poolproof/replay/env"
	"poolproof/replay/survey"
	"poolproof/replay/tables"
)

const replayHelp = `
Replay TRACE through one scheduling core per pool tree and write the result
tables, one Arrow file per tree and table, to the directory RUN. RUN appears
whole or not at all. The same trace and options give the same bytes, whatever
the number of workers.

Example: replay one tree from a time on.
  poolproof replay trace --out late --tree physical --from 2025-03-03T08:08:00Z

Example: judge by the slacks of a policy, which the manifest of RUN then records.
  poolproof replay trace --out judged --policy policy.yaml

Example: what would the policy have decided on a node at a moment, and why?
  poolproof replay trace --out asked --ask cpu-3@2025-03-03T08:10:00Z
  poolproof audit asked
  poolproof explain asked cpu-3

usage: poolproof replay TRACE --out RUN
`

// A replayRequest holds the flags of a replay.
type replayRequest struct {
	selection
	out        string
	replace    bool
	resolution float64
	slacks     map[string]float64 // of the policy
	asks       []string
	quiet      bool
	memory     string
	limits     memoryLimits // that follow from memory
}

func (q *replayRequest) addTo(f flagSet) {
	f.StringVar(&q.out, "out", "", "directory `RUN` to make")
	f.BoolVar(&q.replace, "replace", false, "replace RUN if it is a run already")
	q.selection.addTo(f)
	f.Float64Var(&q.resolution, "resolution", env.DefaultResolution, "movement of a share that closes a row of the interval tables")
	f.StringArrayVar(&q.asks, "ask", nil, "ask the policy what a heartbeat of a node would decide, and why: `NODE@TIME`; answers stand in the table considerations (repeatable)")
	f.StringVar(&q.memory, "memory", "", memoryHelp)
	f.BoolVar(&q.quiet, "quiet", false, quietHelp)
}

func replayCommand(ctx context.Context, env *environment, args []string) error {
	var q replayRequest
	f := newFlags(env, "replay", replayHelp)
	q.addTo(f)
	policyFile := f.String("policy", "", "policy `FILE` with the slacks that the replay judges by; audit --help shows them")
	positional, err := parse(f, args, "TRACE")
	if err != nil {
		return err
	}
	if q.limits, err = boundMemory(q.memory); err != nil {
		return err
	}
	policy, _, err := readPolicyFile(*policyFile)
	if err != nil {
		return err
	}
	q.slacks = policy.ReplaySlacks()
	directory, err := newRun(q.out, q.replace)
	if err != nil {
		return err
	}
	defer directory.Abort()
	p := newProgress(env, q.quiet)
	defer p.done()
	manifest, err := replayInto(ctx, directory.Path, positional[0], &q, p)
	if err != nil {
		return err
	}
	if err := directory.Commit(); err != nil {
		return err
	}
	p.done()
	fmt.Fprintf(p.summary(env.stdout), "Replayed %s by profile %s: %s\n", counted(len(manifest.Trees), "tree"), manifest.Profile, q.out)
	return nil
}

func newRun(out string, replace bool) (*atomicdir.Directory, error) {
	if out == "" {
		return nil, usagef("--out RUN is missing: name the directory to make")
	}
	if strings.Contains(out, "?") {
		return nil, usagef("--out %q: DuckDB cannot open a database whose path holds a question mark", out)
	}
	return atomicdir.New(out, atomicdir.Options{Replace: replace, What: "run", Check: func(dir string) error {
		_, err := replay.ReadManifest(dir)
		return err
	}})
}

// replayInto replays a trace into the directory dir, manifest included.
func replayInto(ctx context.Context, dir, tracePath string, q *replayRequest, p *progress) (*replay.Manifest, error) {
	if _, err := trace.ReadManifest(tracePath); err != nil {
		return nil, err // a folder that is not a trace is reported before any of it is digested
	}
	inputs, err := digestInputs(ctx, tracePath)
	if err != nil {
		return nil, err
	}
	manifest, err := replayInputs(ctx, dir, tracePath, inputs, q, p)
	if err != nil {
		return nil, inputs.blame(ctx, err)
	}
	return manifest, nil
}

// replayInputs replays a trace whose files have been digested.
func replayInputs(ctx context.Context, dir, tracePath string, inputs *inputFiles, q *replayRequest, p *progress) (*replay.Manifest, error) {
	t, err := ingest.OpenWithin(tracePath, q.limits.trace)
	if err != nil {
		return nil, err
	}
	names, err := chooseTrees(t.Trees(), q.trees)
	if err != nil {
		return nil, err
	}
	opts, err := replayOptions(t, q)
	if err != nil {
		return nil, err
	}
	opts.Progress = replayProgress(p)
	opts.Problems = func() []tables.Problem { return problemRows(t.Problems()) }
	var trees []env.Tree
	for _, name := range names {
		rows, _, err := treeSize(tracePath, t.Manifest(), name)
		if err != nil {
			return nil, err
		}
		trees = append(trees, env.Tree{Name: name, Events: t.Events(name, ingest.Options{Profile: opts.Profile, To: opts.Window.To}), Rows: rows})
	}
	if opts.Asks, err = parseAsks(q.asks, t.Dimensions().Nodes, opts.Window); err != nil {
		return nil, err
	}
	opts.Cluster, opts.Strays = clusterOf(t, opts)
	p.step("Replaying %s of %s", counted(len(trees), "tree"), tracePath)
	summary, err := replay.Run(ctx, dir, t.Dimensions(), trees, opts)
	if err != nil {
		return nil, err
	}
	if err := t.Usable(names); err != nil {
		return nil, err
	}
	manifest := replay.NewManifest("poolproof "+version, opts, summary)
	manifest.Cluster = t.Manifest().Cluster
	if err := inputs.verify(ctx); err != nil {
		return nil, err
	}
	manifest.Inputs = inputs.digests()
	manifest.TraceTrees = t.Trees()
	recordProblems(manifest, t)
	return manifest, manifest.Write(dir)
}

// recordProblems writes into a manifest which rows of the trace could not be used.
func recordProblems(manifest *replay.Manifest, t *ingest.Trace) {
	sources := map[string]map[string]int64{}
	for _, c := range t.ProblemCounts() {
		if sources[c.Source] == nil {
			sources[c.Source] = map[string]int64{}
		}
		sources[c.Source][c.Code] = c.Rows
	}
	manifest.SetProblems(sources)
	for _, l := range t.LostRows() {
		row := tables.LostRows{Tree: l.Tree, Table: l.Table, Codes: l.Codes, Rows: l.Rows}
		if l.From != 0 {
			row.From = formatTime(l.From)
		}
		if l.To != 0 {
			row.To = formatTime(l.To)
		}
		manifest.LostRows = append(manifest.LostRows, row)
	}
}

// clusterOf returns what a survey looks at, of all trees of a trace.
func clusterOf(t *ingest.Trace, opts replay.Options) (trees []env.Tree, strays iter.Seq2[*core.Event, error]) {
	wanted := ingest.Options{Profile: opts.Profile, To: opts.Window.To, Kinds: survey.Surveyed()}
	for _, name := range t.Trees() {
		trees = append(trees, env.Tree{Name: name, Events: t.Events(name, wanted)})
	}
	return trees, t.Strays(wanted)
}

// chooseTrees returns the trees to replay, in the trace's order.
func chooseTrees(all, asked []string) ([]string, error) {
	if len(asked) == 0 {
		return all, nil
	}
	wanted := map[string]bool{}
	for _, name := range asked {
		wanted[name] = true
	}
	var chosen []string
	for _, name := range all {
		if wanted[name] {
			chosen = append(chosen, name)
			delete(wanted, name)
		}
	}
	for _, name := range asked {
		if wanted[name] {
			return nil, usagef("the trace has no tree %q; %s", name, spelling.MeantName(name, all))
		}
	}
	return chosen, nil
}

func replayOptions(t *ingest.Trace, q *replayRequest) (replay.Options, error) {
	if !(q.resolution > 0) || math.IsInf(q.resolution, 0) { // NaN is not above 0 either
		return replay.Options{}, usagef("invalid --resolution %v (want a share above 0)", q.resolution)
	}
	if err := checkWorkers(q.workers); err != nil {
		return replay.Options{}, err
	}
	m := t.Manifest()
	profile, err := q.profileOf(t)
	if err != nil {
		return replay.Options{}, err
	}
	window, err := q.window(t.Window())
	if err != nil {
		return replay.Options{}, err
	}
	return replay.Options{
		Log: env.Log{
			Profile: profile, Window: window, Warmup: window.From - t.Window().From + core.Time(m.WarmupUS), Resolution: q.resolution,
			Sized: m.Sized(), Measured: measured(m), Facts: coverageFacts(m), Slacks: q.slacks,
			ClockUncertainty: core.Time(m.ClockUncertaintyUS),
		},
		Workers: q.workers,
	}, nil
}

// measured returns the resources whose capacity of nodes and usage of jobs the trace records.
func measured(m *trace.Manifest) (known [resource.Kinds]bool) {
	for _, r := range m.Resources {
		if kind, ok := resource.ParseKind(r.Name); ok {
			known[kind] = r.Capacity != "unknown" && r.Usage == "recorded"
		}
	}
	return known
}

// coverageFacts are the manifest's facts on how the trace records what it holds.
func coverageFacts(m *trace.Manifest) []env.Fact {
	c := &m.Coverage
	facts := []env.Fact{
		{Aspect: "heartbeats", State: c.Heartbeats},
		{Aspect: "demand", State: c.Demand},
		{Aspect: "preemption_details", State: c.PreemptionDetails},
		{Aspect: "tree_config", State: c.TreeConfig},
		{Aspect: "pool_config", State: c.PoolConfig},
		{Aspect: "operation_states", State: cmp.Or(c.OperationStates, "recorded")},
		{Aspect: "operations", State: cmp.Or(c.Operations, "recorded")},
		{Aspect: "job_ends", State: cmp.Or(c.JobEnds, "recorded")},
		{Aspect: "job_rows", State: cmp.Or(c.JobRows, "recorded")},
		{Aspect: "node_states", State: cmp.Or(c.NodeStates, "recorded")},
	}
	for _, r := range m.Resources {
		facts = append(facts,
			env.Fact{Aspect: "capacity." + r.Name, State: r.Capacity},
			env.Fact{Aspect: "usage." + r.Name, State: r.Usage},
			env.Fact{Aspect: "unit." + r.Name, State: r.Unit})
	}
	return facts
}

func problemRows(problems []ingest.Problem) []tables.Problem {
	rows := make([]tables.Problem, 0, len(problems))
	for _, p := range problems {
		rows = append(rows, tables.Problem{Source: p.Source, Row: p.Row, Column: p.Column, Code: p.Code, Value: p.Value})
	}
	return rows
}

// replayProgress shows how far the trees are.
func replayProgress(p *progress) func(tree string, events int64, now core.Time) {
	var mu sync.Mutex
	at := map[string]int64{}
	return func(tree string, events int64, now core.Time) {
		mu.Lock()
		at[tree] = events
		var total int64
		for _, n := range at {
			total += n
		}
		mu.Unlock()
		p.showState("%.1f M events replayed; tree %s stands at %s", float64(total)/1e6, tree, formatTime(now))
	}
}
