package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/queries"
)

const explainHelp = `
Tell a person what a finding of RUN is about, or how an operation, a pool, a tree, a job
or a node fared.

Of a finding: what was promised, what happened, the numbers on both sides, the
time around it, what would excuse it, and the queries that show the rows behind it;
of a start or a preemption also how to ask what the policy would have decided.
Of an operation, a pool or a tree: its timeline, when it starved, waited, stood
above a limit or lacked its guarantee, what an operation lost and gained by preemption,
where recorded fair shares are not the recomputed ones, with the first element that
differs and the inputs that would explain it, and what was found of it. Of a job: whose
it was, how it ended, and if it was taken away the proof. Of a node: what the policy
answers where run or replay were told to --ask, and what was found of it.

SUBJECT is the id of a finding, of an incident, of an operation or of a job, or a
fingerprint, each as the verdict and the report show it or as much of its beginning
as no other has; or the name of a pool, a tree or a node. What several trees
have is told of each, or of those of --tree; a pool may be named with its tree before it,
as gpu/prod. Of an incident and a fingerprint
the worst finding is told, or the one nearest to the time of --at.

Examples:
  poolproof explain run 19ebdac63c4d
  poolproof explain run 19eb
  poolproof explain run prod --at 2025-03-03T08:10:00Z
  poolproof explain run shared --tree devices
  poolproof explain run physical/prod/etl

usage: poolproof explain RUN SUBJECT [--tree TREE] [--at TIME]
`

func explainCommand(ctx context.Context, env *environment, args []string) error {
	f := newFlags(env, "explain", explainHelp)
	moment := f.String("at", "", "`TIME` to be told of, as 2024-05-01T04:00:00Z (default: the whole window)")
	trees := f.StringSlice("tree", nil, treeHelp)
	positional, err := parse(f, args, "RUN", "SUBJECT")
	if err != nil {
		return err
	}
	var at *time.Time
	if *moment != "" {
		parsed, err := parseTime("--at", *moment)
		if err != nil {
			return err
		}
		t := time.UnixMicro(int64(parsed)).UTC()
		at = &t
	}
	dir := positional[0]
	v, err := readVerdict(dir)
	if err != nil {
		return err
	}
	if v, err = withinTrees(v, *trees); err != nil {
		return err
	}
	db, err := audit.OpenDatabase(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	finding, subjects, err := findSubject(ctx, v, db.DB, positional[1], *trees, at)
	if err != nil {
		return err
	}
	for i, s := range subjects {
		if i > 0 {
			fmt.Fprintln(env.stdout)
		}
		s.Verdict, s.DB, s.RunPath, s.At = v, db.DB, dir, at
		explain := report.ExplainSubject
		switch s.Kind {
		case "node":
			explain = report.ExplainNode
		case "job":
			explain = report.ExplainJob
		}
		if err := explain(ctx, env.stdout, s); err != nil {
			return err
		}
	}
	if finding == nil {
		return nil
	}
	judge, err := auditOf(v, finding.Audit)
	if err != nil {
		return err
	}
	return report.Explain(ctx, env.stdout, report.Explanation{Verdict: v, Finding: finding, Audit: judge, DB: db.DB, RunPath: dir})
}

// nearIDs is how many ids an error lists.
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

// lines tells of findings, one line each.
func lines(findings []audit.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "  %s  %s, %s %s\n", f.ID, f.Audit, f.SubjectKind, report.OneLine(f.Subject))
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
