package command

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/core"
	"poolproof/core/simulate"
	"poolproof/ingest"
	"poolproof/ingest/atomicdir"
	"poolproof/ingest/rerun"
	"poolproof/ingest/trace"
	"poolproof/ingest/whatif"
	"poolproof/queries"
	"poolproof/replay"
	"poolproof/replay/env"
	"poolproof/replay/survey"
	"poolproof/replay/tables"
)

// An experiment decides the plan of a trace anew, with edits and without, and judges what
// comes of it.
type experiment struct {
	trace      *ingest.Trace
	inputs     map[string]string // digests
	replay     replay.Options
	trees      []string // replayed
	policy     *audit.Policy
	plan       *simulate.Plan
	unmeasured int // operations with jobs whose length is not known at all
	processes  int // workers of one scenario

	workers whatif.Workers // of the scenarios that are under way, to decide and replay trees
	control *scenario      // that others have all in common with but what their edits touch; nil for none
}

// newExperiment opens a trace and makes its plan.
func newExperiment(ctx context.Context, tracePath string, q *replayRequest, policy *audit.Policy) (*experiment, error) {
	if _, err := trace.ReadManifest(tracePath); err != nil {
		return nil, err
	}
	inputs, err := digestInputs(ctx, tracePath)
	if err != nil {
		return nil, err
	}
	x := &experiment{policy: policy, processes: 1}
	if x.trace, err = ingest.Open(tracePath); err != nil {
		return nil, inputs.blame(ctx, err)
	}
	if x.trees, err = chooseTrees(x.trace.Trees(), q.trees); err != nil {
		return nil, err
	}
	q.slacks = policy.ReplaySlacks()
	if x.replay, err = replayOptions(x.trace, q); err != nil {
		return nil, err
	}
	x.replay.Facts = simulatedFacts(x.trace.Manifest())
	if x.plan, x.unmeasured, err = rerun.Plan(ctx, x.trace, x.replay.Profile); err != nil {
		return nil, inputs.blame(ctx, err)
	}
	if err := inputs.verify(ctx); err != nil {
		return nil, err
	}
	x.inputs = inputs.digests()
	return x, nil
}

// simulatedFacts are how a log of the core's own decisions records what it holds. Of
// resources and configurations it knows what the trace knows.
func simulatedFacts(m *trace.Manifest) []env.Fact {
	own := *m
	own.Coverage.Heartbeats, own.Coverage.Demand, own.Coverage.PreemptionDetails = "sampled", "recorded", "full"
	own.Coverage.OperationStates, own.Coverage.Operations, own.Coverage.NodeStates = "recorded", "recorded", "recorded"
	return coverageFacts(&own)
}

// decide lets the core decide the plan of a scenario.
func (x *experiment) decide(ctx context.Context, s *scenario) (*decided, error) {
	plan, _, err := x.edited(ctx, s.edits)
	if err != nil {
		return nil, err
	}
	opts := whatif.Options{Trees: x.trees, Trace: x.trace, Workers: x.workers}
	if c := x.control; c != nil && c != s {
		opts.Control, opts.Edits = x.plan, s.edits
		opts.Decided = func(ctx context.Context) (*whatif.Log, error) {
			d, err := c.decided.wait(ctx)
			if err != nil {
				return nil, err
			}
			return d.log, nil
		}
	}
	d := &decided{}
	if d.log, err = whatif.Simulate(ctx, plan, opts); err != nil {
		return nil, err
	}
	d.survey, err = x.surveyed(ctx, d.log)
	return d, err
}

// decided is what the core decided of a plan, and the survey of that.
type decided struct {
	log    *whatif.Log
	survey *survey.Survey
}

func (x *experiment) surveyed(ctx context.Context, l *whatif.Log) (*survey.Survey, error) {
	var cluster []env.Tree
	for i, t := range l.Plan.Trees {
		cluster = append(cluster, env.Tree{Name: t.Name, Events: l.Facts(i)})
	}
	log := x.replay.Log
	log.Profile = l.Plan.Profile
	return survey.New(ctx, l.Plan.Dimensions, cluster, nil, &log)
}

// edited is the plan with the edits, and what of its configuration the scheduler refuses for them.
func (x *experiment) edited(ctx context.Context, e *whatif.Edits) (plan *simulate.Plan, refused []whatif.Refusal, err error) {
	if e == nil {
		return x.plan, nil, nil
	}
	was := x.plan
	if e.Profile.Set && e.Profile.Value != was.Profile {
		if was, _, err = rerun.Plan(ctx, x.trace, e.Profile.Value); err != nil {
			return nil, nil, err
		}
	}
	if plan, err = whatif.Apply(was, e); err != nil {
		return nil, nil, err
	}
	return plan, whatif.Refusals(was, plan), nil
}

// editsInput is under which the inputs of a run of what-if hold the digest of its edits. A control
// has it too: it is no run of the trace itself.
const editsInput = "what-if"

// replayInto replays what the core decided in a scenario, into the directory of its run. The log is
// drained afterwards. Trees that are as in the control have its tables.
func (x *experiment) replayInto(ctx context.Context, d *decided, s *scenario) (*replay.Manifest, error) {
	l, opts := d.log, x.replay
	opts.Profile, opts.Workers, opts.Survey, opts.Take = l.Plan.Profile, max(1, cap(x.workers)), d.survey, x.workers.Take
	if err := x.reuse(ctx, d, s, &opts); err != nil {
		return nil, err
	}
	var trees []env.Tree
	for i, t := range l.Plan.Trees {
		if slices.Contains(x.trees, t.Name) {
			trees = append(trees, env.Tree{Name: t.Name, Events: l.Drain(i), Rows: int64(l.Len(i))})
		}
	}
	summary, err := replay.Run(ctx, s.dir, l.Plan.Dimensions, trees, opts)
	if err != nil {
		return nil, err
	}
	s.tabulated.tell(summary)
	manifest := replay.NewManifest("poolproof "+version, opts, summary)
	manifest.Cluster, manifest.Inputs = x.trace.Manifest().Cluster, maps.Clone(x.inputs)
	text, err := s.edits.Text()
	if err != nil {
		return nil, err
	}
	if manifest.Inputs[editsInput], err = tables.Digest(strings.NewReader(text)); err != nil {
		return nil, err
	}
	return manifest, manifest.Write(s.dir)
}

// reuse has a replay take over the tables of the control's trees that the edits do not touch. It
// decides those anew for which the survey of all trees finds something else.
func (x *experiment) reuse(ctx context.Context, d *decided, s *scenario, opts *replay.Options) error {
	c := x.control
	if c == nil || c == s {
		return nil
	}
	control, err := c.decided.wait(ctx)
	if err != nil {
		return err
	}
	var anew []int
	for i, t := range d.log.Plan.Trees {
		switch {
		case !slices.Contains(x.trees, t.Name) || !d.log.Shares(control.log, i):
		case d.survey.SameFor(control.survey, i):
			opts.Same = append(opts.Same, t.Name)
		default:
			anew = append(anew, i)
		}
	}
	opts.Made = func(ctx context.Context) (*replay.Summary, string, error) {
		made, err := c.tabulated.wait(ctx)
		return made, c.dir, err
	}
	return d.log.Renew(ctx, x.workers, anew)
}

// audit judges a run that is kept.
func (x *experiment) audit(ctx context.Context, dir string) error {
	_, err := runAudits(ctx, dir, audit.Options{Policy: x.policy, Fresh: true}, x.processes, newProgress(&environment{}, true))
	return err
}

// passing is how a run is judged that is not kept: nothing is written into it.
func (x *experiment) passing(dir string) audit.Options {
	return audit.Options{Dir: dir, Queries: queries.Files, Workers: x.processes, Policy: x.policy, FindingsAlone: true, Fresh: true}
}

// believed is how near a control is to what the trace records.
func (x *experiment) believed(ctx context.Context, control *whatif.Log) (rows []report.Believed, err error) {
	all, err := whatif.Compare(ctx, x.trace, control, x.trees)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		add := func(measure, unit string, recorded, control float64, part *float64) {
			rows = append(rows, report.Believed{Tree: a.Tree, Measure: measure, Unit: unit, Recorded: &recorded, Control: &control, Part: part})
		}
		overlap := a.Overlap
		add("usage of "+a.Resource+", by pool over time", unitSeconds[a.Resource], a.Usage[0], a.Usage[1], &overlap)
		rows[len(rows)-1].Whole = true
		for _, p := range a.Pools[:min(len(a.Pools), shownPools)] {
			own := p.Overlap
			add("of it by pool "+p.Pool, unitSeconds[a.Resource], p.Usage[0], p.Usage[1], &own)
		}
		add("jobs started", "jobs", float64(a.Jobs[0]), float64(a.Jobs[1]), nil)
		add("jobs preempted", "jobs", float64(a.Preempted[0]), float64(a.Preempted[1]), nil)
		add("operations completed", "operations", float64(a.Completed[0]), float64(a.Completed[1]), nil)
		if a.Waited > 0 {
			add(fmt.Sprintf("mean wait of %s for the first job", counted(a.Waited, "operation")), "s", a.Waiting[0], a.Waiting[1], nil)
			off := a.WaitingOff
			rows = append(rows, report.Believed{Tree: a.Tree, Measure: "median difference of their waits", Unit: "s", Control: &off})
		}
	}
	return rows, nil
}

// notes are what a reader of an answer should know: how near the control is to the log, and what
// is assumed where the log records nothing.
func (x *experiment) notes(believed []report.Believed) []string {
	return append(report.CommonUsage(believed), x.assumed()...)
}

// assumed says of how many operations no job length is known.
func (x *experiment) assumed() []string {
	if x.unmeasured == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The log records no completed job: the unfinished jobs of %s are assumed to last to the end of the window.", counted(x.unmeasured, "operation"))}
}

// shownPools is how many pools the overlap is shown for: those that used most.
const shownPools = 5

// unitSeconds are the units of a resource over time.
var unitSeconds = map[string]string{"user_slots": "slot·s", "cpu": "core·s", "gpu": "device·s", "memory": "byte·s", "network": "unit·s"}

// A scenario is edits with the directory of their run, and what came of them.
type scenario struct {
	edits *whatif.Edits // nil: the control
	dir   string

	believed []report.Believed // of a control
	manifest *replay.Manifest
	judged   *audit.Judged // if it is not kept

	judge func(context.Context) error // what is to become of its run, before the next is decided

	decided   later[*decided]
	tabulated later[*replay.Summary]
}

func newScenario(edits *whatif.Edits, dir string) *scenario {
	return &scenario{edits: edits, dir: dir, decided: later[*decided]{come: make(chan struct{})}, tabulated: later[*replay.Summary]{come: make(chan struct{})}}
}

// A later is a value that others wait for.
type later[T any] struct {
	come  chan struct{}
	value T
}

func (l *later[T]) tell(v T) {
	l.value = v
	close(l.come)
}

func (l *later[T]) wait(ctx context.Context) (v T, err error) {
	select {
	case <-l.come:
		return l.value, nil
	case <-ctx.Done():
		return v, ctx.Err()
	}
}

// close closes what was judged.
func (s *scenario) close() {
	if s.judged != nil {
		_ = s.judged.Close() // its directory goes, too
	}
}

// run decides and judges scenarios, some at a time. What comes of one does not depend on the
// others. The control, if it is among them, is the first: the others wait for it.
func (x *experiment) run(ctx context.Context, workers int, scenarios []*scenario) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(min(workers, len(scenarios)))
	x.processes, x.workers = max(1, workers/len(scenarios)), make(whatif.Workers, workers)
	for _, s := range scenarios {
		g.Go(func() error {
			if err := x.tabulate(ctx, s); err != nil {
				return err
			}
			return s.judge(ctx)
		})
	}
	return g.Wait()
}

// tabulate decides a scenario and makes the tables of its run, for which the log of what was
// decided makes room.
func (x *experiment) tabulate(ctx context.Context, s *scenario) error {
	d, err := x.decide(ctx, s)
	if err != nil {
		return err
	}
	s.decided.tell(d)
	if s.edits == nil {
		if s.believed, err = x.believed(ctx, d.log); err != nil {
			return err
		}
	}
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		return err
	}
	s.manifest, err = x.replayInto(ctx, d, s)
	return err
}

const whatIfHelp = `
What would have happened? Decide the log of TRACE anew, with the configuration or the facts
of a file of edits, and compare that with a control: the same without the edits. Operations
arrive, ask for jobs and leave as the trace records, jobs run as long, nodes come and go; who
waits, runs, starves and is preempted the scheduler of poolproof's core decides, both times.
What differs is therefore the edit and not the model. The answer says what changed for the
subject and for everyone else, which findings are new and which are fixed, and the first
decision that differs with its cause. It says also how near the control is to the recorded
log: the less near, the less the answer says about the cluster.

A file of edits has the options of trees and pools, by the names of YTsaurus's documentation
and in the form of a file for import --config; they go over those in force. null takes an
option away. Nodes follow an edited nodes_filter. Beside them may stand:

%s
Trees that share no operation, node or offloading with an edited one come out as in the control.
They are decided once, whatever the number of edits. With --tree, trees that have nothing to do
with those named are not decided at all: they stand as the log records them.

--at, or at in the file, is from when on the edits hold; before, both runs are the same.

--find KEY=LOW..HIGH --until CONDITION looks for the first value of the range, from LOW on,
that keeps a promise: for the smallest weight, guarantee, number of nodes or timeout, or, of
HIGH..LOW, for the greatest limit of somebody else. KEY is a path in a file of edits. It bisects,
which is right where more of the same helps as well; a few values more are tried, and the
answer says if that is not so. --edit may say what else is different.

--grid FILE tries several edits side by side and gives one table. The file has named edits,
or values to vary over those of --edit, each with each, or both, and what to measure; without
measure the subjects are, or else the trees.

Metrics are those of the view metrics, which queries/README.md explains: violations, starved,
below_guarantee, missing_guarantee, owed_guarantee, owed_fair_share, unmet_demand, delay,
satisfaction, usage, utilization, wait, longest_wait, duration, completed, rejected, jobs,
preempted, lost and over_limit. owed_guarantee, owed_fair_share and unmet_demand are what was
lacking by the ledger, in share·s: 1 is the whole tree for a second.

Example: how would pool research have fared with a guarantee?
  poolproof what-if trace --edit edit.yaml --subject research
where edit.yaml says
  pools: {research: {strong_guarantee_resources: {cpu: 100}}}

Example: keep both runs, to explain and query them.
  poolproof what-if trace --edit edit.yaml --at 2025-03-03T08:10:00Z --out answer
  poolproof explain answer/edited research

Example: what guarantee would have kept it from starving for more than a minute?
  poolproof what-if trace --find pools.research.strong_guarantee_resources.cpu=0..200 --step 100 --until 'starved of research <= 60'

Example: what would its weight and more nodes have done?
  poolproof what-if trace --grid grid.yaml
where grid.yaml says
  edits:
    as it is: {}
    more nodes: {nodes: {spare: {like: cpu-0, count: 2}}}
  vary:
    pools.research.weight: [1, 8]
  measure: [wait of research, starved of prod, preempted of physical]

usage: poolproof what-if TRACE --edit FILE
`

// editsExample are the keys of a file of edits beside options.
const editsExample = `  at: 2025-03-03T08:10:00Z
  profile: baseline                       # whose rules the scheduler follows, not with at
  nodes:
    cpu-0: {remove: true}                 # also by a pattern, as cpu-1*
    cpu-1: {resource_limits: {cpu: 96}}
    spare: {like: cpu-2, count: 4}        # nodes that are added: spare-0, spare-1, ...
  operations:                             # by the id, or a beginning of it
    c82cda2f: {delay: 10m}                # or remove: true, pool: prod, or options of its spec,
    16084764: {weight: 3, resource_limits: {cpu: 100}}
  users:
    carl: {remove: true}                  # all operations of a user
  preemptions:                            # that do not happen: of a pool, an operation, a job
    - {victim: research, beneficiary: prod, from: 2025-03-03T08:10:00Z}
`

// A whatIfRequest is what the command line asks of what-if.
type whatIfRequest struct {
	replayRequest
	edit, at, output, policyFile string
	subjects                     []string
	find, until, grid, part      string
	step                         float64
}

func whatIfCommand(ctx context.Context, environment *environment, args []string) error {
	q := whatIfRequest{replayRequest: replayRequest{resolution: env.DefaultResolution}}
	f := newFlags(environment, "what-if", fmt.Sprintf(whatIfHelp, editsExample))
	f.StringVar(&q.edit, "edit", "", "`FILE` of edits, YAML or JSON")
	f.StringVar(&q.at, "at", "", "`TIME` from which the edits hold (default: the file's, else the beginning)")
	f.StringVar(&q.find, "find", "", "look for the first value of an option that keeps --until, `KEY=LOW..HIGH`; from HIGH..LOW for the greatest")
	f.StringVar(&q.until, "until", "", "`CONDITION` for --find, as 'starved of prod <= 60', in the metric's unit")
	f.Float64Var(&q.step, "step", 0, "how exact --find is (default: 1, or a thousandth of the range if that is more; a hundredth of one with a fraction)")
	f.StringVar(&q.grid, "grid", "", "`FILE` of several edits that are tried side by side")
	f.StringVar(&q.part, "part", "", "of a grid, try only the edits of the part `I/N`, as 1/4")
	f.StringSliceVar(&q.subjects, "subject", nil, "pools, operations or trees to tell all of, `NAME`s, comma separated; a pool may be named with its tree, as gpu/prod")
	f.StringVar(&q.out, "out", "", "directory `DIR` to keep both runs in: DIR/control and DIR/edited")
	f.BoolVar(&q.replace, "replace", false, "replace DIR if it is of what-if already")
	q.selection.addTo(f)
	f.StringVar(&q.policyFile, "policy", "", "policy `FILE` to judge by; audit --help shows one")
	f.StringVar(&q.output, "output", "text", "`FORMAT` of the answer: "+strings.Join(report.ExplainFormats, ", "))
	takes(f, "output", report.ExplainFormats)
	f.StringVar(&q.memory, "memory", "", memoryHelp)
	f.BoolVar(&q.quiet, "quiet", false, quietHelp)
	positional, err := parse(f, args, "TRACE")
	if err != nil {
		return err
	}
	if err := q.check(); err != nil {
		return err
	}
	if err := oneOf("--output", q.output, report.ExplainFormats); err != nil {
		return err
	}
	if err := boundMemory(q.memory); err != nil {
		return err
	}
	policy, _, err := readPolicyFile(q.policyFile)
	if err != nil {
		return err
	}
	edits, err := q.edits()
	if err != nil {
		return err
	}
	p := newProgress(environment, q.quiet)
	defer p.done()
	dir, keep, discard, err := q.place()
	if err != nil {
		return err
	}
	defer discard()
	x, err := newExperiment(ctx, positional[0], &q.replayRequest, policy)
	if err != nil {
		return err
	}
	v, d, err := x.answer(ctx, &q, edits, dir, p)
	if err != nil {
		return err
	}
	if err := keep(); err != nil {
		return err
	}
	p.done()
	return report.WriteDocuments(environment.stdout, q.output, v, []*report.Document{d})
}

// check refuses what does not go together.
func (q *whatIfRequest) check() error {
	switch {
	case q.edit == "" && q.find == "" && q.grid == "":
		return usagef("--edit FILE is missing: say what is to be different, or give --find or --grid")
	case q.find != "" && q.grid != "":
		return usagef("--find and --grid are two questions: give one")
	case (q.find == "") != (q.until == ""):
		return usagef("--find KEY=LOW..HIGH and --until CONDITION belong together: give both")
	case q.part != "" && q.grid == "":
		return usagef("--part is of a grid: give --grid FILE, too")
	case q.out != "" && (q.find != "" || q.grid != ""):
		return usagef("--out keeps the runs of one edit: give it with --edit alone")
	}
	return checkWorkers(q.workers)
}

// edits reads the file of edits; --at goes before its own.
func (q *whatIfRequest) edits() (*whatif.Edits, error) {
	edits, err := whatif.Parse("edits", nil)
	if q.edit != "" {
		edits, err = whatif.Read(q.edit)
	}
	if err != nil || q.at == "" {
		return edits, err
	}
	at, err := parseTime("--at", q.at)
	edits.At = core.Some(at)
	return edits, err
}

// place returns the directory for both runs, and what keeps it and what discards it if it is
// not kept.
func (q *whatIfRequest) place() (dir string, keep func() error, discard func(), err error) {
	if q.out == "" {
		scratch, err := temporary()
		if err != nil {
			return "", nil, nil, err
		}
		return scratch.Path, func() error { return nil }, func() { _ = scratch.Remove() }, nil
	}
	if strings.Contains(q.out, "?") {
		return "", nil, nil, usagef("--out %q: DuckDB cannot open a database whose path holds a question mark", q.out)
	}
	d, err := atomicdir.New(q.out, atomicdir.Options{Replace: q.replace, What: "answer of what-if", Check: func(dir string) error {
		_, err := replay.ReadManifest(filepath.Join(dir, controlName))
		return err
	}})
	if err != nil {
		return "", nil, nil, err
	}
	return d.Path, d.Commit, d.Abort, nil
}

// Names of the runs of what-if.
const controlName, editedName = "control", "edited"

// answer answers the question of a command line, with the verdict on the run that it is about.
func (x *experiment) answer(ctx context.Context, q *whatIfRequest, edits *whatif.Edits, dir string, p *progress) (*audit.Verdict, *report.Document, error) {
	switch {
	case q.find != "":
		return x.find(ctx, q, edits, dir, p)
	case q.grid != "":
		return x.grid(ctx, q, edits, dir, p)
	}
	return x.compare(ctx, q, edits, dir, p)
}

// subjects are what may be asked about, known before anything is decided: the trees, pools and
// operations of the plan, without numbers.
func (x *experiment) subjects() (all []audit.Change) {
	for _, tree := range x.trees {
		all = append(all, audit.Change{Tree: tree, Kind: "tree", Element: tree})
	}
	for _, pool := range x.plan.Dimensions.Pools {
		if slices.Contains(x.trees, pool.Tree) {
			all = append(all, audit.Change{Tree: pool.Tree, Kind: "pool", Element: pool.Name})
		}
	}
	for _, operation := range x.plan.Dimensions.Operations {
		all = append(all, audit.Change{Kind: "operation", Element: operation.ID})
	}
	return all
}

// compare runs the control and the edited log side by side, and compares them.
func (x *experiment) compare(ctx context.Context, q *whatIfRequest, edits *whatif.Edits, dir string, p *progress) (*audit.Verdict, *report.Document, error) {
	if err := checkSubjects(&audit.Comparison{Metrics: x.subjects()}, q.subjects); err != nil {
		return nil, nil, err
	}
	_, refused, err := x.edited(ctx, edits)
	if err == nil {
		err = edits.Refused(refused)
	}
	if err != nil {
		return nil, nil, err
	}
	control, edited := newScenario(nil, filepath.Join(dir, controlName)), newScenario(edits, filepath.Join(dir, editedName))
	x.control = control
	kept := q.out != ""
	for _, s := range []*scenario{control, edited} {
		s.judge = func(ctx context.Context) (err error) {
			if kept {
				return x.audit(ctx, s.dir)
			}
			s.judged, err = audit.Judge(ctx, x.passing(s.dir), audit.AskedByCompare()...)
			return err
		}
		defer s.close()
	}
	p.step("Deciding %s of %s twice: without the edits, and with them", counted(len(x.trees), "tree"), x.trace.Manifest().Cluster)
	if err := x.run(ctx, q.workers, []*scenario{control, edited}); err != nil {
		return nil, nil, err
	}
	var c *audit.Comparison
	if kept {
		c, err = audit.Compare(ctx, control.dir, edited.dir)
	} else {
		c, err = edited.judged.Compare(ctx, control.judged)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := checkSubjects(c, q.subjects); err != nil {
		return nil, nil, err
	}
	told := report.Compared{
		Comparison: c, Kind: "what-if", Title: "What if: " + q.edit, Names: [2]string{controlName, editedName}, Subjects: q.subjects,
		Believed: control.believed, Notes: x.notes(control.believed),
	}
	return c.After, told.Tell(), nil
}
