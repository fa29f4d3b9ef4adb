package command

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/core/spelling"
)

// withinTrees is a verdict with the findings of some trees only; of all if none are
// named.
func withinTrees(v *audit.Verdict, trees []string) (*audit.Verdict, error) {
	if len(trees) == 0 {
		return v, nil
	}
	for _, name := range trees {
		if !slices.Contains(v.Trees, name) {
			return nil, usagef("the run has no tree %q; %s", name, spelling.MeantName(name, v.Trees))
		}
	}
	within := *v
	within.Findings = slices.DeleteFunc(slices.Clone(v.Findings), func(f audit.Finding) bool { return !slices.Contains(trees, f.Tree) })
	return &within, nil
}

// findSubject returns what a text names: a finding, or an operation, a pool, a
// tree, a node or a job in each of the trees, of all if none are named, that has it. A
// whole name goes before the beginning of one, and a job after all others: foreign logs
// may call an operation and its job the same.
func findSubject(ctx context.Context, v *audit.Verdict, db *sql.DB, text string, trees []string, at *time.Time) (*audit.Finding, []report.Subject, error) {
	if text == "" {
		return nil, nil, usagef("SUBJECT is empty; it is a finding, an incident, a fingerprint, an operation, a pool, a tree, a node or a job")
	}
	named, err := readSubjects(ctx, db, wholeNames, text, trees)
	if err != nil || len(named) > 0 {
		return nil, named, err
	}
	finding, err := findFinding(v, text)
	if err != nil || finding != nil {
		return finding, nil, err
	}
	if finding = findGroup(v, text, at); finding != nil {
		return finding, nil, nil
	}
	for _, names := range []string{jobNames, operationBeginnings, jobBeginnings} {
		if named, err = readSubjects(ctx, db, names, text, trees); err != nil {
			return nil, nil, err
		}
		for _, s := range named {
			if s.Name != named[0].Name {
				return nil, nil, usagef("several %ss begin with %q, as %s and %s; give more of the id", s.Kind, text, named[0].Name, s.Name)
			}
		}
		if len(named) > 0 {
			return nil, named, nil
		}
	}
	return nil, nil, unknownSubject(ctx, v, db, text)
}

// Queries for what a name names, or the beginning of one.
const (
	wholeNames = `
SELECT 'operation', operation, tree FROM operations WHERE operation = $1
UNION SELECT 'pool', pool, tree FROM pools WHERE $1 IN (pool, path, tree || '/' || pool, tree || '/' || path)
UNION SELECT 'tree', tree, tree FROM trees WHERE tree = $1
UNION SELECT 'node', node, tree FROM nodes WHERE node = $1
ORDER BY ALL`
	jobNames            = "SELECT DISTINCT 'job', job, tree FROM jobs WHERE job = $1 ORDER BY ALL"
	operationBeginnings = "SELECT DISTINCT 'operation', operation, tree FROM operations WHERE starts_with(operation, $1) ORDER BY ALL"
	jobBeginnings       = "SELECT DISTINCT 'job', job, tree FROM jobs WHERE starts_with(job, $1) ORDER BY ALL"
)

// readSubjects returns what a query finds of a text in the trees, in all if none are
// named.
func readSubjects(ctx context.Context, db *sql.DB, query, text string, trees []string) (all []report.Subject, err error) {
	rows, err := db.QueryContext(ctx, query, text)
	if err != nil {
		return nil, fmt.Errorf("look for %q: %w", text, err)
	}
	defer rows.Close()
	for rows.Next() {
		var s report.Subject
		if err := rows.Scan(&s.Kind, &s.Name, &s.Tree); err != nil {
			return nil, err
		}
		if len(trees) == 0 || slices.Contains(trees, s.Tree) {
			all = append(all, s)
		}
	}
	return all, rows.Err()
}

// findGroup returns, of the findings with the incident, the fingerprint or the subject (a job),
// the one that contains the time at or is nearest to it. Without at it is the first, which is the
// worst. Nil if there is none.
func findGroup(v *audit.Verdict, text string, at *time.Time) (best *audit.Finding) {
	var least time.Duration
	for i := range v.Findings {
		f := &v.Findings[i]
		if !strings.HasPrefix(f.Incident, text) && !strings.HasPrefix(f.Fingerprint, text) && f.Subject != text {
			continue
		}
		if d := distance(f, at); best == nil || d < least {
			best, least = f, d
		}
	}
	return best
}

// distance returns the distance of a time from a finding; 0 within it and without a time.
func distance(f *audit.Finding, at *time.Time) time.Duration {
	switch {
	case at == nil:
		return 0
	case f.From != nil && at.Before(*f.From):
		return f.From.Sub(*at)
	case f.To != nil && at.After(*f.To):
		return at.Sub(*f.To)
	}
	return 0
}

// unknownSubject says that nothing is called so, and what is like it: names that are
// near, findings of a subject with that in its name, or ids that are alike.
func unknownSubject(ctx context.Context, v *audit.Verdict, db *sql.DB, text string) error {
	const nothing = "no operation, pool, tree, node, job, incident or finding is called %q"
	named, err := readNames(ctx, db)
	if err != nil {
		return err
	}
	if near := spelling.Near(text, named); len(near) > 0 {
		return usagef(nothing+"; %s", text, spelling.MeantName(text, named))
	}
	if hint := ruleHint(v, text); hint != "" {
		return usagef(nothing+"; %s", text, hint)
	}
	var near []audit.Finding
	for _, f := range v.Findings {
		if len(near) < nearIDs && strings.Contains(strings.ToLower(f.Subject), strings.ToLower(text)) {
			near = append(near, f)
		}
	}
	if len(near) > 0 {
		return usagef(nothing+"; findings of subjects like it:\n%s", text, lines(near))
	}
	if near, _ = report.NearIDs(v, text, nearIDs); len(near) > 0 {
		return usagef(nothing+"; ids most like it:\n%s", text, lines(near))
	}
	return usagef(nothing+"; poolproof query RUN \"SELECT finding_id, subject, reason FROM findings\" lists what was found", text)
}

// ruleHint says of the name of an audit, or the id of a rule, what was found about it; empty for
// other words.
func ruleHint(v *audit.Verdict, text string) string {
	named, _ := audit.Select(v.Audits, []string{text})
	if len(named) == 0 || strings.ContainsAny(text, "*?") {
		return ""
	}
	var found []audit.Finding
	for _, f := range v.Findings {
		if len(found) < nearIDs && (f.Audit == text || f.Invariant == text) {
			found = append(found, f)
		}
	}
	kind := "an audit"
	if !slices.ContainsFunc(named, func(a *audit.Audit) bool { return a.ID == text }) {
		kind = "a rule"
	}
	hint := fmt.Sprintf("it is %s, which poolproof validate --explain %s explains; ", kind, text)
	if len(found) == 0 {
		return hint + "nothing was found about it"
	}
	return hint + "findings about it:\n" + lines(found)
}

// readNames returns what people call things by: pools, also by their paths and after their
// trees, trees and nodes.
func readNames(ctx context.Context, db *sql.DB) (names []string, err error) {
	rows, err := db.QueryContext(ctx, "SELECT unnest([pool, path, tree || '/' || pool, tree || '/' || path]) FROM pools UNION SELECT tree FROM trees UNION SELECT node FROM nodes ORDER BY ALL")
	if err != nil {
		return nil, fmt.Errorf("look for names: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}
