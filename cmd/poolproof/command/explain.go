package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/core"
	"poolproof/core/spelling"
	"poolproof/ingest/input"
	"poolproof/queries"
)

const explainHelp = `
Explain a finding of RUN, or how an operation, a pool, a tree, a job or a node fared.

For a finding it prints what was promised, what happened, the numbers on both sides, the
time around it, what would excuse it, and the queries that show the rows behind it; for a
start or a preemption also how to ask what the policy would have decided.
For an operation or a pool, and for a finding of a guarantee or of starvation, it begins with
the answer in one sentence: how much share was lacking, for how long, and why. Then it prints
all causes by their size, who had the share with the jobs that held it, and last what to look
at next.
For an operation, a pool or a tree it prints the timeline, when it starved, waited, was
over a limit or below its guarantee, what an operation lost and gained by preemption, and
the findings. Of an operation that waited it prints what it needed to get a job, in the
middle of its longest wait or at the time of --at: which conditions held, how many nodes met
those about nodes, and which node came nearest. Where recorded fair shares differ from the recomputed ones it shows the first
element that differs and the inputs that would explain it.
For a job it prints its operation, how it ended, and the proof of its preemption.
For a node it prints the policy's answers to --ask of run or replay, and the findings.

SUBJECT is the id of a finding, an incident, an operation or a job, or a fingerprint, each
as the verdict and the report show it, or a beginning of it that is unique; or the name of
a pool, a tree or a node. A subject of several trees is explained for each, or for those of
--tree; a pool may be named with its tree, as gpu/prod. For an incident and a fingerprint
the worst finding is explained, or the one nearest to the time of --at. --from and --to bound
the time that is shown; for a finding the default is the time around it, for an operation its
life, and with --at ten minutes before and after that.

--prove TRACE, the trace that RUN was made from, tries what would have helped: it lets the
core decide the log anew, first as it is, then with one change for each of the largest causes,
and says which changes, and how large ones, make the finding disappear or halve the deficit,
with the file of edits of each and the what-if that tries it again. It grades how well the log that is
decided as it is reproduces the recorded one, and tries no change that a cluster refuses:
poolproof explain run waiting --prove trace.

--output json is for programs (audit/FINDINGS.md), markdown for a ticket, html a page that
needs no network, with a chart of who held the tree. perfetto is a trace of the subject's tree for https://ui.perfetto.dev: pools
and operations are tracks with counters of their shares, starvation and findings are slices,
and an arrow goes from each preemptor to its victim.

Examples:
  poolproof explain run 19ebdac63c4d
  poolproof explain run 19eb
  poolproof explain run prod --at 2025-03-03T08:10:00Z
  poolproof explain run shared --tree devices
  poolproof explain run physical/prod/etl --from 2025-03-03T08:08:00Z
  poolproof explain run 19eb --output html > finding.html
  poolproof explain run prod --output perfetto > prod.pftrace

usage: poolproof explain RUN SUBJECT
`

// An explainRequest holds the flags of explain.
type explainRequest struct {
	part
	at, output string
	prove      string
}

func explainCommand(ctx context.Context, env *environment, args []string) error {
	var q explainRequest
	f := newFlags(env, "explain", explainHelp)
	f.StringVar(&q.at, "at", "", "`TIME` to explain, as 2024-05-01T04:00:00Z (default: the whole window)")
	q.addTo(f)
	f.StringVar(&q.output, "output", "text", "`FORMAT` of the answer: "+strings.Join(report.ExplainFormats, ", "))
	takes(f, "output", report.ExplainFormats)
	f.StringVar(&q.prove, "prove", "", "try what would have helped, in logs decided anew from `TRACE`, the source of RUN")
	memory := f.String("memory", "", memoryHelp)
	if err := parseFlags(f, args); err != nil {
		return err
	}
	if f.NArg() == 1 {
		return whoLacked(ctx, f.Arg(0))
	}
	positional, err := arguments(f, "RUN", "SUBJECT")
	if err != nil {
		return err
	}
	if err := oneOf("--output", q.output, report.ExplainFormats); err != nil {
		return err
	}
	limits, err := boundMemory(*memory)
	if err != nil {
		return err
	}
	v, err := readVerdict(positional[0])
	if err != nil {
		return err
	}
	subject, err := q.subject(v)
	if err != nil {
		return err
	}
	subject.RunPath = positional[0]
	if v, err = withinTrees(v, q.trees); err != nil {
		return err
	}
	db, err := audit.OpenDatabase(subject.RunPath, limits.database)
	if err != nil {
		return err
	}
	defer db.Close()
	subject.Verdict, subject.DB, subject.Outline = v, db.DB, q.output == report.Perfetto
	documents, err := q.explain(ctx, subject, positional[1])
	if err != nil {
		return err
	}
	if q.prove != "" {
		if err := q.proveCause(ctx, env, subject, documents, limits); err != nil {
			return err
		}
	}
	if q.output == report.Perfetto {
		return report.WriteTracks(ctx, env.binary, subject, documents)
	}
	return report.WriteDocuments(env.stdout, q.output, v, documents)
}

// whoLacked is the error that a subject is missing, which names the pools that lacked most.
func whoLacked(ctx context.Context, run string) error {
	db, err := audit.OpenDatabase(run, 0)
	if err != nil {
		return err
	}
	defer db.Close()
	pools, err := report.WhoLacked(ctx, db.DB, 3)
	if err != nil {
		return err
	}
	if pools == nil {
		return usagef("SUBJECT is missing: a finding, an operation, a job, a pool or a node; no pool of %s lacked anything", run)
	}
	return usagef("SUBJECT is missing: a finding, an operation, a job, a pool or a node; the pools of %s that lacked most: %s", run, strings.Join(pools, "; "))
}

// subject is the time to explain: a part of the judged window, and an instant in it.
func (q *explainRequest) subject(v *audit.Verdict) (s report.Subject, err error) {
	judged, err := judgedWindow(v)
	if err != nil {
		return s, err
	}
	window, err := q.narrow(judged)
	if err != nil {
		return s, err
	}
	if q.at != "" {
		at, err := parseTime("--at", q.at)
		if err != nil {
			return s, err
		}
		if at < window.From || at >= window.To {
			return s, usagef("--at %s is not within the window %s to %s", q.at, formatTime(window.From), formatTime(window.To))
		}
		s.At = instantOf(at)
	}
	if q.from != "" || q.to != "" {
		s.From, s.To = instantOf(window.From), instantOf(window.To)
	}
	return s, nil
}

// judgedWindow is the window that a verdict is about.
func judgedWindow(v *audit.Verdict) (w core.Span, err error) {
	if w.From, err = parseTime("from", v.From); err == nil {
		w.To, err = parseTime("to", v.To)
	}
	if err != nil {
		return w, input.Errorf("the verdict has no window: it is %q to %q; audit the run again", v.From, v.To)
	}
	return w, checkWindow(w)
}

func instantOf(t core.Time) *time.Time {
	at := time.UnixMicro(int64(t)).UTC()
	return &at
}

// explain explains what a text names, given the run and the time to explain.
func (q *explainRequest) explain(ctx context.Context, of report.Subject, text string) (documents []*report.Document, err error) {
	finding, subjects, err := findSubject(ctx, of.Verdict, of.DB, text, q.trees, of.At)
	if err != nil {
		return nil, err
	}
	if finding != nil {
		judge, err := auditOf(of.Verdict, finding.Audit)
		if err != nil {
			return nil, err
		}
		d, err := report.Explain(ctx, report.Explanation{Verdict: of.Verdict, Finding: finding, Audit: judge, DB: of.DB,
			RunPath: of.RunPath, From: of.From, To: of.To, Outline: of.Outline})
		return []*report.Document{d}, err
	}
	for _, s := range subjects {
		subject := of
		subject.Kind, subject.Name, subject.Tree = s.Kind, s.Name, s.Tree
		explain := report.ExplainSubject
		switch s.Kind {
		case "node":
			explain = report.ExplainNode
		case "job":
			explain = report.ExplainJob
		}
		d, err := explain(ctx, subject)
		if err != nil {
			return nil, err
		}
		documents = append(documents, d)
	}
	return documents, nil
}

// nearIDs bounds the number of ids in an error.
const nearIDs = 8

// findFinding returns the finding that an id or its beginning names; nil if none
// has it.
func findFinding(v *audit.Verdict, text string) (*audit.Finding, error) {
	for i := range v.Findings {
		if v.Findings[i].ID == text {
			return &v.Findings[i], nil
		}
	}
	for _, f := range v.Fixed {
		if f.ID == text {
			return nil, usagef("finding %s is of the baseline and fixed since: explain it in that run", text)
		}
	}
	near, exact := report.NearIDs(v, text, nearIDs)
	switch {
	case exact && len(near) == 1 && text != "":
		return &near[0], nil
	case exact && len(near) > 0:
		return nil, usagef("several findings begin with %q; give more of the id:\n%s", text, lines(near))
	}
	return nil, nil
}

// lines prints findings, one line each.
func lines(findings []audit.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "  %s  %s, %s %s\n", f.ID, f.Audit, f.SubjectKind, spelling.OneName(f.Subject))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// auditOf returns an audit with what its query says of itself; what an older
// program's verdict says, if this one has no such audit.
func auditOf(v *audit.Verdict, id string) (*audit.Audit, error) {
	audits, err := audit.ReadAudits(queries.Files)
	if err != nil {
		return nil, err
	}
	for _, a := range append(audits, v.Audits...) {
		if a.ID == id {
			return a, nil
		}
	}
	return nil, fmt.Errorf("no audit is called %s", id) // ReadVerdict refuses such a verdict
}
