package command

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/core"
	"poolproof/ingest/atomicdir"
	"poolproof/ingest/whatif"
	"poolproof/replay"
	"poolproof/replay/env"
)

const whatIfHelp = `
What would have happened? Decide the log of TRACE anew, with the configuration or the facts
of a file of edits, and compare that with a control: the same without the edits. Operations
arrive, ask for jobs and leave as the trace records, jobs run as long, nodes come and go; who
waits, runs, starves and is preempted the scheduler of poolproof's core decides, both times.
What differs is therefore the edit and not the model. The answer says what changed for the
subject and for everyone else, which findings are new and which are fixed, and the first
decision that differs with its cause. It says also how near the control is to the recorded
log, with a grade: good from 90 %% of usage in common on, fair from 70 %%, poor below. The less
near, the less the answer says about the cluster.

Better and worse go by what was got: unmet demand, waits, durations, preempted and lost work. What
is measured against a guarantee or a fair share is better or worse only if that is the same in both
runs. A change is no clear difference if the control changes as much where all operations come a
second later. That takes a third decision of the trees that the edits change. It is made where they
have no more than 200,000 heartbeats and jobs, or with --noise yes. Otherwise 5 %% count as noise,
and 6 s of a time or one of a number.

A file of edits has the options of trees and pools, by the names of YTsaurus's documentation
and in the form of a file for import --config; they go over those in force. null takes an
option away. Nodes follow an edited nodes_filter. Beside them may stand:

%s
Trees that share no operation, node or offloading with an edited one come out as in the control.
They are decided once, whatever the number of edits. With --tree, trees that have nothing to do
with those named are not decided at all: they stand as the log records them.

--at, or at in the file, is from when on the edits hold; before, both runs are the same.
--from and --to choose what is judged. The log is decided from a day before that on: what is under
way then begins with what it has left to do. Of a log of months give a day or two.

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

// A whatIfRequest holds the flags of what-if.
type whatIfRequest struct {
	replayRequest
	edit, at, output, policyFile string
	subjects                     []string
	find, until, grid, part      string
	noise                        string
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
	f.StringVar(&q.noise, "noise", noiseAuto, "`WHETHER` to decide the log once more, with every operation a second later, to see which changes are noise: "+strings.Join(noiseModes, ", "))
	takes(f, "noise", noiseModes)
	f.StringVar(&q.out, "out", "", "directory `DIR` to keep both runs in: DIR/control and DIR/edited")
	f.BoolVar(&q.replace, "replace", false, "replace DIR if it is of what-if already")
	q.selection.addTo(f)
	f.StringVar(&q.policyFile, "policy", "", "policy `FILE` to judge by; audit --help shows one")
	f.StringVar(&q.output, "output", "text", "`FORMAT` of the answer: "+strings.Join(report.DocumentFormats, ", "))
	takes(f, "output", report.DocumentFormats)
	f.StringVar(&q.memory, "memory", "", memoryHelp)
	f.BoolVar(&q.quiet, "quiet", false, quietHelp)
	positional, err := parse(f, args, "TRACE")
	if err != nil {
		return err
	}
	if err := q.check(); err != nil {
		return err
	}
	if err := oneOf("--output", q.output, report.DocumentFormats); err != nil {
		return err
	}
	if err := oneOf("--noise", q.noise, noiseModes); err != nil {
		return err
	}
	if q.limits, err = boundMemory(q.memory); err != nil {
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
	x, err := newExperiment(ctx, positional[0], &q.replayRequest, policy, true)
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
const controlName, editedName, shiftedName = "control", "edited", "shifted"

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

// compare runs the control and the edited log side by side, and compares them.
func (x *experiment) compare(ctx context.Context, q *whatIfRequest, edits *whatif.Edits, dir string, p *progress) (*audit.Verdict, *report.Document, error) {
	if err := checkSubjects(&audit.Comparison{Metrics: x.subjects()}, q.subjects); err != nil {
		return nil, nil, err
	}
	_, found, err := x.edited(ctx, edits)
	if err == nil {
		err = edits.Refused(found.Refused)
	}
	if err != nil {
		return nil, nil, err
	}
	control, edited := newScenario(nil, filepath.Join(dir, controlName)), newScenario(edits, filepath.Join(dir, editedName))
	x.control = control
	kept := q.out != ""
	if !kept {
		if err := x.pose(audit.Judging, q.workers, nil, audit.AskedByCompare()...); err != nil {
			return nil, nil, err
		}
	}
	for _, s := range []*scenario{control, edited} {
		s.judge = func(ctx context.Context) (err error) {
			if kept {
				return x.audit(ctx, s)
			}
			s.judged, err = x.question.Put(ctx, s.dir, s.seat.takeWorker)
			return err
		}
	}
	defer func() {
		var both sync.WaitGroup
		both.Go(control.close)
		both.Go(edited.close)
		both.Wait()
	}()
	p.step("Deciding %s twice: without the edits, and with them", counted(len(x.trees), "tree"))
	x.progress = p
	if err := x.run(ctx, q.workers, []*scenario{control, edited}); err != nil {
		return nil, nil, err
	}
	var c *audit.Comparison
	if kept {
		c, err = audit.Compare(ctx, control.dir, edited.dir, x.limits.database)
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
		Believed: control.believed, Notes: found.Notes(),
	}
	note, err := x.addNoise(ctx, q, &told, [2]*scenario{control, edited}, filepath.Join(dir, shiftedName))
	if err != nil {
		return nil, nil, err
	}
	told.Notes = append(append(told.Notes, note...), x.notes(control.believed)...)
	return c.After, told.Document(), nil
}
