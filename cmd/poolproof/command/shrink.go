package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"poolproof/audit"
	"poolproof/core"
	"poolproof/core/quantity"
	"poolproof/core/spelling"
	"poolproof/ingest/atomicdir"
	"poolproof/ingest/shrink"
	"poolproof/ingest/trace"
	"poolproof/queries"
	"poolproof/replay"
)

const shrinkHelp = `
Make of TRACE a small trace that still shows a finding: what one attaches to the
report of a bug. FINDING is what explain takes: the id of a finding, an incident or
a fingerprint, or the beginning of one.

Trees, time, records, pools, operations and nodes are removed, in this order and
from large parts to single ones, as long as the finding stays. It stays if the same
audit still finds a case of the same rule and verdict for the same subject in the same
tree; when and how much may differ. A removal is not taken if validate would complain
more of what is left, or if one of the audits that judge the finding would accuse
somebody whom it does not accuse in the whole trace.

What stays is as it was recorded, row by row. README.md in the result says what was
removed and how to see the finding. The result is the same for any number of
workers.

With --anonymize the result has other names: pool-07, user-3, node-012. The same name
has the same replacement in every table and in all options. Numbers, times, amounts,
the structure of pools and the words that the format declares stay, other words of the source
become other-1; titles, messages, annotations and what else of specs no rule
reads do not. The finding has another id then.

Examples:
  poolproof shrink trace 19ebdac63c4d --run run --out small
  poolproof shrink trace 19ebdac63c4d --run run --anonymize --out given-away

With --run the findings of a run of TRACE are read, and no more of TRACE counts than that
judged (--from, --to); otherwise TRACE is replayed and audited first.

usage: poolproof shrink TRACE FINDING --out TRACE
`

// A shrinkRequest holds the flags of shrink.
type shrinkRequest struct {
	out, run, policy, profile, memory string
	replace, quiet, anonymize         bool
	workers                           int
}

func shrinkCommand(ctx context.Context, env *environment, args []string) error {
	var q shrinkRequest
	f := newFlags(env, "shrink", shrinkHelp)
	f.StringVar(&q.out, "out", "", "directory `TRACE` to make")
	f.BoolVar(&q.replace, "replace", false, "replace it if it is a trace already")
	f.StringVar(&q.run, "run", "", "`RUN` of the trace that has the finding (default: the trace is run first)")
	f.BoolVar(&q.anonymize, "anonymize", false, anonymizeHelp)
	f.StringVar(&q.policy, "policy", "", "policy `FILE` that the finding is judged by")
	f.StringVar(&q.profile, "profile", "", "policy `PROFILE`: documented, baseline, current or legacy (default: the run's or the trace's, else documented)")
	takes(f, "profile", core.ProfileNames())
	workersFlag(f, &q.workers, "removals that are tried at a time")
	f.StringVar(&q.memory, "memory", "", memoryHelp)
	f.BoolVar(&q.quiet, "quiet", false, quietHelp)
	positional, err := parse(f, args, "TRACE", "FINDING")
	if err != nil {
		return err
	}
	if q.out == "" {
		return usagef("--out TRACE is missing: name the directory to make")
	}
	if err := checkWorkers(q.workers); err != nil {
		return err
	}
	limits, err := boundMemory(q.memory)
	if err != nil {
		return err
	}
	if err := freeForTrace(q.out, trace.Options{Replace: q.replace}); err != nil {
		return err
	}
	p := newProgress(env, q.quiet)
	defer p.done()
	w, err := q.witness(ctx, positional[0], positional[1], limits, p)
	if err != nil {
		return err
	}
	w.replay.limits.database = limits.database.Divide(q.workers)
	p.step("Looking for a smaller trace that shows %s", w)
	o := shrink.Options{
		Trace: positional[0], Out: q.out, Replace: q.replace, Workers: q.workers, Memory: limits.trace.Pages,
		Window:    w.window,
		Target:    shrink.Target{Tree: w.finding.Tree, Kind: w.finding.SubjectKind, Subject: w.finding.Subject},
		Shows:     w.shows,
		Note:      w.writeReadme,
		CreatedBy: "poolproof shrink " + version,
		Progress: func(what string, left *shrink.Outline, tried int) {
			p.showState("removing %s; left are %s; %s tried", what, whatIsLeft(left), counted(tried, "removal"))
		},
	}
	if q.anonymize {
		o.Rename = w.rename
	}
	shown := w.String()
	s, err := shrink.Minimize(ctx, o)
	if err == shrink.ErrNotShown {
		return usagef("%s does not show %s: give the trace, policy and profile of the run that does", positional[0], w)
	}
	if err != nil {
		return err
	}
	p.done()
	out := p.summary(env.stdout)
	fmt.Fprintf(out, "Shrunk to what shows %s\n", shown)
	writeRemoved(out, s)
	fmt.Fprintf(out, "Trace: %s\nSee the finding: %s\n", q.out, w.command(q.out, s))
	return nil
}

// judged returns the verdict on the trace and the manifest of its run.
func (q *shrinkRequest) judged(ctx context.Context, path string, w *witness, p *progress) (*audit.Verdict, *replay.Manifest, error) {
	if q.run != "" {
		manifest, err := replay.ReadManifest(q.run)
		if err != nil {
			return nil, nil, err
		}
		verdict, err := audit.ReadVerdict(q.run)
		return verdict, manifest, err
	}
	scratch, err := atomicdir.NewScratch(filepath.Dir(filepath.Clean(q.out)), "shrink")
	if err != nil {
		return nil, nil, fmt.Errorf("make room for a run: %w", err)
	}
	defer scratch.Remove()
	manifest, err := replayInto(ctx, scratch.Path, path, &w.replay, p)
	if err != nil {
		return nil, nil, err
	}
	p.step("Running the audits")
	verdict, err := audit.Run(ctx, audit.Options{
		Dir: scratch.Path, Queries: queries.Files, Workers: q.workers, Policy: w.policy,
		Memory: w.replay.limits.database, Only: []string{"*"}, FindingsAlone: true, Fresh: true,
		Started: func(name string) { p.showState("audit %s", name) },
	})
	return verdict, manifest, err
}

// anyTrace stands for the trace in a note, whose reader has it elsewhere.
const anyTrace = "TRACE"

// command is the line that shows the finding again.
func (w *witness) command(path string, s *shrink.Summary) string {
	options := []string{"--out", "run"}
	if w.file != "" {
		file := w.file
		if path == anyTrace { // the note goes with the trace, and the path tells of this machine
			file = "POLICY"
		}
		options = append(options, "--policy", file)
	}
	// The exit code of run tells the verdict, and goes on to explain whatever it is.
	return spelling.Command("run", []string{path}, options...) + "; " + spelling.Command("explain", []string{"run", s.Finding.ID})
}

// writeReadme is README.md of the result, which stands in a directory. It tells what else the result
// shows that the whole trace does not.
func (w *witness) writeReadme(ctx context.Context, dir string, s *shrink.Summary) (string, error) {
	run, err := os.MkdirTemp(filepath.Dir(dir), "run-")
	if err != nil {
		return "", fmt.Errorf("make room for a run: %w", err)
	}
	defer os.RemoveAll(run)
	if _, err := replayInto(ctx, run, dir, &w.replay, &progress{quiet: true}); err != nil {
		return "", err
	}
	v, err := w.judge(ctx, run)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	f := w.finding
	fmt.Fprintf(&b, "# %s: %s %s\n\n%s\n\n", f.Audit, f.SubjectKind, spelling.OneName(f.Subject), spelling.OneName(s.Finding.Reason))
	fmt.Fprintf(&b, "This trace shows finding %s (%s, %s). To see it:\n\n```\n%s\n```\n\n", s.Finding.ID, f.Invariant, f.Verdict, w.command(anyTrace, s))
	fmt.Fprintf(&b, "poolproof %s cut it from a larger trace", version)
	if w.renamed {
		b.WriteString(" and replaced the names in it")
	} else {
		fmt.Fprintf(&b, ", in which the finding is %s", f.ID)
	}
	b.WriteString(":\n\n```\n")
	writeRemoved(&b, s)
	b.WriteString("```\n\n" + noteOnRows)
	if news := w.news(v); len(news) > 0 {
		fmt.Fprintf(&b, "\nOf what is missing here come findings that the larger trace does not show:\n\n```\n%s\n```\n", lines(news))
	}
	return b.String(), nil
}

const noteOnRows = `What stayed is as it was recorded. What the scheduler recorded of itself and the usage of nodes
in heartbeats are those of the whole cluster.
`

// writeRemoved lists what there was and what is left.
func writeRemoved(w io.Writer, s *shrink.Summary) {
	before, after := s.Before, s.After
	fmt.Fprintf(w, "%-12s %12s %12s\n", "", "before", "after")
	for _, row := range []struct {
		name          string
		before, after any
	}{
		{"trees", len(before.Trees), len(after.Trees)},
		{"pools", len(before.Pools), len(after.Pools)},
		{"operations", len(before.Operations), len(after.Operations)},
		{"jobs", before.Jobs, after.Jobs},
		{"nodes", len(before.Nodes), len(after.Nodes)},
		{"rows", before.Rows, after.Rows},
		{"time", quantity.Span(before.Span().Seconds()), quantity.Span(after.Span().Seconds())},
	} {
		fmt.Fprintf(w, "%-12s %12v %12v\n", row.name, row.before, row.after)
	}
}

func whatIsLeft(o *shrink.Outline) string {
	return fmt.Sprintf("%s, %s, %s and %s", counted(len(o.Pools), "pool"), counted(len(o.Operations), "operation"),
		counted(o.Jobs, "job"), counted(len(o.Nodes), "node"))
}
