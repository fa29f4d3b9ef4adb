package command

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/core"
	"poolproof/core/simulate"
	"poolproof/ingest"
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
	limits     memoryLimits
	plan       *simulate.Plan
	unmeasured int             // operations with jobs whose length is not known at all
	recorded   *whatif.Courses // that a control is held against; nil if it is not

	progress *progress // shows the progress of the scenarios; nil if each trial is reported

	question *audit.Question // put to each run, which is thrown away then; nil where runs are kept
	control  *scenario       // that others have all in common with but what their edits touch; nil for none
}

// newExperiment opens a trace and makes its plan, and reads beside that what a control is to be held
// against, if it is to be.
func newExperiment(ctx context.Context, tracePath string, q *replayRequest, policy *audit.Policy, held bool) (*experiment, error) {
	if _, err := trace.ReadManifest(tracePath); err != nil {
		return nil, err
	}
	inputs, err := digestInputs(ctx, tracePath)
	if err != nil {
		return nil, err
	}
	x := &experiment{policy: policy, limits: q.limits}
	if x.trace, err = ingest.OpenWithin(tracePath, q.limits.trace); err != nil {
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
	if err := x.read(ctx, q.workers, held); err != nil {
		return nil, inputs.blame(ctx, err)
	}
	if err := inputs.verify(ctx); err != nil {
		return nil, err
	}
	x.inputs = inputs.digests()
	return x, nil
}

// read makes the plan, and beside it reads the courses if a control is held against them. Both are
// made of the same tables: what is wrong with those the plan says.
func (x *experiment) read(ctx context.Context, workers int, held bool) error {
	g, whole := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	g.Go(func() (err error) {
		x.plan, x.unmeasured, err = rerun.Plan(ctx, x.trace, x.replay.Profile, x.replay.Window)
		return err
	})
	var late error
	if held {
		g.Go(func() error {
			x.recorded, late = whatif.Recorded(whole, x.trace, x.replay.Profile, x.trees, x.replay.Window)
			return nil
		})
	}
	return cmp.Or(g.Wait(), late)
}

// simulatedFacts returns the facts about a log of the core's own decisions. Resources and
// configurations are known as in the trace.
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
	opts := whatif.Options{Trees: x.trees, Trace: x.trace, Take: s.seat.takeWorker, Progress: func(now core.Time) { x.show("decided", now) }}
	if c := x.control; c != nil && c != s {
		opts.Control, opts.Edits = x.plan, s.edits
		opts.Decided = func(ctx context.Context) (*whatif.Log, error) {
			d, err := s.await(ctx, c)
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

// show shows up to when what is at hand of some scenario is done.
func (x *experiment) show(done string, upTo core.Time) {
	if x.progress != nil {
		x.progress.showState("%s up to %s", done, formatTime(upTo-upTo%core.Second))
	}
}

// decided holds the core's decisions on a plan, and their survey.
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

// edited is the plan with the edits, and what is wrong with its configuration for them.
func (x *experiment) edited(ctx context.Context, e *whatif.Edits) (plan *simulate.Plan, found whatif.Checked, err error) {
	if e == nil {
		return x.plan, found, nil
	}
	was := x.plan
	if e.Profile.Set && e.Profile.Value != was.Profile {
		if was, _, err = rerun.Plan(ctx, x.trace, e.Profile.Value, x.replay.Window); err != nil {
			return nil, found, err
		}
	}
	if plan, err = whatif.Apply(was, e); err != nil {
		return nil, found, err
	}
	return plan, whatif.Check(was, plan, e, x.trace.Manifest().Sized()), nil
}

// editsInput is the key of the digest of its edits in the inputs of a what-if run. A control has it
// too, because it is not a run of the trace itself.
const editsInput = "what-if"

// replayInto replays what the core decided in a scenario, into the directory of its run. The log is
// drained afterwards. Trees that are as in the control have its tables.
func (x *experiment) replayInto(ctx context.Context, d *decided, s *scenario) (*replay.Manifest, error) {
	l, opts := d.log, x.replay
	opts.Profile, opts.Workers, opts.Survey, opts.Take = l.Plan.Profile, cap(s.seat.all), d.survey, s.seat.takeWorker
	opts.NoSnapshots, opts.Progress = true, func(_ string, _ int64, now core.Time) { x.show("replayed", now) }
	opts.OwnStarts = x.question != nil && !s.edits.Decides()
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
	s.tabulated.setValue(summary)
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
	if c == nil || c == s || !d.log.Borrows() {
		return nil
	}
	control, err := s.await(ctx, c)
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
	opts.Made = func(ctx context.Context) (made *replay.Summary, dir string, err error) {
		err = s.seat.lend(func() (err error) { made, err = c.tabulated.wait(ctx); return err })
		return made, c.dir, err
	}
	return d.log.Renew(ctx, s.seat.takeWorker, anew)
}

// audit judges a run that is kept.
func (x *experiment) audit(ctx context.Context, s *scenario) error {
	_, err := runAudits(ctx, s.dir, audit.Options{Policy: x.policy, Memory: x.limits.database, Fresh: true,
		Take: s.seat.takeWorker}, cap(s.seat.all), newProgress(&environment{}, true))
	return err
}

// pose has scenarios answer a question: their runs hold no more than it reads.
// Only are the audits it asks, none for all.
func (x *experiment) pose(ask func(audit.Options, ...string) (*audit.Question, error), workers int, only []string, asked ...string) (err error) {
	x.question, err = ask(audit.Options{
		Queries: queries.Files, Workers: workers, Policy: x.policy, Memory: x.limits.database, Only: only, FindingsAlone: true, Fresh: true, Extracted: true,
	}, asked...)
	if err == nil {
		x.replay.Extract = x.question.Extract()
	}
	return err
}

// believed returns how well a control reproduces the trace.
func (x *experiment) believed(ctx context.Context, control *whatif.Log) (rows []report.Believed, err error) {
	all, err := x.recorded.Compare(ctx, control)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		add := func(measure, unit string, recorded, control float64, part *float64) {
			rows = append(rows, report.Believed{Tree: a.Tree, Measure: measure, Unit: unit, Recorded: &recorded, Control: &control, Part: part})
		}
		overlap := &a.Overlap
		if a.Usage == [2]float64{} {
			overlap = nil
		}
		add("usage of "+a.Resource+", by pool over time", unitSeconds[a.Resource], a.Usage[0], a.Usage[1], overlap)
		rows[len(rows)-1].Whole = true
		for _, p := range a.Pools[:min(len(a.Pools), shownPools)] {
			if p.Usage == [2]float64{} {
				continue // it used something at another time
			}
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

// notes returns what a reader of an answer should know: how well the control reproduces the log,
// and assumptions about unrecorded values.
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

// shownPools is the number of pools for which the overlap is shown: those with the most usage.
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

	seat  seat
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

func (l *later[T]) setValue(v T) {
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

// await waits for what the core decided in another scenario.
func (s *scenario) await(ctx context.Context, other *scenario) (d *decided, err error) {
	err = s.seat.lend(func() (err error) { d, err = other.decided.wait(ctx); return err })
	return d, err
}

// run decides and judges scenarios, some at a time. What comes of one does not depend on the
// others. The control, if it is among them, is the first: the others wait for it.
func (x *experiment) run(ctx context.Context, n int, scenarios []*scenario) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(min(n, len(scenarios)))
	all := make(workers, n)
	for _, s := range scenarios {
		g.Go(func() (err error) {
			if s.seat, err = all.sit(ctx); err != nil {
				return err
			}
			defer s.seat.leave()
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
	s.decided.setValue(d)
	if s.edits == nil && x.recorded != nil {
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

// subjects returns the possible subjects, before any decision: the trees, pools and operations of
// the plan, without numbers.
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
