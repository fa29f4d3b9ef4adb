package main

import (
	"context"
	"fmt"
	"strings"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/queries"
	"poolproof/replay"
)

const explainHelp = `
Tell of one finding of RUN, for a person: what was promised, what happened, the
numbers on both sides, the time around it, what would excuse it, and the queries
that show the rows behind it.

FINDING is the id of a finding, as the verdict and the report show it, or as much
of its beginning as no other id has.

Example:
  poolproof explain run 3dedde8e303b
  poolproof explain run 3ded

usage: poolproof explain RUN FINDING
`

func explainCommand(ctx context.Context, env *environment, args []string) error {
	f := newFlags(env, "explain", explainHelp)
	positional, err := parse(f, args, "RUN", "FINDING")
	if err != nil {
		return err
	}
	dir := positional[0]
	if _, err := replay.ReadManifest(dir); err != nil {
		return err
	}
	v, err := audit.ReadVerdict(dir)
	if err != nil {
		return err
	}
	finding, err := findFinding(v, positional[1])
	if err != nil {
		return err
	}
	judge, err := auditOf(v, finding.Audit)
	if err != nil {
		return err
	}
	db, err := audit.OpenDatabase(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	return report.Explain(ctx, env.stdout, report.Explanation{Verdict: v, Finding: finding, Audit: judge, DB: db.DB, RunPath: dir})
}

// nearIDs is how many ids an error lists.
const nearIDs = 8

// findFinding returns the finding that an id or its beginning names.
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
	case len(v.Findings) == 0:
		return nil, usagef("the run has no findings")
	case exact && len(near) == 1 && text != "":
		return &near[0], nil
	case exact:
		return nil, usagef("several findings begin with %q; give more of the id:\n%s", text, lines(near))
	}
	return nil, usagef("no finding has the id %q; those most like it:\n%s", text, lines(near))
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
